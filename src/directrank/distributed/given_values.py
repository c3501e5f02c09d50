"""Weights of queries and initial scores that a user gives for sharded data, divided among its shards."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ..arrays import Floats
from ..data import InputError
from ..learners.core.shards import PerShard
from ..learners.core.validation import as_weights, is_by_qid, weight_per_query
from .sharded_data import GivenValues, ShardedData


def divide_query_weight(data: ShardedData, query_weight: Any) -> GivenValues:
    """Weights of queries by shard, checked as far as the driver can.

    Parameters
    ----------
    data : ShardedData
    query_weight : str, mapping or pandas Series by qid, or array
        See `train`.
    """
    if query_weight is None or isinstance(query_weight, str):
        return _checked_column(data, query_weight, "query_weight")
    if isinstance(query_weight, Mapping) or hasattr(getattr(query_weight, "index", None), "get_indexer"):  # as pandas'
        queries = data.queries()
        if is_by_qid(query_weight, queries):
            query_weight = weight_per_query(queries, query_weight)
    weights = as_weights(_computed(data, query_weight))
    if weights.shape == (len(data),):
        return _divided(weights, [info.n_rows for info in data.infos])
    if weights.shape == (data.n_queries,):
        return _divided(weights, [info.n_queries for info in data.infos])
    raise InputError(
        f"query_weight has the shape {weights.shape}; give one weight for each of the {data.n_queries:,} queries, or for "
        f"each of the {len(data):,} rows"
    )


def divide_init_score(data: ShardedData, init_score: Any) -> GivenValues:
    """Initial scores by shard, one for each row; shards check the scores themselves."""
    if init_score is None or isinstance(init_score, str):
        return _checked_column(data, init_score, "init_score")
    scores = np.asarray(_computed(data, init_score))
    if scores.shape != (len(data),):
        raise InputError(f"init_score has the shape {scores.shape}; give one score for each of the {len(data):,} rows")
    return _divided(scores, [info.n_rows for info in data.infos])


def _checked_column(data: ShardedData, name: str | None, what: str) -> str | None:
    if name is not None and name not in data.extra_columns:
        known = ", ".join(map(repr, data.extra_columns)) or "none"
        raise InputError(f"{what}={name!r} is no extra column of the data ({known}); read it with extra_columns=[{name!r}]")
    return name


def _computed(data: ShardedData, values: Any) -> Any:
    """Values in this process, from a Dask array or Series too."""
    return values.compute(scheduler=data.client) if hasattr(values, "__dask_graph__") else values


def _divided(values: Floats, sizes: Sequence[int]) -> PerShard:
    return PerShard(np.split(values, np.cumsum(sizes)[:-1]))
