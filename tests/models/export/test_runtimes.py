"""Exports in their runtimes: XGBoost, LightGBM, onnxruntime, Treelite, SQLite, DuckDB, Python. Not one row may differ."""

from __future__ import annotations

from typing import Any

import duckdb
import hard_cases as hard
import numpy as np
import pyarrow as pa
import pytest
import xgboost
from hypothesis import given, settings, strategies as st

from directrank.models.export import PARTS, TARGETS, as_portable, model_part, to_sql
from directrank.models.export.exported_model import as_parts

MODELS = {
    "NaN": hard.trees("NaN"),
    "no missing": hard.trees("none"),
    "many small": hard.trees("NaN", n_trees=450, leaves=3, seed=1),
    "stumps": hard.stumps(),
}
LINEAR = {
    "linear": hard.linear(intercept=1.0),
    "sum over grades": hard.sum_over_grades(),
    "sum of models": hard.sum_of_models(),
}
STARTED = {
    "NaN": hard.linear_start("NaN"),
    "no missing": hard.linear_start("none"),
    "stumps": hard.sum_with_linear_part(),
}
ADDS_BOTH = ("onnx", "lightgbm", "sql", "python")
RUN_HERE = [name for name, target in TARGETS.items() if target.scores is not None]


@pytest.mark.parametrize("kind", MODELS)
@pytest.mark.parametrize("target", RUN_HERE)
def test_no_row_is_wrong(target: str, kind: str) -> None:
    model = MODELS[kind]
    X = hard.rows_beside_thresholds(model)
    content = TARGETS[target].write(model, {}).content
    theirs = TARGETS[target].replay(content, X, as_portable(model))
    wrong = theirs != hard.expected(model, X)
    if target == "lightgbm" and kind == "stumps":  # LightGBM takes tiny values for 0, and stumps do not
        wrong &= ~np.any((np.abs(X) <= 1e-35) & (X != 0), axis=1)
    assert np.sum(wrong) == 0


@pytest.mark.parametrize("kind", STARTED)
@pytest.mark.parametrize("target", RUN_HERE)
def test_no_row_is_wrong_with_a_linear_start(target: str, kind: str) -> None:
    model = STARTED[kind]
    X = hard.moderate(hard.rows_beside_thresholds(model))
    theirs = np.zeros(len(X))
    for part in [model] if target in ADDS_BOTH else [model_part(model, part) for part in PARTS]:
        runtime = TARGETS[target if target in ADDS_BOTH or as_parts(part)[1].linear is None else "python"]
        theirs += runtime.replay(runtime.write(part, {}).content, X, as_portable(part))
    wrong = np.abs(theirs - hard.expected(model, X)) > 1e-9
    if target == "lightgbm" and kind == "stumps":
        wrong &= ~np.any((np.abs(X) <= 1e-35) & (X != 0), axis=1)
    assert np.sum(wrong) == 0


def test_a_linear_start_is_the_base_margin_of_xgboost() -> None:
    model = STARTED["NaN"]
    X = hard.moderate(hard.rows_beside_thresholds(model, n_rows=500))
    start, grown = (model_part(model, part) for part in PARTS)
    booster = xgboost.Booster(model_file=bytearray(TARGETS["xgboost"].write(grown, {}).content))
    rows = xgboost.DMatrix(X, base_margin=hard.expected(start, X), feature_names=list(hard.NAMES))
    assert np.abs(booster.predict(rows, output_margin=True) - hard.expected(model, X)).max() < 1e-3


@pytest.mark.parametrize("kind", STARTED)
def test_duckdb_with_a_linear_start(kind: str) -> None:
    X = hard.moderate(hard.rows_beside_thresholds(STARTED[kind], n_rows=500))
    for theirs in in_duckdb(STARTED[kind], X, "DOUBLE"):
        np.testing.assert_allclose(theirs, hard.expected(STARTED[kind], X), rtol=0, atol=1e-9)


@pytest.mark.parametrize("target", RUN_HERE)
@settings(max_examples=20)
@given(seed=st.integers(0, 2**32 - 1))
def test_trees_of_any_shape(target: str, seed: int) -> None:
    model = hard.random_trees(seed)
    X = hard.rows_beside_thresholds(model, n_rows=200, seed=seed)
    theirs = TARGETS[target].replay(TARGETS[target].write(model, {}).content, X, as_portable(model))
    np.testing.assert_array_equal(theirs, hard.expected(model, X))


@pytest.mark.parametrize("kind", LINEAR)
@pytest.mark.parametrize("target", ["onnx", "sql", "python"])
def test_weighted_sums(target: str, kind: str) -> None:
    model, rng = LINEAR[kind], np.random.default_rng(0)
    X = rng.normal(size=(500, hard.WIDTH)).astype(np.float32)
    X[rng.random(X.shape) < 0.1] = np.nan
    theirs = TARGETS[target].replay(TARGETS[target].write(model, {}).content, X, as_portable(model))
    np.testing.assert_allclose(theirs, hard.expected(model, X), rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("kind", MODELS)
@pytest.mark.parametrize("column_type", ["DOUBLE", "FLOAT"])
def test_duckdb_with_nan_and_null(kind: str, column_type: str) -> None:
    model = MODELS[kind]
    X = hard.rows_beside_thresholds(model, n_rows=1000)
    for theirs in in_duckdb(model, X, column_type):
        np.testing.assert_array_equal(theirs, hard.expected(model, X))


@pytest.mark.parametrize("kind", LINEAR)
def test_duckdb_weighted_sums(kind: str) -> None:
    X = hard.rows_beside_thresholds(LINEAR[kind], n_rows=300)
    X = np.clip(X, -1e6, 1e6)
    for theirs in in_duckdb(LINEAR[kind], X, "DOUBLE"):
        np.testing.assert_allclose(theirs, hard.expected(LINEAR[kind], X), rtol=1e-12)


def in_duckdb(model: Any, X: Any, column_type: str) -> Any:
    """Scores of rows with NaN for missing values, and of the same rows with NULL."""
    connection = duckdb.connect()
    columns = ", ".join(f'"{name}" {column_type}' for name in hard.NAMES)
    connection.execute(f"CREATE TABLE docs (id INTEGER, {columns})")
    twice = np.concatenate((X, X))
    null = np.isnan(twice) & (np.arange(len(twice)) >= len(X))[:, None]
    values = [pa.array(twice[:, j].copy(), mask=null[:, j].copy()) for j in range(X.shape[1])]
    connection.register("rows", pa.table([np.arange(len(twice)), *values], names=["id", *hard.NAMES]))
    connection.execute("INSERT INTO docs SELECT * FROM rows")
    connection.execute(to_sql(model, name="ltr", store="docs").text)
    return np.array(connection.execute("SELECT score FROM ltr ORDER BY id").fetchall(), np.float64).reshape(2, -1)
