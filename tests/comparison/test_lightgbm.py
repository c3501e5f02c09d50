"""LambdaMART against LightGBM's own lambdarank: the same gradients where the definitions agree, the same quality."""

from __future__ import annotations

import itertools
import math

import lightgbm as lgb
import numpy as np
import pytest

from directrank import LambdaMART, evaluate
from directrank.datasets import make_ranking
from directrank.measures import parse

#: LightGBM's lambdarank as we define it: all pairs, and no scaling by the scores of a query.
PLAIN = {"objective": "lambdarank", "lambdarank_truncation_level": 10_000, "lambdarank_norm": False, "verbosity": -1}


def leaves_of_lightgbm(scores: np.ndarray, grades: np.ndarray, sizes: np.ndarray, l2: float):
    """The leaf of each document, and its value, in a tree that may have a leaf for each: -sum g/(sum h + l2)."""
    n = scores.size
    settings = {
        **PLAIN,
        "num_leaves": n,
        "learning_rate": 1.0,
        "lambda_l2": l2,
        "min_data_in_leaf": 1,
        "min_sum_hessian_in_leaf": 0.0,
        "min_data_in_bin": 1,
        "feature_pre_filter": False,
        "enable_bundle": False,
    }
    data = lgb.Dataset(np.eye(n), grades, group=sizes, init_score=scores, params=settings)
    booster = lgb.train(settings, data, 1)
    return booster.predict(np.eye(n), pred_leaf=True)[:, 0], booster.predict(np.eye(n))


def table_of_lightgbm(difference: float) -> float:
    """1/(1 + e^d) as LightGBM has it: from a table of 2^20 differences between -25 and 25, rounded down."""
    step = 50 / 2**20
    return 1 / (1 + math.exp(math.floor((difference + 25) / step) * step - 25))


def pairs_of_ndcg(scores: np.ndarray, grades: np.ndarray, offsets: np.ndarray, sigmoid) -> tuple[np.ndarray, np.ndarray]:
    """The sums over all pairs of each query, written out."""
    gradient, hessian = np.zeros(scores.size), np.zeros(scores.size)
    for lo, hi in itertools.pairwise(offsets):
        rank = np.argsort(np.argsort(-scores[lo:hi])) + 1
        gain, discount = 2 ** grades[lo:hi] - 1, 1 / np.log2(1 + rank)
        best = np.sum(np.sort(gain)[::-1] / np.log2(1 + np.arange(1, hi - lo + 1)))
        for i, j in itertools.permutations(range(hi - lo), 2):
            if grades[lo + i] > grades[lo + j]:
                change = (gain[i] - gain[j]) * abs(discount[i] - discount[j]) / best
                p = sigmoid(scores[lo + i] - scores[lo + j])
                for k, sign in ((lo + i, -1), (lo + j, 1)):
                    gradient[k] += sign * change * p
                    hessian[k] += change * p * (1 - p)
    return gradient, hessian


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("l2", [1.0, 10.0])
def test_gradients_equal_lightgbms(seed: int, l2: float) -> None:
    """LightGBM does not hand its gradients out; every leaf of its trees must have the value that ours give it.

    Excluded: its table of the sigmoid, which is good to 1.2e-5 and here stands in our sums to compare the rest to 1e-6; and
    equal scores, of which LightGBM takes the order of the rows and we the mean over all orders.
    """
    random = np.random.default_rng(seed)
    sizes = np.array([12, 20, 9])
    offsets = np.concatenate(([0], np.cumsum(sizes)))
    scores, grades = random.normal(size=41), random.integers(0, 4, 41).astype(float)
    leaf, value = leaves_of_lightgbm(scores, grades, sizes, l2)
    assert np.unique(leaf).size > 12

    def values(gradient: np.ndarray, hessian: np.ndarray) -> np.ndarray:
        return (-np.bincount(leaf, gradient) / (np.bincount(leaf, hessian) + l2))[leaf]

    found = parse("nDCG").bind(grades, offsets).lambdas(scores)
    exact = pairs_of_ndcg(scores, grades, offsets, lambda d: 1 / (1 + math.exp(d)))
    np.testing.assert_allclose(found.gradient, exact[0], atol=1e-12)
    np.testing.assert_allclose(value, values(*pairs_of_ndcg(scores, grades, offsets, table_of_lightgbm)), atol=1e-6)
    np.testing.assert_allclose(value, values(*found), atol=2e-5)


@pytest.mark.slow
@pytest.mark.parametrize("normalize", [False, True])
def test_quality_is_that_of_lightgbm(normalize: bool) -> None:
    """With the same settings, over seeds: the difference in nDCG is within noise."""
    train, test = make_ranking(100, random_state=0), make_ranking(200, random_state=1)
    named = {
        "num_leaves": 15, "learning_rate": 0.1, "colsample_bytree": 0.7, "min_child_samples": 20, "extra_trees": False
    }  # fmt: skip
    others = {
        "bagging_fraction": 0.7, "bagging_freq": 1, "min_sum_hessian_in_leaf": 0.0, "deterministic": True,
        "force_col_wise": True,
    }  # fmt: skip
    ours_alone = {"guide": None, "init": None, "n_seeds": 1, "normalize": normalize}
    differences = []
    for seed in range(5):
        booster = lgb.train(
            {**PLAIN, "lambdarank_norm": normalize, **named, **others, "seed": seed},
            lgb.Dataset(train.X, train.y, group=np.diff(train.by_query().offsets)),
            40,
        )
        ours = LambdaMART("nDCG", **ours_alone, n_estimators=40, random_state=seed, lightgbm=others, **named)
        ours.fit(train.X, train.y, train.qid)
        mine, theirs = (
            evaluate(test.y, scores, test.qid, "nDCG")["nDCG"] for scores in (ours.predict(test.X), booster.predict(test.X))
        )
        differences.append(mine - theirs)
    mean, error = np.mean(differences), np.std(differences, ddof=1) / np.sqrt(len(differences))
    assert abs(mean) < max(3 * error, 0.004), differences
