"""Base functions: scores of documents that are rankings themselves, and features for learning."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...arrays import Bools, Floats, Ints
from ...caching import cached_property
from ...data import InputError, Qrels, RankingData
from ...fusion import FUSIONS
from ...measures import AP
from ..per_query import mean

#: Average precision by query.
Values = dict[str, float]


@dataclass(frozen=True)
class BaseFunctions:
    """A collection with base functions (Yue et al. 2007, section 4.1).

    Attributes
    ----------
    data : RankingData
        A feature for each function, NaN if it did not retrieve the document; the documents of a query are adjacent.
    ids : list of str
        Queries.
    offsets : array
        Query i has the documents ``offsets[i]:offsets[i + 1]``.
    recall : array
        Fraction of each query's relevant documents that are in the data.
    remarks : tuple of str
        Remarks on the selection of functions.
    """

    data: RankingData
    ids: list[str]
    offsets: Ints
    recall: Floats
    remarks: tuple[str, ...] = ()

    @classmethod
    def from_data(cls, data: RankingData, qrels: Qrels, remarks: Sequence[str] = ()) -> BaseFunctions:
        queries = data.by_query()
        data = data.select(queries.order)
        ids = [str(qid) for qid in queries.ids.tolist()]
        known = Counter(qrels.qid[qrels.grade > 0].tolist())
        pooled = np.add.reduceat(data.y > 0, queries.offsets[:-1], dtype=np.int64)
        recall = pooled / np.maximum([known[qid] for qid in ids], 1)
        return cls(data, ids, queries.offsets, recall, tuple(remarks))

    @property
    def names(self) -> list[str]:
        return list(self.data.feature_names or ())

    @cached_property
    def relevant(self) -> Bools:
        return np.asarray(self.data.y) > 0

    @property
    def ratio(self) -> float:
        """Number of non-relevant documents per relevant one."""
        if not self.relevant.any():
            raise InputError("no function retrieved a relevant document; check that qrels and documents belong together")
        return float(np.sum(~self.relevant) / np.sum(self.relevant))

    def rows(self, queries: NDArray[Any]) -> Ints:
        """Rows of the documents of some queries."""
        return np.concatenate([np.arange(self.offsets[q], self.offsets[q + 1]) for q in queries])

    def average_precision(self, scores: Floats, queries: NDArray[Any]) -> Floats:
        """Average precision of some queries; relevant documents that are not in the data count as not retrieved."""
        offsets = np.concatenate(([0], np.cumsum(np.diff(self.offsets)[queries])))
        return AP().evaluate(scores, self.relevant[self.rows(queries)].astype(np.float64), offsets) * self.recall[queries]

    @cached_property
    def alone(self) -> dict[str, Values]:
        """Values of each function as a ranking, best first; documents that it did not retrieve are not ranked."""
        columns = np.where(np.isnan(self.data.X), -np.inf, self.data.X).T
        values = {name: self._evaluate_all(column) for name, column in zip(self.names, columns, strict=True)}
        return dict(sorted(values.items(), key=lambda item: -mean(item[1])))

    @cached_property
    def fused(self) -> dict[str, Values]:
        """Values of fusion methods without learning."""
        return {name: self._evaluate_all(fuse(self.data)) for name, fuse in FUSIONS.items()}

    @cached_property
    def unranked(self) -> Values:
        """Values of equal scores: means over all orders."""
        return self._evaluate_all(np.zeros(len(self.data)))

    def _evaluate_all(self, scores: Floats) -> Values:
        values = self.average_precision(np.ascontiguousarray(scores), np.arange(len(self.ids)))
        return dict(zip(self.ids, values.tolist(), strict=True))

    def without(self, name: str) -> BaseFunctions:
        """The collection without one function."""
        others = [j for j, each in enumerate(self.names) if each != name]
        if not others:
            raise InputError(f"{name} is the only function; learning without it needs at least one more")
        d = self.data
        return replace(self, data=RankingData(d.X[:, others], d.y, d.qid, d.docno, [self.names[j] for j in others]))

    def first(self, n_queries: int) -> BaseFunctions:
        """The collection with the first queries only."""
        end = self.offsets[min(n_queries, len(self.ids))]
        data = self.data.select(np.arange(end))
        return BaseFunctions(
            data, self.ids[:n_queries], self.offsets[: n_queries + 1], self.recall[:n_queries], self.remarks
        )
