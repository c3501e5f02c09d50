"""Keys of documents and queries: equal for equal content, and no more than an order where they collide."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone

from directrank import AdaRank, LambdaMART, RankBoost, RankSVM, SmoothRank, SVMRanker
from directrank.datasets import make_ranking
from directrank.learners.core import task
from directrank.learners.core.content_keys import document_keys, query_keys

DATA = make_ranking(20, (5, 12), random_state=0)


def test_zeros_and_missing_values_of_all_signs_and_bits_are_equal() -> None:
    X, grades = np.where(np.abs(DATA.X) < 0.5, 0.0, DATA.X), DATA.y.astype(float)
    X[::3, 1] = np.nan
    other = np.where(X == 0, -0.0, X)
    other.view(np.uint64)[::3, 1] = 0xFFF8000000000123
    stored = sparse.csr_array(X)
    stored.data[: stored.data.size // 2] = 0.0
    initial = np.where(grades > 1, 1.0, 0.0)
    wanted = document_keys(X, grades, initial)
    minus = [np.where(values == 0, -0.0, values) for values in (grades, initial)]
    np.testing.assert_array_equal(document_keys(np.asfortranarray(other), *minus), wanted)
    np.testing.assert_array_equal(document_keys(stored, grades), document_keys(stored.toarray(), grades))
    ends = np.array([0, 2, len(DATA)])
    np.testing.assert_array_equal(
        query_keys(wanted, ends, np.array([0.0, 1])), query_keys(wanted, ends, np.array([-0.0, 1]))
    )


@pytest.mark.parametrize(
    "learner",
    [
        SVMRanker("AP", C=1.0),
        RankSVM(C="auto"),
        SmoothRank("AP", cv=2, max_iter=3),
        AdaRank("AP"),
        RankBoost(n_estimators=5),
        LambdaMART("AP", n_seeds=1, n_estimators=5, min_child_samples=2, lightgbm={"num_threads": 1}),
    ],
    ids=lambda learner: type(learner).__name__,
)
def test_keys_that_collide_change_the_order_only(monkeypatch, learner) -> None:
    """Each document keeps its own features, grade, query, weight and score where all keys are equal."""
    shuffled = np.random.default_rng(0).permutation(len(DATA))
    X, y, qid = DATA.X[shuffled], DATA.y[shuffled], DATA.qid[shuffled]
    weight = 1.0 + qid % 3
    given = {"query_weight": weight, "eval_set": (X, y, qid)}
    wanted = clone(learner).fit(X, y, qid, **given)
    monkeypatch.setattr(task, "document_keys", lambda X, *_: np.zeros(X.shape[0], np.uint64))
    found = clone(learner).fit(X, y, qid, **given)
    np.testing.assert_allclose(found.predict(X), wanted.predict(X), rtol=1e-6, atol=1e-9)
