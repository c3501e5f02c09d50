"""Scores as binary features: is it above this threshold?"""

from __future__ import annotations

from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from ..arrays import Floats
from ..data import InputError


class Curve(NamedTuple):
    """A piecewise-constant function of a score: `values[i]` from above ``thresholds[i - 1]`` up to ``thresholds[i]``."""

    thresholds: Floats
    values: Floats


class ScoreBinner(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    r"""Binary features of scores: :math:`\phi(x, d) = 1[f(d|x) > k]` for many thresholds k (Yue et al. 2007, section 4).

    A linear model of them is a piecewise-constant function of each score, which `weight_curve` gives back. Half of the
    thresholds stand at evenly spaced quantiles of the scores in the training data, so they are dense where these are. Few
    documents at the top decide a ranking, so the other half divides these: above each there is the same share of what is
    above the one before, down to a thousandth of all. A missing score (NaN: a document that a run does not have)
    is above none of them.

    Parameters
    ----------
    n_thresholds : int
        How many thresholds each score has at most; a score of no more different values has one between any two.

    Attributes
    ----------
    thresholds_ : list of arrays
        Rising, of each score.

    Examples
    --------
    >>> binner = ScoreBinner(n_thresholds=2)
    >>> binner.fit_transform([[1.0], [2.0], [3.0]]).toarray().tolist()
    [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0]]
    """

    def __init__(self, n_thresholds: int = 50) -> None:
        self.n_thresholds = n_thresholds

    def fit(self, X: Any, y: Any = None) -> Self:
        """Place the thresholds."""
        if not (isinstance(self.n_thresholds, (int, np.integer)) and self.n_thresholds >= 1):
            raise InputError(f"n_thresholds must be a whole number from 1 up, not {self.n_thresholds!r}")
        X = self._checked(X, reset=True)
        self.thresholds_ = [self._place(column[~np.isnan(column)]) for column in X.T]
        return self

    def transform(self, X: Any) -> Any:
        """1 for each threshold that a score is above, as a CSR array: those of the first score, of the second, ..."""
        check_is_fitted(self)
        X = self._checked(X, reset=False)
        starts = np.concatenate(([0], np.cumsum([t.size for t in self.thresholds_])))
        above = np.column_stack(
            [np.where(np.isnan(c), 0, np.searchsorted(t, c)) for c, t in zip(X.T, self.thresholds_, strict=True)]
        )
        first = np.repeat(np.tile(starts[:-1], X.shape[0]), above.ravel())
        within = np.arange(first.size) - np.repeat(np.cumsum(above.ravel()) - above.ravel(), above.ravel())
        indptr = np.concatenate(([0], np.cumsum(above.sum(axis=1))))
        fits = np.int32 if first.size <= np.iinfo(np.int32).max else np.int64  # scikit-learn's SVMs take no wider
        indices = ((first + within).astype(fits), indptr.astype(fits))
        return sparse.csr_array((np.ones(first.size), *indices), shape=(X.shape[0], int(starts[-1])))

    def weight_curve(self, coef: Any) -> list[Curve]:
        """What a linear model of these features makes of each score (Yue's Figure 2).

        Parameters
        ----------
        coef : array, or a fitted linear model
        """
        check_is_fitted(self)
        weights = np.ravel(getattr(coef, "coef_", coef))
        sizes = [t.size for t in self.thresholds_]
        if weights.size != sum(sizes):
            raise InputError(f"there are {weights.size} weights for {sum(sizes)} thresholds")
        parts = np.split(weights, np.cumsum(sizes)[:-1])
        return [Curve(t, np.concatenate(([0.0], np.cumsum(w)))) for t, w in zip(self.thresholds_, parts, strict=True)]

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[Any]:
        check_is_fitted(self)
        given = getattr(self, "feature_names_in_", None) if input_features is None else input_features
        names = [f"x{j}" for j in range(self.n_features_in_)] if given is None else list(given)
        return np.array(
            [f"{n} > {float(t)!r}" for n, ts in zip(names, self.thresholds_, strict=True) for t in ts], dtype=object
        )

    def _place(self, scores: Floats) -> Floats:
        values = np.unique(scores)
        if values.size <= self.n_thresholds + 1:
            return values[:-1]
        top = self.n_thresholds // 2
        even = np.arange(1, self.n_thresholds - top + 1) / (self.n_thresholds - top + 1)
        above = np.geomspace(0.5, 1e-3, top + 1)[1:]
        places = np.unique(np.quantile(scores, np.concatenate((even, 1 - above)), method="lower"))
        return places[places < values[-1]]

    def _checked(self, X: Any, reset: bool) -> Floats:
        return validate_data(self, X, reset=reset, dtype=np.float64, ensure_all_finite="allow-nan")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags
