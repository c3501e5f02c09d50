"""Binary features of scores: whether a score is above a threshold."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from ..arrays import Floats
from ..data import InputError
from ..data.frames import check_numeric
from ..matrix.binning import bin_columns, binary_features


class Curve(NamedTuple):
    """A piecewise-constant function of a score s: ``values[i]`` for ``thresholds[i - 1] < s <= thresholds[i]``."""

    thresholds: Floats
    values: Floats


class ScoreBinner(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    r"""Binary features of scores: :math:`\phi(x, d) = 1[f(d|x) > k]` for many thresholds k (Yue et al. 2007, section 4).

    A linear model of these features is a piecewise-constant function of each score, which `weight_curve` returns. Half of
    the thresholds are evenly spaced quantiles of the scores in the training data, so they are dense where the scores are.
    Rankings are decided by the few documents at the top, so the other half covers the top: the fraction of scores above
    them decreases geometrically, from a half to a thousandth. A missing score (NaN, for a document that a run did not
    return) is above no threshold.

    Parameters
    ----------
    n_thresholds : int
        Maximum number of thresholds for each score. A score with at most one more distinct value has a threshold between
        every two of them.
    thresholds : sequence of float, optional
        Ascending thresholds for every score, instead of thresholds from the training data; for example evenly spaced ones
        for scores scaled to [0, 1].

    Attributes
    ----------
    thresholds_ : list of arrays
        The thresholds of each score, ascending.

    Examples
    --------
    >>> binner = ScoreBinner(n_thresholds=2)
    >>> binner.fit_transform([[1.0], [2.0], [3.0]]).toarray().tolist()
    [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0]]
    """

    def __init__(self, n_thresholds: int = 50, *, thresholds: Sequence[float] | None = None) -> None:
        self.n_thresholds = n_thresholds
        self.thresholds = thresholds

    def fit(self, X: Any, y: Any = None) -> Self:
        """Choose the thresholds."""
        if not (isinstance(self.n_thresholds, (int, np.integer)) and self.n_thresholds >= 1):
            raise InputError(f"n_thresholds must be an integer, at least 1, not {self.n_thresholds!r}")
        given = None if self.thresholds is None else _ascending(self.thresholds)
        X = self._checked(X, reset=True)
        self.thresholds_ = [self._place(column[~np.isnan(column)]) if given is None else given for column in X.T]
        return self

    def transform(self, X: Any) -> Any:
        """A CSR array with a column for each threshold, score by score: 1 if the score is above it, else 0."""
        return self.from_bins(self.bins(X))

    def bins(self, X: Any) -> NDArray[np.int32]:
        """Bin of each score: the number of thresholds below it."""
        check_is_fitted(self)
        X = self._checked(X, reset=False)
        return bin_columns(X, self.thresholds_)

    def from_bins(self, bins: NDArray[np.int32]) -> Any:
        """Binary features of bins; `transform` without the search for the bins."""
        return binary_features(bins, self.thresholds_)

    def as_step(self) -> dict[str, Any]:
        """The transformation as a step of a saved pipeline."""
        check_is_fitted(self)
        return {"kind": "binning", "thresholds": [t.tolist() for t in self.thresholds_]}

    def weight_curve(self, coef: Any) -> list[Curve]:
        """Contribution of each score to a linear model of these features (Figure 2 of Yue et al.).

        Parameters
        ----------
        coef : array, or a fitted linear model
        """
        check_is_fitted(self)
        weights = np.ravel(getattr(coef, "coef_", coef))
        sizes = [t.size for t in self.thresholds_]
        if weights.size != sum(sizes):
            raise InputError(f"expected {sum(sizes)} weights, one for each threshold, but got {weights.size}")
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
        check_numeric(X)
        return validate_data(self, X, reset=reset, dtype=np.float64, ensure_all_finite="allow-nan")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags


def _ascending(thresholds: Sequence[float]) -> Floats:
    given = np.asarray(thresholds, np.float64)
    if given.ndim != 1 or given.size == 0 or not (np.all(np.isfinite(given)) and np.all(np.diff(given) > 0)):
        raise InputError(f"thresholds must be finite numbers in ascending order, at least one, not {thresholds!r}")
    return given
