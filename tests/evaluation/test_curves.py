"""Curves of rankings, against slow and obvious code."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import plain
import pytest
from hypothesis import given, strategies as st

from directrank import evaluate
from directrank.evaluation.curves import (
    RANKS,
    interpolated_precision,
    ndcg_at,
    precision_recall_points,
    ranks_of_curve,
    roc_points,
)
from directrank.evaluation.evaluation_result import Evaluation, Ranking
from directrank.measures import AP, nDCG

scores = st.sampled_from([-math.inf, -1.0, 0.0, 0.5, 0.5 + 1e-12, 2.0])
documents = st.lists(st.tuples(scores, st.sampled_from([0, 1, 2, 3])), min_size=1, max_size=7)
several = st.lists(documents, min_size=1, max_size=4)


def evaluation_of(queries: list[list[tuple[float, int]]], seed: int = 0) -> Evaluation:
    """With the rows of all queries mixed up."""
    rows = [(q, score, grade) for q, docs in enumerate(queries) for score, grade in docs]
    order = np.random.default_rng(seed).permutation(len(rows))
    qid, scores, grades = zip(*(rows[i] for i in order), strict=True)
    return evaluate(grades, scores, qid, "AP")


def ranking_of(queries: list[list[tuple[float, int]]], seed: int = 0) -> Ranking:
    return evaluation_of(queries, seed).require_ranking()


def plain_interpolated(docs: list[tuple[float, int]], rel: int) -> list[float]:
    """The highest precision at any rank that reaches the recall."""
    retrieved = sorted((d for d in docs if d[0] > -math.inf), key=lambda d: (-d[0], d[1] >= rel))
    n_relevant = sum(grade >= rel for _, grade in docs)
    if not n_relevant:
        return [0.0] * 11
    found = [sum(grade >= rel for _, grade in retrieved[:rank]) for rank in range(1, len(retrieved) + 1)]
    return [
        max((n / rank for rank, n in enumerate(found, 1) if Fraction(n, n_relevant) >= Fraction(level, 10)), default=0.0)
        for level in range(11)
    ]


@given(several, st.sampled_from([1, 2]), st.integers(0, 9))
def test_interpolated_precision(queries: list, rel: int, seed: int) -> None:
    expected = np.mean([plain_interpolated(docs, rel) for docs in queries], axis=0)
    np.testing.assert_allclose(
        interpolated_precision(evaluation_of(queries, seed), AP(rel=rel)), expected, rtol=0, atol=1e-12
    )


def test_by_default_any_grade_above_0_is_relevant() -> None:
    found = evaluation_of([[(3.0, 0), (2.0, 1)], [(1.0, 0)]])
    assert interpolated_precision(found).tolist() == [0.25] * 11


def test_recall_is_not_rounded() -> None:
    """0.7 * 3 is below 2.1 in floats, which must not make 2 of 3 documents enough for a recall of 0.7."""
    found = evaluation_of([[(5.0, 1), (4.0, 1), (3.0, 0), (2.0, 0), (1.0, 1)]])
    assert interpolated_precision(found).tolist() == [1.0] * 7 + [0.6] * 4


@given(several, st.sampled_from(["exp", "linear"]))
def test_ndcg_at(queries: list, gain: str) -> None:
    ks = (1, 2, 5)
    expected = [
        np.mean(
            [plain.mean_over_orders(plain.ndcg(gain=gain, k=k), *map(list, zip(*docs, strict=True))) for docs in queries]
        )
        for k in ks
    ]
    np.testing.assert_allclose(ndcg_at(ranking_of(queries), ks, nDCG(gain=gain, k=3)), expected, rtol=0, atol=1e-9)


@pytest.mark.parametrize(("longest", "last"), [(1, 1), (4, 3), (5, 5), (99, 50), (1000, 100)])
def test_ranks_end_with_the_longest_query(longest: int, last: int) -> None:
    short, long = (ranking_of([[(0.0, 1)] * n]) for n in (1, longest))
    assert ranks_of_curve([short, long]) == RANKS[: RANKS.index(last) + 1]


@given(several)
def test_points_of_curves(queries: list[list[tuple[float, int]]]) -> None:
    """At each threshold what it finds, counted."""
    found = evaluation_of(queries)
    order = [queries[q] for q in found.qid.tolist()]
    for docs, roc, curve in zip(order, roc_points(found), precision_recall_points(found), strict=True):
        n_relevant = sum(grade > 0 for _, grade in docs)
        assert roc.thresholds.tolist() == [math.inf, *sorted({score for score, _ in docs}, reverse=True)]
        assert curve.thresholds.tolist() == [t for t in roc.thresholds[1:] if t > -math.inf]
        for false, true, threshold in zip(*roc, strict=True):
            passed = [grade > 0 for score, grade in docs if score >= threshold]
            assert true == pytest.approx(sum(passed) / max(n_relevant, 1))
            assert false == pytest.approx((len(passed) - sum(passed)) / max(len(docs) - n_relevant, 1))
        for precision, recall, threshold in zip(*curve, strict=True):
            passed = [grade > 0 for score, grade in docs if score >= threshold]
            assert (precision, recall) == pytest.approx((sum(passed) / len(passed), sum(passed) / max(n_relevant, 1)))


def test_relevance_of_a_curve_is_the_measures() -> None:
    found = evaluate([2, 1, 0], [3, 2, 1])
    assert roc_points(found, AP(rel=2))[0].true_positive_rate.tolist() == [0, 1, 1, 1]
    assert precision_recall_points(found, AP(rel=2))[0].precision.tolist() == [1, 1 / 2, 1 / 3]
