"""Pairs of query and document of several sources, joined: the distinct pairs, and the value of each in each source."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ...arrays import Floats, Ints
from ...core import trec_pairs as kernels
from ..bytes.names import HASH_KEY, Names, Numbers


class JoinedPairs(NamedTuple):
    """A row for each distinct pair: by query, then by first appearance of the document in the query's rows.

    Attributes
    ----------
    offsets : int64 array
        The rows of query q are ``offsets[q]:offsets[q + 1]``.
    values : float64 array, sources x rows
        NaN where a source lacks the pair.
    documents : Names
        The document of each row.
    repeated : int64 array
        For each source, its first row whose pair it has again further on, or -1.
    """

    offsets: Ints
    values: Floats
    documents: Names
    repeated: Ints

    @property
    def query(self) -> Numbers:
        """The number of each row's query."""
        return np.repeat(np.arange(self.offsets.size - 1, dtype=np.int32), np.diff(self.offsets))


def join_pairs(
    query: Sequence[Numbers], documents: Sequence[Names], values: Sequence[Floats], n_queries: int, keep_first: bool = True
) -> JoinedPairs:
    """Join the values of several sources for each pair.

    Parameters
    ----------
    query : sequence of int32 arrays
        For each source, the number of each row's query.
    documents : sequence of Names
    values : sequence of arrays
        For each source, the value of each of its pairs.
    n_queries : int
        Only pairs of queries below this number are joined.
    keep_first : bool
        Whether to keep pairs that only the first source has.
    """
    places = [names.places for names in documents]
    offsets, table, pool, repeated = kernels.join(
        np.concatenate(query), places, np.concatenate(values), n_queries, keep_first, HASH_KEY
    )
    return JoinedPairs(offsets, table, Names(*pool), repeated)
