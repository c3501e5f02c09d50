"""What a threshold becomes where numbers are single, or compared otherwise than by x <= t.

A rule takes thresholds t of double precision and gives those of the target, so that each value that the target can hold goes
the same way as by x <= t.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ...arrays import Floats
from ..trees.tree import ZERO_THRESHOLD

Rule = Callable[[Floats], Floats]

#: Single precision ends here; a threshold beyond it leaves all that single precision holds on one side.
LARGEST_SINGLE = float(np.finfo(np.float32).max)

_INFINITE = np.float32(np.inf)


def exactly(thresholds: Floats) -> Floats:
    """For x <= t in double precision: as they are."""
    return thresholds


def single_not_above(thresholds: Floats) -> Floats:
    """For x <= t in single precision: the largest such number that is not above t."""
    singles = _nearest(thresholds)
    with np.errstate(over="ignore"):
        return _clamped(np.where(singles > thresholds, np.nextafter(singles, -_INFINITE), singles))


def single_above(thresholds: Floats) -> Floats:
    """For x < t in single precision: the smallest such number that is above t."""
    singles = _nearest(thresholds)
    with np.errstate(over="ignore"):
        return _clamped(np.where(singles > thresholds, singles, np.nextafter(singles, _INFINITE)))


def around_zero(thresholds: Floats) -> Floats:
    """Thresholds that send every tiny x, up to 1e-35, where they send 0, as LightGBM does."""
    moved = np.where((thresholds >= 0) & (thresholds < ZERO_THRESHOLD), ZERO_THRESHOLD, thresholds)
    below_tiny = np.nextafter(-ZERO_THRESHOLD, -np.inf)
    return np.where((thresholds >= -ZERO_THRESHOLD) & (thresholds < 0), below_tiny, moved)


def _nearest(thresholds: Floats) -> Floats:
    return np.clip(thresholds, -LARGEST_SINGLE, LARGEST_SINGLE).astype(np.float32)


def _clamped(singles: Floats) -> Floats:
    return np.clip(singles.astype(np.float64), -LARGEST_SINGLE, LARGEST_SINGLE)
