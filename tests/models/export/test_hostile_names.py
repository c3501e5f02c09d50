"""Feature names of an untrusted model file: quoted so that every target reads the same name, or refused."""

from __future__ import annotations

import json
import unicodedata
from dataclasses import replace
from typing import Any

import engines
import hard_cases as hard
import lightgbm as lgb
import numpy as np
import onnx
import pytest
import xgboost
from derived_rows import with_derived_features

from directrank.models import LinearModel, ModelError, dumps, loads
from directrank.models.export import TARGETS, as_portable
from directrank.models.export.exported_model import as_parts

OTHERS = ("second", "third", "fourth", "fifth")

#: Names that every target must refuse.
UNSAFE = [
    "a\nb",
    "a\r",
    "a\tb",
    "a\x00b",
    "a\x1b[31m",
    "a\x85b",
    "a\u2028b",
    "a\u2029b",
    "a\u202eb",
    "a\u2066b",
    "x(\ny)",
    'query("a\n}\n}\nrank-profile evil {")',
    'a\nCREATE VIEW "x" AS',
    "a\n=1",
    "a\udc80",
]

#: Names that a target must quote, or refuse.
HOSTILE = [
    '"',
    "'",
    "'''",
    '"""',
    "\\",
    '\\"',
    "a\\",
    'a"; DROP TABLE features; --',
    "a'); DROP TABLE features; --",
    "*/ evil /*",
    "</ensemble>",
    "<!--",
    "]]>",
    "&amp;",
    "{{evil}}",
    "{{#a}}",
    "${evil}",
    "#{evil}",
    "{",
    "}",
    'query("}")',
    'query("a}{")',
    'query("#")',
    "bm25(title) + 1",
    "bm25(title)\u00a0",
    "a,b",
    "a=b",
    "__import__('os').system('true')",
    "{name!r}",
    "%s",
    "=1+1",
    "@SUM(A1)",
    "-1",
    "a#b",
    "$(evil)",
    "`evil`",
    "é" * 20,
    "\U0001f600",
]
DERIVED = LinearModel(np.arange(1.0, 6), if_missing=np.arange(5.0, 0, -1), log_features=np.array([0, 3]))
MODELS = {
    "trees": hard.trees(n_trees=2),
    "linear": hard.linear(),
    "both": hard.linear_start(n_trees=2),
    "missing": replace(DERIVED, log_features=np.empty(0, np.int64)),
    "logarithms": DERIVED,
    "logarithms and trees": hard.trees_after(DERIVED),
}
TAKES_ONE_PART = ("elasticsearch", "solr", "ranklib", "xgboost", "treelite")
TREES_ONLY = ("elasticsearch", "xgboost", "lightgbm", "treelite")


def named(kind: str, name: str) -> Any:
    """A model as it comes from a file, with a name for its first feature, which it uses."""
    return loads(dumps(MODELS[kind].with_feature_names([name, *OTHERS])))


def takes(target: str, kind: str) -> bool:
    """Whether the target takes this kind of model at all."""
    if kind in ("both", "logarithms and trees"):
        return target not in TAKES_ONE_PART and not (target == "lightgbm" and kind != "both")
    return kind == "trees" or (target not in TREES_ONLY and not (target == "ranklib" and kind == "logarithms"))


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("name", UNSAFE)
def test_names_that_break_text_are_refused_everywhere(target: str, name: str) -> None:
    model = MODELS["trees"].with_feature_names([name, *OTHERS])
    for write in (TARGETS[target].write, TARGETS[target].write_features):
        if write == TARGETS[target].write or TARGETS[target].features is not None:
            with pytest.raises(ModelError, match="rename it") as found:
                write(model, {})
            assert not any(unicodedata.category(c) in ("Cc", "Cf", "Cs", "Zl", "Zp") for c in str(found.value))


@pytest.mark.parametrize(("target", "kind"), [(t, kind) for t in TARGETS for kind in MODELS if takes(t, kind)])
def test_other_names_are_quoted_or_refused(target: str, kind: str) -> None:
    n_accepted = 0
    X = np.random.default_rng(0).normal(size=(10, hard.WIDTH)).astype(np.float32)
    X[::4, 0] = X[1::4, 3] = np.nan
    for name in HOSTILE:
        model = named(kind, name)
        try:
            content = TARGETS[target].write(model, {}).content
        except ModelError as error:
            assert "rename it" in str(error) and repr(name) in str(error)
            continue
        n_accepted += 1
        values = np.abs(np.nan_to_num(X, nan=0.0)) if target in ("ranklib", "solr") else X
        theirs = scores(target, content, values, model)
        np.testing.assert_allclose(theirs, wanted(target, model, values), rtol=1e-4, atol=1e-4, err_msg=name)
    if target.endswith("-ltr") and kind.startswith("logarithms"):  # whose expressions take names of variables only
        assert n_accepted == 0 and TARGETS[target].write(named(kind, "_a.b$1"), {}).content
    else:
        assert n_accepted > 20 or target in ("vespa", "lightgbm")


def wanted(target: str, model: Any, X: Any) -> Any:
    """The model's own scores, without the intercept that the plugins leave out."""
    linear = as_parts(model)[1].linear
    return hard.expected(model, X) - (linear.intercept if linear is not None and target.endswith("-ltr") else 0.0)


def scores(target: str, content: bytes, X: Any, model: Any) -> Any:
    """Scores by the runtime, or by the rules of the engine, from rows with the model's names."""
    if TARGETS[target].scores is not None:
        assert written_names(target, content) in (None, list(model.feature_names))
        return TARGETS[target].replay(content, X, as_portable(model))
    rows = with_derived_features(target, model, [dict(zip(model.feature_names, row, strict=True)) for row in X])
    text = content.decode()
    if target.endswith("-ltr"):
        return engines.elasticsearch_ltr_sum(text, rows)
    if target == "vespa":
        return (engines.vespa_profile if text.startswith("rank-profile") else engines.vespa_lightgbm)(text, rows)
    return {"elasticsearch": engines.elasticsearch_native, "ranklib": engines.ranklib, "solr": engines.solr}[target](
        text, rows
    )


def written_names(target: str, content: bytes) -> list[str] | None:
    """The names of all features as the runtime reads them, if it has them."""
    if target == "onnx":
        return list(json.loads(onnx.load_from_string(content).metadata_props[0].value))
    if target == "xgboost":
        return xgboost.Booster(model_file=bytearray(content)).feature_names
    return lgb.Booster(model_str=content.decode()).feature_name() if target == "lightgbm" else None


@pytest.mark.parametrize("kind", ["trees", "missing", "logarithms"])
@pytest.mark.parametrize("target", [name for name, target in TARGETS.items() if target.features is not None])
def test_feature_definitions_quote_or_refuse(target: str, kind: str) -> None:
    for name in HOSTILE:
        try:
            text = TARGETS[target].write_features(named(kind, name), {}).text
        except ModelError as error:
            assert "rename it" in str(error) and repr(name) in str(error)
            continue
        if target == "vespa":
            assert text.count("{") == text.count("}") == 6 or name == "@SUM(A1)"  # a rank feature, for all that it knows
        else:
            assert json.dumps(name, ensure_ascii=False) in text
            json.loads(text)


@pytest.mark.parametrize("kind", MODELS)
def test_a_name_is_no_schema(kind: str) -> None:
    """A quoted argument with braces would end the expression of a rank profile and start another profile."""
    for name in ('query("}}rank-profile evil inherits default {")', 'query("a\\")', "attribute(a){b}", 'query("#")'):
        with pytest.raises(ModelError, match="Vespa does not take the name"):
            TARGETS["vespa"].write(named(kind, name), {})
    assert TARGETS["vespa"].write(named(kind, 'query("user.age")'), {}).content
