"""Scores of documents by several functions, each of which is a ranking of its own, and what learned ones start from."""

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

#: The average precision of each query.
Values = dict[str, float]


@dataclass(frozen=True)
class BaseFunctions:
    """A collection as Yue et al. (2007, section 4.1) learn from it; made by `of`.

    Attributes
    ----------
    data : RankingData
        A feature for each function, NaN where it did not find the document; the documents of a query are adjacent.
    ids : list of str
        The queries.
    offsets : array
        Documents ``offsets[i]:offsets[i + 1]`` are those of query i.
    found : array
        The share of each query's relevant documents that are in the data.
    remarks : tuple of str
        How they were chosen.
    """

    data: RankingData
    ids: list[str]
    offsets: Ints
    found: Floats
    remarks: tuple[str, ...] = ()

    @classmethod
    def of(cls, data: RankingData, qrels: Qrels, remarks: Sequence[str] = ()) -> BaseFunctions:
        queries = data.by_query()
        data = data.select(queries.order)
        ids = [str(qid) for qid in queries.ids.tolist()]
        known = Counter(qrels.qid[qrels.grade > 0].tolist())
        pooled = np.add.reduceat(data.y > 0, queries.offsets[:-1], dtype=np.int64)
        found = pooled / np.maximum([known[qid] for qid in ids], 1)
        return cls(data, ids, queries.offsets, found, tuple(remarks))

    @property
    def names(self) -> list[str]:
        return list(self.data.feature_names or ())

    @cached_property
    def relevant(self) -> Bools:
        return np.asarray(self.data.y) > 0

    @property
    def ratio(self) -> float:
        """How many documents that are not relevant there are to each that is."""
        if not self.relevant.any():
            raise InputError("no function found a relevant document; check that judgments and documents belong together")
        return float(np.sum(~self.relevant) / np.sum(self.relevant))

    def rows(self, queries: NDArray[Any]) -> Ints:
        """The documents of some queries."""
        return np.concatenate([np.arange(self.offsets[q], self.offsets[q + 1]) for q in queries])

    def average_precision(self, scores: Floats, queries: NDArray[Any]) -> Floats:
        """Of some queries, whose documents have these scores; relevant documents that are not in the data are not found."""
        offsets = np.concatenate(([0], np.cumsum(np.diff(self.offsets)[queries])))
        return AP().evaluate(scores, self.relevant[self.rows(queries)].astype(np.float64), offsets) * self.found[queries]

    @cached_property
    def alone(self) -> dict[str, Values]:
        """Each function's own ranking, the best first. What it did not find comes after all it did, as not found."""
        columns = np.where(np.isnan(self.data.X), -np.inf, self.data.X).T
        values = {name: self._of_all(column) for name, column in zip(self.names, columns, strict=True)}
        return dict(sorted(values.items(), key=lambda item: -mean(item[1])))

    @cached_property
    def fused(self) -> dict[str, Values]:
        """What needs no learning."""
        return {name: self._of_all(fuse(self.data)) for name, fuse in FUSIONS.items()}

    @cached_property
    def unranked(self) -> Values:
        """All documents equal, which is the mean over all their orders."""
        return self._of_all(np.zeros(len(self.data)))

    def _of_all(self, scores: Floats) -> Values:
        values = self.average_precision(np.ascontiguousarray(scores), np.arange(len(self.ids)))
        return dict(zip(self.ids, values.tolist(), strict=True))

    def without(self, name: str) -> BaseFunctions:
        """The same documents, without one function."""
        kept = [j for j, each in enumerate(self.names) if each != name]
        if not kept:
            raise InputError(f"there is no function but {name}, and nothing to learn from without it; more are needed")
        d = self.data
        return replace(self, data=RankingData(d.X[:, kept], d.y, d.qid, d.docno, [self.names[j] for j in kept]))

    def first(self, n_queries: int) -> BaseFunctions:
        """The first queries alone."""
        end = self.offsets[min(n_queries, len(self.ids))]
        data = self.data.select(np.arange(end))
        return BaseFunctions(data, self.ids[:n_queries], self.offsets[: n_queries + 1], self.found[:n_queries], self.remarks)
