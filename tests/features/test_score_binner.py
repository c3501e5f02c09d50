"""Scores as binary features, and back."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, strategies as st
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import check_estimator

from directrank import InputError, SVMRanker
from directrank.datasets import make_ranking
from directrank.features import ScoreBinner


def test_scikit_learns_checks() -> None:
    check_estimator(ScoreBinner(), on_skip=None)


@given(
    st.lists(st.lists(st.sampled_from([-1.0, 0.0, 0.5, 2.0, np.nan]), min_size=2, max_size=2), min_size=1, max_size=12),
    st.integers(1, 6),
)
def test_each_feature_is_a_comparison(rows: list[list[float]], n_thresholds: int) -> None:
    X = np.array(rows)
    binner = ScoreBinner(n_thresholds).fit(X)
    wanted = np.column_stack([X[:, j] > t for j in range(2) for t in binner.thresholds_[j]] or [np.empty((len(X), 0))])
    found = binner.transform(X)
    assert found.has_sorted_indices and found.shape == wanted.shape
    np.testing.assert_array_equal(found.toarray(), wanted)
    for column, thresholds in zip(X.T, binner.thresholds_, strict=True):
        assert thresholds.size <= n_thresholds and np.all(np.diff(thresholds) > 0)
        for t in thresholds:
            assert 0 < np.sum(column > t) < column.size


def test_thresholds_are_dense_where_scores_are_and_at_the_top() -> None:
    scores = np.concatenate((np.linspace(0, 1, 90_000), np.linspace(1, 100, 10_000)))[:, None]
    (thresholds,) = ScoreBinner(50).fit(scores).thresholds_
    shares = np.mean(scores > thresholds, axis=0)
    wanted = np.concatenate((np.arange(1, 26) / 26, np.geomspace(0.5, 0.001, 26)[1:]))
    np.testing.assert_allclose(shares, np.unique(wanted)[::-1], atol=2e-5)


def test_the_curve_of_a_model_gives_back_its_scores() -> None:
    data = make_ranking(20, random_state=0)
    X = data.X[:, :3].copy()
    X[::7, 1] = np.nan
    pipeline = make_pipeline(ScoreBinner(10), SVMRanker("AP")).fit(X, data.y, svmranker__qid=data.qid)
    binner, model = pipeline[0], pipeline[1]
    total = np.zeros(len(X))
    for column, curve in zip(X.T, binner.weight_curve(model), strict=True):
        assert curve.values.size == curve.thresholds.size + 1 and curve.values[0] == 0
        total += curve.values[np.where(np.isnan(column), 0, np.searchsorted(curve.thresholds, column))]
    np.testing.assert_allclose(pipeline.predict(X), total, atol=1e-9)
    assert len(binner.get_feature_names_out(["a", "b", "c"])) == model.coef_.size
    with pytest.raises(InputError, match="but got 2"):
        binner.weight_curve([1.0, 2.0])
    with pytest.raises(InputError, match="n_thresholds must be an integer, at least 1, not 0"):
        ScoreBinner(0).fit(X)


def test_given_thresholds_are_those_of_every_score() -> None:
    X = np.array([[0.0, 0.25], [0.5, np.nan], [0.6, 1.0]])
    binner = ScoreBinner(thresholds=[0.25, 0.5]).fit(X)
    assert binner.bins(X).tolist() == [[0, 0], [1, 0], [2, 2]]
    assert binner.transform(X).toarray().tolist() == [[0, 0, 0, 0], [1, 0, 0, 0], [1, 1, 1, 1]]


@pytest.mark.parametrize("thresholds", [[], [0.5, 0.5], [1.0, 0.0], [np.nan], [[0.0, 1.0]]])
def test_thresholds_that_do_not_ascend_are_refused(thresholds: list[float]) -> None:
    with pytest.raises(InputError, match="finite numbers in ascending order"):
        ScoreBinner(thresholds=thresholds).fit([[1.0], [2.0]])
