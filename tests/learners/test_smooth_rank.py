"""SmoothRank: its objective increases, the penalty works, and queries are weighted by their evidence."""

from __future__ import annotations

import math
import warnings
from itertools import pairwise

import numpy as np
import pytest
from scipy import sparse

from directrank import RankSVM, SmoothRank
from directrank.data import RankingData
from directrank.data.ranking_data import group_rows
from directrank.datasets import make_ranking
from directrank.learners import Progress
from directrank.learners.core.shards import LocalShards, weighted_for_training
from directrank.learners.linear.smooth_rank import Evidence, smoothed_evidence
from directrank.learners.linear.smoothed_objective import SmoothedObjective
from directrank.learners.linear.spread import deviations, spread_within_queries
from directrank.measures import parse

DATA, HELD_OUT = make_ranking(30, (3, 20), random_state=7), make_ranking(20, (3, 20), random_state=8)
EVAL_SET = (HELD_OUT.X, HELD_OUT.y, HELD_OUT.qid)
START = RankSVM(C=10.0).fit(DATA.X, DATA.y, DATA.qid).coef_


def shards(X: np.ndarray, measure: str = "AP", n_parts: int = 1) -> LocalShards:
    data = RankingData(X, DATA.y, DATA.qid)
    parts = [data.select_queries(part) for part in np.array_split(np.arange(data.n_queries), n_parts)]
    return weighted_for_training(LocalShards.from_data(parts, parse(measure)))


@pytest.mark.parametrize("measure", ["AP", "nDCG@5", "RR", "AUC"])
def test_every_stage_climbs_its_objective(measure: str) -> None:
    history = SmoothRank(measure).fit(DATA.X, DATA.y, DATA.qid, eval_set=EVAL_SET).history_
    stages = [stage.info for stage in history]
    assert stages[0]["penalty"] == np.inf and stages[0]["moved"] == 0
    for before, after in pairwise(stages):
        objectives = [stage["smoothed"] - after["penalty"] * stage["moved"] for stage in (before, after)]
        assert objectives[1] >= objectives[0]
    assert stages[-1]["smoothed"] > stages[0]["smoothed"]


@pytest.mark.parametrize("measure", ["AP", "nDCG@5", "RR", "AUC", "0.5*ERR + 0.5*P@3"])
@pytest.mark.parametrize("penalty", [0.0, 0.3])
def test_the_gradient_is_that_of_finite_differences(measure: str, penalty: float) -> None:
    objective = SmoothedObjective(shards(DATA.X, measure, n_parts=2), START, 0.5)
    random = np.random.default_rng(0)
    change, direction = 0.1 * random.normal(size=(2, START.size))
    gradient = objective.at(change, penalty)[1]
    ends = [objective.at(change + side * 1e-6 * direction, penalty)[0].objective(penalty) for side in (1, -1)]
    assert gradient @ direction == pytest.approx((ends[0] - ends[1]) / 2e-6, rel=1e-4, abs=1e-8)


def test_the_start_is_ranksvms_with_scores_of_variance_1() -> None:
    model = SmoothRank("AP", penalty=1.0).fit(DATA.X, DATA.y, DATA.qid, eval_set=EVAL_SET)
    start = RankSVM(C="auto").fit(DATA.X, DATA.y, DATA.qid, eval_set=EVAL_SET)
    assert model.C_ == start.C_
    np.testing.assert_allclose(model.start_ / np.linalg.norm(model.start_), start.coef_ / np.linalg.norm(start.coef_))
    queries = group_rows(DATA.qid, len(DATA))
    informative = parse("AP").bind(queries.to_query_order(DATA.y), queries.offsets).informative
    scores = DATA.X @ model.start_
    assert np.mean(
        [scores[rows].var() for rows in np.array(list(queries.each()), dtype=object)[informative]]
    ) == pytest.approx(1)


def test_a_large_penalty_keeps_the_start_and_a_small_one_leaves_it() -> None:
    near, far = (
        SmoothRank("AP", penalty=penalty).fit(DATA.X, DATA.y, DATA.qid, eval_set=EVAL_SET) for penalty in (1e6, 1e-3)
    )
    assert near.mixture_.tolist() == far.mixture_.tolist() == [0, 1]
    np.testing.assert_allclose(near.coef_, near.start_, atol=1e-4)
    assert far.history_[-1].info["moved"] > 1e-3 > 1e-6 > near.history_[-1].info["moved"]


def test_the_scale_of_features_does_not_change_the_climb() -> None:
    scale = 2.0 ** np.arange(-8, 8)
    climbed = []
    for unit in (np.ones(16), scale):
        objective = SmoothedObjective(shards(DATA.X * unit, "nDCG@5"), START / unit, 0.125)
        climbed.append(objective.climb(objective.start, 0.1, 5, 1e-5).coef * unit)
    np.testing.assert_allclose(climbed[1], climbed[0], rtol=1e-6)


def test_a_linear_change_of_features_does_not_change_the_objective() -> None:
    mixing = np.random.default_rng(0).normal(size=(16, 16))
    change, to_mixed = 0.1 * START[::-1], np.linalg.inv(mixing)
    plain = SmoothedObjective(shards(DATA.X), START, 0.2).at(change, 0.5)[0]
    mixed = SmoothedObjective(shards(DATA.X @ mixing), to_mixed @ START, 0.2).at(to_mixed @ change, 0.5)[0]
    assert (mixed.value, mixed.moved) == pytest.approx((plain.value, plain.moved))


@pytest.mark.parametrize("scale", [1e160, 1.0, 1e-160])
def test_spread_within_queries(scale: float) -> None:
    """Dense and sparse, against its definition; 0 for features that vary between queries only."""
    rare = np.where(DATA.X[:, 0] > 0.5, DATA.X[:, 1], 0.0)
    X = np.column_stack((DATA.X, rare, np.full(len(DATA), 0.1), DATA.qid / 7))
    dense, csr = shards(X * scale), shards(sparse.csr_array(X * scale))
    task = dense.tasks[0]
    variances = np.array([X[rows].var(axis=0) for rows in task.queries.each()])
    wanted = scale * np.sqrt(task.weights @ variances)
    wanted[-2:] = 0
    for found in (spread_within_queries(dense), spread_within_queries(csr)):
        np.testing.assert_allclose(found, wanted, rtol=1e-12)


def test_rows_of_a_query_need_not_be_adjacent() -> None:
    order = np.random.default_rng(0).permutation(len(DATA))
    found = []
    for rows in (np.arange(len(DATA)), order):
        queries = group_rows(DATA.qid[rows], len(DATA))
        found.append(deviations(DATA.X[rows], queries, np.ones(queries.ids.size), np.ones(16)))
    np.testing.assert_allclose(found[1], found[0])


def test_evidence_weighs_by_the_p_value_of_a_paired_test() -> None:
    values = np.random.default_rng(0).normal(size=(1, 40)) + np.array([[0.0], [0.0], [-0.01], [-1.0]])
    values[2] += 0.05 * np.random.default_rng(1).normal(size=40)
    values[3] += 0.05 * np.random.default_rng(2).normal(size=40)
    weights = Evidence(40, values.sum(axis=1), values @ values.T).weights()
    best = int(np.argmax(values.mean(axis=1)))
    differences = values[best] - values
    errors = differences.std(axis=1, ddof=1) / math.sqrt(40)
    wanted = [
        1.0 if e < 1e-9 else math.erfc(d / e / math.sqrt(2)) for d, e in zip(differences.mean(axis=1), errors, strict=True)
    ]
    np.testing.assert_allclose(weights, np.array(wanted) / np.sum(wanted), rtol=1e-6, atol=1e-12)
    assert weights[0] == weights[1] > weights[2] > weights[3] and weights[3] < 1e-12


def test_evidence_of_one_query_and_of_candidates_that_are_the_same() -> None:
    assert Evidence(1, np.array([0.5, 0.7]), np.outer([0.5, 0.7], [0.5, 0.7])).weights().tolist() == [0, 1]
    assert Evidence(3, np.full(2, 1.5), np.full((2, 2), 0.75)).weights().tolist() == [0.5, 0.5]


def test_evidence_of_no_query_leaves_all_open() -> None:
    assert Evidence(0, np.zeros(4), np.zeros((4, 4))).weights().tolist() == [0.25] * 4


def test_evidence_of_candidates_that_hardly_differ() -> None:
    """Between them there is 1e-9, in values near 1: products of the values themselves would not show how it varies."""
    coefs = np.array([START, START * (1 + 1e-9)])
    found = Evidence(*shards(DATA.X, "nDCG").total(smoothed_evidence, coefs, 0.5))
    task = shards(DATA.X, "nDCG").tasks[0]
    counts, order = task.weights > 0, task.queries.to_query_order
    values = [task.bound.smooth(order(DATA.X @ w), 0.5).values[counts] for w in coefs]
    assert (
        found.products[1, 1] == pytest.approx(np.sum((values[1] - values[0]) ** 2), rel=1e-3, abs=0)
        and found.products[1, 1] > 0
    )


def test_evidence_adds_up_over_shards() -> None:
    coefs = np.array([START, START[::-1]])
    one, three = (shards(DATA.X, n_parts=n).total(smoothed_evidence, coefs, 0.1) for n in (1, 3))
    for whole, parts in zip(one, three, strict=True):
        np.testing.assert_allclose(parts, whole)


def test_the_model_is_the_mean_that_queries_held_out_support() -> None:
    model = SmoothRank("nDCG@5").fit(DATA.X, DATA.y, DATA.qid, eval_set=EVAL_SET)
    assert model.mixture_.sum() == pytest.approx(1) and len(model.mixture_) == len(model.history_)
    by_folds = SmoothRank("nDCG@5").fit(DATA.X, DATA.y, DATA.qid)
    assert by_folds.mixture_.sum() == pytest.approx(1) and not np.allclose(by_folds.mixture_, model.mixture_)
    # Held out are the training queries themselves: far from the start is better, and counts more.
    seen = SmoothRank("nDCG@5").fit(DATA.X, DATA.y, DATA.qid, eval_set=(DATA.X, DATA.y, DATA.qid))
    assert seen.mixture_[0] < seen.mixture_[-1]


def test_of_one_query_the_stages_count_the_same() -> None:
    rows = DATA.qid == DATA.qid[0]
    one = DATA.X[rows], DATA.y[rows], DATA.qid[rows]
    model = SmoothRank("AP").fit(*one)
    assert model.C_ == RankSVM().fit(*one).C_ and model.mixture_ == pytest.approx(np.full(6, 1 / 6))


def test_features_that_tell_nothing() -> None:
    for given in ({}, {"eval_set": (np.ones((len(HELD_OUT), 2)), HELD_OUT.y, HELD_OUT.qid)}):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            model = SmoothRank("AP", cv=2).fit(np.ones((len(DATA), 2)), DATA.y, DATA.qid, **given)
        assert not model.coef_.any()
        assert [str(warning.message) for warning in caught] == [
            "SmoothRank learned nothing: features do not tell grades apart within queries"
        ]


@pytest.mark.parametrize("n", [1, 3])
def test_ctrl_c_keeps_the_mean_of_the_stages_so_far(n: int) -> None:
    def interrupt(progress: Progress) -> None:
        if progress.step == n:
            raise KeyboardInterrupt

    model = SmoothRank("AP")
    with pytest.raises(KeyboardInterrupt):
        model.fit(DATA.X, DATA.y, DATA.qid, eval_set=EVAL_SET, callbacks=[interrupt], keep_partial=True)
    assert len(model.history_) == n
    assert model.interrupted_ and model.mixture_ == pytest.approx(np.full(n, 1 / n)) and model.coef_.any()


def test_ctrl_c_during_the_initial_svm_keeps_its_model(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_) -> float:
        raise KeyboardInterrupt

    monkeypatch.setattr("directrank.learners.svm.model_selection.mean_value", interrupt)
    model = SmoothRank("AP", scaling="standard")
    with pytest.raises(KeyboardInterrupt):
        model.fit(DATA.X, DATA.y, DATA.qid, eval_set=EVAL_SET, keep_partial=True)
    assert model.interrupted_ and not model.history_ and model.coef_.any()
