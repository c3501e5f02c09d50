"""Rows, grades and parameters that make no sense: one sentence that names the column and the row, and what to do."""

from __future__ import annotations

import re
import warnings
from functools import cache

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning, DataConversionWarning

from directrank import (
    AdaRank,
    CoordinateAscent,
    EnsembleSelection,
    InputError,
    LambdaMART,
    MultivariateSVC,
    OneVsRestSVM,
    RankBoost,
    RankSVM,
    SmoothRank,
    SVMRanker,
)
from directrank.datasets import make_ranking
from directrank.learners.svm import dual

DATA = make_ranking(20, (5, 12), random_state=3)
X, Y, QID = DATA.X, DATA.y, DATA.qid
NAMES = [f"f{j}" for j in range(X.shape[1])]
FRAME = pd.DataFrame(X, columns=NAMES)

LEARNERS = [
    SVMRanker(C=1.0),
    RankSVM(C=1.0),
    OneVsRestSVM(C=1.0),
    MultivariateSVC("F1"),
    AdaRank(),
    RankBoost(n_estimators=3),
    CoordinateAscent(n_restarts=0, max_iter=1),
    EnsembleSelection(n_estimators=3),
    SmoothRank(cv=2, max_iter=1),
    LambdaMART(n_estimators=3, min_child_samples=2, lightgbm={"num_threads": 1}),
]


def given_to(learner) -> tuple[np.ndarray, ...]:
    """Grades and queries, or labels for a classifier."""
    return (Y > 0,) if isinstance(learner, MultivariateSVC) else (Y, QID)


@cache
def fitted(learner, to_frame: bool):
    return clone(learner).fit(FRAME if to_frame else X, *given_to(learner))


def wrong_at(row: int, column: int, value: float) -> np.ndarray:
    changed = X.copy()
    changed[row, column] = value
    return changed


def sentences(learner, rows, *, eval_set: bool = True) -> list[str]:
    """Errors of everything that takes rows: fit, predict, score and eval_set."""
    model, found = fitted(learner, hasattr(rows, "columns")), []
    calls = [lambda: clone(learner).fit(rows, *given_to(learner)), lambda: model.predict(rows)]
    calls += [lambda: model.score(rows, *given_to(learner))]
    if eval_set and not isinstance(learner, MultivariateSVC):
        start = FRAME if hasattr(rows, "columns") else X
        calls.append(lambda: clone(learner).fit(start, Y, QID, eval_set=(rows, Y, QID)))
    for call in calls:
        with pytest.raises((InputError, TypeError)) as error:
            call()
        found.append(str(error.value))
    assert not any("\n" in sentence for sentence in found)
    return found


@pytest.mark.parametrize("learner", LEARNERS, ids=str)
def test_infinite_values_are_said_with_their_place(learner) -> None:
    rows = wrong_at(17, 3, -np.inf)
    for form, column in ((rows, "3"), (sparse.csr_array(rows), "3"), (pd.DataFrame(rows, columns=NAMES), "'f3'")):
        for sentence in sentences(learner, form):
            assert f"X contains an infinite value in column {column}, row 17 (counted from 0); " in sentence
    for sentence in sentences(learner, pl.DataFrame(rows, schema=NAMES)):
        assert "in column 'f3', row 17 (counted from 0); " in sentence


@pytest.mark.parametrize("learner", LEARNERS, ids=str)
def test_rows_that_are_no_matrix_of_numbers(learner) -> None:
    texts, objects = X.astype(object), X.astype(object)
    texts[2, 3], objects[2, 3] = "abc", {"a": 1}
    cases = [
        (X[0], "X has 1 dimension, not 2. Reshape your data to rows x features: X.reshape(1, -1) for one row"),
        (X[None], "X has 3 dimensions, not 2. Reshape your data"),
        (texts, "X must hold numbers, and column 3 has 'abc' in row 2; turn it into numbers or leave it out"),
        (objects, "X must hold numbers, and column 3 has {'a': 1} in row 2; turn it into numbers or leave it out"),
        ([[1.0], [1.0, 2.0]], "X is not an array"),
        (FRAME.rename(columns={"f1": "f0"}), "X has several columns named 'f0'; rename them, or leave all but one out"),
        (FRAME.astype({"f1": object}).assign(f1=["x", *X[1:, 1]]), "column 'f1' "),
    ]
    for rows, wanted in cases:
        for sentence in sentences(learner, rows):
            assert wanted in sentence
    np.testing.assert_array_equal(
        clone(learner).fit(X.astype(object), *given_to(learner)).predict(X.astype(object)), fitted(learner, False).predict(X)
    )


@pytest.mark.parametrize("learner", LEARNERS, ids=str)
def test_grades_of_one_column_are_flattened_with_a_warning(learner) -> None:
    y, *qid = given_to(learner)
    wanted = fitted(learner, False).predict(X)
    for column in (y[:, None], pd.DataFrame(y), y[:, None].tolist()):
        with pytest.warns(DataConversionWarning, match="A column-vector y was passed when a 1d array") as caught:
            model = clone(learner).fit(X, column, *qid)
        assert len(caught) == 1 and caught[0].filename == __file__
        np.testing.assert_array_equal(model.predict(X), wanted)
    if qid:
        with pytest.warns(DataConversionWarning, match="A column-vector y"):
            assert model.score(X, y[:, None], *qid) == model.score(X, y, *qid)
        with pytest.warns(DataConversionWarning, match="A column-vector y"):
            clone(learner).fit(X, y, *qid, eval_set=(X, y[:, None], *qid))


@pytest.mark.parametrize("learner", LEARNERS, ids=str)
def test_grades_that_are_missing(learner) -> None:
    y, *qid = given_to(learner)
    missing = np.where(np.arange(y.size) == 4, np.nan, y.astype(float))
    for wrong, sentence in (
        (missing, r"y is (nan|missing \(NaN\)) in row 4; every (document|row) needs a"),
        (None, "requires y to be passed, but the target y is None"),
        (np.column_stack((y, y)), r"y has 2 dimension|y should be a 1d array"),
        (y[:-1], f"y has {y.size - 1} rows; expected {y.size}"),
    ):
        with pytest.raises(ValueError, match=sentence):
            clone(learner).fit(X, wrong, *qid)


TOO_LARGE = [
    SVMRanker("AP"),
    SVMRanker("nDCG@3", C=100.0),
    RankSVM(),
    OneVsRestSVM(),
    MultivariateSVC("AUC"),
    MultivariateSVC("F1"),
    SmoothRank(),
    CoordinateAscent(),
    EnsembleSelection(),
    AdaRank(),
    AdaRank(weak_ranker=RankSVM()),
]


@pytest.mark.parametrize("learner", TOO_LARGE, ids=str)
def test_features_too_large_to_be_summed_are_rejected(learner) -> None:
    rows = X.copy()
    rows[:, 3] = np.where(Y > 0, 1.7e308, -1.7e308)
    sentence = "column {} of X has values up to 1.7e+308 in size, too large to be summed in double precision; scale it"
    with pytest.raises(InputError, match=re.escape(sentence.format("3 (counted from 0)"))):
        clone(learner).fit(rows, *given_to(learner))
    with pytest.raises(InputError, match=re.escape(sentence.format("'f3'"))):
        clone(learner).fit(pd.DataFrame(rows, columns=NAMES), *given_to(learner))


@pytest.mark.parametrize("learner", [RankSVM(C=1e4), MultivariateSVC("F1", C=100.0)], ids=str)
def test_scores_that_overflow_are_an_error(learner) -> None:
    model = clone(learner).fit(X, *given_to(learner))
    rows = 1e308 * np.sign(np.ravel(model.coef_))[None]
    rows[0, 3] *= 1.5
    with pytest.raises(InputError, match=r"column 3 \(counted from 0\) of X has values up to 1.5e\+308 in size"):
        model.predict(rows)


def test_the_gap_is_valid_where_the_dual_does_not_converge(monkeypatch) -> None:
    """The dual is a lower bound of the objective at any feasible point."""
    best = SVMRanker("AP", C=10.0, tol=1e-6).fit(X, Y, QID).objective_
    monkeypatch.setattr(dual, "MAX_STEPS", 0)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", ConvergenceWarning)
        model = SVMRanker("AP", C=10.0, max_iter=5).fit(X, Y, QID)
    assert any("the dual problem did not converge within 0 steps" in str(warning.message) for warning in caught)
    assert model.objective_ - 10.0 * model.gap_ <= best + 1e-9
    assert best <= model.objective_ + 1e-4


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"monotone_constraints": [1, 0]}, "monotone_constraints must have one number for each of the 16 features of X"),
        ({"monotone_constraints": "1,0"}, "monotone_constraints must have one number for each of the 16 features of X"),
        ({"monotone_constraints": [2] * 16}, "monotone_constraints must hold 1, 0 and -1 only"),
        ({"monotone_constraints": ["up"] * 16}, "monotone_constraints must be a list of one number for each feature"),
        ({"max_bin_by_feature": [63]}, "max_bin_by_feature must have one number for each of the 16 features of X"),
        ({"max_bin": "x"}, "max_bin must be an integer, not 'x'"),
        ({"max_bin": 1}, "max_bin must be above 1"),
        ({"min_sum_hessian_in_leaf": -1}, "min_sum_hessian_in_leaf must be at least 0"),
        ({"min_gain_to_split": "much"}, "a parameter in lightgbm must be a number, not 'much'"),
        ({"linear_tree": "maybe"}, "linear_tree must be True or False, not 'maybe'"),
    ],
    ids=str,
)
def test_wrong_values_of_lightgbms_parameters(given: dict, sentence: str) -> None:
    with pytest.raises(InputError, match=f"^{sentence}"):
        LambdaMART(n_estimators=2, lightgbm=given | {"num_threads": 1}).fit(X, Y, QID)


def test_constraints_as_a_text_are_those_of_a_list() -> None:
    signs = [1, -1] * 8
    one, other = (
        LambdaMART(n_estimators=3, lightgbm={"monotone_constraints": form, "num_threads": 1}).fit(X, Y, QID).predict(X)
        for form in (signs, ",".join(map(str, signs)))
    )
    np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("learner", [RankBoost(early_stopping_rounds=3), LambdaMART(early_stopping_rounds=3)], ids=str)
def test_early_stopping_needs_an_eval_set(learner) -> None:
    with pytest.raises(InputError, match="early_stopping_rounds needs an eval_set"):
        clone(learner).fit(X, Y, QID)
    assert clone(learner).set_params(n_estimators=5).fit(X, Y, QID, eval_set=(X, Y, QID)).history_


def test_without_an_eval_set_the_training_queries_stop_adarank() -> None:
    """Its paper's stopping rule, with patience."""
    model = AdaRank("AP", n_estimators=40, early_stopping_rounds=3).fit(X, Y, QID)
    values = [step.evals["training"]["AP"] for step in model.history_]
    assert model.best_iteration_ == int(np.argmax(np.array(values) >= max(values) - 1e-12)) + 1
    assert len(values) == min(model.best_iteration_ + 3, 40) < 40
    assert model.score(X, Y, QID) == pytest.approx(max(values)) == model.best_score_
