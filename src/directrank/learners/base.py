"""What all rankers share: checked data, scores, and the measure as their score."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import Any, Self

import numpy as np
import sklearn
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted, validate_data

from ..arrays import Floats
from ..data import InputError, RankingData
from ..data.ranking_data import Queries, as_grades, as_qid, as_scores, group_rows
from ..matrix.rows import Rows
from ..measures import Evaluates, as_measure, name_of, ranked

#: Beyond so many grades, not each is put on top to see whether a measure tells orders apart.
MANY_GRADES = 16

#: A validation set: X, y and qid.
EvalSet = tuple[Any, ArrayLike, ArrayLike | None]


class Ranker(BaseEstimator):  # type: ignore[misc]
    """A learner of scores: ``fit(X, y, qid)``, ``predict(X)``, ``score(X, y, qid)``.

    scikit-learn's metadata routing hands `qid` on to `fit` and `score` without set-up.
    """

    __metadata_request__fit = {"qid": True, "query_weight": True}
    __metadata_request__score = {"qid": True}

    measure: str | type | Evaluates

    def fit(
        self,
        X: Any,
        y: ArrayLike,
        qid: ArrayLike | None = None,
        *,
        query_weight: ArrayLike | None = None,
        eval_set: EvalSet | None = None,
    ) -> Self:
        raise NotImplementedError

    def predict(self, X: Any) -> Floats:
        """A score for each row; higher is better."""
        raise NotImplementedError

    def score(self, X: Any, y: ArrayLike, qid: ArrayLike | None = None, sample_weight: ArrayLike | None = None) -> float:
        """The mean of the measure over the queries, weighted by the mean weight of their rows if there are weights."""
        return mean_value(as_measure(self.measure), y, self.predict(X), qid, sample_weight)

    def _checked(self, X: Any, y: ArrayLike, qid: ArrayLike | None) -> RankingData:
        X, grades = validate_data(
            self, X, y, accept_sparse="csr", dtype=[np.float64, np.float32], order="C", y_numeric=True, estimator=self
        )
        return RankingData(X, grades, qid)

    def _checked_eval_set(self, data: RankingData, eval_set: EvalSet | None) -> RankingData | None:
        if eval_set is None:
            return None
        X, y, qid = eval_set
        if np.ndim(X) == 2 and np.shape(X)[1] != data.n_features:
            raise InputError(f"eval_set has {np.shape(X)[1]} features, and X has {data.n_features}")
        try:
            return RankingData(self._rows(X), y, qid)
        except ValueError as error:
            raise InputError(f"eval_set: {error}") from error

    def _checked_rows(self, X: Any) -> Any:
        check_is_fitted(self)
        return self._rows(X)

    def _rows(self, X: Any) -> Any:
        return validate_data(self, X, reset=False, accept_sparse="csr", dtype=[np.float64, np.float32], order="C")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.target_tags.positive_only = True
        tags.input_tags.sparse = True
        return tags


class LinearRanker(Ranker):
    """A ranker whose scores are X w: it learns `coef_`."""

    coef_: Floats

    def predict(self, X: Any) -> Floats:
        """A score for each row; higher is better."""
        X = self._checked_rows(X)
        return Rows(X).scores(self.coef_)


def value_of_each(measure: Evaluates, scores: Floats, grades: Floats, offsets: NDArray[np.int64]) -> Floats:
    """The value of each query. A measure gets each query's documents by descending score: a custom one may rely on it."""
    return measure.evaluate(*ranked(scores, grades, offsets), offsets)


def mean_value(
    measure: Evaluates, y: ArrayLike, scores: ArrayLike, qid: ArrayLike | None, weights: ArrayLike | None = None
) -> float:
    """The mean of a measure over the queries."""
    grades = as_grades(y)
    queries = group_rows(None if qid is None else as_qid(qid, grades.size), grades.size)
    values = value_of_each(
        measure, queries.to_query_order(as_scores(scores, grades.size)), queries.to_query_order(grades), queries.offsets
    )
    if weights is None:
        return float(np.mean(values))
    totals = np.add.reduceat(queries.to_query_order(as_scores(weights, grades.size)), queries.offsets[:-1])
    return float(np.average(values, weights=totals / np.diff(queries.offsets)))


def teaching(measure: Evaluates, grades: Floats, offsets: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Which queries there is something to learn from: those of which the measure tells some orders apart.

    The orders are by rising and by descending grade, and with the documents of any one grade on top. Where there is no such
    query, those whose grades differ: that they teach nothing is then for the learner to find.
    """
    by_grade = value_of_each(measure, grades, grades, offsets)
    taught = np.zeros(by_grade.size, bool)
    for order in (-grades, *((grades == grade).astype(np.float64) for grade in np.unique(grades)[:MANY_GRADES])):
        values = value_of_each(measure, order, grades, offsets)
        taught |= (values != by_grade) & np.isfinite(values) & np.isfinite(by_grade)
    return taught if taught.any() else grades_differ(grades, offsets)


def grades_differ(grades: Floats, offsets: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Which queries have documents of different grades."""
    return np.maximum.reduceat(grades, offsets[:-1]) > np.minimum.reduceat(grades, offsets[:-1])


def until_best(rounds: list[Any]) -> list[Any]:
    """The rounds up to the one that was best on the validation set; all, where there was none."""
    if not rounds or rounds[0].validation is None:
        return rounds
    return rounds[: int(np.argmax([step.validation for step in rounds])) + 1]


def check_positive(value: Any, name: str, wanted: str = "a number above 0") -> float:
    """A parameter that must be a number above 0."""
    if not (isinstance(value, (int, float, np.number)) and 0 < value < np.inf):
        raise InputError(f"{name} must be {wanted}, not {value!r}")
    return float(value)


def check_non_negative(value: Any, name: str) -> None:
    """A parameter that must be a number from 0 up."""
    if not (isinstance(value, (int, float, np.number)) and 0 <= value < np.inf):
        raise InputError(f"{name} must be a number from 0 up, not {value!r}")


def check_int(value: Any, name: str, least: int = 1) -> None:
    """A parameter that must be a whole number."""
    if not (isinstance(value, (int, np.integer)) and not isinstance(value, bool) and value >= least):
        raise InputError(f"{name} must be a whole number from {least} up, not {value!r}")


def measure_name(measure: str | type | Evaluates) -> str:
    return name_of(as_measure(measure))


def query_weights(queries: Queries, query_weight: ArrayLike | None, taught: NDArray[np.bool_]) -> Floats:
    """The weight of each query, in all 1: 0 where it teaches nothing, that is, where there is nothing to order."""
    starts, n_rows = queries.offsets[:-1], int(queries.offsets[-1])
    weights = taught.astype(np.float64)
    if query_weight is not None:
        given = queries.to_query_order(as_scores(query_weight, n_rows, "query_weight"))
        if np.any(given < 0) or np.any(given == np.inf):
            raise InputError("query_weight has weights that are negative or infinite")
        if np.any(np.maximum.reduceat(given, starts) != np.minimum.reduceat(given, starts)):
            raise InputError("query_weight differs within a query; give all rows of a query the same weight")
        weights *= given[starts]
    if weights.sum() <= 0:
        raise InputError(
            f"there is nothing to learn from (n_samples={n_rows}): "
            "no query has documents of different grades, as the measure sees them, and a weight above 0"
        )
    return weights / weights.sum()


def routing() -> AbstractContextManager[None]:
    """Turn scikit-learn's metadata routing on, so that `qid` reaches fits, scores and splits: ``with routing(): ...``.

    Without it, scikit-learn can hand `qid` on to `fit` but not to `score`.
    """
    return sklearn.config_context(enable_metadata_routing=True)  # type: ignore[no-any-return]
