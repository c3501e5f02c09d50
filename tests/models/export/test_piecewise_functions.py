"""Models of piecewise-linear functions, `RankSVM(basis="piecewise")`: exports score as they do, or are refused."""

from __future__ import annotations

import math
from functools import cache
from typing import Any

import duckdb
import engines
import numpy as np
import pytest

from directrank import InputError, MultivariateSVC, OneVsRestSVM, RankSVM, SmoothRank
from directrank.data import Queries
from directrank.data.ranking_data import group_rows
from directrank.datasets import make_ranking
from directrank.models import LinearModel, ModelError, PipelineModel, SelectedFeatures, SumOfModels, dumps, loads
from directrank.models.composite.steps import PiecewiseBasis
from directrank.models.export import TARGETS, as_portable, score_lower_bound, to_python, to_sql

TAKE_IT = ("python", "sql", "onnx")
REFUSE = sorted(set(TARGETS) - {*TAKE_IT, "vespa"})
DATA = make_ranking(30, (5, 30), random_state=0)
NAMES = tuple(f"f{j}" for j in range(6))


def rows(seed: int) -> Any:
    """A heavy tail, many zeros, few values and missing ones, in single precision."""
    X, random = make_ranking(30, (5, 30), random_state=seed).X[:, :6], np.random.default_rng(seed)
    X[:, 0], X[:, 1], X[:, 2] = np.exp(3 * X[:, 0]), np.maximum(X[:, 1], 0.0), np.round(X[:, 2])
    X[:, 3] *= 1e-6
    X[random.random(X.shape) < np.where(np.arange(6) < 4, 0.1, 0.0)] = np.nan
    return X.astype(np.float32).astype(np.float64)


LEARNERS = [
    RankSVM(C=1.0, basis="piecewise"),
    RankSVM(C=1.0, basis="piecewise", scaling="log"),
    OneVsRestSVM(C=1.0, basis="piecewise"),
    SmoothRank("AP", max_iter=1, basis="piecewise"),
    MultivariateSVC("F1", C=10.0, basis="piecewise"),
]
ids = ["RankSVM", "log", "OneVsRestSVM", "SmoothRank", "MultivariateSVC"]


@cache
def model_of(number: int) -> Any:
    learner, X = LEARNERS[number], rows(0)
    if isinstance(learner, MultivariateSVC):
        return learner.fit(X, DATA.y > 0).model_.with_feature_names(NAMES)
    return learner.fit(X, DATA.y, DATA.qid).model_.with_feature_names(NAMES)


def on_knots(model: Any) -> Any:
    """Rows with values at the knots, and beside and between them."""
    knots = [part if part.size else np.zeros(1) for part in model.steps[0].knots]
    random = np.random.default_rng(0)
    X = np.stack([random.choice(np.append(part, part[:-1] + np.diff(part) / 2), 300) for part in knots], axis=1)
    return np.vstack((X, X * 1.5 - 0.1, -1e4 * X)).astype(np.float32).astype(np.float64)


@pytest.mark.parametrize("number", range(len(LEARNERS)), ids=ids)
@pytest.mark.parametrize("target", TAKE_IT)
def test_exports_score_as_the_model_does(target: str, number: int) -> None:
    model = loads(dumps(model_of(number)))
    content = TARGETS[target].write(model, {}).content
    for X in (rows(0), rows(1), on_knots(model)):
        wanted = model.predict(X)
        found = TARGETS[target].replay(content, X, as_portable(model))
        np.testing.assert_allclose(found, wanted, rtol=1e-9, atol=1e-11 * np.abs(wanted).max())


@pytest.mark.parametrize("number", range(len(LEARNERS)), ids=ids)
def test_vespa(number: int) -> None:
    model, X = model_of(number), rows(1)
    found = engines.vespa_profile(
        TARGETS["vespa"].write(model, {}).text, [dict(zip(NAMES, row, strict=True)) for row in X.astype(np.float32)]
    )
    np.testing.assert_allclose(found, model.predict(X), rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("column_type", ["DOUBLE", "FLOAT"])
def test_duckdb(column_type: str) -> None:
    model, X = model_of(0), rows(1)
    connection = duckdb.connect()
    connection.execute(f"CREATE TABLE docs (id INTEGER, {', '.join(f'{name} {column_type}' for name in NAMES)})")
    values = [[i, *(None if math.isnan(x) and i % 2 else x for x in row)] for i, row in enumerate(X.tolist())]
    connection.executemany(f"INSERT INTO docs VALUES ({', '.join('?' * 7)})", values)
    connection.execute(to_sql(model, name="ltr", store="docs").text)
    theirs = np.array(connection.execute("SELECT score FROM ltr ORDER BY id").fetchall())[:, 0]
    np.testing.assert_allclose(theirs, model.predict(X), rtol=1e-9, atol=1e-9)


def test_a_shift_changes_nothing() -> None:
    model = model_of(0)
    made = to_python(model, shift=True)
    assert made.content == to_python(model).content and score_lower_bound(model) == 0
    assert any("--shift changes nothing" in note for note in made.notes)


def test_none_is_missing_in_python() -> None:
    module: dict[str, Any] = {}
    exec(to_python(model_of(0)).text, module)
    row = rows(1)[:1]
    row[0, 1] = np.nan
    features: dict[str, Any] = dict(zip(NAMES, row[0].tolist(), strict=True)) | {"f1": None}
    assert module["score"](features) == pytest.approx(model_of(0).predict(row)[0])


@pytest.mark.parametrize("target", REFUSE)
def test_other_targets_say_what_to_do(target: str) -> None:
    with pytest.raises(
        ModelError, match=r"piecewise-linear functions .* exports to python, sql, onnx and vespa take; train with basis='l"
    ):
        TARGETS[target].write(model_of(0), {})


def test_a_part_or_a_sum_of_models_with_a_basis_is_refused() -> None:
    total = SumOfModels(np.ones(2), [model_of(0), model_of(1)])
    np.testing.assert_allclose(total.predict(rows(1)), model_of(0).predict(rows(1)) + model_of(1).predict(rows(1)))
    with pytest.raises(ModelError, match="piecewise-linear functions of features"):
        total.portable()


def step(**changes: Any) -> PiecewiseBasis:
    none = np.empty(0)
    given = {
        "knots": [np.array([0.0, 1.0, 3.0]), none],
        "ranks": [np.array([0.1, 0.5, 0.9]), none],
        "hinges": np.array([0.5]),
    }
    return PiecewiseBasis(**given | changes)


def with_basis(coef: list[float], basis: PiecewiseBasis | None = None, intercept: float = 0.0) -> PipelineModel:
    return PipelineModel([basis or step()], LinearModel(np.array(coef), intercept))


@pytest.mark.parametrize("target", TAKE_IT)
def test_a_model_of_piecewise_linear_functions_alone(target: str) -> None:
    model, X = with_basis([0.0, 0.0, 2.0, 1.0], intercept=3.0), np.array([[-1, 5], [0.5, 5], [2, 5], [9, 5], [np.nan, 5.0]])
    np.testing.assert_allclose(model.predict(X), [3.2, 3.6, 4.6, 5.2, 3.0])
    found = TARGETS[target].replay(TARGETS[target].write(model, {}).content, X, as_portable(model))
    np.testing.assert_allclose(found, model.predict(X), rtol=1e-12)
    assert as_portable(model).features == {0: "f1"}


def test_selected_features_keep_their_columns() -> None:
    model = SelectedFeatures(with_basis([1.0, 2.0, 2.0, 1.0]), np.array([1, 3]), 4)
    X = np.random.default_rng(0).normal(size=(20, 4)).astype(np.float32).astype(np.float64)
    for target in TAKE_IT:
        found = TARGETS[target].replay(TARGETS[target].write(model, {}).content, X, as_portable(model))
        np.testing.assert_allclose(found, model.predict(X), rtol=1e-9)


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"knots": []}, "must be lists of numbers for each feature"),
        ({"ranks": [[0.1, 0.5, 0.9]]}, "must be lists of numbers for each feature"),
        ({"knots": [[0.0, 1.0, 1.0], []]}, "at least three ascending numbers"),
        ({"knots": [[0.0, 1.0], []], "ranks": [[0.1, 0.2], []]}, "at least three ascending numbers"),
        ({"ranks": [[0.1, 0.5, 0.4], []]}, "at least three ascending numbers"),
        ({"ranks": [[0.1, 0.5], []]}, "its ranks must have 3 numbers, one for each knot, and has 2"),
        ({"knots": [[0.0, 1.0, "x"], []]}, "its knots must be numbers"),
        ({"hinges": [[0.5]]}, "its hinges must be numbers"),
        ({"hinges": [0.5, 0.7]}, "its model takes 4 features and gets 5"),
    ],
)
def test_a_damaged_file_is_refused(changes: dict[str, Any], sentence: str) -> None:
    content = with_basis([0.0, 1.0, 2.0, 3.0]).to_dict()
    assert loads(dumps(with_basis([0.0, 1.0, 2.0, 3.0]))).to_dict() == content
    content["steps"][0] |= changes
    with pytest.raises(ModelError, match=sentence):
        PipelineModel.from_dict(content)


def test_slopes_that_overflow_are_refused() -> None:
    steep = step(knots=[np.array([0.0, 5e-324, 1.0]), np.empty(0)])
    with pytest.raises(ModelError, match="value or slope at a knot of the model is too large"):
        to_sql(with_basis([0.0, 0.0, 2.0, 1.0], steep))


def test_a_basis_before_a_model_that_is_not_linear_are_refused() -> None:
    inner = SumOfModels(np.ones(2), [LinearModel(np.ones(4)), LinearModel(np.ones(4), log_features=np.array([0]))])
    with pytest.raises(ModelError, match="can be exported before one linear model only"):
        PipelineModel([step()], inner).portable()


def test_a_sparse_x_is_refused() -> None:
    from scipy import sparse

    queries: Queries = group_rows(None, 1)
    with pytest.raises(InputError, match=r"pass X.toarray\(\)"):
        step().apply(sparse.csr_array(np.ones((1, 2))), queries)
