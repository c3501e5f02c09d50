"""Logs of what users were shown and what they clicked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..arrays import Floats, Ints
from ..caching import cached_property
from ..data import InputError
from .log_columns import LogColumns, numbered
from .log_sessions import check_documents, layout, sessions_of


class Pairs(NamedTuple):
    """The query-document pairs of a log.

    Attributes
    ----------
    query : int64 array
        Number of the query of each pair.
    docno : object array
        Document of each pair.
    """

    query: Ints
    docno: NDArray[Any]


@dataclass(frozen=True, eq=False)
class ClickLog:
    """Sessions: the documents that were shown for a query, at which ranks, and the clicks on them.

    A session is one result page for one query. Impressions are laid out by session, in the order of their ranks.

    Attributes
    ----------
    offsets : int64 array, one longer than the number of sessions
        Impressions ``offsets[i]:offsets[i + 1]`` belong to session i.
    sessions : object array
        Identifier of each session.
    queries : object array
        Identifiers of the distinct queries.
    query : int64 array
        Number of the query of each session.
    pairs : Pairs
        The distinct pairs of a query and a document.
    pair : int64 array
        Number of the pair of each impression.
    rank : int64 array
        Rank of each impression, from 1.
    click : float64 array
        1 for a click, 0 for none, or another reward: a purchase's value, a dwell time.
    rankers : object array
        Names of the rankers, or variants of an experiment, that produced the rankings; empty if they were not logged.
    ranker : int64 array
        Number of the ranker of each session; empty if they were not logged.
    notes : tuple of str
        What reading the log assumed, such as ranks that were counted from 0.
    """

    offsets: Ints
    sessions: NDArray[Any]
    queries: NDArray[Any]
    query: Ints
    pairs: Pairs
    pair: Ints
    rank: Ints
    click: Floats
    rankers: NDArray[Any]
    ranker: Ints
    notes: tuple[str, ...] = ()

    @classmethod
    def from_arrays(
        cls,
        session: ArrayLike,
        query: ArrayLike,
        docno: ArrayLike,
        rank: ArrayLike,
        click: ArrayLike,
        ranker: ArrayLike | None = None,
    ) -> Self:
        """A log from columns with a row for each impression, in any order.

        Parameters
        ----------
        session, query, docno : arrays of str or int
            A session with several queries counts as one session for each.
        rank : array of int
            Ranks from 1, or from 0, which a note of the log then says.
        click : array
            1 for a click, 0 for none; or another reward, a number of at least 0.
        ranker : array of str or int, optional
            The ranker, or variant of an experiment, that produced the ranking.
        """
        columns = LogColumns.of(session, query, docno, rank, click, ranker)
        sessions = sessions_of(columns)
        order = layout(columns, sessions.number)
        check_documents(columns, sessions.number)
        n_documents = columns.docno.values.size
        pair, keys = numbered((columns.query.codes * n_documents + columns.docno.codes)[order])
        return cls(
            offsets=np.concatenate(([0], np.cumsum(np.bincount(sessions.number)))),
            sessions=columns.session.values[sessions.identifier],
            queries=columns.query.values,
            query=sessions.query,
            pairs=Pairs(keys // n_documents, columns.docno.values[keys % n_documents]),
            pair=pair,
            rank=columns.rank[order],
            click=columns.click[order],
            rankers=np.empty(0, object) if columns.ranker is None else columns.ranker.values,
            ranker=sessions.ranker,
            notes=tuple(columns.notes),
        )

    @property
    def n_sessions(self) -> int:
        return int(self.offsets.size - 1)

    @property
    def n_impressions(self) -> int:
        return int(self.rank.size)

    @property
    def max_rank(self) -> int:
        """Lowest position that was shown."""
        return int(self.rank.max(initial=0))

    @property
    def has_rankers(self) -> bool:
        """Whether the rankers were logged."""
        return bool(self.rankers.size)

    @cached_property
    def session(self) -> Ints:
        """Number of the session of each impression."""
        return np.repeat(np.arange(self.n_sessions), np.diff(self.offsets))

    @cached_property
    def clicked(self) -> NDArray[np.bool_]:
        """Whether each impression was clicked: a reward above 0."""
        return self.click > 0

    def select_sessions(self, sessions: ArrayLike) -> ClickLog:
        """The log of some sessions, by number; a session that is named twice is there twice.

        Queries, pairs and rankers keep their numbers.
        """
        chosen = np.asarray(sessions)
        if chosen.dtype.kind == "b":
            raise InputError("sessions are chosen by number, not by a mask; pass np.flatnonzero(mask)")
        chosen = chosen.astype(np.int64, copy=False)
        sizes = np.diff(self.offsets)[chosen]
        offsets = np.concatenate(([0], np.cumsum(sizes)))
        rows = np.arange(offsets[-1]) + np.repeat(self.offsets[:-1][chosen] - offsets[:-1], sizes)
        ranker = self.ranker[chosen] if self.has_rankers else self.ranker
        return ClickLog(
            offsets,
            self.sessions[chosen],
            self.queries,
            self.query[chosen],
            self.pairs,
            self.pair[rows],
            self.rank[rows],
            self.click[rows],
            self.rankers,
            ranker,
            self.notes,
        )
