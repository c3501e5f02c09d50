"""Cross-validation by query: what a learner reaches on queries that its model has not seen."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from ..arrays import Floats, Ints
from ..data import Qrels, RankingData
from ..data.splits import fold_rows
from ..evaluation import Evaluation
from ..evaluation.named_measures import MeasureLike
from .judging import Judge, measure_of
from .training import fitted_on_fold, scores_of, settled

if TYPE_CHECKING:
    import pandas as pd

#: Function that is called with the number of a fold, from 1 on, and a `Progress`; True ends the fold's training.
OnFoldStep = Callable[[int, Any], Any]


@dataclass(frozen=True, eq=False)
class CrossValidation:
    """What a learner reaches on queries that its models have not seen; `cross_validate` makes it.

    Attributes
    ----------
    learner : estimator
        As it was given, not fitted.
    scores : array
        A score for each row, by a model of other folds' queries. Scores of one query are by one model; those of different
        folds are on scales of their own.
    folds : array of int
        The fold that each row was held out in, from 1 on.
    folds_of_queries : array of int
        That of each query of the evaluation.
    evaluation : Evaluation
        By these scores: a value for each query and measure.
    trained : list of estimators
        The fitted learner of each fold.
    seconds : array
        What each of them took.
    """

    learner: Any
    scores: Floats
    folds: Ints
    folds_of_queries: Ints
    evaluation: Evaluation
    trained: list[Any]
    seconds: Floats

    @property
    def means(self) -> dict[str, float]:
        """The mean of each measure over all queries."""
        return self.evaluation.means

    @property
    def standard_errors(self) -> dict[str, float]:
        """Of the means: the standard deviation over the queries by the square root of their number."""
        n = self.evaluation.qid.size
        return {name: float(values.std(ddof=1) / np.sqrt(n)) for name, values in self.evaluation.per_query.items()}

    @property
    def per_fold(self) -> dict[str, Floats]:
        """The mean of each measure over the queries of each fold."""
        numbers = range(1, len(self.trained) + 1)
        return {
            name: np.array([values[self.folds_of_queries == number].mean() for number in numbers])
            for name, values in self.evaluation.per_query.items()
        }

    def for_all_queries(self) -> Any:
        """The learner, not fitted, as it is to be trained on all queries at once, without a validation set.

        It has the parameters it was given, but for what only a validation set can choose: the number of rounds is the
        median of those that the folds chose.
        """
        return settled(self.learner, self.trained)

    def __repr__(self) -> str:
        errors = self.standard_errors
        means = ", ".join(f"{name} {mean:.4f} ± {errors[name]:.4f}" for name, mean in self.means.items())
        return (
            f"CrossValidation({type(self.learner).__name__}: {means}; "
            f"{len(self.trained)} folds of {self.evaluation.qid.size:,} queries)"
        )

    def to_frame(self) -> pd.DataFrame:
        """A pandas frame with a row for each fold and a column for each measure."""
        import pandas as pd

        return pd.DataFrame(self.per_fold, index=pd.RangeIndex(1, len(self.trained) + 1, name="fold"))


def cross_validate(
    learner: Any,
    data: RankingData,
    measures: MeasureLike | Iterable[MeasureLike] | None = None,
    *,
    n_folds: int = 5,
    random_state: int = 0,
    qrels: Qrels | None = None,
    callback: OnFoldStep | None = None,
) -> CrossValidation:
    """Train and measure a learner fold after fold; the documents of a query stay together.

    The folds are LETOR's (see `directrank.data.splits.fold_rows`): of five parts of the queries, three train, the next is
    the `eval_set` by which the learner chooses what it leaves open (C, the number of rounds), and the last is held out. So
    nothing is chosen by a query that is measured. A learner whose `fit` takes no `eval_set` trains on four of the parts.

    Parameters
    ----------
    learner : estimator
        Of directrank, or any that has ``fit(X, y, qid)`` or ``fit(X, y)``, and ``predict(X)``; it stays as it is. A pipeline
        of scikit-learn hands qid on to its steps.
    data : RankingData
        With queries, in any order.
    measures : names or measures, optional
        By default the one that the learner optimises.
    n_folds : int
        At least 3.
    random_state : int
        The seed by which queries are dealt out to folds.
    qrels : Qrels, optional
        Judgments to measure by instead of the data's grades: relevant documents that are no row count as missed.
    callback : callable, optional
        Function that is called after each round with the number of the fold and a `Progress`; True ends the fold's training,
        with the model so far.

    Examples
    --------
    >>> from directrank import RankSVM
    >>> from directrank.datasets import make_ranking
    >>> result = cross_validate(RankSVM(), make_ranking(30, random_state=0), ["AP", "nDCG@10"], n_folds=3)
    >>> sorted(result.per_fold), result.per_fold["AP"].size
    (['AP', 'nDCG@10'], 3)
    """
    judge = Judge(data, measure_of(learner) if measures is None else measures, qrels)
    scores, folds = np.empty(len(data)), np.empty(len(data), np.int64)
    trained, seconds = [], []
    for number, rows in enumerate(fold_rows(data, n_folds, random_state=random_state), 1):
        began = time.perf_counter()
        on_step = None if callback is None else partial(callback, number)
        trained.append(fitted_on_fold(learner, data, rows, on_step))
        seconds.append(time.perf_counter() - began)
        scores[rows.test] = scores_of(trained[-1], data.select(rows.test))
        folds[rows.test] = number
    evaluation = judge(scores)
    return CrossValidation(learner, scores, folds, folds_of(evaluation, data, folds), evaluation, trained, np.array(seconds))


def folds_of(evaluation: Evaluation, data: RankingData, folds: Ints) -> Ints:
    """The fold of each query of an evaluation, for that of each row."""
    queries = data.by_query()
    first_rows = queries.order[queries.offsets[:-1]]
    known = dict(zip(map(str, queries.ids.tolist()), folds[first_rows].tolist(), strict=True))
    return np.array([known[str(qid)] for qid in evaluation.qid.tolist()], np.int64)
