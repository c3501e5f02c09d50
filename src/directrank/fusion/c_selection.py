"""Selection of C for runs, which have many documents and few queries."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import clone

from ..arrays import Bools, Floats
from ..data import RankingData
from ..learners.core.task import mean_measure
from ..measures import as_measure

#: Tolerance of the fits on halves, sufficient to tell values of C apart.
HALF_TOL = 1e-2

#: Minimum number of informative queries in each half; with fewer, the learner selects C itself.
MIN_QUERIES = 2


def with_selected_C(learner: Any, X: Any, train: RankingData) -> Any:
    """Set the C with the highest mean measure in two-fold cross-validation over the queries.

    This takes one regularization path on each half of the rows, about as long as one path on all of them; the learner's own
    selection takes five paths on four fifths of the queries.

    Parameters
    ----------
    learner : learner
        Returned unchanged unless it has `selects_C_on_path`.
    X : matrix
        Features of the training documents.
    train : RankingData
        Grades and queries of the training documents.
    """
    halves = _halves(train) if getattr(learner, "selects_C_on_path", False) else None
    if halves is None:
        return learner
    quick = clone(learner).set_params(tol=max(learner.tol, HALF_TOL))
    Cs, values = zip(*(_along_path(quick, X, train, half, ~half) for half in halves), strict=True)
    return learner.set_params(C=float(np.exp(np.mean(np.log(Cs), axis=0))[np.argmax(np.mean(values, axis=0))]))


def _along_path(learner: Any, X: Any, train: RankingData, learned: Bools, other: Bools) -> tuple[Floats, Floats]:
    """Values of C, and for each the mean measure of its model on the other rows."""
    assert train.qid is not None
    path = learner.path(X[learned], train.y[learned], train.qid[learned])
    used, measure = path.Cs > 0, as_measure(learner.measure)  # C = 0 is where the ramp's path starts
    scores = [model.predict(X[other], train.qid[other]) for model, is_used in zip(path.models, used, strict=True) if is_used]
    values = [mean_measure(measure, train.y[other], column, train.qid[other]) for column in scores]
    return path.Cs[used], np.array(values)


def _halves(train: RankingData) -> tuple[Bools, Bools] | None:
    """Masks of the rows of every other query with distinct grades, and of all other rows; None if these are too few."""
    queries = train.by_query()
    grades, starts = queries.to_query_order(train.y), queries.offsets[:-1]
    informative = np.flatnonzero(np.maximum.reduceat(grades, starts) > np.minimum.reduceat(grades, starts))
    if informative.size < 2 * MIN_QUERIES:
        return None
    half = queries.rows_of(informative[::2])
    return half, ~half
