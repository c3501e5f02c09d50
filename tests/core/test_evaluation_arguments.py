"""Wrong arrays handed to the kernels of `directrank.evaluation` are exceptions."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from directrank.core import bootstrap, paired_tests, tukey

CENTRED = np.zeros((64, 4))
COUNTED: dict[str, Any] = {
    "centred": CENTRED,
    "pairs": np.array([[0, 3]]),
    "thresholds": np.ones(1),
    "n_permutations": 10,
    "seed": 3,
}


@pytest.mark.parametrize(
    ("name", "wrong"),
    [
        ("centred", np.zeros((63, 4))),
        ("centred", np.zeros((64, 5))),
        ("centred", np.zeros((64, 4), np.float32)),
        ("centred", np.zeros((64, 4), order="F")),
        ("pairs", np.array([[0, 4]])),
        ("pairs", np.array([[-1, 3]])),
        ("pairs", np.array([[0, 1, 2]])),
        ("pairs", np.array([0, 1])),
        ("thresholds", np.ones(2)),
        ("n_permutations", -1),
        ("n_permutations", 2**63 - 1),
        ("seed", -1),
        ("seed", 2**64),
    ],
)
def test_permutations_that_do_not_fit(name: str, wrong: Any) -> None:
    paired_tests.count_reaching(*COUNTED.values())
    with pytest.raises((TypeError, ValueError, MemoryError)):
        paired_tests.count_reaching(*(COUNTED | {name: wrong}).values())


@pytest.mark.parametrize(("start", "end"), [(-1, 2), (3, 2), (0, 2**63 - 1), (-(2**63), 2**63 - 1)])
def test_invalid_ranges_of_permutations(start: int, end: int) -> None:
    with pytest.raises((ValueError, MemoryError)):
        paired_tests.signed_sums(CENTRED, start, end, 3)


@pytest.mark.parametrize(
    ("values", "n_resamples"),
    [
        (np.zeros((0, 2)), 5),
        (np.zeros((3, 2)), -1),
        (np.zeros((3, 8)), 2**61),  # times 8 it overflows
        (np.zeros((3, 2), np.float32), 5),
        (np.zeros((2, 3)).T, 5),
        (np.zeros(3), 5),
    ],
)
def test_resamples_that_do_not_fit(values: Any, n_resamples: int) -> None:
    with pytest.raises((TypeError, ValueError, MemoryError)):
        bootstrap.resampled_means(values, n_resamples, 3)


def test_resamples_of_nothing() -> None:
    assert bootstrap.resampled_means(np.zeros((3, 0)), 2**40, 3).shape == (2**40, 0)
    assert bootstrap.resampled_means(np.zeros((3, 2)), 0, 3).shape == (0, 2)


@pytest.mark.parametrize(
    ("values", "n_permutations", "seed"),
    [
        (np.zeros((3, 0)), 5, 3),
        (np.zeros((3, 2)), -1, 3),
        (np.zeros((3, 2)), 2**61, 3),
        (np.zeros((3, 2), np.float32), 5, 3),
        (np.zeros((2, 3)).T, 5, 3),
        (np.zeros(3), 5, 3),
        (np.zeros((3, 2)), 5, -1),
    ],
)
def test_values_that_cannot_be_permuted(values: Any, n_permutations: int, seed: int) -> None:
    assert tukey.permuted_ranges(np.zeros((0, 1)), 2, 3).tolist() == [0, 0]
    with pytest.raises((TypeError, ValueError, MemoryError)):
        tukey.permuted_ranges(values, n_permutations, seed)
