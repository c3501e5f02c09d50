"""Sparse data with feature indices in the billions: cost follows the entries, and results do not change."""

from __future__ import annotations

import resource
import warnings

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone

from directrank import (
    AdaRank,
    CoordinateAscent,
    EnsembleSelection,
    LambdaMART,
    MultivariateSVC,
    OneVsRestSVM,
    RankBoost,
    RankSVM,
    SmoothRank,
    SVMRanker,
)
from directrank.matrix.selection import select_columns, used_columns
from directrank.models import LinearModel, ModelError, SelectedFeatures, dumps, loads

WIDTH = 2**31 - 1
random = np.random.default_rng(0)
COLUMNS = np.sort(np.append(random.choice(WIDTH - 1, 29, replace=False), WIDTH - 1))
NARROW = sparse.random(400, 30, 0.5, random_state=0, format="csr")
WIDE = sparse.csr_matrix((NARROW.data, COLUMNS[NARROW.indices].astype(np.int32), NARROW.indptr), shape=(400, WIDTH))
QID = np.repeat(np.arange(20), 20)
GRADES = (NARROW[:, :3].toarray().sum(axis=1) + 0.3 * random.standard_normal(400) > 1).astype(int)


@pytest.mark.parametrize(
    "learner",
    [
        SVMRanker("AP"),
        SVMRanker("AP", C="auto", Cs=[1.0, 10.0]),
        RankSVM(),
        AdaRank("AP"),
        AdaRank("AP", weak_ranker=RankBoost(n_estimators=3), sample=0.5, early_stopping_rounds=3, n_estimators=3),
        RankBoost(n_estimators=20),
        CoordinateAscent("AP", n_restarts=0),
        EnsembleSelection("AP", n_estimators=10),
        SmoothRank("AP", cv=2, max_iter=2),
        LambdaMART("AP", n_seeds=1, n_estimators=5),
        OneVsRestSVM(),
        MultivariateSVC("AUC"),
    ],
    ids=lambda learner: type(learner).__name__,
)
def test_every_learner_learns_the_same_as_from_the_columns_that_occur(learner) -> None:
    classifies = isinstance(learner, MultivariateSVC)
    args = (GRADES,) if classifies else (GRADES, QID)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        narrow, wide = clone(learner).fit(NARROW, *args), clone(learner).fit(WIDE, *args)
    assert wide.n_features_in_ == WIDTH == wide.model_.n_features
    expected, scores = narrow.model_.predict(NARROW), wide.model_.predict(WIDE)
    np.testing.assert_array_equal(scores, expected)
    np.testing.assert_array_equal(loads(dumps(wide)).predict(WIDE), expected)
    np.testing.assert_array_equal(wide.decision_function(WIDE) if classifies else wide.predict(WIDE), expected)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 2**20  # kB; one number a column is 16 GiB
    if np.size(getattr(narrow, "features_", ())):
        np.testing.assert_array_equal(wide.features_, COLUMNS[narrow.features_])
        assert [step.info["feature"] for step in wide.history_] == [
            COLUMNS[step.info["feature"]] for step in narrow.history_
        ]


def test_a_validation_set_is_seen_alike() -> None:
    half = np.arange(400) < 200
    held_out = ~half
    wide = RankBoost("AP", n_estimators=20).fit(
        WIDE[half], GRADES[half], QID[half], eval_set=(WIDE[held_out], GRADES[held_out], QID[held_out])
    )
    narrow = RankBoost("AP", n_estimators=20).fit(
        NARROW[half], GRADES[half], QID[half], eval_set=(NARROW[held_out], GRADES[held_out], QID[held_out])
    )
    assert wide.evals_result_ == narrow.evals_result_ and len(wide.evals_result_["validation"]["AP"]) > 1
    for ours, theirs in zip(wide.staged_predict(WIDE), narrow.staged_predict(NARROW), strict=True):
        np.testing.assert_array_equal(ours, theirs)


def test_the_svms_of_grades_are_of_the_columns_given() -> None:
    model = OneVsRestSVM().fit(WIDE, GRADES, QID)
    assert model.estimators_[0].n_features_in_ == WIDTH
    np.testing.assert_array_equal(model.estimators_[0].predict(WIDE), model.predict(WIDE))


def test_importances_are_of_all_features() -> None:
    width = 10_000
    columns = 300 * np.arange(30)
    X = sparse.csr_matrix((NARROW.data, columns[NARROW.indices].astype(np.int32), NARROW.indptr), shape=(400, width))
    wide = LambdaMART("AP", n_seeds=1, n_estimators=5).fit(X, GRADES, QID)
    narrow = LambdaMART("AP", n_seeds=1, n_estimators=5).fit(NARROW, GRADES, QID)
    assert isinstance(wide.model_, SelectedFeatures) and wide.feature_importances_.shape == (width,)
    np.testing.assert_array_equal(wide.feature_importances_[columns], narrow.feature_importances_)


def test_columns_are_selected_as_by_numpy() -> None:
    dense = NARROW.toarray()
    for columns in (np.array([0]), np.array([3, 4, 29]), np.arange(30)):
        np.testing.assert_array_equal(select_columns(NARROW, columns).toarray(), dense[:, columns])
        np.testing.assert_array_equal(select_columns(dense, columns), dense[:, columns])
    assert used_columns(NARROW) is None and used_columns(dense) is None
    np.testing.assert_array_equal(used_columns(WIDE), COLUMNS)


@pytest.mark.parametrize("features", [[0, 0], [1, 0], [0, 5], [-1, 2], [0], []])
def test_a_damaged_selection_is_rejected(features: list[int]) -> None:
    model = LinearModel(np.ones(2))
    SelectedFeatures(model, np.array([0, 4]), 5).check()
    with pytest.raises(ModelError, match="its features must be"):
        SelectedFeatures(model, np.array(features, np.int64), 5).check()
