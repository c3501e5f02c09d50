"""What a structural SVM found, in the user's units, and what there is to say about it."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from ...arrays import Floats
from ..core.rounds import Curves, curves
from ..core.warning import warn
from .cutting_plane import Iteration, Optimum
from .risk import Risk, norm


@dataclass(frozen=True, eq=False)
class Solution:
    """The model of one value of C.

    Attributes
    ----------
    C : float
    coef : array
    slack : float
        The mean slack; of the ramp, its mean.
    objective : float
    gap : float
        The duality gap, in units of the mean slack; of the ramp, that of the last convex problem.
    history : list of Iteration
    converged, interrupted : bool
        Whether the gap came below the tolerance; whether the user broke off.
    most_iterations : float
        How many iterations it could have taken; infinite for the ramp, of which that is not known.
    """

    C: float
    coef: Floats
    slack: float
    objective: float
    gap: float
    history: list[Iteration]
    converged: bool
    interrupted: bool
    most_iterations: float = np.inf

    @classmethod
    def of(cls, optimum: Optimum, C: float, *, stretch: float = 1.0, loss_scale: float = 1.0) -> Solution:
        """An optimum in other units.

        Parameters
        ----------
        C : float
            As the user gave it.
        stretch : float
            The user's w is so many times that of the optimum, whose C was the user's over the square of it.
        loss_scale : float
            The risk of the optimum is so many times the user's slack.
        """
        coef, slack = stretch * optimum.best.w, optimum.best.risk / loss_scale
        history = [step.rescaled(stretch**2, 1 / loss_scale) for step in optimum.history]
        objective = 0.5 * float(np.sum(coef**2)) + C * optimum.best.risk
        gap = history[-1].gap if history else np.inf
        ended = (optimum.converged, optimum.interrupted, optimum.most_iterations)
        return cls(C, coef, slack, objective, gap, history, *ended)

    @classmethod
    def of_ramp(cls, optimum: Optimum, C: float, start: Floats, unit: float) -> Solution:
        """An optimum of the ramp.

        Parameters
        ----------
        C : float
            As the user gave it.
        unit : float
            That of the optimum was so many times the user's, and so was its objective.
        """
        history = [step.rescaled(1 / unit, 1.0) for step in optimum.history]
        objective = 0.5 * float(np.sum((optimum.best.w - start) ** 2)) / unit + C * optimum.best.risk
        gap = history[-1].gap if history else np.inf
        return cls(C, optimum.best.w, optimum.best.risk, objective, gap, history, optimum.converged, optimum.interrupted)

    @classmethod
    def of_start(cls, C: float, start: Floats, slack: float, *, interrupted: bool) -> Solution:
        """The ramp's start as it is, with the ramp there: the solution for C = 0, or where the user broke off before any."""
        gap = np.inf if interrupted else 0.0
        return cls(C, start, slack, C * slack, gap, [], converged=not interrupted, interrupted=interrupted)

    def of_nothing(self, at_0: float) -> Solution:
        """Exactly w = 0 instead of what rounding made of it, with the slack there."""
        return replace(self, coef=np.zeros_like(self.coef), slack=at_0, objective=self.C * at_0)


@dataclass(frozen=True, eq=False)
class Path:
    """The models of many values of C.

    Attributes
    ----------
    Cs : array
        Ascending.
    coefs : array, one row for each C
    solutions : list of Solution
    """

    Cs: Floats
    coefs: Floats
    solutions: list[Solution]

    @classmethod
    def of(cls, solutions: list[Solution]) -> Path:
        return cls(np.array([s.C for s in solutions]), np.array([s.coef for s in solutions]), solutions)


def facts(C: float, gap: float, slack: float, objective: float, n_iter: int, most_iterations: float) -> dict[str, float]:
    """What a model's provenance says of a solution."""
    known = {"C": C, "gap": gap, "slack": slack, "objective": objective, "iterations": n_iter}
    return known | ({"iterations at most": most_iterations} if np.isfinite(most_iterations) else {})


def convergence(history: list[Iteration]) -> Curves:
    """The objective of the convex problem from above and from below, iteration after iteration."""
    return curves(history, {"objective": "primal", "lower bound": "dual", "gap": "gap"})


def convergence_of_ramp(history: list[Iteration]) -> Curves:
    """The objective of the ramp. The dual is that of each round's convex problem, and no bound of the ramp."""
    return curves(history, {"objective": "primal", "gap": "gap"})


def warn_unless_converged(who: str, solution: Solution, tol: float) -> None:
    if solution.converged:
        return
    why = "was interrupted" if solution.interrupted else "did not converge; raise max_iter or tol, or scale the features"
    warn(f"{who} {why}{_reached(solution, tol)}", ConvergenceWarning)


def _reached(solution: Solution, tol: float) -> str:
    """How far it came. A gap within the tolerance is that of a round of the ramp, after which there were to be others."""
    if not solution.history:
        return ""
    gap = f"the gap is {solution.gap:.2g}, above tol={tol:g}"
    state = gap if solution.gap > tol else f"the rounds of the ramp still gain more than tol={tol:g}, or may do so"
    return f": after {len(solution.history)} iterations {state}"


def is_nothing(risk: Risk, solution: Solution, stretch: float = 1.0) -> bool:
    """Whether w = 0 is the optimum of the convex problem, which it then is for every C: the norm has no slope there.

    The risk R falls by at most R(0), and, with the plane a at w = 0, the objective over C by at most C |a|^2 / 2: at
    w = C a, which small values of C come near to. Whether it fell at all is compared with these, so that it does not depend
    on the scale of the features; and so is w itself, for with a very small C the fall is less than rounding.
    """
    if not solution.converged:
        return False
    fall = risk.at_0 - solution.objective / solution.C
    if fall > 1e-6 * risk.at_0:
        return False  # and the slope need not be found
    C, size = solution.C / stretch**2, risk.slope_at_0
    if size == 0:
        return True
    return bool(fall <= 1e-6 * min(risk.at_0, C * size * size / 2) and norm(solution.coef) <= 1e-3 * stretch * C * size)


def warn_of_nothing(who: str, measure: object, advice: str) -> None:
    why = f"w = 0 is the best for the convex bound of {measure} on this data, at any C"
    warn(f"{who} learned nothing: {why}; {advice}", UserWarning)
