"""SVM-map and its kin: a structural SVM for each measure that knows its most violated output."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.exceptions import ConvergenceWarning

from ...arrays import Floats
from ...data import InputError, RankingData
from ...matrix.rows import Rows
from ...measures import Evaluates, require
from ..base import EvalSet, LinearRanker, check_int, check_positive, grades_differ, mean_value, query_weights
from .cutting_plane import Bundle, Cut, Iteration, Point, Solution, minimise

#: The values of C that ``C="auto"`` tries.
CS = tuple(10.0 ** np.arange(-2, 4.5, 0.5))


class SVMRanker(LinearRanker):
    r"""A linear ranking function that optimises a measure through a structural SVM (Yue et al. 2007).

    .. math:: \min_{w, \xi \ge 0}\ \tfrac12 |w|^2 + \tfrac{C}{n} \sum_q \xi_q \quad\text{s.t.}\quad
              w^T \Psi(x_q, y_q) \ge w^T \Psi(x_q, y) + \Delta(y_q, y) - \xi_q \ \text{ for all } q, y

    where Delta is how far the measure is below the best it can be in the query. Queries in which there is nothing to order
    teach nothing and are passed over.

    Parameters
    ----------
    measure : name or measure
        One that has `most_violated`: AP, nDCG, nDCG@k, RR, P@k, R@k, Success@1, Rprec, AUC, and the set-wise ones.
    C : float or "auto"
        How much the loss weighs against the norm. "auto" takes the best of `Cs` by the measure itself, on the `eval_set`
        given to `fit`, or on `cv` folds of the training queries.
    tol : float
        The duality gap to reach, in units of the mean slack, that is, of the measure.
    max_iter : int
    Cs : sequence of float, optional
        The values that "auto" tries; 10^-2 to 10^4 by default.
    cv : int
        How many folds of queries "auto" makes where there is no `eval_set`.
    callback : callable, optional
        Called after each iteration with its number and an `Iteration`: primal, dual, gap, seconds.

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
        self.measure = measure
        self.C = C
        self.tol = tol
        self.max_iter = max_iter
        self.Cs = Cs
        self.cv = cv
        self.callback = callback

    def fit(
        self,
        X: Any,
        y: ArrayLike,
        qid: ArrayLike | None = None,
        *,
        query_weight: ArrayLike | None = None,
        eval_set: EvalSet | None = None,
    ) -> Self:
        """Learn from graded documents.

        Parameters
        ----------
        X : array or CSR matrix
            Dense or sparse, float32 or float64, in memory or mapped; it is not copied.
        y : array of grades
        qid : array, optional
            The query of each row.
        query_weight : array, optional
            A weight for each query, given to all its rows.
        eval_set : (X, y, qid), optional
            The validation set by which ``C="auto"`` chooses.
        """
        data = self._checked(X, y, qid)
        problem = self._problem(data, query_weight)
        if self.C == "auto":
            validation = self._checked_eval_set(data, eval_set)
            if validation is not None:
                self._fit_auto(problem, validation)
            else:
                self._fit_by_folds(problem, None if query_weight is None else np.asarray(query_weight))
        else:
            self.C_ = check_positive(self.C, "C", "a number above 0 or 'auto'")
            self._keep(problem, self._solve(problem, self.C_))
        return self

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
        path = self._path(self._problem(self._checked(X, y, qid), query_weight), Cs)
        for solution in path.solutions:
            warn_unless_converged(type(self).__name__, solution, self.tol)
        return path

    def _problem(self, data: RankingData, query_weight: ArrayLike | None) -> _Problem:
        measure = require(self.measure, "most_violated", type(self).__name__)
        check_positive(self.tol, "tol")
        check_int(self.max_iter, "max_iter")
        check_int(self.cv, "cv", 2)
        queries = data.by_query()
        grades = queries.to_query_order(data.y)
        taught = measure.most_violated(np.zeros(len(data)), grades, queries.offsets).losses > 0
        if not taught.any():  # nothing as the measure sees it: then all that differs in grade, to learn that it is nothing
            taught = grades_differ(grades, queries.offsets)
        weights = query_weights(queries, query_weight, taught) * self._importance(grades, queries.offsets)
        return _Problem(data, measure, weights / weights.sum())

    def _importance(self, grades: Floats, offsets: NDArray[np.int64]) -> Floats | float:
        """How much a query counts beside its weight."""
        return 1.0

    def _solve(self, problem: _Problem, C: float, bundle: Bundle | None = None, start: Point | None = None) -> Solution:
        return minimise(
            problem.rows,
            problem,
            C / self._stretch**2,
            tol=self.tol,
            max_iter=self.max_iter,
            bundle=bundle,
            start=start,
            report=self.callback,
        )

    def _path(self, problem: _Problem, Cs: Sequence[float]) -> Path:
        if len(Cs) == 0:
            raise InputError("there is no value of C to try: Cs is empty")
        values = np.sort([check_positive(C, "C") for C in Cs])
        bundle, solutions = Bundle(problem.rows.n_weights), []
        start: Point | None = None
        for C in values:
            solutions.append(self._solve(problem, C, bundle, start))
            start = solutions[-1].best
            if solutions[-1].interrupted:
                break
        return Path(values[: len(solutions)], self._stretch * np.array([s.best.w for s in solutions]), solutions)

    def _fit_auto(self, problem: _Problem, validation: RankingData) -> None:
        """Take the best model of the path on the validation set."""
        path = self._path(problem, self._values_of_C())
        best = int(np.argmax(_values(problem.measure, validation, path)))
        self.C_ = float(path.Cs[best])
        self._keep(problem, path.solutions[best])
        if path.solutions[-1].interrupted and best < len(path.solutions) - 1:
            warn_unless_converged(type(self).__name__, path.solutions[-1], self.tol)

    def _fit_by_folds(self, problem: _Problem, query_weight: NDArray[Any] | None) -> None:
        """Choose C by folds of the queries, then learn from all."""
        data, values = problem.data, []
        n_teaching = int(np.sum(problem.weights > 0))
        if n_teaching < 2:
            raise InputError(
                "C='auto' needs two queries to learn from, to make folds of; give an eval_set, or a number for C"
            )
        order = np.argsort(problem.weights == 0, kind="stable")  # deal those that teach out first, to all folds
        fold = np.empty(order.size, np.int64)
        fold[order] = np.arange(order.size) % min(self.cv, n_teaching)
        for i in range(min(self.cv, n_teaching)):
            rows = problem.rows_of(fold == i)
            part = self._problem(data.select(~rows), None if query_weight is None else query_weight[~rows])
            path = self._path(part, self._values_of_C())
            values.append(_values(problem.measure, data.select(rows), path))
            if path.solutions[-1].interrupted:
                break
        tried = min(map(len, values))
        means = np.mean([fold_values[:tried] for fold_values in values], axis=0)
        self.C_ = float(np.sort(self._values_of_C())[int(np.argmax(means))])
        self._keep(problem, self._solve(problem, self.C_))

    def _values_of_C(self) -> Sequence[float]:
        return CS if self.Cs is None else self.Cs

    def _keep(self, problem: _Problem, solution: Solution) -> None:
        """Take over what was found, and warn where it is not the optimum or nothing."""
        self.coef_ = self._stretch * solution.best.w
        self._interrupted = solution.interrupted
        self.slack_ = solution.best.cut.risk
        self.objective_ = 0.5 * float(np.sum(self.coef_**2)) + self.C_ * self.slack_
        scale = self._stretch**2
        self.history_ = [step._replace(primal=scale * step.primal, dual=scale * step.dual) for step in solution.history]
        self.n_iter_ = len(solution.history)
        self.gap_ = solution.history[-1].gap if solution.history else np.inf
        warn_unless_converged(type(self).__name__, solution, self.tol)
        warn_if_nothing(type(self).__name__, problem, solution, self.C_ / scale)


@dataclass(frozen=True)
class Path:
    """The models of many values of C.

    Attributes
    ----------
    Cs : array
        Rising.
    coefs : array, one row for each C
    solutions : list of Solution
    """

    Cs: Floats
    coefs: Floats
    solutions: list[Solution]


class _Problem:
    """The risk of a measure on data: the weighted mean over the queries of their slacks."""

    def __init__(self, data: RankingData, measure: Any, weights: Floats, *, intercept: bool = False) -> None:
        queries = data.by_query()
        self.data, self.measure, self.weights = data, measure, weights
        self.rows = Rows(data.X, intercept)
        self.queries = queries
        self.grades = queries.to_query_order(data.y)
        self.of_document = np.repeat(weights, np.diff(queries.offsets))
        self.loss_scale = self.psi_scale = 1.0

    def rows_of(self, chosen: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """The rows of some of the queries."""
        rows = np.empty(len(self.data), bool)
        rows[self.queries.order] = np.repeat(chosen, np.diff(self.queries.offsets))
        return rows

    def cut(self, scores: Floats) -> Cut:
        # loss_scale loss - psi_scale c s is loss_scale times what the measure maximises at scores of another scale.
        at = self.queries.to_query_order(scores) * (self.psi_scale / self.loss_scale)
        laid_out, losses = self.measure.most_violated(at, self.grades, self.queries.offsets)
        laid_out = laid_out * self.of_document * self.psi_scale
        coefficients = self.queries.to_row_order(laid_out)
        loss = float(np.sum(self.weights * losses)) * self.loss_scale
        return Cut(coefficients, loss, max(loss - float(np.sum(coefficients * scores)), 0.0))


def _values(measure: Any, data: RankingData, path: Path) -> list[float]:
    """The mean of the measure on other data, of each model of a path."""
    rows = Rows(data.X)
    return [mean_value(measure, data.y, rows.scores(w), data.qid) for w in path.coefs]


def warn_unless_converged(who: str, solution: Solution, tol: float) -> None:
    if solution.converged:
        return
    gap = solution.history[-1].gap if solution.history else np.inf
    reached = f"after {len(solution.history)} iterations the gap is {gap:.2g}, above tol={tol:g}"
    why = "was interrupted" if solution.interrupted else "did not converge; raise max_iter or tol, or scale the features"
    warnings.warn(f"{who} {why}: {reached}", ConvergenceWarning, stacklevel=4)


def warn_if_nothing(who: str, problem: _Problem, solution: Solution, C: float) -> None:
    """Say so where w = 0 is the optimum: with small C, w is C times the plane there, so that is what to compare with."""
    at_zero = problem.rows.combine(problem.cut(np.zeros(len(problem.data))).coefficients) / problem.loss_scale
    C = min(C * problem.loss_scale, 1.0)
    if solution.converged and np.linalg.norm(solution.best.w) <= 1e-3 * C * np.linalg.norm(at_zero):
        advice = f"{who} learned nothing: w = 0 is the best for {problem.measure} on this data at this C"
        warnings.warn(f"{advice}; try a larger C, or a measure that sees more of the ranking", UserWarning, stacklevel=4)
