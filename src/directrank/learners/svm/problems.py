"""The problems that a structural SVM may solve, the convex one and the ramp's, and the best C of each."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from functools import partial
from typing import Protocol

import numpy as np

from ...arrays import Floats
from ...measures import AUC
from ..core.interruption import Interruptible
from ..core.shards import Shards
from ..core.task import rebind
from .all_pairs import STRETCH, over_all_pairs
from .choice import PathOfC, can_be_tried, choose
from .paths import ConvexPath, Limits, RampPath
from .risk import Risk
from .solution import Solution

#: The gap to reach on a fold: telling values of C apart takes no more.
TOL_BY_FOLDS = 1e-2


class Settings(Limits, Protocol):
    """What an SVM says about how to solve a problem."""

    cv: int


class Problem(ABC):
    """A problem on some queries.

    Parameters
    ----------
    settings : Settings
        The SVM.
    training : Shards
        Weighted queries.

    Attributes
    ----------
    path : PathOfC
        Its solutions.
    what : str
        What C is called in warnings.
    """

    path: PathOfC
    what = "C"

    def __init__(self, settings: Settings, training: Shards) -> None:
        self.settings, self.training = settings, training
        self.risk = Risk(training)

    def best(self, Cs: Floats | None, validation: Shards | None) -> Solution:
        """The solution for the best of some values of C, or of the default ones; if there is nothing to tell, for one."""
        if not can_be_tried(self.training, validation):
            return self.path.solve(self.middle_C())
        why = f"{type(self.settings).__name__} was interrupted while choosing {self.what}"
        return choose(why, self.path, self.on_fold, self.values_of_C(Cs), self.training, validation, self.settings.cv)

    def at(self, C: float) -> Solution:
        """The solution for one C."""
        return self.path.solve(C)

    def all(self, Cs: Floats) -> list[Solution]:
        """The solutions for some values of C, until the user interrupts."""
        solutions = []
        for C in Cs:
            solutions.append(self.at(float(C)))
            if solutions[-1].interrupted:
                break
        return solutions

    @abstractmethod
    def values_of_C(self, given: Floats | None) -> Floats:
        """The values of C to try, ascending, where the user may have given some."""

    @abstractmethod
    def middle_C(self) -> float:
        """A value of C where none can be tried."""

    @abstractmethod
    def on_fold(self, some: Shards) -> PathOfC:
        """The path on some of the queries."""

    @property
    def _tol_by_folds(self) -> float:
        return max(self.settings.tol, TOL_BY_FOLDS)


class ConvexProblem(Problem):
    """The convex bound; see `ConvexPath`.

    Values of C are multiples of 1/|a|^2, for the plane a at w = 0: with features s times as large, the solution for C/s^2
    is w/s. Of features between 0 and 1 the unit is about 1.

    Parameters
    ----------
    stretch : float
        See `ConvexPath`.
    what : str
        What C is called in warnings.
    """

    CS = 10.0 ** np.arange(0, 4.5, 0.5)
    MIDDLE = 100.0

    def __init__(self, settings: Settings, training: Shards, stretch: float, what: str = "C") -> None:
        super().__init__(settings, training)
        self.stretch, self.what = stretch, what
        self.path = ConvexPath(settings, self.risk, stretch=stretch)

    def values_of_C(self, given: Floats | None) -> Floats:
        return self.CS * self._unit() if given is None else given

    def middle_C(self) -> float:
        return self.MIDDLE * self._unit()

    def on_fold(self, some: Shards) -> ConvexPath:
        return ConvexPath(self.settings, Risk(some), stretch=self.stretch, tol=self._tol_by_folds)

    def _unit(self) -> float:
        size = self.risk.slope_at_0
        return float(np.clip(size, 1e-150, 1e150)) ** -2 if size > 0 else 1.0


class RampProblem(Problem):
    """The ramp from the Ranking SVM; see `RampPath`.

    Values of C are in units of the start. 0 is always among those to try: the start itself.

    Parameters
    ----------
    tries : bool
        Whether the start is that of the best C, by AUC, or of one of the middle.
    """

    CS = 10.0 ** np.arange(-0.5, 2.5, 0.5)
    MIDDLE = 10.0

    def __init__(self, settings: Settings, training: Shards, validation: Shards | None, tries: bool) -> None:
        super().__init__(settings, training)
        pairs = ConvexProblem(settings, over_all_pairs(training), STRETCH, "the C of its start")
        held_out = None if validation is None else validation.map(rebind, AUC())
        self.start = pairs.best(None, held_out) if tries else pairs.at(pairs.middle_C())
        with Interruptible() as preparing:
            self.path = RampPath(settings, self.risk, self.start.coef)
        self.interrupted = self.start.interrupted or preparing.interrupted

    def best(self, Cs: Floats | None, validation: Shards | None) -> Solution:
        return self._unless_interrupted(partial(super().best, Cs, validation))

    def at(self, C: float) -> Solution:
        return self._unless_interrupted(partial(super().at, C))

    def values_of_C(self, given: Floats | None) -> Floats:
        return np.union1d(0.0, self.CS if given is None else given)

    def middle_C(self) -> float:
        return self.MIDDLE

    def on_fold(self, some: Shards) -> PathOfC:
        return _RampOfFold(self, some)

    def _unless_interrupted(self, solve: Callable[[], Solution]) -> Solution:
        """A solution, or the start as the model so far, if the user interrupts before there is any other."""
        if not self.interrupted:
            with Interruptible():
                return solve()
        return Solution.of_start(0.0, self.start.coef, self.risk.ramp(self.start.coef).slack, interrupted=True)


class _RampOfFold:
    """The ramp on some of the queries, from the Ranking SVM of those; C is that of the start on all."""

    def __init__(self, problem: RampProblem, some: Shards) -> None:
        self.problem, self.some = problem, some
        self.path: RampPath | None = None

    def solve(self, C: float) -> Solution:
        if self.path is None:
            settings, tol, risk = self.problem.settings, self.problem._tol_by_folds, Risk(self.some)
            pairs = ConvexPath(settings, Risk(over_all_pairs(self.some)), stretch=STRETCH, tol=tol)
            start = pairs.solve(self.problem.start.C)
            if start.interrupted:
                return Solution.of_start(0.0, start.coef, risk.ramp(start.coef).slack, interrupted=True)
            self.path = RampPath(settings, risk, start.coef, tol=tol)
        return self.path.solve(C)
