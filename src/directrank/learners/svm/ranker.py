"""SVM-map and its kin: a structural SVM for each measure that knows its most violated output."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import clone

from ...arrays import Floats
from ...data import InputError
from ...measures import SupportsEvaluate, name_of, require
from ...models import Model
from ..core.checks import check_int, check_non_negative, check_positive
from ..core.estimator import LinearRanker
from ..core.rounds import Curves
from ..core.shards import LocalShards, Shards, normalized, weighted_for_training
from ..core.task import make_task
from ..search_space import AlongPath, Between, OneOf, SearchSpace
from .choice import can_be_tried
from .cutting_plane import Iteration
from .problems import ConvexProblem, Problem, RampProblem
from .solution import Path, Solution, convergence, convergence_of_ramp, facts, warn_of_nothing, warn_unless_converged
from .spaces import check_kernel, space_of

BOUNDS = ("auto", "convex", "ramp")


class LinearSVM(LinearRanker):
    """What the SVMs of rankings share.

    Parameters
    ----------
    C : float or "auto"
        How much the loss weighs against the norm. "auto" takes the best of `Cs` by the measure itself, on the `eval_set`
        given to `fit`, or on `cv` folds of the training queries where that has no informative query. Where there are
        fewer than two of those, it takes a value of the middle.
    tol : float
        The duality gap to reach, in units of the mean slack, that is, of the measure.
    max_iter : int
    Cs : sequence of float, optional
        The values that "auto" tries; by default nine from 1 to 10^4, times a unit by which the scale of the features
        does not matter: about 1 where they are between 0 and 1.
    cv : int
        How many folds of queries "auto" makes where there is no `eval_set`. Values of C are tried in ascending order, until
        four in a row are worse than the best.
    verbose : int
        Print a line each so many iterations; 0 prints nothing.
    callback : callable, optional
        Called after each iteration with its number and an `Iteration`: primal, dual, gap, seconds; the training
        ends if it returns True.
    """

    def __init__(
        self,
        C: float | str = "auto",
        *,
        tol: float = 1e-3,
        max_iter: int = 1000,
        Cs: Sequence[float] | None = None,
        cv: int = 5,
        verbose: int = 0,
        callback: Callable[[int, Iteration], Any] | None = None,
    ) -> None:
        self.C = C
        self.tol = tol
        self.max_iter = max_iter
        self.Cs = Cs
        self.cv = cv
        self.verbose = verbose
        self.callback = callback

    def _check_parameters(self, has_validation: bool) -> None:
        if self.C != "auto":
            self._check_C(self.C, " or 'auto'")
        check_positive(self.tol, "tol")
        check_int(self.max_iter, "max_iter")
        check_int(self.cv, "cv", 2)
        self._ascending(self.Cs)

    def _check_C(self, C: Any, more: str = "") -> float:
        return check_positive(C, "C", f"a number above 0{more}")

    def _ascending(self, Cs: Sequence[float] | None) -> Floats | None:
        """Values of C to try, if there are any given."""
        if Cs is None:
            return None
        if np.ndim(Cs) != 1 or len(Cs) == 0:
            raise InputError(f"Cs must be a list of values of C to try, not {Cs!r}")
        return np.sort([self._check_C(C) for C in Cs])


class SVMRanker(LinearSVM):
    r"""A ranking function that optimises a measure through a structural SVM (Yue et al. 2007).

    .. math:: \min_{w, \xi \ge 0}\ \tfrac12 |w|^2 + \tfrac{C}{n} \sum_q \xi_q \quad\text{s.t.}\quad
              w^T \Psi(x_q, y_q) \ge w^T \Psi(x_q, y) + \Delta(y_q, y) - \xi_q \ \text{ for all } q, y

    where Delta is how far the measure is below the best it can be in the query. Queries in which there is nothing to order
    are skipped.

    That is the convex bound. For measures that see only the top of a ranking it is loose, and with noise w = 0 minimises it.
    The ramp (Chapelle et al. 2008) is tighter, and never above it at the same w; it is not convex, so it has a start:

    .. math:: \min_w\ \tfrac12 \frac{|w - w_0|^2}{|w_0|^2} + \tfrac{C}{n} \sum_q \Bigl(
              \max_y\ [\Delta(y_q, y) + w^T \Psi(x_q, y)] - \max_y\ w^T \Psi(x_q, y)\Bigr)

    where w_0 is `RankSVM`'s w, at a length at which the ramp is halfway between its value at 0 and the loss. C = 0 is the
    start itself, on which the choice of C by the measure can fall back. The C of the start is chosen by AUC, in the same
    way; at a given C nothing is chosen, and that of the start is one of the middle.

    With a `kernel` w is in its feature space, and scores are an expansion over training rows, sum_i c_i k(x_i, x). That is
    for small data on one machine: time grows with the square of the number of rows, thousands are a matter of seconds to
    minutes. For more, approximate the feature space by scikit-learn's `Nystroem` before a linear one.

    Parameters
    ----------
    measure : name or measure
        One that has `most_violated`: AP, nDCG, nDCG@k, RR, P@k, R@k, Success@1, Rprec, AUC, and the set-wise ones.
    bound : "auto", "convex" or "ramp"
        "auto" is the ramp where C is "auto". At a given C, or where there is nothing to choose it by, it is the convex
        bound, unless w = 0 minimises that.
    kernel : "linear", "rbf", "poly" or a function
        A function gets two sets of rows and gives the matrix of their products; it must be symmetric and positive
        semi-definite. A model of a function cannot be saved as a file.
    gamma, degree, coef0
        As in scikit-learn's `SVC`: "rbf" is ``exp(-gamma |x - y|^2)``, "poly" is ``(gamma x^T y + coef0)^degree``; gamma is
        a number, "scale" for 1/(n_features var(X)), or "auto" for 1/n_features.
    C, tol, max_iter, Cs, cv, verbose, callback
        See `LinearSVM`. For the ramp "auto" tries 0 and `Cs`, by default six from 0.3 to 100; with bound="ramp" C may be 0.

    Attributes
    ----------
    coef_ : array
        w; there is none with another kernel than the linear one.
    bound_ : str
        The bound that was minimised: "convex" or "ramp".
    slack_ : float
        The mean slack, or the mean ramp: a certified upper bound on the mean of Delta over the queries that were learned
        from.
    gap_ : float
        The duality gap, in units of the mean slack. For the ramp it is that of the last convex problem solved: the ramp may
        have lower minima elsewhere.
    objective_ : float
    n_iter_ : int
    most_iterations_ : float
        What `n_iter_` cannot be above for the convex bound (Theorem 1 of Yue et al. 2007; see `most_iterations` in
        `cutting_plane.py`); infinite for the ramp.
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

    _advice = "try bound='ramp', or a measure that sees more of the ranking"
    _stretch = 1.0  # coef_ is so many times the solution for C over its square; see RankSVM

    def __init__(
        self,
        measure: str | type | SupportsEvaluate = "AP",
        C: float | str = "auto",
        *,
        bound: str = "auto",
        kernel: str | Callable[[Any, Any], Any] = "linear",
        gamma: float | str = "scale",
        degree: int = 3,
        coef0: float = 0.0,
        tol: float = 1e-3,
        max_iter: int = 1000,
        Cs: Sequence[float] | None = None,
        cv: int = 5,
        verbose: int = 0,
        callback: Callable[[int, Iteration], Any] | None = None,
    ) -> None:
        super().__init__(C, tol=tol, max_iter=max_iter, Cs=Cs, cv=cv, verbose=verbose, callback=callback)
        self.measure = measure
        self.bound = bound
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0

    @property
    def search_space(self) -> SearchSpace:
        """With a kernel there is no path of weights to rank by."""
        if self.kernel != "linear":
            return {"C": Between(1.0, 1e4, log=True)}
        return {"bound": OneOf(("convex", "ramp")), "C": AlongPath()}

    @property
    def selects_C_on_path(self) -> bool:
        """Whether C is to be selected and `path` gives the weights for each of its values."""
        return self.C == "auto" and self.kernel == "linear"

    def path(
        self,
        X: Any,
        y: ArrayLike,
        qid: ArrayLike | None = None,
        Cs: Sequence[float] | None = None,
        *,
        query_weight: ArrayLike | None = None,
    ) -> Path:
        """The models of many values of C, for little more than the price of the largest: they share their planes.

        Those are the values that C="auto" tries, unless others are given, and the models those of fits with each C: with
        bound="auto" those of the convex bound, unless w = 0 minimises it. With a kernel, `coefs` are those of the rows.
        """
        self._check_parameters(False)
        X = clone(self)._check_X(X, y, reset=True)  # what this estimator may have learned stays as it is
        task = make_task(X, y, qid, self._objective(), query_weight)
        self._warn_of_one_query(task, qid)
        training = normalized(self._weighted(weighted_for_training(LocalShards([task]))))
        space = space_of(self, training, X.shape[1])
        given = self._ascending(self.Cs if Cs is None else Cs)

        def solve(problem: Problem) -> list[Solution]:
            return problem.all(problem.values_of_C(None) if given is None else given)

        _, solutions = self._solve(space.training, None, False, solve)
        for solution in solutions:
            warn_unless_converged(type(self).__name__, solution, self.tol)
        return Path.of([replace(solution, coef=space.coefficients(solution.coef)) for solution in solutions])

    def _check_parameters(self, has_validation: bool) -> None:
        super()._check_parameters(has_validation)
        check_kernel(self)
        if self.bound not in BOUNDS:
            raise InputError(f"bound must be {', '.join(BOUNDS[:-1])} or {BOUNDS[-1]}, not {self.bound!r}")

    def _check_C(self, C: Any, more: str = "") -> float:
        if self.bound == "ramp":
            return check_non_negative(C, "C", f"a number of at least 0{more}")
        return super()._check_C(C, more)

    def _objective(self) -> SupportsEvaluate:
        return require(self.measure, "most_violated", type(self).__name__)  # type: ignore[no-any-return]

    def _weighted(self, training: Shards) -> Shards:
        """The shards with each query's weight times what else it counts; not normalised."""
        return training

    def _train(self, training: Shards, validation: Shards | None) -> Model:
        space = space_of(self, normalized(self._weighted(training)), self.n_features_in_)
        training = space.training
        validation = None if validation is None else space.held_out(validation)
        Cs = self._ascending(self.Cs)

        def solve(problem: Problem) -> list[Solution]:
            return [problem.best(Cs, validation) if self.C == "auto" else problem.at(float(self.C))]

        tries = self.C == "auto" and can_be_tried(training, validation)
        self.bound_, (solution,) = self._solve(training, validation, tries, solve)
        self._keep(solution)
        return space.model(solution.coef)

    def _solve(
        self, training: Shards, validation: Shards | None, tries: bool, solve: Callable[[Problem], list[Solution]]
    ) -> tuple[str, list[Solution]]:
        """The bound, and what solves its problem.

        With "auto" it is the ramp where values of C are tried; else the convex one, or, if that gives w = 0, the ramp.
        """
        if self.bound == "convex" or (self.bound == "auto" and not tries):
            problem = ConvexProblem(self, training, self._stretch)
            solutions = solve(problem)
            nothing = _is_0(solutions[-1])
            if nothing and self.bound == "convex":
                warn_of_nothing(type(self).__name__, name_of(self._objective()), self._advice)
            if not nothing or self.bound == "convex":
                return "convex", solutions
        solutions = solve(RampProblem(self, training, validation, tries))
        if _is_0(solutions[-1]):
            warn_of_nothing(type(self).__name__, "AUC, from which the ramp starts,", "features do not tell grades apart")
        return "ramp", solutions

    def _keep(self, solution: Solution) -> None:
        """Take over what was found, and warn where it is not the optimum."""
        self.C_, self.slack_, self.objective_ = solution.C, solution.slack, solution.objective
        self.history_, self.n_iter_, self.gap_ = solution.history, len(solution.history), solution.gap
        self.most_iterations_ = solution.most_iterations
        warn_unless_converged(type(self).__name__, solution, self.tol)

    def _facts(self) -> dict[str, float]:
        return facts(self.C_, self.gap_, self.slack_, self.objective_, self.n_iter_, self.most_iterations_)

    def _history(self) -> Curves:
        return convergence(self.history_) if self.bound_ == "convex" else convergence_of_ramp(self.history_)


def _is_0(solution: Solution) -> bool:
    return solution.converged and not solution.coef.any()
