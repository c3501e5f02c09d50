"""Which C, for the many documents and few queries of runs."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import clone

from ..arrays import Bools, Floats
from ..data import RankingData
from ..learners.core.means import mean_measure
from ..learners.search_space import AlongPath
from ..measures import as_measure

#: The gap to reach on a half: telling values of C apart takes no more.
TOL_ON_HALVES = 1e-2

#: Informative queries in each half; with fewer the learner chooses by itself.
FEWEST = 2


def with_chosen_C(learner: Any, X: Any, train: RankingData) -> Any:
    """The learner with the C whose models of one half of the queries rank the other half best.

    That is one path on each half of the rows: together about the price of one on all of them. The learner's own choice has a
    path on four fifths of the queries five times.

    Parameters
    ----------
    learner : learner
        As it is, unless its C is "auto" and its `search_space` has a path of them.
    X : matrix
        The features of the training documents.
    train : RankingData
        Their grades and queries.
    """
    has_path = isinstance(getattr(learner, "search_space", {}).get("C"), AlongPath) and learner.C == "auto"
    halves = _halves(train) if has_path else None
    if halves is None:
        return learner
    quick = clone(learner).set_params(tol=max(learner.tol, TOL_ON_HALVES))
    Cs, values = zip(*(_along_path(quick, X, train, half, ~half) for half in halves), strict=True)
    return learner.set_params(C=float(np.exp(np.mean(np.log(Cs), axis=0))[np.argmax(np.mean(values, axis=0))]))


def _along_path(learner: Any, X: Any, train: RankingData, learned: Bools, other: Bools) -> tuple[Floats, Floats]:
    """Values of C, and the mean measure of other rows by the model of each."""
    assert train.qid is not None
    path = learner.path(X[learned], train.y[learned], train.qid[learned])
    used, measure = path.Cs > 0, as_measure(learner.measure)  # of the ramp, 0 is its start: that of no choice
    scores = X[other] @ path.coefs[used].T
    values = [mean_measure(measure, train.y[other], column, train.qid[other]) for column in scores.T]
    return path.Cs[used], np.array(values)


def _halves(train: RankingData) -> tuple[Bools, Bools] | None:
    """The rows of every other query that has documents of different grades, and all other rows; None if those are few."""
    queries = train.by_query()
    grades, starts = queries.to_query_order(train.y), queries.offsets[:-1]
    informative = np.flatnonzero(np.maximum.reduceat(grades, starts) > np.minimum.reduceat(grades, starts))
    if informative.size < 2 * FEWEST:
        return None
    half = queries.rows_of(informative[::2])
    return half, ~half
