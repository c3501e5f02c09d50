"""Measures as scikit-learn's scorers, for its searches and cross-validation."""

from __future__ import annotations

from functools import partial
from typing import Any

from numpy.typing import ArrayLike
from sklearn.metrics import make_scorer

from ..measures import SupportsEvaluate, as_measure, name_of
from .core.ranker import routing
from .core.task import mean_measure
from .core.warning import warn


def ranking_scorer(measure: str | type | SupportsEvaluate) -> Any:
    """A scorer of scikit-learn for a measure: its mean over the queries of the rows that a split holds out.

    It asks for `qid`, which scikit-learn hands on within ``with routing():``.

    Parameters
    ----------
    measure : name or measure
        Any; it need not be the one that the learner is trained for.

    Examples
    --------
    >>> from sklearn.model_selection import GridSearchCV
    >>> from directrank import AdaRank, ranking_scorer, routing
    >>> from directrank.data import QueryKFold
    >>> from directrank.datasets import make_ranking
    >>> data = make_ranking(30, random_state=0)
    >>> with routing():
    ...     grid, scoring = {"n_estimators": [1, 5]}, ranking_scorer("nDCG@5")
    ...     search = GridSearchCV(AdaRank("AP"), grid, scoring=scoring, cv=QueryKFold(3))
    ...     found = search.fit(data.X, data.y, qid=data.qid)
    >>> bool(0 < found.best_score_ < 1)
    True
    """
    mean = partial(_mean, as_measure(measure))
    with routing():  # without which a scorer cannot ask for anything
        return make_scorer(mean, response_method=("decision_function", "predict")).set_score_request(qid=True)


def _mean(measure: SupportsEvaluate, y: ArrayLike, scores: ArrayLike, qid: ArrayLike | None = None) -> float:
    if qid is None and not getattr(measure, "setwise", False):
        warn(
            f"{name_of(measure)} is scored without qid, with all rows as one query; search and cross-validate within "
            "`with directrank.routing():`, which hands qid on",
            UserWarning,
        )
    return mean_measure(measure, y, scores, qid)
