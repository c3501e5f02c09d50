"""Solutions of a structural SVM for a given C, for a path of values, and for the best one by the measure itself."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np

from ...arrays import Floats
from ...caching import cached_property
from ...measures import AUC
from ...measures.ranking.levels import count_pairs, levels_of
from ..core.monitoring import Monitor, first_best
from ..core.shards import Folds, Shards, count_informative, mean_value, normalized
from ..core.task import Task, rebind, value_of_weights, with_measure, with_weights
from .bundle import Bundle
from .cutting_plane import Units, minimise
from .ramp import halfway, minimise_ramp
from .risk import Point, Risk, norm
from .solution import Solution, is_zero_optimal

#: Ratio of the Ranking SVM's w to that of the structural SVM of AUC, whose hinges are max(0, 1 - 2 w^T (x_i - x_j)): its w
#: for C/4 is half of the Ranking SVM's for C.
PAIRWISE_SCALE = 2.0

#: Gap to reach on a fold: enough to compare values of C.
FOLD_TOL = 1e-2

#: Number of values of C in a row that may be worse than the best before larger ones are given up.
PATIENCE = 4


class Solver(NamedTuple):
    """Limits of the cutting-plane method, and the monitor of its iterations."""

    tol: float
    max_iter: int
    monitor: Monitor


@dataclass(frozen=True, eq=False)
class SearchForC:
    """Value of C to solve for, or how to choose it.

    Attributes
    ----------
    C : float or None
        None for the best one.
    Cs : array, optional
        Values to try, ascending; the problem's own grid by default.
    cv : int
        Number of folds of the training queries if there is no informative validation set.
    """

    C: float | None
    Cs: Floats | None = None
    cv: int = 5


def fit_convex(
    solver: Solver, training: Shards, validation: Shards | None, search: SearchForC, scale: float = 1.0
) -> Solution:
    """Solution of the convex problem, |w|^2/2 + C R(w).

    Parameters
    ----------
    scale : float
        Ratio of the user's w to that of the risk; see `Solution.from_convex`.
    """
    problem = _ConvexProblem(scale)
    return _fit(problem, problem.path(solver, training), solver, training, validation, search)


def fit_ramp(solver: Solver, training: Shards, validation: Shards | None, search: SearchForC) -> Solution:
    """Solution of the ramp, from the Ranking SVM whose own C is the best by AUC; at a given C, its default."""
    start = _fit_start(solver, training, validation, search)
    if solver.monitor.ended:
        return Solution.at_start(0.0, start.coef, Risk(training).ramp(start.coef).slack, converged=False)
    path = _RampPath(solver, Risk(training), start.coef)
    return _fit(_RampProblem(start.C), path, solver, training, validation, search)


def fit_path(solver: Solver, training: Shards, Cs: Floats | None, bound: str, scale: float = 1.0) -> list[Solution]:
    """Solutions for several values of C, ascending; they share their planes.

    Parameters
    ----------
    bound : "convex" or "ramp"
    """
    path: _Path
    if bound == "ramp":
        path = _RampPath(solver, Risk(training), _fit_start(solver, training, None, SearchForC(0.0)).coef)
    else:
        path = _ConvexProblem(scale).path(solver, training)
    solutions = []
    for C in path.grid(None) if Cs is None else Cs:
        solutions.append(path.solve(float(C)))
        if solver.monitor.ended:
            break
    return solutions


def over_all_pairs(training: Shards) -> Shards:
    """The queries that are learned from, weighted as the Ranking SVM does: each pair of unequal grade counts the same."""
    return normalized(training.map(_over_all_pairs))


def _over_all_pairs(task: Task) -> Task:
    offsets = task.queries.offsets
    n_pairs = count_pairs(levels_of(task.bound.grades, offsets), offsets)
    weights: Floats = np.where(task.weights > 0, task.given, 0.0) * n_pairs
    return with_weights(with_measure(task, AUC()), weights)


def _fit_start(solver: Solver, training: Shards, validation: Shards | None, search: SearchForC) -> Solution:
    """The Ranking SVM from which the ramp starts."""
    problem, pairs = _ConvexProblem(PAIRWISE_SCALE), over_all_pairs(training)
    held_out = None if validation is None else validation.map(rebind, AUC())
    path = problem.path(solver, pairs)
    C = None if search.C is None and _can_choose(training, validation) else path.default_C
    return _fit(problem, path, solver, pairs, held_out, SearchForC(C, None, search.cv))


class _Path(ABC):
    """Solutions of a problem on some queries, for one C after another."""

    @property
    @abstractmethod
    def default_C(self) -> float:
        """C if there is nothing to choose it by."""

    @abstractmethod
    def solve(self, C: float) -> Solution:
        """Solution for one C."""

    @abstractmethod
    def grid(self, given: Floats | None) -> Floats:
        """Values of C to try, ascending; the user may have given some."""


class _Problem(Protocol):
    """A problem that can be solved on any queries."""

    def path(self, solver: Solver, training: Shards) -> _Path: ...


class _ConvexPath(_Path):
    """Solutions of the convex problem, each C from the solution before; w = 0 exactly if that is the best.

    Values of C are multiples of 1/|a|^2, for the plane a at w = 0: with features s times as large, the solution for C/s^2
    is w/s. For features between 0 and 1 the unit is about 1.
    """

    GRID = 10.0 ** np.arange(0, 4.5, 0.5)
    DEFAULT = 100.0

    def __init__(self, solver: Solver, risk: Risk, scale: float = 1.0) -> None:
        self.solver, self.risk, self.scale = solver, risk, scale
        self.bundle = Bundle(risk.n_weights)
        self.start: Point | None = None

    def solve(self, C: float) -> Solution:
        tol, max_iter, monitor = self.solver
        optimum = minimise(
            self.risk,
            C / self.scale**2,
            tol=tol,
            max_iter=max_iter,
            monitor=monitor,
            bundle=self.bundle,
            start=self.start,
            units=Units(objective=self.scale**2, C=C),
        )
        self.start, solution = optimum.best, Solution.from_convex(optimum, C, scale=self.scale)
        with monitor.interruptible():
            if is_zero_optimal(self.risk, solution, self.scale):
                return solution.at_zero(self.risk.at_0)
        return solution

    def grid(self, given: Floats | None) -> Floats:
        return self.GRID * self._unit if given is None else given

    @property
    def default_C(self) -> float:
        return self.DEFAULT * self._unit

    @property
    def _unit(self) -> float:
        size = self.risk.slope_at_0
        return float(np.clip(size, 1e-150, 1e150)) ** -2 if size > 0 else 1.0


class _RampPath(_Path):
    r"""Solutions of the ramp, from a start of any length.

    .. math:: \min_w\ \tfrac12 |w - w_0|^2 / |w_0|^2 + C\,T(w)

    With :math:`w_0` the multiple of the start at which the ramp is `halfway`. C = 0 gives the start itself, and is always
    among the values to try. Each C starts anew from there: what the procedure finds depends on where it starts.
    """

    GRID = 10.0 ** np.arange(-0.5, 2.5, 0.5)
    DEFAULT = 10.0

    def __init__(self, solver: Solver, risk: Risk, start: Floats) -> None:
        self.solver, self.risk, self.given = solver, risk, start
        self.bundle = Bundle(risk.n_weights)

    @cached_property
    def start(self) -> Floats:
        return halfway(self.risk, self.given)

    def solve(self, C: float) -> Solution:
        tol, max_iter, monitor = self.solver
        with monitor.interruptible():
            if C == 0 or not self.start.any():
                return Solution.at_start(C, self.start, self.risk.ramp(self.start).slack, converged=True)
            unit = float(np.clip(norm(self.start), 1e-150, 1e150)) ** 2
            optimum = minimise_ramp(
                self.risk,
                C * unit,
                self.start,
                tol=tol,
                max_iter=max_iter,
                monitor=monitor,
                bundle=self.bundle,
                units=Units(objective=1 / unit, C=C, has_lower_bound=False),
            )
            return Solution.from_ramp(optimum, C, self.start, unit)
        return Solution.at_start(0.0, self.given, self.risk.ramp(self.given).slack, converged=False)

    @property
    def default_C(self) -> float:
        return self.DEFAULT

    def grid(self, given: Floats | None) -> Floats:
        return np.union1d(0.0, self.GRID if given is None else given)


class _ConvexProblem(NamedTuple):
    """The convex bound; see `_ConvexPath`."""

    scale: float

    def path(self, solver: Solver, training: Shards) -> _ConvexPath:
        return _ConvexPath(solver, Risk(training), self.scale)


class _RampProblem(NamedTuple):
    """The ramp from the Ranking SVM of the same queries, at a given C; see `_RampPath`."""

    C_of_start: float

    def path(self, solver: Solver, training: Shards) -> _RampPath:
        start = _ConvexProblem(PAIRWISE_SCALE).path(solver, over_all_pairs(training)).solve(self.C_of_start)
        return _RampPath(solver, Risk(training), start.coef)


def _fit(
    problem: _Problem,
    path: _Path,
    solver: Solver,
    training: Shards,
    validation: Shards | None,
    search: SearchForC,
) -> Solution:
    if search.C is not None:
        return path.solve(search.C)
    if validation is not None and _is_informative(validation):
        return _best_on(validation, path, path.grid(search.Cs), solver.monitor)
    if count_informative(training) < 2:
        return path.solve(path.default_C)
    C, so_far = _best_by_folds(problem, solver, training, path.grid(search.Cs), search.cv)
    return path.solve(C) if so_far is None else so_far


def _can_choose(training: Shards, validation: Shards | None) -> bool:
    """Whether there are queries to choose C by: informative ones in the validation set, or two to make folds of."""
    return (validation is not None and _is_informative(validation)) or count_informative(training) >= 2


def _is_informative(validation: Shards) -> bool:
    return bool(validation.total(_count_informative))


def _count_informative(task: Task) -> int:
    return int(np.sum((task.weights > 0) & task.bound.informative))


def _best_on(validation: Shards, path: _Path, Cs: Floats, monitor: Monitor) -> Solution:
    """The best solution of a path on the validation set."""
    solutions, values = list[Solution](), list[float]()
    with monitor.interruptible():
        for C in Cs:
            solutions.append(path.solve(float(C)))
            values.append(mean_value(validation, value_of_weights, solutions[-1].coef))
            if monitor.ended:
                break
    if not solutions:
        raise KeyboardInterrupt
    return solutions[first_best(np.array(values)) if values else -1]


def _best_by_folds(
    problem: _Problem, solver: Solver, training: Shards, Cs: Floats, n_folds: int
) -> tuple[float, Solution | None]:
    """C of the best mean value on held-out queries; and if the user ends the search, the first fold's solution for it.

    Each fold has one warm path. The paths go through the values of C side by side, and end when larger ones have become
    worse: those take longest.
    """
    folds, monitor = Folds(training, n_folds), solver.monitor
    loose = solver._replace(tol=max(solver.tol, FOLD_TOL))
    paths, means, first_fold = list[_Path](), list[float](), list[Solution]()
    with monitor.interruptible():
        for C in Cs:
            values = []
            for fold in range(folds.n_folds):
                if fold == len(paths):
                    paths.append(problem.path(loose, folds.without(fold)))
                solution = paths[fold].solve(float(C))
                if fold == 0:
                    first_fold.append(solution)
                if monitor.ended:
                    break
                values.append(folds.value(fold, solution.coef))
            if monitor.ended:
                break
            means.append(float(np.mean(values)))
            if first_best(np.array(means[::-1])) >= PATIENCE:
                break
    if monitor.ended and not first_fold:
        raise KeyboardInterrupt
    best = first_best(np.array(means)) if means else 0
    return float(Cs[best]), first_fold[best] if monitor.ended else None
