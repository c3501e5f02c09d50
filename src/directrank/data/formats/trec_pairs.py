"""Pairs of query and document of several sources, brought together: which there are, and what each source says of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ...arrays import Floats, Ints
from ...kernel_compiler import njit
from ..bytes.names import Names, Numbers, number_names


class NumberedPairs(NamedTuple):
    """The pairs of some sources, one source after the other, with queries and documents numbered by first appearance.

    Attributes
    ----------
    query, document : int32 arrays
    bounds : int64 array
        The rows of source i are ``bounds[i]:bounds[i + 1]``.
    queries, documents : Names
        The distinct ones, in the order of their numbers.
    """

    query: Numbers
    document: Numbers
    bounds: Ints
    queries: Names
    documents: Names

    def queries_of(self, source: int) -> Numbers:
        return self.query[self.bounds[source] : self.bounds[source + 1]]


class JoinedPairs(NamedTuple):
    """A row for each distinct pair, by the numbers of query and document.

    Attributes
    ----------
    query, document : int32 arrays
    values : float64 array, rows x sources
        NaN where a source lacks the pair.
    repeated : int64 array
        For each source, its first row whose pair it has again further on; -1 if there is none.
    """

    query: Numbers
    document: Numbers
    values: Floats
    repeated: Ints


def number_pairs(queries: Sequence[Names], documents: Sequence[Names]) -> NumberedPairs:
    """Number the pairs of each source."""
    query, distinct_queries = number_names(queries)
    document, distinct_documents = number_names(documents)
    bounds = np.cumsum([0, *(len(names) for names in queries)])
    return NumberedPairs(np.concatenate(query), np.concatenate(document), bounds, distinct_queries, distinct_documents)


def join_pairs(pairs: NumberedPairs, values: Sequence[Floats], n_queries: int, of_first: bool = True) -> JoinedPairs:
    """Bring together what the sources say of each pair.

    Parameters
    ----------
    pairs : NumberedPairs
    values : sequence of arrays
        What each source says of each of its pairs.
    n_queries : int
        Only pairs of the queries below this number are kept, and looked at.
    of_first : bool
        Whether to keep pairs that only the first source has.
    """
    n_sources = pairs.bounds.size - 1
    order = _order(pairs.query, pairs.document, n_queries, len(pairs.documents))
    table, repeated = np.full((order.size, n_sources), np.nan), np.full(n_sources, -1)
    rows = np.empty(order.size, np.int32)
    n_rows = _join(order, pairs.query, pairs.document, pairs.bounds, np.concatenate(values), of_first, rows, table, repeated)
    rows = rows[:n_rows]
    return JoinedPairs(pairs.query[rows], pairs.document[rows], table[:n_rows], repeated)


@njit(cache=True)
def _order(query, document, n_queries, n_documents):  # type: ignore[no-untyped-def]
    """The rows of the queries below a number by query, then by document, then by row: two sorts by counting."""
    next_place = np.zeros(n_documents + 1, np.int64)
    for row in range(query.size):
        next_place[document[row] + 1] += query[row] < n_queries
    by_document = np.empty(_sum_up(next_place), np.int32)
    for row in range(query.size):
        if query[row] < n_queries:
            by_document[next_place[document[row]]] = row
            next_place[document[row]] += 1
    next_place = np.zeros(n_queries + 1, np.int64)
    for row in by_document:
        next_place[query[row] + 1] += 1
    order = np.empty(_sum_up(next_place), np.int32)
    for row in by_document:
        order[next_place[query[row]]] = row
        next_place[query[row]] += 1
    return order


@njit(cache=True)
def _sum_up(counts):  # type: ignore[no-untyped-def]
    """Turn counts, each a place late, into where the items of each start; returns how many there are."""
    for i in range(1, counts.size):
        counts[i] += counts[i - 1]
    return counts[-1]


@njit(cache=True)
def _join(order, query, document, bounds, values, of_first, rows, table, repeated):  # type: ignore[no-untyped-def]
    """Fill the table with what the sources say of each pair, and `rows` with one of its rows; returns how many there are."""
    n_rows, at = 0, 0
    while at < order.size:
        first, source = order[at], 0
        before = -1
        while at < order.size and query[order[at]] == query[first] and document[order[at]] == document[first]:
            row = order[at]
            while row >= bounds[source + 1]:
                source += 1
            if before >= bounds[source] and (repeated[source] < 0 or before - bounds[source] < repeated[source]):
                repeated[source] = before - bounds[source]
            table[n_rows, source] = values[row]
            before = row
            at += 1
        rows[n_rows] = first
        if of_first or source > 0:
            n_rows += 1
        else:
            table[n_rows, 0] = np.nan
    return n_rows
