"""Evaluation of held-out scores, by the grades of the rows or by qrels."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import numpy as np

from ..arrays import Floats
from ..data import InputError, Qrels, RankingData, as_run
from ..data.strings import is_in
from ..evaluation import Evaluation, evaluate, evaluate_run
from ..evaluation.named_measures import MeasureLike, measures_by_name
from ..measures import SupportsEvaluate, name_of

#: Number of random orders of equal scores, for measures that do not average over all of them.
N_RANDOM_ORDERS = 25


class HeldOutEvaluator:
    """Evaluate scores of the rows of ranking data.

    The order of the rows, which may be by grade, must not matter. So a custom measure that does not declare how it treats
    equal scores (`Measure.tie_rule`) gets them in a fixed random order.

    Parameters
    ----------
    data : RankingData
    measures : names or measures
    qrels : Qrels, optional
        Judgments of the data's queries, and possibly of others. Relevant documents without a row count as not retrieved.
    """

    def __init__(self, data: RankingData, measures: MeasureLike | Iterable[MeasureLike], qrels: Qrels | None = None) -> None:
        self.data, self.measures = data, list(measures_by_name(measures).values())
        self.qrels = None if qrels is None else _select_queries(qrels, data)
        self._order_dependent = [each for each in self.measures if getattr(each, "tie_rule", "custom") == "custom"]

    def evaluate(self, scores: Floats) -> Evaluation:
        return self._evaluate_mean(np.asarray(scores), n_orders=1)

    def evaluate_random_order(self) -> Evaluation:
        """Expected values of a random ranking: means over all orders, or over a sample of them."""
        return self._evaluate_mean(np.zeros(len(self.data)), N_RANDOM_ORDERS)

    def _evaluate_mean(self, scores: Floats, n_orders: int) -> Evaluation:
        """Evaluate scores; values of order-dependent measures are means over random orders of equal scores."""
        found = self._evaluate(scores, self.measures)
        if not self._order_dependent or np.unique(scores).size == scores.size:
            return found
        orders = [self._evaluate(_break_ties(scores, seed), self._order_dependent).per_query for seed in range(n_orders)]
        means = {name: np.mean([each[name] for each in orders], axis=0) for name in orders[0]}
        return replace(found, per_query=found.per_query | means)

    def _evaluate(self, scores: Floats, measures: list[SupportsEvaluate]) -> Evaluation:
        if self.qrels is not None:
            return evaluate_run(as_run(self.data, scores), self.qrels, measures)
        return evaluate(self.data.y, scores, self.data.qid, measures, docno=self.data.docno)


def default_measure(learner: Any) -> MeasureLike:
    """The measure that a learner optimises."""
    measure = getattr(learner, "measure", None)
    if measure is None:
        raise InputError(f"{type(learner).__name__} does not optimise a measure; name one to evaluate it by, such as 'AP'")
    return measure  # type: ignore[no-any-return]


def check_ranking_measures(measures: Iterable[SupportsEvaluate]) -> None:
    """Raise an error for measures of labels or sets, which do not depend on the order of documents."""
    for measure in measures:
        if not getattr(measure, "judges_order", True):
            raise InputError(
                f"{name_of(measure)} judges which documents are labelled relevant or returned, not their order, and "
                "rankings are compared here: use a ranking measure, such as AP, or train a MultivariateSVC for labels"
            )


def _break_ties(scores: Floats, seed: int) -> Floats:
    """Replace scores by ranks, with equal scores in a random order."""
    order = np.lexsort((np.random.default_rng(seed).permutation(scores.size), scores))
    ranks = np.empty(scores.size)
    ranks[order] = np.arange(scores.size)
    return np.where(np.isneginf(scores), scores, ranks)  # documents of score -inf stay unranked


def _select_queries(qrels: Qrels, data: RankingData) -> Qrels:
    """The judgments of the data's queries."""
    selected = is_in(qrels.qid, map(str, data.by_query().ids.tolist()))
    return Qrels(qrels.qid[selected], qrels.docno[selected], qrels.grade[selected])
