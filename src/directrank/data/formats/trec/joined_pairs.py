"""Joins of pairs of query and document: the distinct pairs of several sources, and their value in each source."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ....arrays import Floats, Ints
from ....core import joined_pairs as kernels
from ...parsing.byte_strings import HASH_KEY, ByteStrings, Codes


class JoinedPairs(NamedTuple):
    """A row for each distinct pair, by query and first appearance of the document.

    Attributes
    ----------
    offsets : int64 array
        Query q has rows ``offsets[q]:offsets[q + 1]``.
    values : float64 array, sources x rows
        NaN where a source lacks the pair.
    documents : ByteStrings
        The document of each row.
    repeated : int64 array
        For each source, its first row whose pair is repeated, or -1.
    """

    offsets: Ints
    values: Floats
    documents: ByteStrings
    repeated: Ints

    @property
    def query(self) -> Codes:
        """Code of each row's query."""
        return np.repeat(np.arange(self.offsets.size - 1, dtype=np.int32), np.diff(self.offsets))


def join_pairs(
    query: Sequence[Codes],
    documents: Sequence[ByteStrings],
    values: Sequence[Floats],
    n_queries: int,
    keep_first: bool = True,
) -> JoinedPairs:
    """Join several sources by pair.

    Parameters
    ----------
    query : sequence of int32 arrays
        For each source, the code of each row's query.
    documents : sequence of ByteStrings
    values : sequence of arrays
        For each source, the value of each of its pairs.
    n_queries : int
        Only pairs with query codes below this are joined.
    keep_first : bool
        Whether to keep pairs that are only in the first source.
    """
    names = [column.arrays for column in documents]
    offsets, table, pool, repeated = kernels.join(
        np.concatenate(query), names, np.concatenate(values), n_queries, keep_first, HASH_KEY
    )
    return JoinedPairs(offsets, table, ByteStrings(*pool), repeated)
