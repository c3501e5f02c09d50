"""SVM-multi: a classifier that optimises a measure of the whole set of its predictions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets, type_of_target
from sklearn.utils.validation import check_is_fitted, column_or_1d

from ...arrays import Floats, Ints
from ...data import InputError
from ...data.ranking_data import group_rows
from ...matrix.linear_operator import LinearOperator
from ...matrix.selection import used_columns
from ...matrix.stacking import stacked
from ...measures import Capability, SupportsDepths, SupportsEvaluate, as_measure, bind, name_of, require
from ...models import Model
from ..core.checked_rows import check_labels, flatten_grades
from ..core.content_keys import content_order
from ..core.estimator import Estimator
from ..core.monitoring import Callback, Monitor, check_callbacks
from ..core.scaling import Scaled, check_basis, check_scaling, scale
from ..core.shards import LocalShards, PerShard, Shards
from ..core.task import Task, count_documents, grades_of_documents, keys_of_documents, make_task, mean_measure
from ..core.validation import check_bool, check_int, check_positive
from .cutting_plane import Units, minimise
from .mercer import FeatureSpace, check_kernel, documents_in_order, feature_space
from .risk import Risk, Scale
from .solution import Solution, SolvedMixin, is_zero_optimal, warn_of_zero


class MultivariateSVC(ClassifierMixin, SolvedMixin, Estimator):  # type: ignore[misc]
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
        Weight of the loss against the norm.
    fit_intercept : bool
        Whether to add a constant feature, whose weight is regularised like the others, as in the paper; to a kernel this
        adds 1.
    kernel, gamma, degree, coef0, scaling, basis
        See `SVMRanker`.
    tol : float
        Duality gap to reach, in units of the measure.
    max_iter : int
        Maximum number of iterations.
    verbose : int
        Print progress every `verbose` iterations; 0 is silent.

    Attributes
    ----------
    classes_ : array
        Classes; the second one is the positive class.
    coef_, intercept_ : arrays
        As in scikit-learn's linear classifiers; `coef_` only with the linear kernel.
    slack_, gap_, objective_, n_iter_, iteration_bound_, history_, C_
        As in `SVMRanker`; slack and gap in units of the measure.
    """

    def __init__(
        self,
        measure: str | type | SupportsEvaluate = "F1",
        *,
        C: float = 1.0,
        fit_intercept: bool = True,
        kernel: str | Callable[[Any, Any], Any] = "linear",
        gamma: float | str = "scale",
        degree: int = 3,
        coef0: float = 0.0,
        scaling: str = "auto",
        basis: str = "linear",
        tol: float = 1e-3,
        max_iter: int = 1000,
        verbose: int = 0,
    ) -> None:
        self.measure = measure
        self.C = C
        self.fit_intercept = fit_intercept
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.scaling = scaling
        self.basis = basis
        self.tol = tol
        self.max_iter = max_iter
        self.verbose = verbose

    joins_shards = True
    takes_gains = False

    def fit(
        self,
        X: Any,
        y: ArrayLike,
        *,
        callbacks: Sequence[Callback] | None = None,
        keep_partial: bool = False,
    ) -> Self:
        """Learn from labelled rows.

        Parameters
        ----------
        X : array, CSR matrix or frame
        y : array of two classes
        callbacks : sequence of callables, optional
            Functions that are called with a `Progress` after each iteration; one that returns True ends the training.
        keep_partial : bool
            Whether to keep the model so far if Ctrl-C ends the training; `fit` raises KeyboardInterrupt in any case.
        """
        self._forget()
        self._check_parameters()
        heard = check_callbacks(callbacks)
        X, labels = self._check_X(X, reset=True), column_or_1d(flatten_grades(y, type(self).__name__))
        check_labels(labels, X.shape[0])
        grades = self._grades(labels)
        self._columns = used_columns(X)
        given = LocalShards([make_task(self._training_columns(X), grades, None, as_measure(self.measure))])
        with self._naming_large_columns(given):
            scaled = scale(given, self.scaling, self.basis, joined=True)
            return self._fit(scaled, heard, keep_partial)

    def fit_shards(
        self, training: Shards, *, callbacks: Sequence[Callback] | None = None, keep_partial: bool = False
    ) -> Self:
        """Learn from the rows of all shards, as one set.

        X stays where it is; the scores of all rows are gathered here, and a coefficient for each is sent back. With a
        kernel, all rows are gathered here.

        Parameters
        ----------
        training : Shards
            Rows of a grade above 0 are of the positive class.
        callbacks, keep_partial
            See `fit`.
        """
        self._forget()
        self._check_parameters()
        heard = check_callbacks(callbacks)
        self._take_features_of(training)
        self._grades(np.concatenate(training.each(grades_of_documents)) > 0)
        with self._naming_large_columns(training):
            scaled = scale(training, self.scaling, self.basis, joined=True)
            return self._fit(scaled._replace(training=self._as_one_set(scaled.training)), heard, keep_partial)

    def _as_one_set(self, training: Shards) -> Shards:
        """The rows of all shards as those of one query."""
        grades = (np.concatenate(training.each(grades_of_documents)) > 0).astype(np.float64)
        measure: Any = as_measure(self.measure)
        if self.kernel == "linear":
            return LocalShards([task_on_shards(training, bool(self.fit_intercept), grades, measure)])
        return LocalShards([make_task(stacked(training.each(documents_in_order)), grades, None, measure)])

    def _fit(self, scaled: Scaled, callbacks: Sequence[Callback], keep_partial: bool) -> Self:
        measure: Any = as_measure(self.measure)
        grades = np.concatenate(scaled.training.each(grades_of_documents))
        loss, psi = measure.violation_units(grades.size, int(grades.sum()))
        space = feature_space(self, scaled, self.n_features_in_, intercept=bool(self.fit_intercept))
        risk = Risk(space.training, Scale(loss, psi, space.has_constant))
        monitor = Monitor(self._title(), verbose=self.verbose, callbacks=callbacks)
        optimum = minimise(
            risk,
            float(self.C),
            tol=self.tol * loss,
            max_iter=self.max_iter,
            monitor=monitor,
            units=Units(gap=1 / loss),
        )
        solution = Solution.from_convex(optimum, float(self.C), loss_scale=loss)
        self._keep_solution(solution, self.tol, monitor)
        if is_zero_optimal(risk, solution):
            warn_of_zero(type(self).__name__, name_of(measure), "try a measure that sees more of the set")
        self._finish(self._model(space, solution.coef, int(grades.sum())), monitor, keep_partial)
        return self

    def _model(self, space: FeatureSpace, w: Floats, n_positive: int) -> Model:
        """The model; if the measure has a k, with the intercept at which k training rows are positive."""
        classes, measure = self.classes_.tolist(), as_measure(self.measure)
        if not isinstance(measure, SupportsDepths):
            return space.model(w, classes)
        scores = np.concatenate(space.training.each(_scores_with_constant, w, space.has_constant))
        k = min(int(measure.depths(np.array([n_positive]))[0]), scores.size)
        return space.model(w, classes, -_threshold(scores, k))

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
        check_scaling(self.scaling, has_queries=False)
        check_basis(self.basis, self.kernel)

    @property
    def coef_(self) -> Floats:
        return super().coef_[None]

    @property
    def intercept_(self) -> Floats:
        check_is_fitted(self, "model_")
        return np.array([self.model_.intercept])  # type: ignore[attr-defined]

    def decision_function(self, X: Any) -> Floats:
        """X w and the intercept; with a kernel, its expansion."""
        return self._scores(X)

    def predict(self, X: Any) -> NDArray[Any]:
        """Class of each row, by the sign of the decision function.

        For a measure with a k, the intercept is such that it labels k training rows as positive.
        """
        is_positive = self.decision_function(X) > 0
        return self.classes_[is_positive.astype(int)]

    def measure_score(self, X: Any, y: ArrayLike) -> float:
        """The measure on other data, by the decision function. (`score` is the accuracy, as of any classifier.)"""
        scores, y = self.decision_function(X), flatten_grades(y, type(self).__name__)
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
        tags.input_tags.allow_nan = True
        return tags


class ShardedRows(LinearOperator):
    """Rows of all shards in an order of their content: X stays in place, scores and coefficients are sent.

    A product takes one round trip and 8 bytes for each row.

    Parameters
    ----------
    shards : Shards
    order : array
        Place of each row among the documents of one shard after another.
    intercept : bool
        Whether there is a constant feature of 1 after the others.
    """

    def __init__(self, shards: Shards, order: Ints, intercept: bool = False) -> None:
        self.shards, self.order, self.intercept = shards, order, intercept
        self.ends = np.cumsum(shards.each(count_documents))
        self.shape = (int(self.ends[-1]), shards.n_features)
        self.n_weights = shards.n_features + intercept

    def matvec(self, w: Floats) -> Floats:
        scores = np.concatenate(self.shards.each(_matvec, w[: self.shape[1]]))[self.order]
        return scores + w[-1] if self.intercept else scores

    def rmatvec(self, coefficients: Floats) -> Floats:
        by_shard = np.empty_like(coefficients)
        by_shard[self.order] = coefficients
        total: Floats = self.shards.total(_rmatvec, PerShard(np.split(by_shard, self.ends[:-1])))
        return np.append(total, coefficients.sum()) if self.intercept else total


def task_on_shards(shards: Shards, intercept: bool, grades: Floats, measure: SupportsEvaluate) -> Task:
    """Task of the rows of all shards as one set.

    Parameters
    ----------
    shards : Shards
    intercept : bool
        Whether there is a constant feature.
    grades : array
        Grades of the documents of one shard after another.
    measure : measure
    """
    keys = np.concatenate(shards.each(keys_of_documents))
    one_set, key, _ = content_order(group_rows(None, grades.size), keys, np.ones(1))
    X, offsets = ShardedRows(shards, one_set.order, intercept), one_set.offsets
    bound = bind(measure, one_set.to_query_order(grades), offsets)
    return Task(X, replace(one_set, permutation=None), key, bound, np.ones(1), np.ones(1))


def _threshold(scores: Floats, k: int) -> float:
    """A number that k of the scores are above, or fewer if some are equal."""
    ranked = np.sort(scores)[::-1]
    if 0 < k < scores.size:
        return float(ranked[k - 1] / 2 + ranked[k] / 2)
    rounding = 1e-9 * max(abs(ranked[0]), abs(ranked[-1]), np.finfo(float).tiny)
    return float(ranked[0] + rounding if k == 0 else ranked[-1] - rounding)


def _matvec(task: Task, w: Floats) -> Floats:
    return task.operator.matvec(w)


def _rmatvec(task: Task, coefficients: Floats) -> Floats:
    return task.operator.rmatvec(coefficients)


def _scores_with_constant(task: Task, w: Floats, has_constant: bool) -> Floats:
    return task.operator_with(has_constant).matvec(w)
