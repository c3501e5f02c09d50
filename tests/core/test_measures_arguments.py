"""Kernels that evaluate, smooth and boost reject wrong arrays, and terminate for any scores."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from wrong_arguments import WRONG_OFFSETS, refuses, refuses_offsets, wrong_arrays

from directrank.core import (
    accuracy_svms,
    average_precision,
    dcg,
    interpolated_precision,
    judged,
    levels,
    multi_class,
    precision_recall,
    precision_recall_area,
    rank_biased,
    rankboost,
    reciprocal_rank,
    roc_area,
    smoothed_values,
    soft_pairs,
    soft_ranking,
    sorting,
)
from directrank.measures import Bound, bind, parse

OFFSETS = np.array([0, 3, 3, 8])
SCORES = np.array([0.5, -1.0, 2.0, 0.0, 1.0, 1.0, -2.0, 3.0])
GRADES = np.array([1.0, 0.0, 0.0, 2.0, 0.0, 1.0, 0.0, 0.0])
RELEVANT = GRADES > 0
N_RELEVANT, N_OTHERS, DEPTHS = np.array([1, 0, 2]), np.array([2, 0, 3]), np.array([2, 0, 3])
LEVEL, N_LEVELS = levels.number(GRADES, OFFSETS)
PAIRS = roc_area.count_pairs(LEVEL, N_LEVELS, OFFSETS)
HAS_GRADE_0 = np.array([True, False, True])
ORDER = sorting.order(SCORES, OFFSETS)
EXPECTED, TOTALS, COUNTING = soft_ranking.smooth(SCORES, GRADES, ORDER, OFFSETS, 0.5, 3.0, DEPTHS, False)
# Tables of ranks may be of any length, or only as long as the ranks that count.
RANKS = np.arange(6.0)
LOG_FACTORIALS = np.zeros(5)

KERNELS: dict[str, tuple[Callable[..., Any], tuple[Any, ...]]] = {
    "is_ranked": (sorting.is_ranked, (SCORES, OFFSETS)),
    "rank": (sorting.rank, (SCORES, GRADES, OFFSETS)),
    "order": (sorting.order, (SCORES, OFFSETS)),
    "number": (levels.number, (GRADES, OFFSETS)),
    "count": (levels.count, (RELEVANT, OFFSETS)),
    "values_differ": (levels.values_differ, (GRADES, OFFSETS)),
    "AP": (average_precision.evaluate, (SCORES, RELEVANT, N_RELEVANT, OFFSETS, 3)),
    "AUPRC": (precision_recall_area.evaluate, (SCORES, RELEVANT, N_RELEVANT, OFFSETS)),
    "DCG": (dcg.evaluate, (SCORES, GRADES, OFFSETS, RANKS)),
    "ideal": (dcg.ideal, (GRADES, OFFSETS, RANKS)),
    "RR": (reciprocal_rank.evaluate, (SCORES, RELEVANT, OFFSETS, 3)),
    "ERR": (reciprocal_rank.expected, (SCORES, GRADES / 4, OFFSETS, 3)),
    "lambdas of ERR": (reciprocal_rank.expected_lambdas, (SCORES, GRADES, GRADES / 4, OFFSETS, 3, True)),
    "RBP": (rank_biased.evaluate, (SCORES, RELEVANT, OFFSETS, RANKS)),
    "relevant_in_first": (precision_recall.relevant_in_first, (SCORES, RELEVANT, OFFSETS, DEPTHS)),
    "any_in_first": (precision_recall.any_in_first, (SCORES, RELEVANT, OFFSETS, DEPTHS)),
    "IPrec": (interpolated_precision.precisions_at_recalls, (SCORES, RELEVANT, OFFSETS, RANKS / 5, 1e-9)),
    "MicroPrecision": (multi_class.evaluate, (SCORES, GRADES, OFFSETS, 1.0, True)),
    "bpref": (judged.bpref, (SCORES, GRADES, OFFSETS, 1.0, N_RELEVANT, N_OTHERS)),
    "infAP": (judged.inferred_average_precision, (SCORES, GRADES, OFFSETS, 1.0, N_RELEVANT, 1e-5, LOG_FACTORIALS)),
    "Judged": (judged.fraction, (SCORES, RELEVANT, OFFSETS, 3)),
    "AUC": (roc_area.evaluate, (SCORES, LEVEL, N_LEVELS, OFFSETS, PAIRS)),
    "count_pairs": (roc_area.count_pairs, (LEVEL, N_LEVELS, OFFSETS)),
    "most violated AUC": (roc_area.most_violated, (SCORES, LEVEL, N_LEVELS, OFFSETS, PAIRS)),
    "MAUC": (roc_area.multi_class, (SCORES, LEVEL, N_LEVELS, OFFSETS, HAS_GRADE_0)),
    "class_gains": (roc_area.class_gains, (LEVEL, N_LEVELS, OFFSETS, HAS_GRADE_0)),
    "smooth": (soft_ranking.smooth, (SCORES, GRADES, ORDER, OFFSETS, 0.5, 3.0, DEPTHS, False)),
    "differentiate": (
        soft_ranking.differentiate,
        (SCORES, GRADES, ORDER, OFFSETS, 0.5, 3.0, COUNTING, EXPECTED, TOTALS, np.ones(8)),
    ),
    "soft pairs": (soft_pairs.smooth, (SCORES, LEVEL, N_LEVELS, OFFSETS, PAIRS, 0.5, 3.0)),
    "discounted": (smoothed_values.discounted, (EXPECTED, OFFSETS, COUNTING, RANKS[:3])),
    "precisions": (smoothed_values.precisions, (EXPECTED, OFFSETS, COUNTING, RANKS[:3], RANKS[:3], N_RELEVANT)),
    "cascade": (smoothed_values.cascade, (EXPECTED, OFFSETS, COUNTING, RANKS[:3])),
    "potentials": (rankboost.potentials, (SCORES, LEVEL, OFFSETS, np.ones(3))),
    "balanced": (accuracy_svms.balanced, (SCORES, RELEVANT, 2.0)),
}


@pytest.mark.parametrize("name", KERNELS)
def test_wrong_arrays_are_rejected(name: str) -> None:
    kernel, arguments = KERNELS[name]
    kernel(*arguments)
    for i, argument in enumerate(arguments):
        if isinstance(argument, np.ndarray):
            may_be_shorter = argument is RANKS or (name == "IPrec" and i == 3)
            for wrong in wrong_arrays(argument, any_length=may_be_shorter):
                refuses(kernel, arguments, i, wrong)


@pytest.mark.parametrize("name", [name for name, (_, arguments) in KERNELS.items() if any(a is OFFSETS for a in arguments)])
@pytest.mark.parametrize("offsets", WRONG_OFFSETS)
def test_wrong_offsets_are_rejected(name: str, offsets: list[int]) -> None:
    refuses_offsets(*KERNELS[name], OFFSETS, offsets)


@pytest.mark.parametrize("name", [name for name, (_, arguments) in KERNELS.items() if any(a is LEVEL for a in arguments)])
@pytest.mark.parametrize("wrong", [-1, 5, -(2**31), 2**31 - 1])
def test_wrong_levels_are_rejected(name: str, wrong: int) -> None:
    kernel, arguments = KERNELS[name]
    level = LEVEL.copy()
    level[2] = wrong
    with pytest.raises(ValueError, match=r"level|index"):
        kernel(*(level if argument is LEVEL else argument for argument in arguments))


@pytest.mark.parametrize("name", ["smooth", "differentiate"])
@pytest.mark.parametrize(("sigma", "reach"), [(0.0, 3.0), (-1.0, 3.0), (0.5, -3.0), (np.nan, 3.0), (0.5, np.nan)])
def test_wrong_widths_are_rejected(name: str, sigma: float, reach: float) -> None:
    kernel, arguments = KERNELS[name]
    with pytest.raises(ValueError, match="width"):
        kernel(*arguments[:4], sigma, reach, *arguments[6:])


@pytest.mark.parametrize("wrong", [[0, 1, 3], [0, 1, -1]])
@pytest.mark.parametrize("name", ["smooth", "differentiate"])
def test_a_wrong_order_is_rejected(name: str, wrong: list[int]) -> None:
    kernel, arguments = KERNELS[name]
    with pytest.raises(ValueError, match="index"):
        kernel(*arguments[:2], np.concatenate((wrong, ORDER[3:])), *arguments[3:])


@pytest.mark.parametrize("name", ["AP", "RR", "ERR", "lambdas of ERR", "Judged"])
@pytest.mark.parametrize("k", [-(2**62), -1, 0, 1, 2**62])
def test_any_cut_off(name: str, k: int) -> None:
    kernel, arguments = KERNELS[name]
    found = kernel(*arguments[:-2], k, True) if name == "lambdas of ERR" else kernel(*arguments[:-1], k)
    assert all(np.isfinite(values).all() and (k > 0 or not values.any()) for values in np.atleast_2d(found))


MEASURES = ["AP", "AUC", "AUPRC", "Bpref", "ERR", "IPrec@0.5", "infAP", "Judged@5", "MAUC", "MicroPrecision"]
MEASURES += ["nDCG", "nDCG@5", "P@3", "RBP", "Rprec", "RR", "Success@5"]


@pytest.mark.parametrize("name", MEASURES)
@pytest.mark.parametrize("size", [0, 1, 7, 300, 3000])
def test_any_scores(monkeypatch, name: str, size: int) -> None:
    """NaN has no place in a ranking, but nothing is read or written beyond the arrays."""
    monkeypatch.setattr(Bound, "check_scores", lambda self, scores: scores)  # which rejects NaN before the kernels
    random = np.random.default_rng(size)
    bound = bind(parse(name), random.integers(0, 4, size).astype(float), np.array([0, size]))
    for odd in (np.nan, np.inf, -np.inf, 1e308, -1e308):
        for share in (0.1, 1.0):
            scores = np.where(random.random(size) < share, odd, random.standard_normal(size))
            value = bound.evaluate(scores)
            assert value.size == 1
            assert np.isnan(odd) or 0 <= value[0] <= 1 + 1e-12
            if hasattr(bound, "smooth") and size < 1000:
                smoothed = bound.smooth(scores, 0.5)
                assert smoothed.values.size == 1 and smoothed.gradient.size == size
                assert np.isnan(odd) or np.isfinite(smoothed.values).all()
