"""Kernels of lambdas reject wrong arrays, and terminate for any scores."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from wrong_arguments import WRONG_OFFSETS, refuses, refuses_offsets, wrong_arrays

from directrank.core import first_relevant, pairwise, precision_swaps, roc_area_pairs, swaps
from directrank.measures import Bound, parse

OFFSETS = np.array([0, 3, 3, 8])
SCORES = np.array([0.5, -1.0, 2.0, 0.0, 1.0, 1.0, -2.0, 3.0])
RELEVANT = np.array([True, False, False, True, False, True, False, False])
GAINS = RELEVANT.astype(float)
LEVEL = RELEVANT.astype(np.int32)
N_LEVELS = np.array([2, 0, 2])
BY_LEVEL = pairwise.order_by_level(LEVEL, N_LEVELS, OFFSETS)
AT_RANK = 1 / np.arange(1.0, 6.0)
TO_RANK = np.concatenate(([0.0], np.cumsum(AT_RANK)))
GROUP, UPPER, TIED = swaps.mean_discounts(SCORES, OFFSETS, AT_RANK, TO_RANK, np.array([5, 5, 5]))

KERNELS: dict[str, tuple[Callable[..., Any], tuple[Any, ...]]] = {
    "mean_discounts": (swaps.mean_discounts, (SCORES, OFFSETS, AT_RANK, TO_RANK, np.array([2, 0, 5]))),
    "split_changes": (precision_swaps.split_changes, (SCORES, RELEVANT, OFFSETS, AT_RANK, AT_RANK)),
    "first_relevant": (first_relevant.lambdas, (SCORES, RELEVANT, OFFSETS, AT_RANK, True)),
    "order_by_level": (pairwise.order_by_level, (LEVEL, N_LEVELS, OFFSETS)),
    "pairwise": (pairwise.lambdas, (SCORES, OFFSETS, BY_LEVEL, LEVEL, GROUP, GAINS, UPPER, -UPPER, TIED, 4, 100, 10, True)),
    "discounted": (pairwise.lambdas, (SCORES, OFFSETS, BY_LEVEL, LEVEL, GROUP, GAINS, UPPER, None, TIED, 4, 100, 10, False)),
    "roc_area": (roc_area_pairs.lambdas, (SCORES, OFFSETS, BY_LEVEL, LEVEL, np.ones(3), 4, 100, 10, True)),
}


@pytest.mark.parametrize("name", KERNELS)
def test_wrong_arrays_are_rejected(name: str) -> None:
    kernel, arguments = KERNELS[name]
    kernel(*arguments)
    for i, argument in enumerate(arguments):
        # Ranks beyond the table of values are worth 0: it may be of any length.
        if isinstance(argument, np.ndarray) and not (name == "first_relevant" and argument is AT_RANK):
            for wrong in wrong_arrays(argument):
                refuses(kernel, arguments, i, wrong)


@pytest.mark.parametrize("name", KERNELS)
@pytest.mark.parametrize("offsets", WRONG_OFFSETS)
def test_wrong_offsets_are_rejected(name: str, offsets: list[int]) -> None:
    refuses_offsets(*KERNELS[name], OFFSETS, offsets)


@pytest.mark.parametrize(
    ("name", "which", "wrong"),
    [
        ("order_by_level", 0, [0, 0, 2, 0, 1, 0, 1, 1]),
        ("order_by_level", 0, [0, 0, -1, 0, 1, 0, 1, 1]),
        ("pairwise", 2, [0, 1, 3, 0, 1, 2, 3, 4]),
        ("pairwise", 2, [0, 1, -1, 0, 1, 2, 3, 4]),
        ("pairwise", 3, [0, 1, 2**31 - 1, 0, 1, 0, 1, 0]),
        ("pairwise", 3, [0, 1, -(2**31), 0, 1, 0, 1, 0]),
        ("discounted", 2, [2, 1, 0, 4, 3, 2, 1, 0]),
        ("discounted", 2, [1, 1, 1, 1, 1, 1, 1, 1]),
        ("discounted", 4, [0, 1, 3, 0, 1, 2, 3, 4]),
        ("discounted", 4, [0, 1, -1, 0, 1, 2, 3, 4]),
        ("roc_area", 2, [0, 1, 3, 0, 1, 2, 3, 4]),
        ("roc_area", 3, [0, 1, 0, 0, 9, 0, 1, 0]),
    ],
)
def test_wrong_indices_are_rejected(name: str, which: int, wrong: list[int]) -> None:
    kernel, arguments = KERNELS[name]
    with pytest.raises(ValueError, match=r"level|grade|tie groups"):
        kernel(*arguments[:which], np.array(wrong, np.int32), *arguments[which + 1 :])


@pytest.mark.parametrize("n_levels", [[2, 1, 2], [4, 0, 2], [-1, 0, 2], [2, 0, 2**62]])
def test_wrong_numbers_of_levels_are_rejected(n_levels: list[int]) -> None:
    with pytest.raises(ValueError, match="levels"):
        pairwise.order_by_level(LEVEL, np.array(n_levels), OFFSETS)


@pytest.mark.parametrize("depths", [[-1, 0, -(2**62)], [2**62, 9, 6]])
def test_any_depths(depths: list[int]) -> None:
    assert np.isfinite(swaps.mean_discounts(SCORES, OFFSETS, AT_RANK, TO_RANK, np.array(depths))[1]).all()


def test_a_query_longer_than_the_table_of_earnings_is_rejected() -> None:
    with pytest.raises(ValueError, match="more documents than there are ranks"):
        precision_swaps.split_changes(SCORES, RELEVANT, OFFSETS, AT_RANK[:4], AT_RANK[:4])


@pytest.mark.parametrize("name", ["AP", "nDCG", "nDCG@5", "P@3", "AUC", "MAUC", "RR", "ERR"])
@pytest.mark.parametrize("size", [1, 7, 300, 3000])
@pytest.mark.parametrize("n_grades", [3, 10**9])
def test_any_scores(monkeypatch, name: str, size: int, n_grades: int) -> None:
    """NaN has no place in a ranking, but nothing is read or written beyond the arrays."""
    monkeypatch.setattr(Bound, "check_scores", lambda self, scores: scores)  # which rejects NaN before the kernels
    random = np.random.default_rng(size)
    grades = random.integers(0, n_grades, size) * (3 / n_grades)
    bound = parse(name).bind(grades, np.array([0, size]))
    for odd in (np.nan, np.inf, -np.inf, 1e308, -1e308):
        for share in (0.1, 1.0):
            scores = np.where(random.random(size) < share, odd, random.standard_normal(size))
            gradient, hessian = bound.lambdas(scores)
            assert gradient.size == hessian.size == size
            assert np.isnan(odd) or (np.isfinite(gradient).all() and np.isfinite(hessian).all())
