"""Features brought to one scale within each query, as scikit-learn transformers that take `qid`.

What a feature's value means often depends on the query: a BM25 of 12 is high for one and low for another. Learners that
compare documents of a query with one another do not mind; a classifier with one threshold for all queries does.
"""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.stats import rankdata
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from ..arrays import Floats
from ..data.ranking_data import as_qid, group_rows


class _QueryScaler(OneToOneFeatureMixin, TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """A transformer that sees each query on its own and learns nothing.

    scikit-learn's metadata routing hands `qid` on to it without set-up: ``with routing(): pipeline.fit(X, y, qid=qid)``.
    """

    __metadata_request__fit = {"qid": True}
    __metadata_request__transform = {"qid": True}

    def fit(self, X: Any, y: Any = None, *, qid: ArrayLike | None = None) -> Self:
        """Check X; there is nothing to learn."""
        self._checked(X, reset=True)
        return self

    def transform(self, X: Any, *, qid: ArrayLike | None = None) -> Floats:
        """The features on the scale of their query; ``qid=None`` means that all rows are one query. NaN stays NaN."""
        check_is_fitted(self)
        X = self._checked(X, reset=False)
        queries = group_rows(None if qid is None else as_qid(qid, X.shape[0]), X.shape[0])
        scaled, order = np.empty(X.shape), queries.order
        for start, end in zip(queries.offsets, queries.offsets[1:], strict=False):
            rows = order[start:end]
            scaled[rows] = self._scaled(X[rows].astype(np.float64))
        return scaled

    def fit_transform(self, X: Any, y: Any = None, *, qid: ArrayLike | None = None) -> Floats:
        return self.fit(X).transform(X, qid=qid)

    def _scaled(self, X: Floats) -> Floats:
        """The rows of one query."""
        raise NotImplementedError

    def _checked(self, X: Any, reset: bool) -> NDArray[Any]:
        return validate_data(self, X, reset=reset, dtype=[np.float64, np.float32], ensure_all_finite="allow-nan")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.requires_fit = False
        return tags

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "n_features_in_")


class QueryPercentile(_QueryScaler):
    """The share of the query's other documents that a document's value is above, ties counting half.

    The highest value of a query becomes 1, the lowest 0, and a value that all documents share 1/2. These are the features of
    SVM-acc3 in Yue et al. (2007, section 5.2.1).

    Examples
    --------
    >>> QueryPercentile().fit_transform([[1.0], [5.0], [3.0], [40.0], [10.0]], qid=[1, 1, 1, 2, 2]).ravel().tolist()
    [0.0, 1.0, 0.5, 1.0, 0.0]
    """

    def _scaled(self, X: Floats) -> Floats:
        missing = np.isnan(X)
        ranks = rankdata(np.where(missing, np.inf, X), axis=0) - 1  # what is missing last, where it changes no other rank
        others = np.sum(~missing, axis=0) - 1
        shares = np.divide(ranks, others, out=np.full(X.shape, 0.5), where=others > 0)
        return np.where(missing, np.nan, shares)


class QueryMinMax(_QueryScaler):
    """The place of a document's value between the query's lowest and highest, from 0 to 1; 0 where all are equal.

    These are the features of SVM-acc4 in Yue et al. (2007, section 5.2.1).

    Examples
    --------
    >>> QueryMinMax().fit_transform([[0.25], [0.5], [0.75], [3.0]], qid=["a", "a", "a", "b"]).ravel().tolist()
    [0.0, 0.5, 1.0, 0.0]
    """

    def _scaled(self, X: Floats) -> Floats:
        X = X / 2  # so that no difference is beyond what a float holds
        low, high = np.fmin.reduce(X, axis=0), np.fmax.reduce(X, axis=0)
        place = np.divide(X - low, high - low, out=np.zeros(X.shape), where=high > low)
        return np.where(np.isnan(X), np.nan, place)
