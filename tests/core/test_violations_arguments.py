"""Kernels of the most violated outputs reject wrong arrays, and terminate for any scores."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from wrong_arguments import WRONG_OFFSETS, refuses, refuses_offsets, wrong_arrays

from directrank.core import contingency_tables, interleaving, labelling
from directrank.measures import Bound, parse

OFFSETS = np.array([0, 3, 3, 8])
SCORES = np.array([0.5, -1.0, 2.0, 0.0, 1.0, 1.0, -2.0, 3.0])
RELEVANT = np.array([True, False, False, True, False, True, False, False])
RANKS = np.arange(6.0)  # one more than the longest query has

# Sets of 1 relevant and 2 other documents, and of 2 and 3; the query between them is empty.
SHAPES = np.array([0, 1, 2]), np.array([0, 2, 3])
SHAPE_OF_QUERY = np.array([1, 0, 2])
BLOCKS = np.array([1, 2]), np.array([0, 1])
ORDER, SUMS = contingency_tables.add_up(SCORES, RELEVANT, OFFSETS)
TABLES = contingency_tables.list_tables(*SHAPES, *BLOCKS).shape[1]
N_BLOCKS = int(contingency_tables.count_blocks(*SHAPES).sum())
LOWEST = np.zeros(N_BLOCKS), np.zeros(N_BLOCKS, np.int64), np.zeros(N_BLOCKS, np.int64)
DIFFER = np.array([True, False, True])


def best() -> tuple[np.ndarray, ...]:
    return np.full(3, -np.inf), np.zeros(3), np.zeros(3, np.int64), np.zeros(3, np.int64)


KERNELS: dict[str, tuple[Callable[..., Any], tuple[Any, ...]]] = {
    "precisions": (interleaving.most_violated_precisions, (SCORES, RELEVANT, OFFSETS, RANKS[:5], RANKS[:5], RANKS)),
    "gains": (interleaving.most_violated_gains, (SCORES, RELEVANT.astype(float), OFFSETS, RANKS, RANKS, 1)),
    "first_ranks": (interleaving.most_violated_first_ranks, (SCORES, RELEVANT, OFFSETS, np.array([1, 2, 3]))),
    "first_relevant": (interleaving.most_violated_first_relevant, (SCORES, RELEVANT, OFFSETS, 2)),
    "break_even": (labelling.most_violated_break_even, (SCORES, RELEVANT, OFFSETS)),
    "ratio": (labelling.most_violated_ratio, (SCORES, RELEVANT, OFFSETS, 2.0, 1.0, 1.0)),
    "add_up": (contingency_tables.add_up, (SCORES, RELEVANT, OFFSETS)),
    "coefficients": (contingency_tables.coefficients, (RELEVANT, OFFSETS, ORDER, DIFFER, np.ones(3, int), np.ones(3, int))),
    "count_blocks": (contingency_tables.count_blocks, SHAPES),
    "block_sizes": (contingency_tables.block_sizes, (*SHAPES, *BLOCKS)),
    "list_tables": (contingency_tables.list_tables, (*SHAPES, *BLOCKS)),
    "extremes": (contingency_tables.extremes, (*SHAPES, *BLOCKS, np.arange(float(TABLES)))),
    "promising_blocks": (
        contingency_tables.promising_blocks,
        (*SHAPES, SHAPE_OF_QUERY, DIFFER, *LOWEST, SUMS, OFFSETS, *best()),
    ),
    "keep_best": (
        contingency_tables.keep_best,
        (*SHAPES, *BLOCKS, np.array([0, 2]), np.arange(float(TABLES)), SUMS, OFFSETS, *best()),
    ),
}


@pytest.mark.parametrize("name", KERNELS)
def test_wrong_arrays_are_rejected(name: str) -> None:
    kernel, arguments = KERNELS[name]
    kernel(*arguments)
    for i, argument in enumerate(arguments):
        for wrong in wrong_arrays(argument) if isinstance(argument, np.ndarray) else [None]:
            refuses(kernel, arguments, i, wrong)


@pytest.mark.parametrize("name", [name for name, (_, arguments) in KERNELS.items() if any(a is OFFSETS for a in arguments)])
@pytest.mark.parametrize("offsets", WRONG_OFFSETS)
def test_wrong_offsets_are_rejected(name: str, offsets: list[int]) -> None:
    refuses_offsets(*KERNELS[name], OFFSETS, offsets)


@pytest.mark.parametrize(
    ("name", "which", "wrong"),
    [
        ("coefficients", 2, [0, 1, 3, 0, 1, 2, 3, 4]),
        ("coefficients", 2, [0, 1, -1, 0, 1, 2, 3, 4]),
        ("count_blocks", 0, [0, -1, 2]),
        ("list_tables", 2, [1, 3]),
        ("list_tables", 2, [-1, 2]),
        ("list_tables", 3, [0, 99]),
        ("list_tables", 3, [-1, 0]),
        ("promising_blocks", 2, [1, 0, 3]),
        ("promising_blocks", 2, [2, 0, 1]),
        ("promising_blocks", 5, [9] * N_BLOCKS),
        ("promising_blocks", 6, [-1] * N_BLOCKS),
        ("keep_best", 4, [0, 3]),
        ("keep_best", 4, [-1, 2]),
        ("keep_best", 4, [2, 0]),
    ],
)
def test_wrong_indices_are_rejected(name: str, which: int, wrong: list[int]) -> None:
    kernel, arguments = KERNELS[name]
    with pytest.raises(ValueError, match=r"index|block|length|number"):
        kernel(*arguments[:which], np.array(wrong), *arguments[which + 1 :])


@pytest.mark.parametrize("name", ["AP", "nDCG", "nDCG@5", "P@3", "Rprec", "RR", "AUC", "F1", "MCC"])
@pytest.mark.parametrize("size", [1, 7, 300, 3000])
def test_any_scores(monkeypatch, name: str, size: int) -> None:
    """NaN and infinite scores have no most violated output, but nothing is read or written beyond the arrays."""
    monkeypatch.setattr(Bound, "check_scores", lambda self, scores: scores)  # which rejects NaN before the kernels
    random = np.random.default_rng(size)
    grades, offsets = random.integers(0, 3, size).astype(float), np.array([0, size])
    bound = parse(name).bind(grades, offsets)
    for odd in (np.nan, np.inf, -np.inf):
        for share in (0.1, 1.0):
            scores = np.where(random.random(size) < share, odd, random.standard_normal(size))
            coefficients, losses = bound.most_violated(scores)
            assert coefficients.size == size and losses.size == 1
