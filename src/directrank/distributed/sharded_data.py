"""Ranking data in shards on the workers of a Dask cluster, and the checks that shards match and queries are whole."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from distributed import Client
from numpy.typing import NDArray

from ..data import InputError, Queries, RankingData
from ..data.strings import STRING
from ..learners.core.content_keys import mixed
from ..learners.core.shards import PerShard
from .cluster import Progress
from .dask_shards import DaskShards, Session
from .shard import task_from_shard

#: Number of queries that are compared at a time: the driver needs 8 bytes for each.
QUERIES_AT_A_TIME = 2**22

#: Values of queries or rows: the name of an extra column, or an array for each shard.
GivenValues = str | PerShard | None


class ShardInfo(NamedTuple):
    """Properties of a shard.

    Attributes
    ----------
    n_rows, n_queries, n_features : int
    feature_names : tuple of str, or None
    kind_of_qid : str
        "integers", "text", or "" without qid.
    """

    n_rows: int
    n_queries: int
    n_features: int
    feature_names: tuple[str, ...] | None
    kind_of_qid: str


class ShardedData:
    """Documents to rank, in shards of whole queries on the workers of a cluster.

    Made by `read_parquet`, `from_dataframe` and `from_arrays`. The rows stay on the workers as long as this object lives;
    the rows of a worker that dies are read again from their source.

    Parameters
    ----------
    client : Client
    shards : sequence of distributed.Future
        Futures of `Shard`.
    names : sequence of str
        Name of each shard for messages, such as its file.
    progress : callable, optional
    extra_columns : sequence of str
        Names of the columns that the shards have beside features, grades, queries and documents.

    Attributes
    ----------
    n_features, n_queries : int
    feature_names : tuple of str, or None
    extra_columns : tuple of str
    has_qid : bool
    """

    def __init__(
        self,
        client: Client,
        shards: Sequence[Any],
        names: Sequence[str],
        progress: Progress | None = None,
        extra_columns: Sequence[str] = (),
    ) -> None:
        self.client, self.shards, self.names = client, list(shards), list(names)
        self.extra_columns = tuple(extra_columns)
        self._session = Session(client, self.shards, self.names)
        self._session.cluster.wait_until_loaded(progress)
        self._session.cluster.allow_any_worker()
        self.infos: list[ShardInfo] = self.each(_info)
        first = self.infos[0]
        self.n_features, self.feature_names, self.has_qid = first.n_features, first.feature_names, bool(first.kind_of_qid)
        self.n_queries = sum(info.n_queries for info in self.infos)
        self._check_consistent()
        if self.has_qid:
            self._check_whole_queries()

    def __len__(self) -> int:
        return sum(info.n_rows for info in self.infos)

    def __repr__(self) -> str:
        return (
            f"ShardedData({len(self.shards):,} shards, {self.n_queries:,} queries, {len(self):,} documents, "
            f"{self.n_features:,} features)"
        )

    def each(self, function: Callable[..., Any], *args: Any) -> list[Any]:
        """Run ``function(data, *args)`` on the `RankingData` of every shard, on the worker that holds it."""
        try:
            return self._session.run(function, args)
        finally:
            self._session.close()

    def wait_until_loaded(self) -> None:
        """Wait until all shards are in memory; those that a restarted cluster has lost are read again."""
        self._session.cluster.wait_until_loaded()

    def queries(self) -> Queries:
        """All queries, in the order of the shards; offsets are as if the rows of a query were adjacent."""
        parts = self.each(_ids_and_sizes)
        return Queries(
            joined_ids([ids for ids, _ in parts]), np.cumsum([0, *(n for _, sizes in parts for n in sizes)]), None
        )

    def to_shards(self, query_weight: GivenValues = None, init_score: GivenValues = None) -> DaskShards:
        """Shards for a learner.

        Parameters
        ----------
        query_weight, init_score : name of an extra column, or PerShard of arrays, optional
            Weights of queries, or of rows, and initial scores of rows.
        """
        self.check_queries()
        return self._shards(query_weight, init_score)

    def as_one_set(self) -> DaskShards:
        """Shards for a learner that takes all rows as one set, with qid or without."""
        return self._shards(None, None)

    def _shards(self, *values: GivenValues) -> DaskShards:
        session = Session(self.client, self.shards, self.names)
        return DaskShards(session, self.n_features, self.feature_names, (task_from_shard, values))

    def check_queries(self) -> None:
        """Raise if there are several shards and no qid."""
        if not self.has_qid and len(self.shards) > 1:
            raise InputError(f"{self.names[0]} has no qid, so each of {len(self.shards)} shards would be one query; add qid")

    def _check_consistent(self) -> None:
        """Raise if shards differ in features or in the kind of qid."""
        first = self.infos[0]
        for name, info in zip(self.names, self.infos, strict=True):
            if (info.n_features, info.feature_names) != (first.n_features, first.feature_names):
                raise InputError(f"{name} has other features than {self.names[0]}")
            if info.kind_of_qid != first.kind_of_qid:
                here, there = (info.kind_of_qid or "absent"), (first.kind_of_qid or "absent")
                raise InputError(f"the qids of {name} are {here}, but the qids of {self.names[0]} are {there}; use one type")

    def _check_whole_queries(self) -> None:
        """Raise if a query is in two shards; a part of all queries is compared at a time."""
        n_parts = -(-self.n_queries // QUERIES_AT_A_TIME)
        for part in range(n_parts):
            hashes = self.each(_hashes_of_queries, part, n_parts)
            every, shard = np.concatenate(hashes), np.repeat(np.arange(len(hashes)), [h.size for h in hashes])
            order = np.argsort(every, kind="stable")
            twice = np.flatnonzero(every[order][1:] == every[order][:-1])
            for i in twice[:100].tolist():  # very rarely, two different queries have one hash
                self._check_split(every[order[i]], int(shard[order[i]]), int(shard[order[i + 1]]))

    def _check_split(self, hashed: np.uint64, first: int, second: int) -> None:
        named = self.each(_queries_of_hash, hashed)
        both = set(named[first]) & set(named[second])
        if both:
            raise InputError(
                f"query {both.pop()!r} is in {self.names[first]} and in {self.names[second]}; write whole queries in each "
                "file (directrank convert --shards), or gather them with shuffle=True where files or a DataFrame are read"
            )


def joined_ids(parts: list[NDArray[Any]]) -> NDArray[Any]:
    """Query ids of all shards; text arrays differ in type."""
    is_text = parts[0].dtype.kind == "T"
    return np.array([name for part in parts for name in part.tolist()], STRING) if is_text else np.concatenate(parts)


def _ids_and_sizes(data: RankingData) -> tuple[NDArray[Any], list[int]]:
    """Id and number of rows of each query."""
    queries = data.by_query()
    return queries.ids, np.diff(queries.offsets).tolist()


def _info(data: RankingData) -> ShardInfo:
    kind = "" if data.qid is None else "integers" if data.qid.dtype.kind == "i" else "text"
    names = None if data.feature_names is None else tuple(data.feature_names)
    return ShardInfo(len(data), data.n_queries, data.n_features, names, kind)


def _hashes_of_queries(data: RankingData, part: int, n_parts: int) -> NDArray[np.uint64]:
    """Hashes of the queries that fall into one of several parts."""
    hashes = _hashes(data.by_query().ids)
    return hashes[hashes % np.uint64(n_parts) == part]


def _queries_of_hash(data: RankingData, hashed: np.uint64) -> list[Any]:
    ids = data.by_query().ids
    return ids[_hashes(ids) == hashed].tolist()  # type: ignore[no-any-return]


def _hashes(ids: NDArray[Any]) -> NDArray[np.uint64]:
    """Hash of each query id, the same in all shards."""
    if ids.dtype.kind == "i":
        return mixed(ids.astype(np.int64).view(np.uint64))
    digests = (hashlib.blake2b(name.encode(), digest_size=8).digest() for name in ids.tolist())
    return np.frombuffer(b"".join(digests), np.uint64)
