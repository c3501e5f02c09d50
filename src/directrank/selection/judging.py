"""Measuring scores: by the grades of the rows, or by judgments of any documents."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from ..arrays import Floats
from ..data import Qrels, RankingData, as_run
from ..evaluation import Evaluation, evaluate, evaluate_run
from ..evaluation.evaluate import MeasureLike


class Judge:
    """What scores of the rows of ranking data are worth.

    Parameters
    ----------
    data : RankingData
    measures : names or measures
    qrels : Qrels, optional
        Judgments of the data's queries, and maybe of others. Relevant documents that are no row count as missed.
    """

    def __init__(self, data: RankingData, measures: MeasureLike | Iterable[MeasureLike], qrels: Qrels | None = None) -> None:
        self.data, self.measures = data, measures
        self.qrels = None if qrels is None else _of_queries(qrels, data)

    def __call__(self, scores: Floats) -> Evaluation:
        if self.qrels is not None:
            return evaluate_run(as_run(self.data, scores), self.qrels, self.measures)
        return evaluate(self.data.y, scores, self.data.qid, self.measures, docno=self.data.docno)


def _of_queries(qrels: Qrels, data: RankingData) -> Qrels:
    """The judgments of the data's queries."""
    mine = np.isin(qrels.qid, np.array([str(qid) for qid in data.by_query().ids.tolist()], qrels.qid.dtype))
    return Qrels(qrels.qid[mine], qrels.docno[mine], qrels.grade[mine])
