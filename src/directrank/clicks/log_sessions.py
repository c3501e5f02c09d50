"""Sessions of a click log: which rows belong to each, and in which order."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..arrays import Ints
from .log_columns import MAX_RANK, LogColumns, numbered


class Sessions(NamedTuple):
    """Sessions of one query each.

    Attributes
    ----------
    number : int64 array
        Session of each row, by first appearance.
    identifier, query, ranker : int64 array
        Codes of each session's identifier, query and ranker; none of rankers that were not logged.
    """

    number: Ints
    identifier: Ints
    query: Ints
    ranker: Ints


def sessions_of(columns: LogColumns) -> Sessions:
    """Number the sessions; one with several queries counts as one for each."""
    session, query = columns.session.codes, columns.query.codes
    query_of = _first_of_each(session, query, columns.session.values.size)
    if np.array_equal(query_of[session], query):
        number, identifier = session, np.arange(query_of.size)
    else:
        n_queries = columns.query.values.size
        number, keys = numbered(session * n_queries + query)
        n_split = np.count_nonzero(np.bincount(keys // n_queries) > 1)
        some = "1 session identifier has" if n_split == 1 else f"{n_split:,} session identifiers have"
        columns.notes.append(f"{some} several queries, each of which counts as a session of its own")
        identifier, query_of = keys // n_queries, keys % n_queries
    if columns.ranker is None:
        return Sessions(number, identifier, query_of, np.empty(0, np.int64))
    ranker_of = _first_of_each(number, columns.ranker.codes, identifier.size)
    wrong = ranker_of[number] != columns.ranker.codes
    if wrong.any():
        row = int(np.argmax(wrong))
        first, second = (columns.ranker.values[i] for i in (ranker_of[number[row]], columns.ranker.codes[row]))
        columns.fail(row, f"its rankers differ, {first} and {second}; name the one ranker that produced the page")
    return Sessions(number, identifier, query_of, ranker_of)


def layout(columns: LogColumns, number: Ints) -> Ints:
    """Rows in the order of their sessions and ranks; no session has a rank twice."""
    keys = number * (MAX_RANK + 2) + columns.rank
    steps = np.diff(keys)
    if steps.min(initial=1) > 0:
        return np.arange(keys.size)
    del steps
    order = np.argsort(keys, kind="stable")
    keys = keys[order]
    same = keys[1:] == keys[:-1]
    if same.any():
        at = int(np.argmax(same))
        rank, documents = columns.rank[order[at]], columns.docno
        first, second = (documents.values[documents.codes[order[at + i]]] for i in (0, 1))
        columns.fail(
            int(order[at + 1]),
            f"rank {_as_logged(rank, columns)} is there twice, with documents {first} and {second}; log each result page "
            "as a session of its own, with one document at each rank",
        )
    return order


def check_documents(columns: LogColumns, number: Ints) -> None:
    """Raise an error if a session has a document twice."""
    keys = number * columns.docno.values.size + columns.docno.codes
    keys.sort()
    if not np.any(keys[1:] == keys[:-1]):
        return
    twice = keys[1:][keys[1:] == keys[:-1]]
    keys = number * columns.docno.values.size + columns.docno.codes
    rows = np.flatnonzero(np.isin(keys, twice))
    _, firsts = np.unique(keys[rows], return_index=True)
    row = int(np.delete(rows, firsts)[0])
    document = columns.docno.values[columns.docno.codes[row]]
    columns.fail(row, f"document {document} is there twice; keep the impression at the rank where it was shown")


def _first_of_each(number: Ints, values: Ints, size: int) -> Ints:
    """The value of the first row of each number: of several assignments to a place, the last one holds."""
    first = np.empty(size, np.int64)
    first[number[::-1]] = values[::-1]
    return first


def _as_logged(rank: int, columns: LogColumns) -> int:
    """A rank as it is in the log, for messages."""
    return int(rank) - ("ranks were counted from 0" in columns.notes)
