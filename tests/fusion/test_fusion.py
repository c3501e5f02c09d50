"""Fusion of runs: without learning, against plain sums; with it, against the curves it learns."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, strategies as st

from directrank import AdaRank, InputError, Qrels, RankBoost, Run
from directrank.data import join_runs
from directrank.fusion import ScoreLearner, comb_mnz, comb_sum, reciprocal_rank_fusion, scaled_scores

run = st.dictionaries(st.tuples(st.sampled_from("pq"), st.sampled_from("abcd")), st.integers(-3, 3), min_size=1)


@given(runs=st.lists(run, min_size=1, max_size=3))
def test_fusions_are_their_plain_sums(runs) -> None:
    given_runs = [
        Run([q for q, _ in r], [d for _, d in r], list(map(float, r.values())), f"run{i}") for i, r in enumerate(runs)
    ]
    data = join_runs(given_runs, missing=np.nan)
    rows = list(zip(data.qid.tolist(), data.docno.tolist(), strict=True))
    assert set(rows) == set().union(*runs)
    sums, counts, ranks = dict.fromkeys(rows, 0.0), dict.fromkeys(rows, 0), dict.fromkeys(rows, 0.0)
    for r in runs:
        for (q, d), score in r.items():
            others = [s for (p, _), s in r.items() if p == q]
            low, high = min(others), max(others)
            sums[q, d] += (score - low) / (high - low) if high > low else 1.0
            counts[q, d] += 1
            place = sum(s > score for s in others) + (1 + sum(s == score for s in others)) / 2
            ranks[q, d] += 1 / (60 + place)
    np.testing.assert_allclose(comb_sum(data), [sums[row] for row in rows], atol=1e-12)
    np.testing.assert_allclose(comb_mnz(data), [sums[row] * counts[row] for row in rows], atol=1e-12)
    np.testing.assert_allclose(reciprocal_rank_fusion(data), [ranks[row] for row in rows], atol=1e-12)


def test_k_must_be_at_least_0() -> None:
    data = join_runs([Run(["q"], ["a"], [1.0])], missing=np.nan)
    with pytest.raises(InputError, match="k must be at least 0, not -1"):
        reciprocal_rank_fusion(data, k=-1)


@pytest.fixture
def judged():
    """Two runs of 20 queries, each of which lacks some documents."""
    random = np.random.default_rng(0)
    qid, docno = np.repeat(np.arange(20), 10).astype(str), np.tile([f"d{i}" for i in range(10)], 20)
    grades, runs = (random.random(200) < 0.4).astype(float), []
    for name, noise in (("good", 0.3), ("fair", 0.8)):
        has = random.random(200) < 0.8
        runs.append(Run(qid[has], docno[has], (grades + noise * random.standard_normal(200))[has], name))
    return join_runs(runs, Qrels(qid, docno, grades), missing=np.nan)


def test_scores_are_the_sum_of_the_curves(judged) -> None:
    fusion = ScoreLearner(lambda: AdaRank("AP"), thresholds=7).fit(judged)
    assert list(fusion.curves()) == ["good", "fair"] and len(fusion.feature_names()) == fusion.learner.coef_.size
    total = np.zeros(len(judged))
    for curve, scores in zip(fusion.curves().values(), scaled_scores(judged).T, strict=True):
        total += np.where(np.isnan(scores), 0.0, curve.values[np.searchsorted(curve.thresholds, scores)])
    np.testing.assert_allclose(fusion.scores(judged), total, atol=1e-12)


def test_only_what_is_linear_in_thresholds_has_curves(judged) -> None:
    assert ScoreLearner(lambda: RankBoost(n_estimators=3), thresholds=7).fit(judged).curves() == {}
    alone = ScoreLearner(lambda: AdaRank("AP"), thresholds=0).fit(judged)
    assert alone.curves() == {} and alone.feature_names() == ["good", "fair"]
    wanted = alone.learner.predict(np.nan_to_num(scaled_scores(judged), nan=0.0))
    np.testing.assert_array_equal(alone.scores(judged), wanted)
