"""LambdaMART where LightGBM samples rows: the same sample, whatever the order of the rows and the names of the queries."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from directrank import LambdaMART
from directrank.datasets import make_ranking
from directrank.learners.lambdamart.content_order import by_content
from directrank.learners.task import make_task
from directrank.measures import parse

TRAIN = make_ranking(60, random_state=0)
RENAMED = np.array([f"q{(q * 7) % 61}" for q in TRAIN.qid.tolist()])

SAMPLED = [
    {"bagging_fraction": 0.5, "bagging_freq": 1},
    {"subsample": 0.3, "subsample_freq": 3, "feature_fraction": 0.5},
    {"data_sample_strategy": "goss"},
    {"boosting": "goss"},
    {"boosting": "dart", "bagging": 0.7, "bagging_freq": 1},
]


@pytest.mark.parametrize("sampling", SAMPLED, ids=str)
def test_shuffled_rows_and_renamed_queries_give_the_same_sample(sampling: dict) -> None:
    def fit(X, rows, qid, weight=None):
        learner = LambdaMART("nDCG@5", n_estimators=30, num_leaves=7, **sampling)
        return learner.fit(X, TRAIN.y[rows], qid[rows], query_weight=None if weight is None else weight[rows]).predict(
            TRAIN.X
        )

    whole = np.arange(len(TRAIN))
    wanted = fit(TRAIN.X, whole, TRAIN.qid)
    plain = LambdaMART("nDCG@5", n_estimators=30, num_leaves=7).fit(TRAIN.X, TRAIN.y, TRAIN.qid).predict(TRAIN.X)
    assert np.abs(wanted - plain).max() > 0.1  # a sample was taken
    for seed in range(3):
        rows = np.random.default_rng(seed).permutation(len(TRAIN))
        np.testing.assert_array_equal(fit(TRAIN.X[rows], rows, RENAMED), wanted)
    np.testing.assert_allclose(fit(sparse.csr_array(TRAIN.X[rows]), rows, TRAIN.qid), wanted, atol=1e-9)
    weight = 1.0 + TRAIN.qid % 3
    np.testing.assert_array_equal(fit(TRAIN.X[rows], rows, RENAMED, weight), fit(TRAIN.X, whole, TRAIN.qid, weight))


def test_one_query_without_a_name_is_sampled_alike() -> None:
    rows = np.random.default_rng(0).permutation(len(TRAIN))
    sampled = LambdaMART("AUC", n_estimators=10, num_leaves=7, bagging_fraction=0.5, bagging_freq=1)
    wanted = sampled.fit(TRAIN.X, TRAIN.y).predict(TRAIN.X)
    np.testing.assert_array_equal(sampled.fit(TRAIN.X[rows], TRAIN.y[rows]).predict(TRAIN.X), wanted)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_the_order_is_that_of_the_content(dtype, form) -> None:
    """Rows with many ties, gaps and both zeros: what is in order is the same for every shuffle."""
    random = np.random.default_rng(0)
    X = random.integers(0, 2, (200, 3)).astype(dtype)
    X[random.random(X.shape) < 0.1] = np.nan
    X[random.random(X.shape) < 0.1] = -0.0
    y, qid, weight = random.integers(0, 2, 200).astype(float), random.integers(0, 30, 200), random.integers(1, 3, 30)
    found = []
    for _ in range(4):
        rows = random.permutation(200)
        task = by_content(make_task(form(X[rows]), y[rows], qid[rows], parse("AP"), weight[qid[rows]]))
        order = rows[task.queries.order]
        assert sorted(order) == list(range(200))
        assert np.array_equal(np.repeat(task.queries.ids, np.diff(task.queries.offsets)), qid[order])
        assert np.array_equal(task.bound.grades, y[order]) and np.array_equal(task.given, weight[task.queries.ids])
        found.append(np.column_stack((X[order] + 0.0, y[order], qid[order])))
        np.testing.assert_array_equal(found[-1], found[0])
