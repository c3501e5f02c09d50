"""Elementary functions of the core against decimal arithmetic of 40 digits."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal, localcontext
from typing import Any

import numpy as np
import pytest

from directrank.core import elementary


def reference(function: Callable[[Decimal], Decimal], x: np.ndarray) -> list[Decimal]:
    with localcontext() as context:
        context.prec = 40
        return [function(Decimal(float(value))) for value in x]


def units_in_last_place(computed: np.ndarray, expected: list[Decimal]) -> float:
    spacing = np.spacing(np.abs(np.array(expected, float)))
    return max(
        float(abs(Decimal(float(value)) - exact) / Decimal(float(unit)))
        for value, exact, unit in zip(computed, expected, spacing, strict=True)
    )


def sample(low: float, high: float) -> np.ndarray:
    return np.random.default_rng(0).uniform(low, high, 2000)


def power_of_2(x: Decimal) -> Decimal:
    return (x * Decimal(2).ln()).exp()


def binary_logarithm(x: Decimal) -> Decimal:
    return x.ln() / Decimal(2).ln()


@pytest.mark.parametrize(
    ("name", "definition", "x", "most"),
    [
        ("exp", Decimal.exp, sample(-700, 700), 1),
        ("exp", Decimal.exp, sample(-1, 1), 1),
        ("exp2", power_of_2, sample(-1000, 1000), 1.5),
        ("log", Decimal.ln, np.exp2(sample(-1070, 1020)), 2),
        ("log", Decimal.ln, sample(0.5, 2), 4),
        ("log2", binary_logarithm, np.exp2(sample(-1070, 1020)), 2),
        ("log2", binary_logarithm, sample(0.5, 2), 4),
        ("log2", binary_logarithm, np.arange(3.0, 3000), 2),
    ],
)
def test_within_units_in_the_last_place(name: str, definition: Any, x: np.ndarray, most: float) -> None:
    assert units_in_last_place(getattr(elementary, name)(x), reference(definition, x)) <= most


def test_powers_of_2_are_exact() -> None:
    exponents = np.arange(-1074.0, 1024)
    powers = np.ldexp(1.0, exponents.astype(int))
    np.testing.assert_array_equal(elementary.exp2(exponents), powers)
    np.testing.assert_array_equal(elementary.log2(powers), exponents)


def test_limits() -> None:
    x = np.array([-np.inf, -1e308, 0.0, 1e308, np.inf, np.nan])
    for function in (elementary.exp, elementary.exp2):
        np.testing.assert_array_equal(function(x), [0, 0, 1, np.inf, np.inf, np.nan])
    for function in (elementary.log, elementary.log2):
        np.testing.assert_array_equal(function(np.ones(1)), [0])
        for wrong in (0.0, -1.0, np.inf, np.nan):
            with pytest.raises(ValueError, match="not positive and finite"):
                function(np.array([1.0, wrong]))
