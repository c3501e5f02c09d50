"""RankBoost: boosting of thresholds on single features, over pairs of documents."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple, Self

import numpy as np
from numba import njit, prange
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning

from ...arrays import Floats, Ints
from ...data import RankingData
from ...matrix.bins import Bins, place_thresholds
from ...measures import AUC, Evaluates, as_measure
from ..base import EvalSet, Ranker, check_int, query_weights, until_best
from ..interruption import Interruptible
from ..judged import Judged

#: Weak rankers whose r differ by less are equally good, and the first of them is taken; one so near 1 is perfect.
SAME = 1e-12

#: With a loss below this, every pair has long been right.
ALL_RIGHT = 1e-12


class Round(NamedTuple):
    """What one round of RankBoost reached.

    Attributes
    ----------
    feature, threshold, alpha
        The weak ranker: it adds alpha to the score of a document whose feature is above the threshold.
    r : float
        The weighted share of pairs that the weak ranker orders right, less that of those it orders wrong.
    loss : float
        The mean of exp(H(x_j) - H(x_i)) over all pairs, l_i > l_j, before this round: a bound on the share of wrong pairs.
    validation : float or None
        The measure of the model so far on the `eval_set`.
    seconds : float
        Since the training began.
    """

    feature: int
    threshold: float
    alpha: float
    r: float
    loss: float
    validation: float | None
    seconds: float

    def __str__(self) -> str:
        return f"loss {self.loss:.4f}" + ("" if self.validation is None else f", validation {self.validation:.4f}")


class RankBoost(Ranker):
    r"""RankBoost (Freund et al. 2003) over all pairs of unequal grade of each query.

    .. math:: \min_H \sum_{l_i > l_j} \exp(H(x_j) - H(x_i)), \qquad H(x) = \sum_t \alpha_t\, 1[x_{k_t} > \theta_t]

    In each round it takes the threshold on a feature whose :math:`r = \sum D(i, j) (h(x_i) - h(x_j))` is largest in absolute
    value, with the weight :math:`\alpha = \tfrac12 \ln \frac{1 + r}{1 - r}` (their third method); a negative one prefers
    documents below the threshold. The distribution D over the pairs, proportional to :math:`\exp(H(x_j) - H(x_i))`, is never
    written out: r depends on it only through the potential

    .. math:: \pi(x_i) = e^{-H(x_i)} \sum_{l_j < l_i} e^{H(x_j)} - e^{H(x_i)} \sum_{l_j > l_i} e^{-H(x_j)}

    of each document, which sums over the grades of a query give, so that a round takes O(n x features), not O(pairs).

    A weak ranker that orders every pair right would have an infinite alpha: it is the whole model, with the weight 1. (It
    can only come first: all pairs have a weight above 0.) Training also ends when the loss is below 1e-12.

    Parameters
    ----------
    n_rounds : int
    thresholds : int or None
        How many thresholds a feature has at most: between its different values where these are few enough, else at its
        quantiles. None takes one between any two values that occur.
    measure : name or measure
        By which the `eval_set` chooses the number of rounds, and what `score` gives.
    callback : callable, optional
        Called after each round with its number and its `Round`.

    Attributes
    ----------
    features_, thresholds_, alphas_ : arrays
        The weak rankers of the model in the order of their rounds.
    history_ : list of Round
        All rounds, also those after the best one on the `eval_set`.
    """

    def __init__(
        self,
        n_rounds: int = 300,
        thresholds: int | None = 255,
        *,
        measure: str | type | Evaluates = "AUC",
        callback: Callable[[int, Round], None] | None = None,
    ) -> None:
        self.n_rounds = n_rounds
        self.thresholds = thresholds
        self.measure = measure
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
        y : array of grades
        qid : array, optional
            The query of each row.
        query_weight : array, optional
            A weight for the pairs of each query, given to all its rows.
        eval_set : (X, y, qid), optional
            A validation set: the model is that of the round that was best on it.
        """
        check_int(self.n_rounds, "n_rounds")
        if self.thresholds is not None:
            check_int(self.thresholds, "thresholds")
        measure = as_measure(self.measure)
        data = self._checked(X, y, qid)
        held_out = self._checked_eval_set(data, eval_set)
        validation = None if held_out is None else Judged.for_validation(held_out, measure)
        self.history_: list[Round] = []
        with Interruptible() as boosting:
            self._boost(data, _Pairs(data, query_weight), validation)
        self._keep()
        if boosting.interrupted:
            warnings.warn(f"RankBoost was interrupted after {len(self.history_)} rounds", ConvergenceWarning, stacklevel=2)
        elif not np.any(self.alphas_):
            warnings.warn(
                "RankBoost learned nothing: no threshold on a feature tells documents of unequal grade apart",
                UserWarning,
                stacklevel=2,
            )
        return self

    def predict(self, X: Any) -> Floats:
        """A score for each row; higher is better."""
        X = self._checked_rows(X)
        return _scores(*self._used_columns(X), self.thresholds_, self.alphas_)

    def staged_predict(self, X: Any) -> Iterator[Floats]:
        """The scores after each round."""
        X = self._checked_rows(X)
        columns, features = self._used_columns(X)
        scores = np.zeros(X.shape[0])
        for feature, threshold, alpha in zip(features, self.thresholds_, self.alphas_, strict=True):
            scores = scores + alpha * (columns[:, feature] > threshold)
            yield scores

    def _boost(self, data: RankingData, pairs: _Pairs, validation: Judged | None) -> None:
        """Figure 1 of the paper."""
        began = time.perf_counter()
        bins = Bins(data.X, place_thresholds(data.X, self.thresholds))
        H, on_validation = np.zeros(len(data)), None if validation is None else np.zeros(validation.n_documents)
        while bins.n_thresholds and len(self.history_) < self.n_rounds:
            potential, loss = pairs.potential(H)
            if not ALL_RIGHT < loss < np.inf:
                break
            r = bins.above(potential)
            best = int(np.argmax(np.abs(r) >= np.abs(r).max() - SAME))
            perfect = abs(r[best]) > 1 - SAME
            alpha = np.sign(r[best]) if perfect else np.arctanh(r[best])
            feature, threshold = bins.threshold(best)
            H += alpha * bins.is_above(best)
            value = None
            if validation is not None and on_validation is not None:
                on_validation += alpha * (validation.columns[feature] > threshold)
                value = validation.mean(on_validation)
            self.history_.append(
                Round(feature, threshold, float(alpha), float(r[best]), loss, value, time.perf_counter() - began)
            )
            if self.callback is not None:
                self.callback(len(self.history_), self.history_[-1])
            if perfect or abs(r[best]) < SAME:
                break

    def _keep(self) -> None:
        """The model of the best round: on the validation set, or the last."""
        rounds = until_best(self.history_)
        self.features_ = np.array([step.feature for step in rounds], np.int64)
        self.thresholds_ = np.array([step.threshold for step in rounds], np.float64)
        self.alphas_ = np.array([step.alpha for step in rounds], np.float64)

    def _used_columns(self, X: Any) -> tuple[NDArray[Any], Ints]:
        """The columns that the model uses, dense, and which of them each round uses."""
        if not sparse.issparse(X):
            return X, self.features_
        used, features = np.unique(self.features_, return_inverse=True)
        return X[:, used].toarray(), features


class _Pairs:
    """The distribution over the pairs of unequal grade of each query, by the potential that it gives each document."""

    def __init__(self, data: RankingData, query_weight: ArrayLike | None) -> None:
        self.queries = data.by_query()
        grades = self.queries.to_query_order(data.y)
        counts = AUC().pairs(grades, self.queries.offsets)
        self.weights = query_weights(self.queries, query_weight, counts > 0)
        self.weights /= np.sum(self.weights * counts)
        self.level = _grade_levels(grades, self.queries.offsets)

    def potential(self, H: Floats) -> tuple[Floats, float]:
        """The potential of each row under the normalised distribution, and the mean of exp(H(x_j) - H(x_i))."""
        laid_out, losses = _potential(self.queries.to_query_order(H), self.level, self.queries.offsets, self.weights)
        loss = float(losses.sum())
        laid_out /= loss if loss > 0 else 1.0
        return self.queries.to_row_order(laid_out), loss


@njit(cache=True, parallel=True)
def _grade_levels(grades, offsets):  # type: ignore[no-untyped-def]
    """The level of each document's grade among the different ones of its query, from 0 up."""
    level = np.empty(grades.size, np.int64)
    for q in prange(offsets.size - 1):
        lo, hi = offsets[q], offsets[q + 1]
        level[lo:hi] = np.searchsorted(np.unique(grades[lo:hi]), grades[lo:hi])
    return level


@njit(cache=True, parallel=True)
def _potential(H, level, offsets, weights):  # type: ignore[no-untyped-def]
    potential, losses = np.zeros(H.size), np.zeros(offsets.size - 1)
    for q in prange(losses.size):
        lo, hi = offsets[q], offsets[q + 1]
        if weights[q] > 0:
            losses[q] = weights[q] * _potential_of_query(H[lo:hi], level[lo:hi], weights[q], potential[lo:hi])
    return potential, losses


@njit(cache=True)
def _potential_of_query(H, level, weight, potential):  # type: ignore[no-untyped-def]
    """Fill in the potentials; gives the sum of exp(H(x_j) - H(x_i)) over the query's pairs, l_i > l_j."""
    n_levels = level.max() + 1
    up, down = np.zeros(n_levels), np.zeros(n_levels)  # sums of e^H and e^-H over the documents of each grade
    centre = (H.max() + H.min()) / 2  # differences are all that counts: keep the exponents small
    for i in range(H.size):
        potential[i] = np.exp(H[i] - centre)
        up[level[i]] += potential[i]
        down[level[i]] += 1 / potential[i]
    lower, higher = np.zeros(n_levels), np.zeros(n_levels)
    for i in range(1, n_levels):
        lower[i] = lower[i - 1] + up[i - 1]
        higher[n_levels - 1 - i] = higher[n_levels - i] + down[n_levels - i]
    for i in range(H.size):
        e = potential[i]
        potential[i] = weight * (lower[level[i]] / e - higher[level[i]] * e)
    return np.sum(down * lower)


@njit(cache=True, parallel=True)
def _scores(columns, features, thresholds, alphas):  # type: ignore[no-untyped-def]
    scores = np.zeros(columns.shape[0])
    for i in prange(scores.size):
        total = 0.0
        for t in range(features.size):
            if columns[i, features[t]] > thresholds[t]:
                total += alphas[t]
        scores[i] = total
    return scores
