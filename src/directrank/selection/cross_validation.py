"""Cross-validation by query: the value of a learner on held-out queries."""

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
from .fit_and_predict import fit_on_fold, predict_scores, prepare_refit
from .held_out_evaluation import HeldOutEvaluator, default_measure

if TYPE_CHECKING:
    import pandas as pd

#: Callback that takes the number of a fold, from 1 on, and a `Progress`; True ends the fold's training.
OnFoldStep = Callable[[int, Any], Any]


@dataclass(frozen=True, eq=False)
class CrossValidation:
    """Result of `cross_validate`: scores and values of held-out queries.

    Attributes
    ----------
    learner : estimator
        The learner as it was given, not fitted.
    scores : array
        Held-out score of each row. Scores are comparable within a query, not between folds.
    folds : array of int
        Fold in which each row was held out, from 1 on.
    query_folds : array of int
        Fold in which each query of the evaluation was held out.
    evaluation : Evaluation
        Value of each query by each measure, for these scores.
    estimators : list of estimators
        Fitted estimator of each fold.
    seconds : array
        Training time of each fold.
    """

    learner: Any
    scores: Floats
    folds: Ints
    query_folds: Ints
    evaluation: Evaluation
    estimators: list[Any]
    seconds: Floats

    @property
    def means(self) -> dict[str, float]:
        """Mean of each measure over all queries."""
        return self.evaluation.means

    @property
    def standard_errors(self) -> dict[str, float]:
        """Standard error of each mean, over the queries."""
        n = self.evaluation.qid.size
        return {name: float(values.std(ddof=1) / np.sqrt(n)) for name, values in self.evaluation.per_query.items()}

    @property
    def per_fold(self) -> dict[str, Floats]:
        """Mean of each measure over the queries of each fold."""
        folds = range(1, len(self.estimators) + 1)
        return {
            name: np.array([values[self.query_folds == fold].mean() for fold in folds])
            for name, values in self.evaluation.per_query.items()
        }

    def refit_learner(self) -> Any:
        """The learner, not fitted, for a refit on all queries without a validation set.

        It has the given parameters, except for those that need a validation set: the number of rounds is the median over
        the folds, unless a rule of the learner ends its training (AdaRank).
        """
        return prepare_refit(self.learner, self.estimators)

    def __repr__(self) -> str:
        errors = self.standard_errors
        means = ", ".join(f"{name} {mean:.4f} ± {errors[name]:.4f}" for name, mean in self.means.items())
        return (
            f"CrossValidation({type(self.learner).__name__}: {means}; "
            f"{len(self.estimators)} folds of {self.evaluation.qid.size:,} queries)"
        )

    def to_frame(self) -> pd.DataFrame:
        """A pandas frame with a row for each fold and a column for each measure."""
        import pandas as pd

        return pd.DataFrame(self.per_fold, index=pd.RangeIndex(1, len(self.estimators) + 1, name="fold"))


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
    """Cross-validate a learner by query.

    Folds are as in LETOR (see `directrank.data.splits.fold_rows`): of five parts of the queries, three are for training,
    the next is the `eval_set` on which the learner chooses C or the number of rounds, and the last is held out. So nothing
    is chosen on held-out queries. A learner whose `fit` takes no `eval_set` is trained on four parts.

    Parameters
    ----------
    learner : estimator
        A learner of directrank, or any estimator with ``fit(X, y, qid)`` or ``fit(X, y)``, and ``predict(X)``; not modified.
        A pipeline of scikit-learn routes qid to its steps.
    data : RankingData
        Data with queries; rows in any order.
    measures : names or measures, optional
        Measures to evaluate; by default the one that the learner optimises.
    n_folds : int
        Number of folds, at least 3.
    random_state : int
        Random seed for assigning queries to folds.
    qrels : Qrels, optional
        Judgments to evaluate by instead of the data's grades: relevant documents without a row count as not retrieved.
    callback : callable, optional
        Called after each round with the number of the fold and a `Progress`; True ends the fold's training with the model
        so far.

    Examples
    --------
    >>> from directrank import RankSVM
    >>> from directrank.datasets import make_ranking
    >>> result = cross_validate(RankSVM(), make_ranking(30, random_state=0), ["AP", "nDCG@10"], n_folds=3)
    >>> sorted(result.per_fold), result.per_fold["AP"].size
    (['AP', 'nDCG@10'], 3)
    """
    evaluator = HeldOutEvaluator(data, default_measure(learner) if measures is None else measures, qrels)
    scores, folds = np.empty(len(data)), np.empty(len(data), np.int64)
    estimators, seconds = [], []
    for fold, rows in enumerate(fold_rows(data, n_folds, random_state=random_state), 1):
        start = time.perf_counter()
        on_step = None if callback is None else partial(callback, fold)
        estimators.append(fit_on_fold(learner, data, rows, on_step))
        seconds.append(time.perf_counter() - start)
        scores[rows.test] = predict_scores(estimators[-1], data.select(rows.test))
        folds[rows.test] = fold
    evaluation = evaluator.evaluate(scores)
    query_folds = folds_by_query(evaluation, data, folds)
    return CrossValidation(learner, scores, folds, query_folds, evaluation, estimators, np.array(seconds))


def folds_by_query(evaluation: Evaluation, data: RankingData, folds: Ints) -> Ints:
    """Fold of each query of an evaluation, given the fold of each row."""
    queries = data.by_query()
    first_rows = queries.order[queries.offsets[:-1]]
    known = dict(zip(map(str, queries.ids.tolist()), folds[first_rows].tolist(), strict=True))
    return np.array([known[str(qid)] for qid in evaluation.qid.tolist()], np.int64)
