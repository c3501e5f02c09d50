"""Logarithms of features and constants for missing values, in every target: alone, both, and as the start of trees."""

from __future__ import annotations

import json
import math
from typing import Any

import duckdb
import engines
import hard_cases as hard
import numpy as np
import pytest
from derived_rows import with_derived_features
from hypothesis import example, given, strategies as st

from directrank.models import LinearModel, ModelError, SumOfModels, TreesModel, dumps, loads
from directrank.models.export import PARTS, TARGETS, as_portable, model_part, to_sql
from directrank.models.export.exported_model import as_parts

KINDS = ("logarithms", "missing", "both")
RUN_HERE = ("onnx", "sql", "python")
WITH_DERIVED_FEATURES = ("elasticsearch-ltr", "opensearch-ltr", "solr")
BY_PARTS = ("elasticsearch", "solr", "ranklib", "xgboost", "treelite")


def as_dicts(X: Any, names: Any = hard.NAMES) -> list[dict[str, Any]]:
    return [dict(zip(names, row, strict=True)) for row in X.astype(np.float32)]


def scores(target: str, model: Any, X: Any) -> Any:
    """Scores of an export, by its runtime or by the rules of the engine, and of the features that it defines."""
    made = TARGETS[target].write(model, {})
    if TARGETS[target].scores is not None:
        return TARGETS[target].replay(made.content, X, as_portable(model))
    rows = as_dicts(X)
    if target == "vespa":
        return engines.vespa_profile(made.text, rows)
    if target == "ranklib":
        return engines.ranklib(made.text, rows)
    evaluate = engines.solr if target == "solr" else engines.elasticsearch_ltr_sum
    return evaluate(made.text, with_derived_features(target, model, rows))  # type: ignore[operator]


def rows_for(target: str) -> Any:
    """Rows of a wide range; in Solr the features are scores of queries, which are not negative."""
    return hard.wide_range(lowest=1.0 if target == "solr" else -1.0)


@pytest.mark.parametrize("kind", KINDS)
def test_the_model_scores_by_its_definition(kind: str) -> None:
    model, X = hard.linear_of(kind, intercept=0.25), hard.wide_range()
    wanted, magnitude = hard.defined_scores(model, X)
    assert np.all(np.abs(model.predict(X) - wanted) <= 1e-14 * magnitude)
    np.testing.assert_array_equal(loads(dumps(model)).predict(X), model.predict(X))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("target", [*RUN_HERE, "vespa", *WITH_DERIVED_FEATURES])
def test_alone(target: str, kind: str) -> None:
    intercept = 0.0 if target in WITH_DERIVED_FEATURES else 0.25  # which they leave out
    model, X = hard.linear_of(kind, intercept), rows_for(target)
    wanted, magnitude = hard.defined_scores(model, X)
    precision = 1e-6 if target in WITH_DERIVED_FEATURES else 1e-14
    assert np.all(np.abs(scores(target, model, X) - wanted) <= precision * magnitude)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("made", ["start", "sum"])
@pytest.mark.parametrize("target", TARGETS)
def test_as_the_start_of_trees(target: str, made: str, kind: str) -> None:
    """In one export, or as the sum of the exports of its parts; what a target cannot express is an error that says so."""
    linear = hard.linear_of(kind)
    model = hard.trees_after(linear) if made == "start" else SumOfModels(np.ones(2), [linear, hard.trees()])
    model = loads(dumps(model.with_feature_names(hard.NAMES)))
    X = rows_for(target)
    X[:, [0, 1, 2, 4]] = np.clip(X[:, [0, 1, 2, 4]], -50, 50)  # so that a sum in single precision has the leaves
    X[:, 3] *= np.float32(1e-6) if kind == "missing" else np.float32(1)
    X[:, 3] = np.clip(X[:, 3], -1e-3, 1e-3)
    wanted = hard.defined_scores(linear, X)[0] + hard.trees().predict(X)
    np.testing.assert_allclose(model.predict(X), wanted, atol=1e-9)
    if target in BY_PARTS:
        with pytest.raises(ModelError, match=r"a weighted sum of features plus trees .*--part"):
            TARGETS[target].write(model, {})
        theirs = part_scores(target, model, X, kind)
    elif target == "lightgbm" and kind != "missing":
        with pytest.raises(
            ModelError, match=r"the logarithms of 2 features, such as 'clicks', and LightGBM has no logarithm"
        ):
            TARGETS[target].write(model, {})
        return
    else:
        theirs = scores(target, model, X)
    if target == "ranklib":  # which counts a missing value 0
        wanted = wanted[~np.isnan(X).any(axis=1)]
    single = target in ("elasticsearch-ltr", "opensearch-ltr", "solr", "xgboost", "ranklib")
    np.testing.assert_allclose(theirs, wanted, rtol=0, atol=2e-3 if single else 1e-9)


def part_scores(target: str, model: Any, X: Any, kind: str) -> Any:
    """Sum of the scores of both parts, of which the linear one may need another target."""
    linear, grown = (model_part(model, part) for part in PARTS)
    has_linear = target == "solr" or (target == "ranklib" and kind == "missing")
    X = X[~np.isnan(X).any(axis=1)] if target == "ranklib" else X
    start = scores(target if has_linear else "python", linear, X)
    if target == "elasticsearch":
        return start + engines.elasticsearch_native(TARGETS[target].write(grown, {}).text, as_dicts(X))
    if target == "solr":
        return start + engines.solr(TARGETS[target].write(grown, {}).text, as_dicts(X), default=np.float32(np.nan))
    return start + scores(target, grown, X)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("column_type", ["DOUBLE", "FLOAT"])
def test_duckdb(column_type: str, kind: str) -> None:
    model, X = hard.linear_of(kind, intercept=0.25), hard.wide_range()
    connection = duckdb.connect()
    columns = ", ".join(f'"{name}" {column_type}' for name in hard.NAMES)
    connection.execute(f"CREATE TABLE docs (id INTEGER, {columns})")
    values = [[i, *(None if math.isnan(x) and i % 2 else x for x in row)] for i, row in enumerate(X.tolist())]
    connection.executemany(f"INSERT INTO docs VALUES ({', '.join('?' * 6)})", values)
    connection.execute(to_sql(model, name="ltr", store="docs").text)
    theirs = np.array(connection.execute("SELECT score FROM ltr ORDER BY id").fetchall())[:, 0]
    wanted, magnitude = hard.defined_scores(model, X)
    assert np.all(np.abs(theirs - wanted) <= 1e-14 * magnitude)


@given(st.builds(lambda sign, exponent: sign * 10**exponent, st.sampled_from([-1.0, 1.0]), st.floats(-30, 8)))
@example(0.0)
@example(1e-17)
@example(1e-8)
@example(-9.999999e-9)
@example(1e8)
def test_logarithms_are_precise_for_tiny_and_huge_values(x: float) -> None:
    """log(1 + x) of a tiny x, in double precision, is not even approximately x."""
    model = LinearModel(np.ones(1), log_features=np.zeros(1, np.int64), feature_names=("x",))
    X = np.array([[np.float32(x)]])
    rows = as_dicts(X, ("x",))
    wanted = math.copysign(math.log1p(abs(float(X[0, 0]))), x)
    for target in RUN_HERE:
        content = TARGETS[target].write(model, {}).content
        np.testing.assert_allclose(TARGETS[target].replay(content, X, as_portable(model)), wanted, rtol=1e-15)
    np.testing.assert_allclose(engines.vespa_profile(TARGETS["vespa"].write(model, {}).text, rows), wanted, rtol=1e-15)
    np.testing.assert_allclose(with_derived_features("elasticsearch-ltr", model, rows)[0]["x_log"], wanted, rtol=1e-7)
    in_solr = with_derived_features("solr", model, rows)[0]["x_log"]
    np.testing.assert_allclose(in_solr, max(wanted, 0.0), rtol=1e-6)


@pytest.mark.parametrize("kind", KINDS)
def test_ranklib_within_the_plugins_counts_derived_features(kind: str) -> None:
    model, X = hard.linear_of(kind), hard.wide_range()
    body = json.loads(TARGETS["elasticsearch-ltr"].write(model, {"ranklib": True}).text)["model"]["model"]
    rows = with_derived_features("elasticsearch-ltr", model, as_dicts(X))
    wanted, magnitude = hard.defined_scores(model, X)
    assert np.all(np.abs(engines.ranklib(body["definition"], rows, list(rows[0])) - wanted) <= 1e-6 * magnitude)


def test_ranklib_has_no_logarithm_and_takes_missing_values_for_zero() -> None:
    with pytest.raises(
        ModelError, match=r"'clicks', and RankLib has no logarithm: these targets take it: elasticsearch-ltr"
    ):
        TARGETS["ranklib"].write(hard.linear_of("both"), {})
    model = hard.linear_of("missing")
    made = TARGETS["ranklib"].write(model, {})
    assert any("Of the 5 features of the model, 4 do not count 0 where they are missing: RankLib" in n for n in made.notes)
    X = np.nan_to_num(hard.wide_range(), nan=0.0)
    wanted, magnitude = hard.defined_scores(model, X)
    assert np.all(np.abs(engines.ranklib(made.text, as_dicts(X)) - wanted) <= 1e-14 * magnitude)


@pytest.mark.parametrize("kind", ["logarithms", "both"])
@pytest.mark.parametrize("target", ["elasticsearch", "ranklib", "xgboost", "lightgbm", "treelite"])
def test_an_error_lists_the_targets_that_take_logarithms(target: str, kind: str) -> None:
    with pytest.raises(ModelError) as found:
        TARGETS[target].write(hard.linear_of(kind), {})
    listed = str(found.value).rpartition(": ")[2].split(", ")
    assert listed == ["elasticsearch-ltr", "opensearch-ltr", "solr", "vespa", "onnx", "sql", "python"]
    assert all(TARGETS[other].write(hard.linear_of(kind), {}).content for other in listed)


def test_elasticsearchs_extractors_have_queries_of_derived_features() -> None:
    """Which the rescorers that add a linear start need (docs/serving.md)."""
    definitions = json.loads(TARGETS["elasticsearch"].write_features(hard.trees_after(hard.linear_of("both")), {}).text)
    queries = {part["query_extractor"]["feature_name"]: part["query_extractor"]["query"] for part in definitions}
    assert {"clicks_log", "clicks_missing", "age_missing", "price_log", "price_missing", "rating_missing"} < set(queries)
    source = {"FILL IN: the query of price": {"title": "{{query}}"}}
    assert queries["price_log"] == {"script_score": {"query": source, "script": {"source": "Math.log1p(_score)"}}}
    assert queries["price_missing"] == {"constant_score": {"filter": {"bool": {"must_not": source}}}}


@pytest.mark.parametrize("target", WITH_DERIVED_FEATURES)
def test_names_of_derived_features_must_be_free(target: str) -> None:
    model = hard.linear_of("both").with_feature_names(("a", "b", "c", "d", "b_log"))
    for write in (TARGETS[target].write, TARGETS[target].write_features):
        with pytest.raises(ModelError, match=r"the export adds a feature 'b_log', and the model has a feature of that name"):
            write(model, {})
    unnamed = TARGETS[target].write(model.with_feature_names(None), {})
    assert "f2_log" in unnamed.text and any("f1 stands for the first feature" in note for note in unnamed.notes)


def test_expressions_of_the_plugins_need_names_that_they_can_refer_to() -> None:
    model = hard.linear_of("logarithms").with_feature_names(("a", "title-bm25", "c", "doc.price", "e"))
    for target in ("elasticsearch-ltr", "opensearch-ltr"):
        for write in (TARGETS[target].write, TARGETS[target].write_features):
            with pytest.raises(ModelError, match=r"'title-bm25': it refuses all but letters, .* logarithm"):
                write(model, {})
    assert TARGETS["elasticsearch-ltr"].write(model.with_feature_names(("a-b", "b", "c", "doc.price", "e")), {}).content


@pytest.mark.parametrize(("kind", "lowest"), [("logarithms", -3 * math.log(2)), ("missing", -3.0)])
def test_the_lowest_score_of_features_between_0_and_1(kind: str, lowest: float) -> None:
    for target in ("elasticsearch-ltr", "solr"):
        notes = TARGETS[target].write(hard.linear_of(kind), {"shift": True}).notes
        assert any(f"--shift changes nothing: it is at least {lowest:.6g} if" in note for note in notes)


def test_notes_on_missing_values_and_derived_features() -> None:
    for target in (*RUN_HERE, "vespa", *WITH_DERIVED_FEATURES):
        notes = TARGETS[target].write(hard.linear_of("missing"), {}).notes
        assert any("counts 0 in the weighted sum, except for 4 features" in note for note in notes)
        assert any("needs 4 features" in note for note in notes) == (target in WITH_DERIVED_FEATURES)
    assert any("must not be negative" in note for note in TARGETS["solr"].write(hard.linear_of("logarithms"), {}).notes)


def test_notes_on_engines() -> None:
    assert any("SQLite from 3.35 on" in note for note in TARGETS["sql"].write(hard.linear_of("both"), {}).notes)
    assert not any("LN" in note for note in TARGETS["sql"].write(hard.linear_of("missing"), {}).notes)
    assert any("for no missing integer" in note for note in TARGETS["vespa"].write(hard.linear_of("missing"), {}).notes)
    assert not any("integer" in note for note in TARGETS["vespa"].write(hard.linear_of("logarithms"), {}).notes)


def test_a_database_without_logarithms_is_an_error() -> None:
    model = hard.linear_of("both")
    content = to_sql(model).content.replace(b"LN(", b"NO_LN(")
    with pytest.raises(ModelError, match=r"SQLite cannot run the export \(no such function: NO_LN\); check it in another"):
        TARGETS["sql"].replay(content, hard.wide_range(), as_portable(model))


def test_lightgbm_takes_constants_for_missing_values() -> None:
    """Of a linear start that is a leaf without a number where its feature is missing."""
    start = hard.linear_of("missing", intercept=3.0)
    model, X = hard.trees_after(start), hard.wide_range()
    np.testing.assert_array_equal(model.booster.predict(X), model.predict(X))
    wanted = hard.defined_scores(start, X)[0] + hard.trees().predict(X)
    np.testing.assert_allclose(model.predict(X), wanted, rtol=1e-12, atol=1e-9)


def test_a_start_from_a_feature_and_its_logarithm_is_an_error() -> None:
    both = SumOfModels(np.ones(2), [hard.linear_of("both"), hard.linear_of("missing")])
    with pytest.raises(
        ModelError, match="weights of both a feature and its logarithm, and trees cannot start from such a sum"
    ):
        TreesModel.from_portable(both.portable())


def test_a_feature_and_its_logarithm() -> None:
    """A sum of models may have weights of both, which a linear model cannot have."""
    model = SumOfModels(np.array([1.0, 2.0]), [hard.linear_of("both"), hard.linear_of("missing")], feature_names=hard.NAMES)
    X = hard.wide_range()
    parts = [hard.defined_scores(part, X) for part in model.models]  # type: ignore[arg-type]
    wanted, magnitude = parts[0][0] + 2 * parts[1][0], parts[0][1] + 2 * parts[1][1]
    for target in (*RUN_HERE, "vespa", "elasticsearch-ltr"):
        precision = 1e-6 if target == "elasticsearch-ltr" else 1e-14
        assert np.all(np.abs(scores(target, model, X) - wanted) <= precision * magnitude)
    assert model.importances().names.count("price") == 2
    again = model_part(model, "linear")
    assert np.all(np.abs(again.predict(X) - wanted) <= 1e-14 * magnitude)
    assert as_parts(again)[1].linear is not None


def test_an_intercept_alone_is_a_leaf() -> None:
    model = SumOfModels(np.ones(2), [LinearModel(np.zeros(hard.WIDTH), 2.5), hard.trees()], feature_names=hard.NAMES)
    X = hard.wide_range()
    for target in ("python", "solr", "xgboost"):
        rows = as_dicts(X)
        made = TARGETS[target].write(model, {})
        theirs = engines.solr(made.text, rows, default=np.float32(np.nan)) if target == "solr" else scores(target, model, X)
        np.testing.assert_allclose(theirs, hard.trees().predict(X) + 2.5, atol=1e-4)
