"""Features scaled within each query."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy.stats import percentileofscore
from sklearn.pipeline import make_pipeline
from sklearn.svm import LinearSVC
from sklearn.utils.estimator_checks import check_estimator

from directrank import InputError, routing
from directrank.datasets import make_ranking
from directrank.features import QueryMinMax, QueryPercentile

DATA = make_ranking(10, (3, 12), random_state=0)
SEES_ALL_ROWS = {"check_methods_subset_invariance": "a row is scaled by the other rows of its query"}


@pytest.mark.parametrize("scaler", [QueryPercentile(), QueryMinMax()])
def test_scikit_learns_checks(scaler) -> None:
    check_estimator(scaler, expected_failed_checks=SEES_ALL_ROWS, on_skip=None)


@given(st.lists(st.sampled_from([-3.0, 0.0, 0.5, 2.0, 7.0]), min_size=2, max_size=12), st.randoms())
def test_percentiles_by_definition(values: list[float], random) -> None:
    order = list(range(2 * len(values)))
    random.shuffle(order)
    X = np.array(values + [10 * v for v in values])[order, None]
    qid = np.array(["a"] * len(values) + ["b"] * len(values))[order]
    found = QueryPercentile().fit_transform(X, qid=qid)[:, 0]
    for value, query, share in zip(X[:, 0], qid, found, strict=True):
        of_query = X[qid == query, 0]
        rank = percentileofscore(of_query, value, kind="mean") / 100 * of_query.size - 0.5
        assert share == pytest.approx(rank / (of_query.size - 1))


def test_the_example_of_the_paper() -> None:
    found = QueryMinMax().fit_transform([[0.2], [0.6], [0.7], [5.0], [5.0]], qid=[1, 1, 1, 2, 2]).ravel()
    np.testing.assert_allclose(found, [0, 0.8, 1, 0, 0])


@pytest.mark.parametrize("scaler", [QueryPercentile(), QueryMinMax()])
def test_missing_values_stay_missing_and_do_not_count(scaler) -> None:
    X = np.array([[1.0, np.nan], [np.nan, np.nan], [3.0, np.nan], [2.0, 1.0]])
    found = scaler.fit_transform(X, qid=[1, 1, 1, 1])
    np.testing.assert_array_equal(np.isnan(found), np.isnan(X))
    np.testing.assert_allclose(found[[0, 2, 3], 0], [0, 1, 0.5])


def test_queries_may_be_scattered_and_the_order_is_kept() -> None:
    order = np.random.default_rng(0).permutation(len(DATA))
    straight = QueryMinMax().fit_transform(DATA.X, qid=DATA.qid)
    np.testing.assert_array_equal(QueryMinMax().fit_transform(DATA.X[order], qid=DATA.qid[order]), straight[order])


def test_in_a_pipeline_qid_is_routed_without_set_up() -> None:
    with routing():
        pipeline = make_pipeline(QueryMinMax(), LinearSVC(random_state=0)).fit(DATA.X, DATA.y > 0, qid=DATA.qid)
        scores = pipeline.decision_function(DATA.X, qid=DATA.qid)
    scaled = QueryMinMax().fit_transform(DATA.X, qid=DATA.qid)
    np.testing.assert_allclose(scores, LinearSVC(random_state=0).fit(scaled, DATA.y > 0).decision_function(scaled))


def test_bad_input() -> None:
    with pytest.raises(InputError, match="qid has 3 rows; expected"):
        QueryMinMax().fit_transform(DATA.X, qid=[1, 2, 3])
