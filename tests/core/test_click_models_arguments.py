"""Wrong arrays handed to the kernels of click models are exceptions."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from wrong_arguments import WRONG_OFFSETS, refuses, refuses_offsets, wrong_arrays

from directrank.core import click_models

#: Three sessions, or pairs, of eight impressions, or cells.
OFFSETS = np.array([0, 3, 3, 8])
CLICKED = np.array([0, 1, 0, 0, 0, 0, 1, 0], bool)
RANK = np.array([1, 2, 3, 1, 2, 4, 7, 8])
HALVES = np.full(8, 0.5)

#: Kernels with arguments that they take, and for some arguments by number, values that are not indices or probabilities.
KERNELS: dict[str, tuple[list[Any], dict[int, list[Any]]]] = {
    "examination_expectations": (
        [OFFSETS, np.arange(8) % 4, np.full(8, 3), CLICKED.astype(np.int64), np.full(3, 0.5), np.full(4, 0.5)],
        {
            1: [np.full(8, 4), np.full(8, -1)],
            4: [np.full(3, 1.0), np.full(3, 0.0), np.full(3, np.nan), np.full(2, 0.5)],
            5: [np.full(4, 1.0), np.full(4, -0.5), np.full(3, 0.5), np.empty(0)],
        },
    ),
    "dynamic_bayesian_expectations": (
        [
            *(OFFSETS, np.array([0, 1, 2, 3, 4, 3, 4, 3]), CLICKED),
            *(np.array([0, 2, 3]), np.array([0, 0, 0, 1, 1])),
            *(np.full(5, 0.5), np.full(5, 0.5), 0.5),
        ],
        {
            1: [np.full(8, 5), np.full(8, -1), np.zeros(8, np.int64)],
            3: [np.array([0, 3, 2]), np.array([0, 2, 4]), np.array([0, 0, 3]), np.empty(0, np.int64)],
            4: [np.array([0, 0, 0, 1, 2]), np.zeros(4, np.int64), np.zeros(5, np.int64)],
            5: [np.full(5, 1.0), np.full(4, 0.5)],
            6: [np.full(5, 0.0), np.full(6, 0.5)],
            7: [0.0, 1.0, np.nan, -1.0, "0.5"],
        },
    ),
    "chain_given_clicks": ([OFFSETS, CLICKED, HALVES.copy(), HALVES.copy(), HALVES.copy()], {}),
    "chain_marginals": ([OFFSETS, HALVES.copy(), HALVES.copy(), HALVES.copy()], {}),
    "browsing_places": (
        [OFFSETS, RANK, CLICKED, 3],
        {1: [RANK - 1, RANK[::-1].copy(), np.ones(8, np.int64), np.full(8, 2**62)], 3: [0, -1, 4097, 2**62, 1.5]},
    ),
    "browsing_marginals": (
        [OFFSETS, RANK, HALVES.copy(), np.full(6, 0.5), 3],
        {1: [RANK - 1, np.ones(8, np.int64)], 3: [np.full(5, 0.5), np.full(7, 0.5)], 4: [0, -1, 2, 4, 2**40]},
    ),
}


@pytest.mark.parametrize("name", KERNELS)
def test_arrays_that_do_not_fit(name: str) -> None:
    kernel, (arguments, wrong_values) = getattr(click_models, name), KERNELS[name]
    kernel(*arguments)
    for i, argument in enumerate(arguments):
        if isinstance(argument, np.ndarray):
            for wrong in wrong_arrays(argument):
                refuses(kernel, arguments, i, wrong)
        for wrong in wrong_values.get(i, []):
            refuses(kernel, arguments, i, wrong)


@pytest.mark.parametrize("wrong", WRONG_OFFSETS)
@pytest.mark.parametrize("name", KERNELS)
def test_wrong_offsets(name: str, wrong: list[int]) -> None:
    refuses_offsets(getattr(click_models, name), KERNELS[name][0], OFFSETS, wrong)


def test_places_below_the_depth() -> None:
    """Ranks below count as the last, and distances of theirs as those between ranks."""
    found = click_models.browsing_places(OFFSETS, RANK, CLICKED, 3)
    # Places in order: (rank, distance) = (1, 1), (2, 1), (2, 2), (3, 1), (3, 2), (3, 3).
    assert found.tolist() == [0, 2, 3, 0, 2, 5, 5, 3]
    assert click_models.browsing_places(OFFSETS, RANK, CLICKED, 1).tolist() == [0] * 8
