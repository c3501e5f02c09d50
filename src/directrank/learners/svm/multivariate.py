"""SVM-multi: a classifier that optimises a measure of the whole set of its predictions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets, type_of_target
from sklearn.utils.validation import check_is_fitted, validate_data

from ...arrays import Floats
from ...data import InputError, RankingData
from ...matrix.rows import Rows
from ...measures import Evaluates, require
from ..base import check_int, check_positive, mean_value
from .cutting_plane import Iteration, minimise
from .ranker import _Problem, warn_if_nothing, warn_unless_converged


class MultivariateSVC(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    r"""A linear classifier of two classes that optimises a multivariate measure (Joachims 2005, Optimization Problem 2).

    .. math:: \min_{w, \xi \ge 0}\ \tfrac12 |w|^2 + C \xi \quad\text{s.t.}\quad
              w^T [\Psi(x, y) - \Psi(x, y')] \ge \Delta(y', y) - \xi \ \text{ for all } y'

    over the whole training set as one example, :math:`\Psi(x, y) = \sum_i y_i x_i`. C is on the paper's scale: losses are in
    percent, but for Accuracy, where an error costs 2 (so that the ordinary SVM with 2 C arises, Theorem 3), and AUC, where
    a swapped pair costs 1.

    Parameters
    ----------
    measure : name or measure
        Accuracy, F1, F(beta=2), P@k, R@k, PRBEP or AUC. k may be a multiple of the positives: R@2p.
    C : float
    fit_intercept : bool
        Whether to add a constant feature, whose weight is regularised like the others, as in the paper.
    tol : float
        The duality gap to reach, in units of the measure.
    max_iter : int
    callback : callable, optional
        Called after each iteration with its number and an `Iteration`.

    Attributes
    ----------
    classes_ : array
        The second one is the positive class.
    coef_, intercept_ : arrays, as in scikit-learn's linear classifiers
    slack_, gap_, objective_, n_iter_, history_
        As in `SVMRanker`; slack and gap in units of the measure.
    """

    def __init__(
        self,
        measure: str | type | Evaluates = "F1",
        C: float = 1.0,
        *,
        fit_intercept: bool = True,
        tol: float = 1e-3,
        max_iter: int = 1000,
        callback: Callable[[int, Iteration], None] | None = None,
    ) -> None:
        self.measure = measure
        self.C = C
        self.fit_intercept = fit_intercept
        self.tol = tol
        self.max_iter = max_iter
        self.callback = callback

    def fit(self, X: Any, y: ArrayLike) -> Self:
        """Learn from labelled rows."""
        measure = require(self.measure, "joachims_scale", type(self).__name__)
        X, labels = validate_data(self, X, y, accept_sparse="csr", dtype=[np.float64, np.float32], order="C")
        C = check_positive(self.C, "C")
        check_positive(self.tol, "tol")
        check_int(self.max_iter, "max_iter")
        grades = self._grades(labels)
        self.positive_share_ = float(grades.mean())
        problem = _Problem(RankingData(X, grades), measure, np.ones(1), intercept=self.fit_intercept)
        problem.loss_scale, problem.psi_scale = measure.joachims_scale(grades.size, int(grades.sum()))
        solution = minimise(
            problem.rows,
            problem,
            C,
            tol=self.tol * problem.loss_scale,
            max_iter=self.max_iter,
            report=self._report(problem.loss_scale),
        )
        w, n_features = solution.best.w, X.shape[1]
        self.coef_, self.intercept_ = w[None, :n_features], w[n_features:] if self.fit_intercept else np.zeros(1)
        self.slack_ = solution.best.cut.risk / problem.loss_scale
        self.objective_ = solution.best.objective(self.C)
        solution.history = [step._replace(gap=step.gap / problem.loss_scale) for step in solution.history]
        self.history_, self.n_iter_ = solution.history, len(solution.history)
        self.gap_ = solution.history[-1].gap if solution.history else np.inf
        warn_unless_converged(type(self).__name__, solution, self.tol)
        warn_if_nothing(type(self).__name__, problem, solution, C)
        return self

    def decision_function(self, X: Any) -> Floats:
        """X w and the intercept."""
        check_is_fitted(self)
        X = validate_data(self, X, reset=False, accept_sparse="csr", dtype=[np.float64, np.float32], order="C")
        return Rows(X).scores(self.coef_[0]) + self.intercept_[0]

    def predict(self, X: Any) -> NDArray[Any]:
        """The class of each row: by the sign of the decision function, or exactly k positives where the measure has a k.

        k is that of the measure; where it depends on the number of positives, their share in the training set stands for it.
        """
        scores = self.decision_function(X)
        labelled = getattr(require(self.measure, "evaluate", type(self).__name__), "labelled", None)
        if labelled is None:
            return self.classes_[(scores > 0).astype(int)]
        k = min(int(labelled(np.array([round(self.positive_share_ * scores.size)]))[0]), scores.size)
        positive = np.zeros(scores.size, int)
        positive[np.argsort(-scores, kind="stable")[:k]] = 1
        return self.classes_[positive]

    def measure_score(self, X: Any, y: ArrayLike) -> float:
        """The measure on other data, by the decision function. (`score` is the accuracy, as of any classifier.)"""
        check_is_fitted(self)
        grades = (np.asarray(y) == self.classes_[1]).astype(np.float64)
        return mean_value(require(self.measure, "evaluate", type(self).__name__), grades, self.decision_function(X), None)

    def _report(self, loss_scale: float) -> Callable[[int, Iteration], None] | None:
        """The callback, with the gap in units of the measure."""
        callback = self.callback
        if callback is None:
            return None
        return lambda number, step: callback(number, step._replace(gap=step.gap / loss_scale))

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
