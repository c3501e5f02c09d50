"""Damaged model files: an error sentence, or a model that predicts; never a signal, a hang or another exception."""

from __future__ import annotations

import copy
import json
import warnings
from contextlib import suppress
from functools import cache
from typing import Any

import numpy as np
import pytest
from scipy import sparse

from directrank import AdaRank, InputError, LambdaMART, MultivariateSVC, OneVsRestSVM, RankBoost, SVMRanker
from directrank.datasets import make_ranking
from directrank.models import KernelExpansion, Model, ModelError, SelectedFeatures, TreesModel, dumps, loads
from directrank.models.trees.lightgbm_text import write_text

DATA = make_ranking(15, (5, 20), random_state=0)
NUMBERS = [0, 1, -1, 2, 3, 15, 16, 17, 31, 2**31 - 1, 2**31, -(2**31), 2**62, 2**63, 10**30, 0.5, -0.0, 1e-36, 1e300, 1e308]
ODD = [None, True, False, "", "nan", "\ud800", "\x00", "evil:X", [], {}, [[]], [None], float("nan"), float("inf")]
PIECES = [*b'" [ : , \xff \\ud800 0 - 1e400 NaN null'.split(b" "), b"", b" ", b"9" * 20, b"9" * 5000, b"{" * 40]
KINDS = [
    *("linear", "classifier", "kernel", "sparse kernel", "stumps", "weights", "sum over grades", "sum of models"),
    "selected features",
]
KINDS += ["trees", "categories", "linear leaves", "LightGBM's text"]


@pytest.mark.parametrize("kind", KINDS)
def test_damaged_models(fuzz, kind: str) -> None:
    fuzz(lambda rng: check(rng, kind), cases=60)


def check(rng: np.random.Generator, kind: str) -> None:
    """Load a damaged file; what is accepted must predict, and its booster too."""
    text = damaged(rng, original(kind))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            content = text.decode(errors="strict")
            model = TreesModel.from_lightgbm(json.loads(content), 3) if kind == "LightGBM's text" else loads(content)
        except (ModelError, UnicodeDecodeError, json.JSONDecodeError) as error:
            assert "\n" not in str(error)
            return
    assert dumps(loads(dumps(model))) == dumps(model)
    predicts(rng, model)


def predicts(rng: np.random.Generator, model: Model) -> None:
    """Rows of any kind get a score each; LightGBM's booster gives the same ones."""
    if model.n_features > 10_000:
        return
    X = rng.normal(size=(5, model.n_features)) * 10.0 ** rng.integers(-40, 40, (5, model.n_features))
    X[rng.random(X.shape) < 0.2] = 0.0
    if model.allows_missing:
        X[rng.random(X.shape) < 0.2] = np.nan
    try:
        scores = model.predict(X)
    except InputError as error:
        assert isinstance(model, KernelExpansion) and "is not finite for some rows" in str(error)
        return
    assert scores.shape == (5,)
    with suppress(ModelError):
        assert np.all(np.isfinite(model.importances().values))
    np.testing.assert_array_equal(model.predict(sparse.csr_array(X)).shape, (5,))
    if isinstance(model, TreesModel):
        try:
            booster = model.booster
        except ModelError:
            return
        np.testing.assert_array_equal(booster.predict(X), scores)
        assert booster.num_trees() == model.n_trees
        if all(tree.linear is None for tree in model.trees):
            booster.predict(X, pred_contrib=True)


@cache
def original(kind: str) -> str:
    """A whole model file."""
    few: dict[str, Any] = {"n_estimators": 3, "num_leaves": 5, "min_child_samples": 2}
    X = DATA.X.copy()
    X[:, 3] = np.arange(len(X)) % 40
    X[::5, 2] = np.nan
    learners: dict[str, Any] = {
        "linear": SVMRanker("AP"),
        "kernel": SVMRanker("AP", C=10.0, kernel="rbf"),
        "weights": AdaRank("AP", n_estimators=5),
        "stumps": RankBoost(n_estimators=5),
        "sum over grades": OneVsRestSVM(),
        "sum of models": AdaRank("AP", weak_ranker=RankBoost(n_estimators=2), early_stopping_rounds=2, n_estimators=3),
        "linear leaves": LambdaMART("AP", lightgbm={"linear_tree": True}, **few),
    }
    if kind == "classifier":
        return dumps(MultivariateSVC("F1", C=0.1).fit(DATA.X, DATA.y > 0))
    if kind == "sparse kernel":
        rows = sparse.csr_array(np.maximum(DATA.X, 0))
        return dumps(MultivariateSVC("AUC", kernel="poly", degree=2).fit(rows, DATA.y > 0))
    if kind == "selected features":
        return dumps(
            SelectedFeatures(SVMRanker("AP").fit(DATA.X, DATA.y, DATA.qid).model_, 3 * np.arange(DATA.n_features), 50)
        )
    if kind in learners:
        return dumps(learners[kind].fit(DATA.X, DATA.y, DATA.qid))
    by_category = {"categorical_feature": [3], "cat_smooth": 1, "min_data_per_group": 1, "max_cat_to_onehot": 1}
    model = LambdaMART("AP", lightgbm=by_category if kind == "categories" else None, **few).fit(X, DATA.y, DATA.qid).model_
    return dumps(model) if kind in ("trees", "categories") else json.dumps(write_text(model.trees, model.width, None, []))


def damaged(rng: np.random.Generator, text: str) -> bytes:
    """One or a few changes to the JSON, to LightGBM's text, or to the bytes."""
    content = json.loads(text)
    for _ in range(rng.integers(1, 4)):
        way = rng.integers(0, 3)
        if isinstance(content, str):
            content = change_text(rng, content)
        elif way < 2:
            content = change_part(rng, content)
    try:
        found = json.dumps(content).encode()
    except (ValueError, RecursionError):
        return b""
    return change_bytes(rng, found) if way == 2 else found


def change_part(rng: np.random.Generator, content: Any) -> Any:
    """Put something else in the place of a random part, drop it, repeat it, or swap it with another."""
    places = list(parts_of(content))
    if not places:
        return content
    holder, key = places[rng.integers(len(places))]
    other, other_key = places[rng.integers(len(places))]
    way = rng.integers(0, 7)
    if way == 0:
        del holder[key]
    elif way == 1:
        holder[key] = pick(rng, ODD)
    elif way == 2:
        holder[key] = pick(rng, NUMBERS)
    elif way == 3 and type(holder[key]) in (int, float):
        holder[key] = holder[key] + type(holder[key])(pick(rng, [1, -1, 2]))
    elif way == 4 and isinstance(holder, list):
        holder.insert(key, holder[key])
    elif way == 5:
        holder[key], other[other_key] = json.loads(json.dumps([other[other_key], holder[key]]))
    else:
        holder[key] = [holder[key]]
    return content


def parts_of(content: Any) -> Any:
    """Each part of nested lists and objects, as what holds it and its key there."""
    if isinstance(content, (dict, list)):
        for key in content if isinstance(content, dict) else range(len(content)):
            yield content, key
            yield from parts_of(content[key])


def change_text(rng: np.random.Generator, text: str) -> str:
    """Change a line of LightGBM's text."""
    lines = text.split("\n")
    at = int(rng.integers(len(lines)))
    name, _, values = lines[at].partition("=")
    words = values.split(" ")
    words[rng.integers(len(words))] = str(pick(rng, [*NUMBERS, "", "nan", "inf", "-", "x", "9" * 5000]))
    changed = [[], [lines[at]] * 2, [f"{name}={' '.join(words)}"], [name], [lines[at], ""]]
    lines[at : at + 1] = pick(rng, changed)
    return "\n".join(lines)


def change_bytes(rng: np.random.Generator, text: bytes) -> bytes:
    """Cut, insert, flip or repeat some bytes."""
    start, end = sorted(rng.integers(0, len(text) + 1, 2).tolist())
    end = min(end, start + int(rng.integers(1, 12)))
    way = rng.integers(0, 5)
    if way == 0:
        return text[:start]
    if way == 1:
        return text[:start] + text[end:]
    if way == 2:
        return text[:start] + rng.integers(0, 256, end - start).astype(np.uint8).tobytes() + text[end:]
    if way == 3:
        return text[:start] + pick(rng, PIECES) + text[end:]
    return text[:end] + text[start:]


def pick(rng: np.random.Generator, values: list[Any]) -> Any:
    return copy.deepcopy(values[rng.integers(len(values))])
