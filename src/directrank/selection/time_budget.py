"""Time limits of a search and of its folds."""

from __future__ import annotations

import math
import time


class TimeBudget:
    """A time limit that starts now.

    Parameters
    ----------
    seconds : float or None
        None for no limit.
    """

    def __init__(self, seconds: float | None) -> None:
        self.deadline = math.inf if seconds is None else time.perf_counter() + seconds

    def fraction(self, fraction: float) -> TimeBudget:
        """A budget that starts now and has a fraction of the remaining time."""
        return TimeBudget(fraction * self.remaining)

    @property
    def remaining(self) -> float:
        """Seconds until the deadline; negative after it."""
        return self.deadline - time.perf_counter()

    @property
    def is_exhausted(self) -> bool:
        return self.remaining <= 0


class FoldTimeLimit:
    """A time limit, divided equally among the folds of a cross-validation.

    Attributes
    ----------
    stopped_folds : set of int
        Folds whose training hit the limit.
    """

    def __init__(self, budget: TimeBudget, n_folds: int) -> None:
        self._start, self._seconds_per_fold = time.perf_counter(), budget.remaining / n_folds
        self.stopped_folds: set[int] = set()

    def is_reached(self, fold: int) -> bool:
        """Whether a fold, counted from 1, is out of time; it may use what earlier folds left over."""
        is_over = time.perf_counter() > self._start + self._seconds_per_fold * fold
        if is_over:
            self.stopped_folds.add(fold)
        return is_over
