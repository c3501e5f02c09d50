"""Solutions of a structural SVM in the user's units, and the attributes and warnings that estimators make of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from ...arrays import Floats
from ...models import Model
from ..core.monitoring import Monitor, Progress
from ..core.warning import warn
from .cutting_plane import Iteration, Optimum
from .risk import Risk, norm


@dataclass(frozen=True, eq=False)
class Solution:
    """Weights for one value of C.

    Attributes
    ----------
    C : float
    coef : array
    slack : float
        Mean slack, or mean ramp.
    objective : float
    gap : float
        Duality gap in units of the mean slack; for the ramp, that of the last convex problem.
    history : list of Iteration
    converged : bool
        Whether the gap is at most the tolerance.
    iteration_bound : float
        Upper bound on the number of iterations; infinite for the ramp, for which none is known.
    """

    C: float
    coef: Floats
    slack: float
    objective: float
    gap: float
    history: list[Iteration]
    converged: bool
    iteration_bound: float = np.inf

    @classmethod
    def from_convex(cls, optimum: Optimum, C: float, *, scale: float = 1.0, loss_scale: float = 1.0) -> Solution:
        """Solution of the convex problem.

        Parameters
        ----------
        C : float
            The user's C.
        scale : float
            Ratio of the user's w to that of the optimum, whose C is the user's C over its square.
        loss_scale : float
            Ratio of the optimum's risk to the user's slack.
        """
        coef, slack, history = scale * optimum.best.w, optimum.best.risk / loss_scale, optimum.history
        objective = 0.5 * float(np.sum(coef**2)) + C * optimum.best.risk
        gap = history[-1].gap if history else np.inf
        return cls(C, coef, slack, objective, gap, history, optimum.converged, optimum.iteration_bound)

    @classmethod
    def from_ramp(cls, optimum: Optimum, C: float, start: Floats, unit: float) -> Solution:
        """Solution of the ramp.

        Parameters
        ----------
        C : float
            The user's C.
        unit : float
            Ratio of the optimum's C and objective to the user's.
        """
        history = optimum.history
        objective = 0.5 * float(np.sum((optimum.best.w - start) ** 2)) / unit + C * optimum.best.risk
        gap = history[-1].gap if history else np.inf
        return cls(C, optimum.best.w, optimum.best.risk, objective, gap, history, optimum.converged)

    @classmethod
    def at_start(cls, C: float, start: Floats, slack: float, *, converged: bool) -> Solution:
        """The start of the ramp: the solution for C = 0, or the model so far if the user ended the training before any."""
        return cls(C, start, slack, C * slack, 0.0 if converged else np.inf, [], converged)

    def at_zero(self, slack: float) -> Solution:
        """Solution w = 0 without rounding errors, with the slack there."""
        return replace(self, coef=np.zeros_like(self.coef), slack=slack, objective=self.C * slack)

    @property
    def is_zero(self) -> bool:
        """Whether w = 0 is the optimum."""
        return self.converged and not self.coef.any()


@dataclass(frozen=True, eq=False)
class RegularizationPath:
    """Models for several values of C.

    Attributes
    ----------
    Cs : array
        Values of C, ascending.
    coefs : array
        Weights of the features, or of their signed logarithms, one row for each C; with a kernel, coefficients of the rows.
    solutions : list of Solution
    models : list of Model
        Model for each C, which has what `coefs` lack: the features whose logarithm is taken, and missing values.
    """

    solutions: list[Solution]
    models: list[Model]

    @classmethod
    def of(
        cls, solutions: list[Solution], coefficients: Callable[[Floats], Floats], model: Callable[[Floats], Model]
    ) -> RegularizationPath:
        """The path of solutions in a feature space, by its functions from weights to the user's weights and to a model."""
        models = [model(solution.coef) for solution in solutions]
        return cls([replace(solution, coef=coefficients(solution.coef)) for solution in solutions], models)

    def __repr__(self) -> str:
        return f"RegularizationPath(Cs={self.Cs.tolist()})"

    @property
    def Cs(self) -> Floats:
        return np.array([solution.C for solution in self.solutions])

    @property
    def coefs(self) -> Floats:
        return np.array([solution.coef for solution in self.solutions])


class SolvedMixin:
    """Attributes and provenance of an estimator that keeps a `Solution`; see `SVMRanker` for the attributes."""

    _has_rounds = False
    _info_curves: tuple[str, ...] = ("objective", "lower bound", "gap")

    def _keep_solution(self, solution: Solution, tol: float, monitor: Monitor, *, has_lower_bound: bool = True) -> None:
        """Set the attributes, and warn if the solver did not converge."""
        self.C_, self.slack_, self.objective_, self.gap_ = solution.C, solution.slack, solution.objective, solution.gap
        self.n_iter_, self.iteration_bound_ = len(solution.history), solution.iteration_bound
        self.history_ = [
            Progress(number, None, {}, step.seconds, step.info(solution.C, has_lower_bound))
            for number, step in enumerate(solution.history, 1)
        ]
        if not monitor.ended:
            warn_unless_converged(type(self).__name__, solution, tol)

    def _facts(self) -> dict[str, float]:
        known = {"C": self.C_, "gap": self.gap_, "slack": self.slack_, "objective": self.objective_}
        bound = {"iteration bound": self.iteration_bound_} if np.isfinite(self.iteration_bound_) else {}
        return known | {"iterations": self.n_iter_} | bound


def warn_unless_converged(name: str, solution: Solution, tol: float) -> None:
    if not solution.converged:
        why = "did not converge; raise max_iter or tol, or scale the features"
        warn(f"{name} {why}{_state(solution, tol)}", ConvergenceWarning)


def warn_of_zero(name: str, measure: object, advice: str) -> None:
    """Warn that w = 0 is the optimum."""
    why = f"w = 0 is the best for the convex bound of {measure} on this data, at any C"
    warn(f"{name} learned nothing: {why}; {advice}", UserWarning)


def is_zero_optimal(risk: Risk, solution: Solution, scale: float = 1.0) -> bool:
    """Whether w = 0 is the optimum of the convex problem, and so for every C: the norm has no slope there.

    The risk R falls by at most R(0), and, with the plane a at w = 0, the objective over C by at most C |a|^2 / 2: at
    w = C a, which small values of C come near to. Whether it fell at all is compared with these, so that it does not depend
    on the scale of the features; and so is w itself, for with a very small C the fall is less than rounding.
    """
    if not solution.converged:
        return False
    fall = risk.at_0 - solution.objective / solution.C
    if fall > 1e-6 * risk.at_0:
        return False  # and the slope need not be computed
    C, size = solution.C / scale**2, risk.slope_at_0
    if size == 0:
        return True
    return bool(fall <= 1e-6 * min(risk.at_0, C * size * size / 2) and norm(solution.coef) <= 1e-3 * scale * C * size)


def _state(solution: Solution, tol: float) -> str:
    """State of the solver. A gap within the tolerance is that of a round of the ramp, which others were to follow."""
    if not solution.history:
        return ""
    gap = f"the gap is {solution.gap:.2g}, above tol={tol:g}"
    state = gap if solution.gap > tol else f"the rounds of the ramp still gain more than tol={tol:g}, or may do so"
    return f": after {len(solution.history)} iterations {state}"
