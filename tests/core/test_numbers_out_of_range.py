"""Numeric arguments out of range are rejected, or clipped to the nearest valid number."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from directrank.core import (
    average_precision,
    contingency_tables,
    csr,
    dual,
    index,
    judged,
    mercer_kernels,
    precision_recall,
    ranking_order,
    reciprocal_rank,
    roc_area,
    soft_pairs,
    soft_ranking,
)

LOWEST, HIGHEST = -(2**63), 2**63 - 1
SCORES, OFFSETS = np.array([0.5, -1.0, 2.0, 2.0]), np.array([0, 4])
RELEVANT, LEVEL = np.array([True, False, False, True]), np.array([1, 0, 0, 1], np.int32)
ORDER, GAINS = np.array([2, 3, 0, 1]), RELEVANT.astype(float)
INDICES, INDPTR = np.array([0, 1], np.int32), np.array([0, 1, 2], np.int32)


def one(number: int) -> np.ndarray:
    return np.array([number])


@pytest.mark.parametrize("k", [LOWEST, -1, 0])
def test_no_rank_counts_up_to_a_depth_of_0_or_less(k: int) -> None:
    assert reciprocal_rank.evaluate(SCORES, RELEVANT, OFFSETS, k).tolist() == [0]
    assert reciprocal_rank.expected(SCORES, GAINS / 2, OFFSETS, k).tolist() == [0]
    assert precision_recall.relevant_in_first(SCORES, RELEVANT, OFFSETS, one(k)).tolist() == [0]
    assert precision_recall.any_in_first(SCORES, RELEVANT, OFFSETS, one(k)).tolist() == [0]
    assert judged.fraction(SCORES, RELEVANT, OFFSETS, k).tolist() == [0]
    for sums in reciprocal_rank.expected_lambdas(SCORES, GAINS, GAINS / 2, OFFSETS, k, False):
        assert sums.tolist() == [0, 0, 0, 0]


REFUSED: dict[str, Callable[[], Any]] = {
    "negative count": lambda: average_precision.evaluate(SCORES, RELEVANT, one(-1), OFFSETS, 10),
    "huge count": lambda: judged.bpref(SCORES, GAINS, OFFSETS, 1.0, one(HIGHEST), one(2)),
    "huge number of pairs": lambda: roc_area.evaluate(SCORES, LEVEL, one(2), OFFSETS, one(HIGHEST)),
    "table of contingency": lambda: contingency_tables.coefficients(
        RELEVANT, OFFSETS, ORDER, np.array([True]), one(LOWEST), one(0)
    ),
    "offsets of sums": lambda: contingency_tables.keep_best(
        *(np.empty(0, np.int64) for _ in range(5)),
        *(np.empty(0) for _ in range(2)),
        np.array([0, HIGHEST]),
        *(np.zeros(1) for _ in range(2)),
        *(np.zeros(1, np.int64) for _ in range(2)),
    ),
    "too many terms": lambda: index.invert(INDICES, INDICES, HIGHEST),
    "negative number of queries": lambda: ranking_order.order(
        np.ones(1), (np.zeros(1, np.uint8), one(0), one(1)), np.zeros(1, np.int32), LOWEST
    ),
    "negative number of columns": lambda: csr.check(INDICES, INDPTR, -1),
    "negative index among more columns than int32 counts": lambda: csr.check(-INDICES, INDPTR, 2**40),
    "index beyond the columns": lambda: mercer_kernels.products(
        np.ones(2), INDICES, INDPTR, 1, np.ones(2), INDICES, INDPTR, 1
    ),
    "negative sum of multipliers": lambda: dual.solve(np.eye(2), np.ones(2), -1.0, np.zeros(2), HIGHEST),
    "number of levels": lambda: soft_pairs.smooth(SCORES, LEVEL, one(HIGHEST), OFFSETS, one(4), 1.0, 6.0),
    "negative reach of pairs": lambda: soft_pairs.smooth(SCORES, LEVEL, one(2), OFFSETS, one(4), 1.0, -6.0),
    "negative reach": lambda: soft_ranking.smooth(SCORES, GAINS, ORDER, OFFSETS, 1.0, -6.0, one(4), False),
}


@pytest.mark.parametrize("call", REFUSED.values(), ids=REFUSED.keys())
def test_other_numbers_are_rejected(call: Callable[[], Any]) -> None:
    with pytest.raises(ValueError, match=r"negative|impossible|offsets|number|index|levels|width"):
        call()


def test_flags_are_0_or_1() -> None:
    flags = np.full(1000, 255, np.uint8).view(bool)  # true to NumPy
    with pytest.raises(TypeError, match="incompatible"):
        average_precision.evaluate(np.arange(1000.0), flags, one(3), np.array([0, 1000]), 10)
