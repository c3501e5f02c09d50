"""SVM-map and its kin: a structural SVM for each measure that knows its most violated output."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

from ...arrays import Floats
from ...data import InputError
from ...measures import Evaluates, name_of, require
from ...models import LinearModel, Model
from ..base import LinearRanker
from ..checks import check_int, check_positive
from ..interruption import Interruptible
from ..rounds import Curves
from ..shards import Here, Shards, mean_value, normalized, weighted_for_training
from ..task import make_task, value_of_weights
from ..warning import warn
from .bundle import Bundle
from .cutting_plane import Iteration, minimise
from .folds import C_by_folds
from .risk import Point, Risk
from .solution import Path, Solution, convergence, warn_if_nothing, warn_unless_converged

#: The values of C that ``C="auto"`` tries.
CS = tuple(10.0 ** np.arange(-2, 4.5, 0.5))

#: The gap to reach on a fold: telling values of C apart takes no more.
TOL_BY_FOLDS = 1e-2


class LinearSVM(LinearRanker):
    """What the SVMs of rankings share.

    Parameters
    ----------
    C : float or "auto"
        How much the loss weighs against the norm. "auto" takes the best of `Cs` by the measure itself, on the `eval_set`
        given to `fit`, or on `cv` folds of the training queries.
    tol : float
        The duality gap to reach, in units of the mean slack, that is, of the measure.
    max_iter : int
    Cs : sequence of float, optional
        The values that "auto" tries; 10^-2 to 10^4 by default.
    cv : int
        How many folds of queries "auto" makes where there is no `eval_set`. Values of C are tried in ascending order, until
        four in a row are worse than the best.
    callback : callable, optional
        Called after each iteration with its number and an `Iteration`: primal, dual, gap, seconds.
    """

    def __init__(
        self,
        C: float | str = 1.0,
        *,
        tol: float = 1e-3,
        max_iter: int = 1000,
        Cs: Sequence[float] | None = None,
        cv: int = 5,
        callback: Callable[[int, Iteration], None] | None = None,
    ) -> None:
        self.C = C
        self.tol = tol
        self.max_iter = max_iter
        self.Cs = Cs
        self.cv = cv
        self.callback = callback

    def _check_parameters(self, has_validation: bool) -> None:
        if self.C != "auto":
            check_positive(self.C, "C", "a number above 0 or 'auto'")
        check_positive(self.tol, "tol")
        check_int(self.max_iter, "max_iter")
        check_int(self.cv, "cv", 2)
        self._values_of_C()

    def _values_of_C(self) -> Floats:
        return _ascending(CS if self.Cs is None else self.Cs)


class SVMRanker(LinearSVM):
    r"""A linear ranking function that optimises a measure through a structural SVM (Yue et al. 2007).

    .. math:: \min_{w, \xi \ge 0}\ \tfrac12 |w|^2 + \tfrac{C}{n} \sum_q \xi_q \quad\text{s.t.}\quad
              w^T \Psi(x_q, y_q) \ge w^T \Psi(x_q, y) + \Delta(y_q, y) - \xi_q \ \text{ for all } q, y

    where Delta is how far the measure is below the best it can be in the query. Queries in which there is nothing to order
    are skipped.

    Parameters
    ----------
    measure : name or measure
        One that has `most_violated`: AP, nDCG, nDCG@k, RR, P@k, R@k, Success@1, Rprec, AUC, and the set-wise ones.
    C, tol, max_iter, Cs, cv, callback
        See `LinearSVM`.

    Attributes
    ----------
    coef_ : array
        w.
    slack_ : float
        The mean slack: a certified upper bound on the mean of Delta over the queries that were learned from.
    gap_ : float
        The duality gap, in units of the mean slack.
    objective_ : float
    n_iter_ : int
    history_ : list of Iteration
    C_ : float
        The C that was used.

    Examples
    --------
    >>> from directrank.datasets import make_ranking
    >>> data = make_ranking(50, random_state=0)
    >>> model = SVMRanker("AP", C=100).fit(data.X, data.y, data.qid)
    >>> bool(1 - model.score(data.X, data.y, data.qid) <= model.slack_)
    True
    """

    _stretch = 1.0  # coef_ is so many times the solution for C over its square; see RankSVM

    def __init__(
        self,
        measure: str | type | Evaluates = "AP",
        C: float | str = 1.0,
        *,
        tol: float = 1e-3,
        max_iter: int = 1000,
        Cs: Sequence[float] | None = None,
        cv: int = 5,
        callback: Callable[[int, Iteration], None] | None = None,
    ) -> None:
        super().__init__(C, tol=tol, max_iter=max_iter, Cs=Cs, cv=cv, callback=callback)
        self.measure = measure

    def path(
        self,
        X: Any,
        y: ArrayLike,
        qid: ArrayLike | None = None,
        Cs: Sequence[float] = CS,
        *,
        query_weight: ArrayLike | None = None,
    ) -> Path:
        """The models of many values of C, for little more than the price of the largest: they share their planes."""
        self._check_parameters(False)
        values = _ascending(Cs)
        X = clone(self)._check_X(X, y, reset=True)  # what this estimator may have learned stays as it is
        task = make_task(X, y, qid, self._objective(), query_weight)
        self._warn_of_one_query(task, qid)
        training = normalized(self._weighted(weighted_for_training(Here([task]))))
        path = self._path(Risk(training), values)
        for solution in path.solutions:
            warn_unless_converged(type(self).__name__, solution, self.tol)
        return path

    def _objective(self) -> Evaluates:
        return require(self.measure, "most_violated", type(self).__name__)  # type: ignore[no-any-return]

    def _weighted(self, training: Shards) -> Shards:
        """The shards with each query's weight times what else it counts; not normalised."""
        return training

    def _train(self, training: Shards, validation: Shards | None) -> Model:
        training = normalized(self._weighted(training))
        risk = Risk(training)
        if self.C != "auto":
            solution = WarmPath(self, risk).solve(float(self.C))
        elif validation is not None:
            solution = self._best_on(validation, self._path(risk, self._values_of_C()))
        else:
            solution = self._best_by_folds(training, risk)
        self._keep(risk, solution)
        return LinearModel(solution.coef)

    def _path_of_fold(self, training: Shards) -> WarmPath:
        return WarmPath(self, Risk(training), max(self.tol, TOL_BY_FOLDS))

    def _path(self, risk: Risk, Cs: Floats) -> Path:
        path, solutions = WarmPath(self, risk), []
        for C in Cs:
            solutions.append(path.solve(float(C)))
            if solutions[-1].interrupted:
                break
        return Path.of(solutions)

    def _best_on(self, validation: Shards, path: Path) -> Solution:
        """The best model of a path on the validation set."""
        values: list[float] = []
        with Interruptible() as evaluation:
            for w in path.coefs:
                values.append(mean_value(validation, value_of_weights, w))
        best = path.solutions[int(np.argmax(values)) if values else -1]
        if not (evaluation.interrupted or path.solutions[-1].interrupted):
            return best
        self._warn_of_open_C(best.C, "")
        return replace(best, interrupted=True)

    def _best_by_folds(self, training: Shards, risk: Risk) -> Solution:
        """The model of the C that is best on folds of the queries."""
        chosen, interrupted = C_by_folds(training, self._path_of_fold, self._values_of_C(), self.cv)
        if interrupted is None:
            return WarmPath(self, risk).solve(chosen)
        self._warn_of_open_C(chosen, ", and the model is that of one fold")
        return interrupted  # type: ignore[no-any-return]

    def _warn_of_open_C(self, C: float, more: str) -> None:
        why = f"was interrupted while choosing C: {C:g} is the best of the values tried until then{more}"
        warn(f"{type(self).__name__} {why}", ConvergenceWarning)

    def _keep(self, risk: Risk, solution: Solution) -> None:
        """Take over what was found, and warn where it is not the optimum or nothing."""
        self.C_, self.slack_, self.objective_ = solution.C, solution.slack, solution.objective
        self.history_, self.n_iter_, self.gap_ = solution.history, len(solution.history), solution.gap
        warn_unless_converged(type(self).__name__, solution, self.tol)
        warn_if_nothing(type(self).__name__, name_of(self._objective()), risk, solution, self._stretch)

    def _facts(self) -> dict[str, float]:
        return {"C": self.C_, "gap": self.gap_, "slack": self.slack_, "objective": self.objective_}

    def _history(self) -> Curves:
        return convergence(self.history_)


class WarmPath:
    """Solves for one C after another, each from the solution before."""

    def __init__(self, svm: SVMRanker, risk: Risk, tol: float | None = None) -> None:
        self.svm, self.risk, self.bundle = svm, risk, Bundle(risk.n_weights)
        self.tol = svm.tol if tol is None else tol
        self.start: Point | None = None

    def solve(self, C: float) -> Solution:
        stretch = self.svm._stretch
        optimum = minimise(
            self.risk,
            C / stretch**2,
            tol=self.tol,
            max_iter=self.svm.max_iter,
            bundle=self.bundle,
            start=self.start,
            report=None if self.svm.callback is None else partial(_report, self.svm.callback, stretch),
        )
        self.start = optimum.best
        return Solution.of(optimum, C, stretch=stretch)


def _report(callback: Callable[[int, Iteration], None], stretch: float, number: int, step: Iteration) -> None:
    """Call back in the user's units."""
    callback(number, step.rescaled(stretch**2, 1.0))


def _ascending(Cs: Sequence[float]) -> Floats:
    if np.ndim(Cs) != 1 or len(Cs) == 0:
        raise InputError(f"Cs must be a list of values of C to try, not {Cs!r}")
    return np.sort([check_positive(C, "C") for C in Cs])
