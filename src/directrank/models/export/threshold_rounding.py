"""Conversion of thresholds for targets in single precision, or with other comparisons than x <= t.

A rule maps thresholds t in double precision to thresholds of the target, so that each value that the target can represent
goes the same way as by x <= t.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ...arrays import Floats
from ..trees.tree import ZERO_THRESHOLD

Rule = Callable[[Floats], Floats]

#: Largest finite number of single precision. All such numbers are on one side of a threshold beyond it.
LARGEST_SINGLE = float(np.finfo(np.float32).max)

_INFINITE = np.float32(np.inf)


def exactly(thresholds: Floats) -> Floats:
    """For x <= t in double precision: unchanged."""
    return thresholds


def single_not_above(thresholds: Floats) -> Floats:
    """For x <= t in single precision: the largest single not above t."""
    singles = _nearest(thresholds)
    with np.errstate(over="ignore"):
        return _clamped(np.where(singles > thresholds, np.nextafter(singles, -_INFINITE), singles))


def single_above(thresholds: Floats) -> Floats:
    """For x < t in single precision: the smallest single above t."""
    singles = _nearest(thresholds)
    with np.errstate(over="ignore"):
        return _clamped(np.where(singles > thresholds, singles, np.nextafter(singles, _INFINITE)))


def around_zero(thresholds: Floats) -> Floats:
    """Thresholds that send every x of magnitude up to 1e-35 where they send 0, as LightGBM does."""
    moved = np.where((thresholds >= 0) & (thresholds < ZERO_THRESHOLD), ZERO_THRESHOLD, thresholds)
    below_tiny = np.nextafter(-ZERO_THRESHOLD, -np.inf)
    return np.where((thresholds >= -ZERO_THRESHOLD) & (thresholds < 0), below_tiny, moved)


def _nearest(thresholds: Floats) -> Floats:
    return np.clip(thresholds, -LARGEST_SINGLE, LARGEST_SINGLE).astype(np.float32)


def _clamped(singles: Floats) -> Floats:
    return np.clip(singles.astype(np.float64), -LARGEST_SINGLE, LARGEST_SINGLE)
