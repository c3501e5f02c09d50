"""Solutions for one C after another: they share their planes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Protocol

import numpy as np

from ...arrays import Floats
from ..core.interruption import Interruptible
from .bundle import Bundle
from .cutting_plane import Iteration, minimise
from .ramp import halfway, minimise_ramp
from .risk import Point, Risk, norm
from .solution import Solution, is_nothing

Report = Callable[[int, Iteration], None]


class Limits(Protocol):
    """What an SVM says about how long to go on, and whom to tell."""

    tol: float
    max_iter: int

    @property
    def _listener(self) -> Report | None: ...


class ConvexPath:
    """The convex problem, |w|^2/2 + C R(w), each C from the solution before. Where w = 0 is the best, it is exactly that.

    Parameters
    ----------
    stretch : float
        The user's w is so many times that of the risk; see `Solution.of`.
    tol : float, optional
        Instead of that of the limits.
    """

    def __init__(self, limits: Limits, risk: Risk, *, stretch: float = 1.0, tol: float | None = None) -> None:
        self.limits, self.risk, self.stretch = limits, risk, stretch
        self.tol = limits.tol if tol is None else tol
        self.bundle = Bundle(risk.n_weights)
        self.start: Point | None = None

    def solve(self, C: float) -> Solution:
        optimum = minimise(
            self.risk,
            C / self.stretch**2,
            tol=self.tol,
            max_iter=self.limits.max_iter,
            bundle=self.bundle,
            start=self.start,
            report=_in_units(self.limits._listener, self.stretch**2),
        )
        self.start, solution = optimum.best, Solution.of(optimum, C, stretch=self.stretch)
        with Interruptible() as checking:
            if is_nothing(self.risk, solution, self.stretch):
                return solution.of_nothing(self.risk.at_0)
        return replace(solution, interrupted=True) if checking.interrupted else solution


class RampPath:
    r"""The ramp, from a start of any length.

    .. math:: \min_w\ \tfrac12 |w - w_0|^2 / |w_0|^2 + C\,T(w)

    With :math:`w_0` the multiple of the start at which the ramp is `halfway`. C = 0 gives the start itself. Each C starts
    anew from there: what the procedure finds depends on where it starts.

    Parameters
    ----------
    tol : float, optional
        Instead of that of the limits.
    """

    def __init__(self, limits: Limits, risk: Risk, start: Floats, *, tol: float | None = None) -> None:
        self.limits, self.risk = limits, risk
        self.tol = limits.tol if tol is None else tol
        self.bundle = Bundle(risk.n_weights)
        self.start = halfway(risk, start)
        self.unit = float(np.clip(norm(self.start), 1e-150, 1e150)) ** 2

    def solve(self, C: float) -> Solution:
        if C == 0 or not self.start.any():
            return Solution.of_start(C, self.start, self.risk.ramp(self.start).slack, interrupted=False)
        optimum = minimise_ramp(
            self.risk,
            C * self.unit,
            self.start,
            tol=self.tol,
            max_iter=self.limits.max_iter,
            bundle=self.bundle,
            report=_in_units(self.limits._listener, 1 / self.unit),
        )
        return Solution.of_ramp(optimum, C, self.start, self.unit)


def _in_units(listener: Report | None, objective: float) -> Report | None:
    return None if listener is None else partial(_report, listener, objective)


def _report(listener: Report, objective: float, number: int, step: Iteration) -> None:
    """Tell it in the user's units."""
    listener(number, step.rescaled(objective, 1.0))
