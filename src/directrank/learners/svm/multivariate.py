"""SVM-multi: a classifier that optimises a measure of the whole set of its predictions."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets, type_of_target
from sklearn.utils.validation import check_is_fitted, validate_data

from ...arrays import Floats
from ...data import InputError
from ...matrix.selection import columns_of_wide
from ...measures import Capability, SupportsDepths, SupportsEvaluate, as_measure, name_of, require
from ..core.checks import check_bool, check_int, check_positive
from ..core.fitted import Fitted, canonical
from ..core.means import mean_measure
from ..core.rounds import Curves
from ..core.shards import LocalShards, Shards
from ..core.task import grades_of_rows, make_task
from .cutting_plane import Iteration, minimise
from .risk import Risk, Scale
from .rows_elsewhere import ShardedRows, rows_here
from .solution import Solution, convergence, facts, is_nothing, warn_of_nothing, warn_unless_converged
from .spaces import Space, check_kernel, space_of


class MultivariateSVC(ClassifierMixin, Fitted, BaseEstimator):  # type: ignore[misc]
    r"""A classifier of two classes that optimises a multivariate measure (Joachims 2005, Optimization Problem 2).

    .. math:: \min_{w, \xi \ge 0}\ \tfrac12 |w|^2 + C \xi \quad\text{s.t.}\quad
              w^T [\Psi(x, y) - \Psi(x, y')] \ge \Delta(y', y) - \xi \ \text{ for all } y'

    over the whole training set as one example. :math:`\Psi(x, y)` is the paper's: :math:`\sum_i y_i x_i` for PRBEP and the
    measures of the contingency table, and a sum over the pairs of two classes for AUC. C is on its scale too: losses are in
    percent, but for Accuracy, where an error costs 2 (so that the ordinary SVM with 2 C arises, Theorem 3), and AUC, where
    a swapped pair costs 1.

    For P@k and R@k it is another. The paper labels exactly k rows; but where other than k are positive, the right labels are
    none of these labellings, so that Theorem 1, that the slack bounds the training loss, does not hold: the slack may be 0
    with no positive among the k. Here outputs are rankings, compared by pairs as in `SVMRanker`, and instead of a step at
    rank k what a rank earns falls in a straight line. The slack then bounds how far P@k or R@k is below the best that any
    ranking has. With p positives the best P@k is min(k, p)/k, so with fewer than k it does not bound 1 - P@k.

    The classifier is linear, or with another `kernel` an expansion over the training rows: see `SVMRanker`, also for how few
    they should be.

    Parameters
    ----------
    measure : name or measure
        Accuracy, BalancedAccuracy, F1, F(beta=2), GMean, Jaccard, MCC, PRBEP, P@k, R@k or AUC, or a `ContingencyMeasure` of
        your own. k may be a multiple of the positives: R@2p.
    C : float
    fit_intercept : bool
        Whether to add a constant feature, whose weight is regularised like the others, as in the paper; to a kernel this
        adds 1.
    kernel, gamma, degree, coef0
        See `SVMRanker`.
    tol : float
        The duality gap to reach, in units of the measure.
    max_iter : int
    verbose : int
        Print a line each so many iterations; 0 prints nothing.
    callback : callable, optional
        Called after each iteration with its number and an `Iteration`; the training ends if it returns True.

    Attributes
    ----------
    classes_ : array
        The second one is the positive class.
    coef_, intercept_ : arrays, as in scikit-learn's linear classifiers; with another kernel there is no `coef_`
    slack_, gap_, objective_, n_iter_, most_iterations_, history_
        As in `SVMRanker`; slack and gap in units of the measure.
    interrupted_ : bool
        Whether Ctrl-C ended the training.
    """

    def __init__(
        self,
        measure: str | type | SupportsEvaluate = "F1",
        C: float = 1.0,
        *,
        fit_intercept: bool = True,
        kernel: str | Callable[[Any, Any], Any] = "linear",
        gamma: float | str = "scale",
        degree: int = 3,
        coef0: float = 0.0,
        tol: float = 1e-3,
        max_iter: int = 1000,
        verbose: int = 0,
        callback: Callable[[int, Iteration], Any] | None = None,
    ) -> None:
        self.measure = measure
        self.C = C
        self.fit_intercept = fit_intercept
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.tol = tol
        self.max_iter = max_iter
        self.verbose = verbose
        self.callback = callback

    joins_shards = True

    def fit(self, X: Any, y: ArrayLike) -> Self:
        """Learn from labelled rows."""
        self._forget()
        self._check_parameters()
        with np.errstate(invalid="ignore"):  # the sum by which scikit-learn looks for NaN may itself be one
            X, labels = validate_data(self, X, y, accept_sparse="csr", dtype=[np.float64, np.float32], order="C")
        grades = self._grades(labels)
        X = canonical(X)
        self._columns = columns_of_wide(X)
        return self._fit(self._seen(X), grades)

    def fit_shards(self, training: Shards) -> Self:
        """Learn from the rows of all shards, as one set.

        X stays where it is; the scores of all rows come here, and a coefficient for each goes back. With a kernel, all rows
        come here.

        Parameters
        ----------
        training : Shards
            Rows of a grade above 0 are of the positive class.
        """
        self._forget()
        self._check_parameters()
        self._take_features_of(training)
        grades = self._grades(np.concatenate(training.each(grades_of_rows)) > 0)
        if self.kernel != "linear":
            return self._fit(rows_here(training), grades)
        return self._fit(ShardedRows(training, bool(self.fit_intercept)), grades)

    def _fit(self, X: Any, grades: Floats) -> Self:
        measure: Any = as_measure(self.measure)
        self.positive_fraction_ = float(grades.mean())
        loss, psi = measure.violation_units(grades.size, int(grades.sum()))
        rows = LocalShards([make_task(X, grades, None, measure)])
        space = space_of(self, rows, self.n_features_in_, intercept=bool(self.fit_intercept))
        scale = Scale(loss, psi, space.has_constant)
        risk = Risk(space.training, scale)
        report = None if self._listener is None else partial(_report_gap_of_measure, self._listener, scale.loss)
        with self._training():
            optimum = minimise(risk, float(self.C), tol=self.tol * scale.loss, max_iter=self.max_iter, report=report)
        solution = Solution.of(optimum, float(self.C), loss_scale=scale.loss)
        self._keep(solution, space)
        warn_unless_converged(type(self).__name__, solution, self.tol)
        if is_nothing(risk, solution):
            warn_of_nothing(type(self).__name__, name_of(measure), "try a measure that sees more of the set")
        return self

    def _check_parameters(self) -> None:
        needed: tuple[Capability, ...] = ("violation_units", "most_violated")
        for capability in needed:
            require(self.measure, capability, type(self).__name__)
        self._check_verbose()
        check_positive(self.C, "C")
        check_positive(self.tol, "tol")
        check_int(self.max_iter, "max_iter")
        check_bool(self.fit_intercept, "fit_intercept")
        check_kernel(self)

    def _keep(self, solution: Solution, space: Space) -> None:
        self.slack_, self.objective_, self.gap_ = solution.slack, solution.objective, solution.gap
        self.history_, self.n_iter_ = solution.history, len(solution.history)
        self.most_iterations_ = solution.most_iterations
        self._keep_model(space.model(solution.coef, self.classes_.tolist()))

    @property
    def coef_(self) -> Floats:
        return self._weights()[None]  # type: ignore[no-any-return]

    @property
    def intercept_(self) -> Floats:
        check_is_fitted(self, "model_")
        return np.array([self.model_.intercept])  # type: ignore[attr-defined]

    def _facts(self) -> dict[str, float]:
        return facts(float(self.C), self.gap_, self.slack_, self.objective_, self.n_iter_, self.most_iterations_)

    def _history(self) -> Curves:
        return convergence(self.history_)

    def decision_function(self, X: Any) -> Floats:
        """X w and the intercept; with a kernel, its expansion."""
        X = self._rows_to_score(X)
        return self.model_.scores(X)

    def predict(self, X: Any) -> NDArray[Any]:
        """The class of each row: by the sign of the decision function, or exactly k positives where the measure has a k.

        k is that of the measure; where it depends on the number of positives, their fraction in the training set decides.
        """
        scores = self.decision_function(X)
        measure = as_measure(self.measure)
        if not isinstance(measure, SupportsDepths):
            return self.classes_[(scores > 0).astype(int)]
        k = min(int(measure.depths(np.array([round(self.positive_fraction_ * scores.size)]))[0]), scores.size)
        positive = np.zeros(scores.size, int)
        positive[np.argsort(-scores, kind="stable")[:k]] = 1
        return self.classes_[positive]

    def measure_score(self, X: Any, y: ArrayLike) -> float:
        """The measure on other data, by the decision function. (`score` is the accuracy, as of any classifier.)"""
        scores = self.decision_function(X)
        return mean_measure(as_measure(self.measure), (np.asarray(y) == self.classes_[1]).astype(np.float64), scores, None)

    def _grades(self, labels: NDArray[Any]) -> Floats:
        check_classification_targets(labels)
        self.classes_ = np.unique(labels)
        if type_of_target(labels) != "binary" and self.classes_.size > 2:
            raise ValueError(f"Only binary classification is supported. The type of the target is {type_of_target(labels)}.")
        if self.classes_.size < 2:
            raise InputError(f"y has one class only, {self.classes_[0]!r}; a classifier needs two")
        return (labels == self.classes_[1]).astype(np.float64)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        tags.input_tags.sparse = True
        return tags


def _report_gap_of_measure(
    listener: Callable[[int, Iteration], Any], loss_scale: float, number: int, step: Iteration
) -> None:
    """Tell it with the gap in units of the measure."""
    listener(number, step.rescaled(1.0, 1 / loss_scale))
