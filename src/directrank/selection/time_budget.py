"""How much time is left, and what of it a learner may take."""

from __future__ import annotations

import math
import time


class TimeBudget:
    """Seconds that run from now on.

    Parameters
    ----------
    seconds : float or None
        None for as long as it takes.
    """

    def __init__(self, seconds: float | None) -> None:
        self.ends = math.inf if seconds is None else time.perf_counter() + seconds

    def share(self, share: float) -> TimeBudget:
        """A budget of this share of what is left, which runs at the same time."""
        return TimeBudget(share * self.left)

    @property
    def left(self) -> float:
        return self.ends - time.perf_counter()

    @property
    def is_over(self) -> bool:
        return self.left <= 0


class Turn:
    """A learner's turn: a share of what is left for each of its folds.

    Attributes
    ----------
    stopped : set of int
        The folds whose training was stopped.
    """

    def __init__(self, budget: TimeBudget, n_folds: int) -> None:
        self.began, self.share = time.perf_counter(), budget.left / n_folds
        self.stopped: set[int] = set()

    def is_over(self, fold: int) -> bool:
        """Whether the training of a fold, counted from 1, has had its time; what earlier ones left is its own."""
        over = time.perf_counter() > self.began + self.share * fold
        if over:
            self.stopped.add(fold)
        return over
