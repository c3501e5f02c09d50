"""SVM-map and its kin: a structural SVM for each measure that knows its most violated output."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ...arrays import Floats
from ...measures import SupportsEvaluate, as_measure, name_of, require
from ...models import Model
from ..core.monitoring import TrainingMonitor
from ..core.scaling import Scaled
from ..core.shards import Shards
from ..core.validation import check_choice, check_non_negative
from ..search_space import AlongPath, Between, OneOf, SearchSpace
from .mercer import check_kernel, feature_space
from .model_selection import Solver, fit_convex, fit_path, fit_ramp
from .regularized import RegularizedSVM
from .scaling_choice import scale_by_validation
from .solution import RegularizationPath, warn_of_zero


class SVMRanker(RegularizedSVM):
    r"""A ranking function that optimises a measure through a structural SVM (Yue et al. 2007).

    .. math:: \min_{w, \xi \ge 0}\ \tfrac12 |w|^2 + \tfrac{C}{n} \sum_q \xi_q \quad\text{s.t.}\quad
              w^T \Psi(x_q, y_q) \ge w^T \Psi(x_q, y) + \Delta(y_q, y) - \xi_q \ \text{ for all } q, y

    where Delta is the measure's distance from its best value in the query. Queries that are not informative are skipped.

    That is the convex bound. For measures of the top of a ranking it is loose, and with noise w = 0 minimises it. The ramp
    (Chapelle et al. 2008) is tighter, and never above it at the same w; it is not convex, so it has a start:

    .. math:: \min_w\ \tfrac12 \frac{|w - w_0|^2}{|w_0|^2} + \tfrac{C}{n} \sum_q \Bigl(
              \max_y\ [\Delta(y_q, y) + w^T \Psi(x_q, y)] - \max_y\ w^T \Psi(x_q, y)\Bigr)

    where w_0 is `RankSVM`'s w, at a length at which the ramp is halfway between its value at 0 and the loss. C = 0 is the
    start itself, on which the choice of C by the measure can fall back. The C of the start is chosen by AUC, in the same
    way; at a given C nothing is chosen, and the start has a default one.

    With a `kernel` w is in its feature space, and scores are an expansion over training rows, sum_i c_i k(x_i, x). That is
    for small data on one machine: time grows with the square of the number of rows, thousands are a matter of seconds to
    minutes. For more, approximate the feature space by scikit-learn's `Nystroem` before a linear one.

    Parameters
    ----------
    measure : name or measure
        One that has `most_violated`: AP, nDCG, nDCG@k, RR, P@k, R@k, Success@1, Rprec, AUC, and the set-wise ones.
    C : float or "auto"
        Weight of the loss against the norm. "auto" takes the best of `Cs` by the measure itself, on the `eval_set` given to
        `fit`, or on `cv` folds of the training queries if that has no informative query. With fewer than two informative
        training queries, a mid-range default is used.
    bound : "auto", "convex" or "ramp"
        Bound on the loss. "auto" follows the measure: the ramp for measures of the top of a ranking (P@k, nDCG@k, RR), else
        the convex bound.
    kernel : "linear", "rbf", "poly" or a function
        A function gets two sets of rows and gives the matrix of their products; it must be symmetric and positive
        semi-definite. A model with a function cannot be saved to a file.
    gamma, degree, coef0
        As in scikit-learn's `SVC`: "rbf" is ``exp(-gamma |x - y|^2)``, "poly" is ``(gamma x^T y + coef0)^degree``; gamma is
        a number, "scale" for 1/(n_features var(X)), or "auto" for 1/n_features.
    scaling : "auto", "none", "standard", "log" or "query"
        How features are brought onto comparable scales before training; the model has the scales in it. "standard" divides
        each by its standard deviation, "log" does so after the signed logarithm, ``sign(x) log(1 + |x|)``. "auto" goes by
        what a column holds: one within [-1, 1] (and not within [-0.5, 0.5]) stays as it is; others are divided by their
        standard deviation, after the signed logarithm if they have a heavy tail (a kurtosis above 4, of which the logarithm
        leaves less than 70 %); with an `eval_set`, it is "log" where a Ranking SVM of all logarithms ranks that better by a
        standard error. "query" brings each column into [0, 1] within each query, as `QueryMinMax` does, so that `predict`
        needs qid. The norm of w, the slack and the gap are those of the scaled problem.
    basis : "linear" or "piecewise"
        What is learned of each feature: a weight, or a piecewise-linear function with knots at quantiles of the training
        rows. The model is linear in what is learned: beside the scaled feature there are its rank among the training rows,
        linear between up to 17 knots and constant beyond, and three hinges, the rank above 1/4, 1/2 and 3/4. A feature of
        one or two values has a weight only. For a dense X and the linear kernel.
    tol : float
        Duality gap to reach, in units of the mean slack, that is, of the measure.
    max_iter : int
        Maximum number of iterations.
    Cs : sequence of float, optional
        Values that "auto" tries. For the convex bound nine from 1 to 10^4 by default, times a unit that makes up for the
        scale of the features: about 1 if they are between 0 and 1. For the ramp six from 0.3 to 100, and 0 in any case.
    cv : int
        Number of folds that "auto" makes without an `eval_set`. Values of C are tried in ascending order, until four in a
        row are worse than the best.
    verbose : int
        Print progress every `verbose` iterations; 0 is silent.

    Attributes
    ----------
    coef_ : array
        w, if the kernel is linear: weights of the features as they are given, or of their signed logarithm for
        ``model_.log_features``. With ``basis="piecewise"`` they are followed by the weights of the rank and of the hinges of
        one feature after another, which ``model_.importances()`` names.
    bound_ : str
        Bound that was minimised: "convex" or "ramp".
    slack_ : float
        Mean slack, or mean ramp: a certified upper bound on the mean of Delta over the queries that are learned from.
    gap_ : float
        Duality gap, in units of the mean slack. For the ramp it is that of the last convex problem: the ramp may have lower
        minima elsewhere.
    objective_ : float
    n_iter_ : int
        Number of iterations.
    iteration_bound_ : float
        Upper bound on `n_iter_` for the convex bound (Theorem 1 of Yue et al. 2007); infinite for the ramp.
    history_ : list of Progress
        One entry for each iteration of the solver at `C_`, with `gap`, `objective`, `lower bound` (not of the ramp) and `C`
        in `info`. Callbacks also see the iterations at other values of C.
    C_ : float
        C of the model.

    Examples
    --------
    >>> from directrank.datasets import make_ranking
    >>> data = make_ranking(50, random_state=0)
    >>> model = SVMRanker("AP", C=100).fit(data.X, data.y, data.qid)
    >>> bool(1 - model.score(data.X, data.y, data.qid) <= model.slack_)
    True
    """

    def __init__(
        self,
        measure: str | type | SupportsEvaluate = "AP",
        *,
        C: float | str = "auto",
        bound: str = "auto",
        kernel: str | Callable[[Any, Any], Any] = "linear",
        gamma: float | str = "scale",
        degree: int = 3,
        coef0: float = 0.0,
        scaling: str = "auto",
        basis: str = "linear",
        tol: float = 1e-3,
        max_iter: int = 1000,
        Cs: Sequence[float] | Floats | None = None,
        cv: int = 5,
        verbose: int = 0,
    ) -> None:
        self.measure = measure
        self.C = C
        self.bound = bound
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.scaling = scaling
        self.basis = basis
        self.tol = tol
        self.max_iter = max_iter
        self.Cs = Cs
        self.cv = cv
        self.verbose = verbose

    @property
    def search_space(self) -> SearchSpace:
        """With a kernel there is no path of weights to rank by."""
        if self.kernel != "linear":
            return {"C": Between(1.0, 1e4, log=True)}
        return {"bound": OneOf(("convex", "ramp")), "C": AlongPath()}

    @property
    def selects_C_on_path(self) -> bool:
        return super().selects_C_on_path and self.kernel == "linear"

    def _fit_path(self, solver: Solver, scaled: Scaled, Cs: Floats | None, n_features: int) -> RegularizationPath:
        space = feature_space(self, scaled, n_features)
        solutions = fit_path(solver, space.training, Cs, self._resolved_bound())
        return RegularizationPath.of(solutions, space.coefficients, space.model)

    def _check_parameters(self, has_validation: bool) -> None:
        check_kernel(self)
        check_choice(self.bound, "bound", ("auto", "convex", "ramp"))
        self._objective()
        super()._check_parameters(has_validation)

    def _check_C(self, C: Any, more: str = "") -> float:
        if self._resolved_bound() == "ramp":
            return check_non_negative(C, "C", f"a number of at least 0{more}")
        return super()._check_C(C, more)

    def _objective(self) -> SupportsEvaluate:
        return require(self.measure, "most_violated", type(self).__name__)  # type: ignore[no-any-return]

    def _resolved_bound(self) -> str:
        if self.bound != "auto":
            return self.bound
        return "ramp" if getattr(as_measure(self.measure), "truncated", False) else "convex"

    def _train(self, training: Shards, validation: Shards | None, monitor: TrainingMonitor) -> Model:
        chooses_by = validation if self.kernel == "linear" else None
        scaled = scale_by_validation(training, chooses_by, self.scaling, self.basis)
        space = feature_space(self, scaled, self.n_features_in_)
        held_out = None if validation is None else space.held_out(validation)
        self.bound_ = self._resolved_bound()
        solve = fit_ramp if self.bound_ == "ramp" else fit_convex
        solution = solve(self._solver(monitor), space.training, held_out, self._search())
        self._keep_solution(solution, self.tol, monitor, has_lower_bound=self.bound_ == "convex")
        if solution.is_zero:
            self._warn_of_zero()
        return space.model(solution.coef)

    def _warn_of_zero(self) -> None:
        if self._resolved_bound() == "convex":
            advice = "try bound='ramp', or a measure that sees more of the ranking"
            warn_of_zero(type(self).__name__, name_of(self._objective()), advice)
        else:
            warn_of_zero(type(self).__name__, "AUC, from which the ramp starts,", "features do not tell grades apart")
