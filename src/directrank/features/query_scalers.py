"""scikit-learn transformers that scale features within each query, given by `qid`.

Values of a feature are often not comparable across queries: a BM25 score of 12 is high for one query and low for another.
This is irrelevant to learners that compare only documents of the same query, but not to a classifier, whose threshold is the
same for all queries.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from ..arrays import Floats
from ..data.checked_arrays import as_qid
from ..data.frames import check_numeric
from ..data.ranking_data import group_rows
from ..matrix.query_scaling import min_max, percentiles, scale_within_queries


class _QueryScaler(OneToOneFeatureMixin, TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """A stateless transformer that scales each query separately.

    A subclass defines `_scale`, a function of the rows of one query, and `_to`, its name in saved pipelines.

    scikit-learn's metadata routing passes `qid` on to it without set-up: ``with routing(): pipeline.fit(X, y, qid=qid)``.
    """

    __metadata_request__fit = {"qid": True}
    __metadata_request__transform = {"qid": True}

    _scale: Callable[[Floats], Floats]
    _to: str

    def fit(self, X: Any, y: Any = None, *, qid: ArrayLike | None = None) -> Self:
        """Validate X and qid."""
        X = self._checked(X, reset=True)
        self.n_queries_ = 1 if qid is None else int(np.unique(as_qid(qid, X.shape[0])).size)
        return self

    def transform(self, X: Any, *, qid: ArrayLike | None = None) -> Floats:
        """The features, scaled within each query; ``qid=None`` puts all rows into one query. NaN stays NaN."""
        check_is_fitted(self)
        X = self._checked(X, reset=False)
        fitted_on = getattr(self, "n_queries_", 1)
        if qid is None and fitted_on > 1 and X.shape[0] > 1:
            warnings.warn(
                f"{type(self).__name__} was fitted on {fitted_on:,} queries and scales all rows as one query now, for "
                "want of qid; pass qid (a pipeline hands it on within `with directrank.routing():`)",
                UserWarning,
                stacklevel=2,
            )
        queries = group_rows(None if qid is None else as_qid(qid, X.shape[0]), X.shape[0])
        return scale_within_queries(queries, X, self._scale)

    def as_step(self) -> dict[str, Any]:
        """The transformation as a step of a saved pipeline."""
        return {"kind": "query scaling", "to": self._to, "width": int(self.n_features_in_)}

    def fit_transform(self, X: Any, y: Any = None, *, qid: ArrayLike | None = None) -> Floats:
        return self.fit(X, qid=qid).transform(X, qid=qid)

    def _checked(self, X: Any, reset: bool) -> NDArray[Any]:
        check_numeric(X)
        return validate_data(self, X, reset=reset, dtype=[np.float64, np.float32], ensure_all_finite="allow-nan")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.requires_fit = False
        return tags

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "n_features_in_")


class QueryPercentile(_QueryScaler):
    """The fraction of the query's other documents that have a lower value; ties count half.

    The highest value of a query becomes 1 and the lowest 0; if all values are equal, they become 1/2. These are the features
    of SVM-acc3 in Yue et al. (2007, section 5.2.1).

    Examples
    --------
    >>> QueryPercentile().fit_transform([[1.0], [5.0], [3.0], [40.0], [10.0]], qid=[1, 1, 1, 2, 2]).ravel().tolist()
    [0.0, 1.0, 0.5, 1.0, 0.0]
    """

    _scale, _to = staticmethod(percentiles), "percentiles"


class QueryMinMax(_QueryScaler):
    """Min-max scaling within each query: its lowest value becomes 0 and its highest 1; all 0 if they are equal.

    These are the features of SVM-acc4 in Yue et al. (2007, section 5.2.1).

    Examples
    --------
    >>> QueryMinMax().fit_transform([[0.25], [0.5], [0.75], [3.0]], qid=["a", "a", "a", "b"]).ravel().tolist()
    [0.0, 0.5, 1.0, 0.0]
    """

    _scale, _to = staticmethod(min_max), "min-max"
