"""Measuring scores: by the grades of the rows, or by judgments of any documents."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import numpy as np

from ..arrays import Floats
from ..data import InputError, Qrels, RankingData, as_run
from ..evaluation import Evaluation, evaluate, evaluate_run
from ..evaluation.named_measures import MeasureLike, measures_by_name
from ..measures import SupportsEvaluate, name_of

#: How many orders stand for all, where a measure does not average over them itself.
N_ORDERS = 25


class Judge:
    """What scores of the rows of ranking data are worth.

    The order of rows must not count, which may well be by grade. So where a measure does not say that it averages over the
    orders of equal scores (`Measure.averages_ties`), as a user's own, it gets them in a random order, always the same.

    Parameters
    ----------
    data : RankingData
    measures : names or measures
    qrels : Qrels, optional
        Judgments of the data's queries, and maybe of others. Relevant documents that are no row count as missed.
    """

    def __init__(self, data: RankingData, measures: MeasureLike | Iterable[MeasureLike], qrels: Qrels | None = None) -> None:
        self.data, self.measures = data, list(measures_by_name(measures).values())
        self.qrels = None if qrels is None else _of_queries(qrels, data)
        self.by_one_order = [each for each in self.measures if not getattr(each, "averages_ties", False)]

    def __call__(self, scores: Floats) -> Evaluation:
        return self._mean(np.asarray(scores), n_orders=1)

    def random_order(self) -> Evaluation:
        """What a ranking that knows nothing is worth: the mean over all orders, or over some random ones."""
        return self._mean(np.zeros(len(self.data)), N_ORDERS)

    def _mean(self, scores: Floats, n_orders: int) -> Evaluation:
        """The values of scores, in the mean over so many orders of equal ones where their order counts."""
        found = self._evaluated(scores, self.measures)
        if not self.by_one_order or np.unique(scores).size == scores.size:
            return found
        orders = [self._evaluated(_untied(scores, seed), self.by_one_order).per_query for seed in range(n_orders)]
        means = {name: np.mean([each[name] for each in orders], axis=0) for name in orders[0]}
        return replace(found, per_query=found.per_query | means)

    def _evaluated(self, scores: Floats, measures: list[SupportsEvaluate]) -> Evaluation:
        if self.qrels is not None:
            return evaluate_run(as_run(self.data, scores), self.qrels, measures)
        return evaluate(self.data.y, scores, self.data.qid, measures, docno=self.data.docno)


def measure_of(learner: Any) -> MeasureLike:
    """The measure that a learner optimises."""
    measure = getattr(learner, "measure", None)
    if measure is None:
        raise InputError(f"{type(learner).__name__} has no measure of its own; say by which it is judged, such as 'AP'")
    return measure  # type: ignore[no-any-return]


def refuse_sets(measures: Iterable[SupportsEvaluate]) -> None:
    """Refuse measures to which the order of documents is nothing, where rankings are compared."""
    for measure in measures:
        if not getattr(measure, "judges_order", True):
            raise InputError(
                f"{name_of(measure)} judges which documents are labelled relevant or returned, not their order, and "
                "rankings are compared here: take a measure of rankings, such as AP, or train a MultivariateSVC for labels"
            )


def _untied(scores: Floats, seed: int) -> Floats:
    """Scores of the same order of which no two are equal; those that were are in a random order."""
    order = np.lexsort((np.random.default_rng(seed).permutation(scores.size), scores))
    ranks = np.empty(scores.size)
    ranks[order] = np.arange(scores.size)
    return np.where(np.isneginf(scores), scores, ranks)  # which are not ranked at all


def _of_queries(qrels: Qrels, data: RankingData) -> Qrels:
    """The judgments of the data's queries."""
    mine = np.isin(qrels.qid, np.array([str(qid) for qid in data.by_query().ids.tolist()], qrels.qid.dtype))
    return Qrels(qrels.qid[mine], qrels.docno[mine], qrels.grade[mine])
