"""Reading logs of OpenSearch's User Behavior Insights (UBI), version 1.3: queries with their results, and events."""

from __future__ import annotations

import json
import sys
from array import array
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from ..arrays import Bools, Floats, Ints
from ..data import InputError
from ..data.io.files import PathLike, text_lines
from ..data.shown_ids import some_of
from ..data.strings import Numbering
from .click_log import ClickLog
from .log_columns import LogRowError

#: Fields with the results of a query: of the specification, of the OpenSearch plugin's index, of older documentation.
RESULT_FIELDS = ("query_response_object_ids", "query_response_hit_ids", "query_response_objects_ids")

#: Action of the events that record what was shown.
IMPRESSION = "impression"


def read_behavior_insights(
    queries_path: PathLike, events_path: PathLike, *, action: str = "click", ranker: str | None = None
) -> ClickLog:
    """Read the queries and events that User Behavior Insights logged.

    A session is a query_id: one result page. Its query is user_query, its documents are query_response_object_ids in this
    order, or the impression events with position.ordinal where a query has no such list. A document was clicked if there is
    an event of the action with its query_id and object_id; several of them count as one. Identifiers are text. What could
    not be used is counted in the notes of the log.

    Parameters
    ----------
    queries_path, events_path : path
        JSON lines, plain, .gz or .zst: the documents of the indexes ubi_queries and ubi_events, or the hits of a search for
        them, whose ``_source`` they are.
    action : str
        Name of the action that counts as a click, such as "click_through" or "purchase".
    ranker : str, optional
        Field of the queries that names the ranker, such as "query_attributes.experiment".

    Raises
    ------
    InputError
        A line is wrong, no query has results, or no event has this action.
    """
    pages = _read_queries(queries_path, ranker)
    events = _read_events(events_path, action, pages)
    every = _rows(pages, events)
    rows = every.select(pages.are_used[every.page])
    if not rows.page.size:
        raise InputError(f"{queries_path}: no query has results; log {RESULT_FIELDS[0]}, or impression events")
    n_documents = len(pages.documents)
    names = None if ranker is None else _texts(pages.rankers, rows.page)
    try:
        log = ClickLog.from_arrays(
            _texts(list(pages.numbers), rows.page),
            _texts(pages.queries, rows.page),
            _texts(list(pages.documents.numbers), rows.document),
            rows.rank,
            _is_in(rows.keys(n_documents), events.keys(n_documents)),
            names,
        )
    except LogRowError as error:
        event = error.row - rows.page.size + rows.event_line.size
        page = rows.page[error.row]
        place = f"{queries_path}:{pages.lines[page]}" if event < 0 else f"{events_path}:{rows.event_line[event]}"
        raise InputError(f"{place}: {error.problem}") from error
    except InputError as error:
        raise InputError(f"{queries_path}: {error}") from error
    return replace(log, notes=(*_notes(pages, events, every, action), *log.notes))


@dataclass
class _Pages:
    """Result pages: the queries and their results.

    Attributes
    ----------
    numbers : dict
        Number of the page of each query_id.
    queries, rankers : list of str
        Of each page; an empty query for a page that has none.
    lines : array
    documents : Numbering
        Codes of the documents of results and events.
    results : array
        Codes of the documents of all pages.
    offsets : array
        Results ``offsets[i]:offsets[i + 1]`` belong to page i.
    several : set of int
        Pages of a query_id with several different responses.
    """

    numbers: dict[str, int] = field(default_factory=dict)
    queries: list[str] = field(default_factory=list)
    rankers: list[str] = field(default_factory=list)
    lines: array[int] = field(default_factory=lambda: array("q"))
    documents: Numbering = field(default_factory=Numbering)
    results: array[int] = field(default_factory=lambda: array("q"))
    offsets: array[int] = field(default_factory=lambda: array("q", [0]))
    several: set[int] = field(default_factory=set)

    @property
    def are_used(self) -> Bools:
        """Whether each page has a query and one response."""
        used = np.array([query != "" for query in self.queries], bool)
        used[list(self.several)] = False
        return used

    def add(self, query_id: str, query: str, ranker: str, line: int, results: list[str]) -> None:
        codes = self.documents.number(results).tobytes()
        known = self.numbers.setdefault(query_id, len(self.numbers))
        if known < len(self.lines):
            if self.results[self.offsets[known] : self.offsets[known + 1]].tobytes() != codes:
                self.several.add(known)
            return
        self.results.frombytes(codes)
        self.offsets.append(len(self.results))
        self.queries.append(sys.intern(query))
        self.rankers.append(sys.intern(ranker))
        self.lines.append(line)


@dataclass
class _Events:
    """Events as numbers: clicks on pages, and impressions of pages without results.

    Attributes
    ----------
    clicks, impressions : array
        Page and document of each click; page, document and line of each impression.
    ordinals : array
        Position of each impression, NaN if it has none.
    actions : Counter
        Number of events of each action.
    n_incomplete, n_unknown : int
        Number of clicks without query_id or object_id, and of those whose query was not logged.
    """

    clicks: array[int] = field(default_factory=lambda: array("q"))
    impressions: array[int] = field(default_factory=lambda: array("q"))
    ordinals: array[float] = field(default_factory=lambda: array("d"))
    actions: Counter[str] = field(default_factory=Counter)
    n_incomplete: int = 0
    n_unknown: int = 0

    @property
    def counts_from_0(self) -> bool:
        """Whether the positions of impressions are counted from 0."""
        return 0 in self.ordinals

    @property
    def click_page(self) -> Ints:
        return np.array(self.clicks, np.int64)[0::2]

    def keys(self, n_documents: int) -> Ints:
        """Page and document of each click as one number."""
        return self.click_page * n_documents + np.array(self.clicks, np.int64)[1::2]


@dataclass(frozen=True)
class _Rows:
    """Impressions of all pages: of the results of queries, then of events.

    Attributes
    ----------
    page, document, rank : array
    event_line : int64 array
        Lines of the events, for the last rows.
    """

    page: Ints
    document: Ints
    rank: Floats
    event_line: Ints

    def keys(self, n_documents: int) -> Ints:
        """Page and document of each impression as one number."""
        return self.page * n_documents + self.document

    def select(self, kept: Bools) -> _Rows:
        if kept.all():
            return self
        lines = self.event_line[kept[kept.size - self.event_line.size :]]
        return _Rows(self.page[kept], self.document[kept], self.rank[kept], lines)


def _read_queries(path: PathLike, ranker: str | None) -> _Pages:
    pages = _Pages()
    for line, record in _records(path):
        query_id = _identifier(path, line, "query_id", record.get("query_id"))
        if query_id is None:
            raise InputError(f"{path}:{line}: there is no query_id; without it no event can be joined, so log it")
        results: Any = next((record[name] for name in RESULT_FIELDS if record.get(name) is not None), [])
        if not isinstance(results, list):
            raise InputError(f"{path}:{line}: {RESULT_FIELDS[0]} must be the list of the documents shown, in their order")
        name = ""
        if ranker is not None:
            name = _identifier(path, line, ranker, _value(record, ranker)) or ""
            if not name:
                raise InputError(f"{path}:{line}: there is no {ranker}, which names the ranker; log it for every query")
        if not set(map(type, results)) <= {str}:
            results = [_identifier(path, line, "a document", result) or "" for result in results]
        if "" in results:
            raise InputError(f"{path}:{line}: a document of {RESULT_FIELDS[0]} has no id; log the id of every result")
        pages.add(query_id, _identifier(path, line, "user_query", record.get("user_query")) or "", name, line, results)
    return pages


def _read_events(path: PathLike, action: str, pages: _Pages) -> _Events:
    events = _Events()
    for line, record in _records(path):
        name = str(record.get("action_name"))
        events.actions[name] += 1
        if name not in (action, IMPRESSION):
            continue
        query_id = _identifier(path, line, "query_id", record.get("query_id"))
        document = _identifier(path, line, "object_id", _value(record, "event_attributes.object.object_id"))
        page = pages.numbers.get(query_id or "")
        if query_id is None or document is None:
            events.n_incomplete += name == action
        elif page is None:
            events.n_unknown += name == action
        elif name == action:
            events.clicks.extend((page, pages.documents.number([document])[0]))
        elif pages.offsets[page] == pages.offsets[page + 1]:
            ordinal = _value(record, "event_attributes.position.ordinal")
            events.impressions.extend((page, pages.documents.number([document])[0], line))
            events.ordinals.append(ordinal if isinstance(ordinal, (int, float)) else np.nan)
    if not events.actions[action]:
        found = some_of([name for name, _ in events.actions.most_common()]) or "none"
        raise InputError(f"{path}: no event has the action {action!r}; name one in action=, of {found}")
    return events


def _rows(pages: _Pages, events: _Events) -> _Rows:
    """The impressions, also of pages that are left out."""
    offsets = np.asarray(pages.offsets)
    page = np.repeat(np.arange(offsets.size - 1), np.diff(offsets))
    rank = np.arange(1.0, page.size + 1) - offsets[page]
    document, shown = np.asarray(pages.results), np.array(events.impressions, np.int64).reshape(-1, 3)
    if not shown.size:
        return _Rows(page, document, rank, shown[:, 2])
    _, first = np.unique(shown[:, 0] * len(pages.documents) + shown[:, 1], return_index=True)  # others were sent again
    first.sort()
    shown, ordinal = shown[first], np.asarray(events.ordinals)[first] + events.counts_from_0
    page, document = np.concatenate([page, shown[:, 0]]), np.concatenate([document, shown[:, 1]])
    return _Rows(page, document, np.concatenate([rank, ordinal]), shown[:, 2])


def _notes(pages: _Pages, events: _Events, rows: _Rows, action: str) -> list[str]:
    """What was not used, and what was assumed."""
    shown = np.bincount(rows.page, minlength=len(pages.lines)) > 0
    used = pages.are_used & shown
    on_used = used[events.click_page]
    n_documents = len(pages.documents)
    is_shown = _is_in(events.keys(n_documents)[on_used], rows.keys(n_documents))
    page, click = "query", f"{action} event"
    counts = [
        (pages.queries.count(""), page, "without user_query, left out"),
        (len(pages.several), page, "with several different responses under one query_id, left out"),
        (int(np.count_nonzero(pages.are_used & ~shown)), page, "without results or impression events, left out"),
        (events.n_incomplete, click, "without query_id or object_id, not used"),
        (events.n_unknown, click, "with a query_id that is not among the queries, not used"),
        (int(np.count_nonzero(~on_used)), click, "on the results of queries that were left out"),
        (int(np.count_nonzero(~is_shown)), click, "on objects that were not shown, not used"),
    ]
    notes = [f"{n:,} {noun if n == 1 else _plural(noun)} {what}" for n, noun, what in counts if n]
    return notes + ["positions of impression events were counted from 0"] * events.counts_from_0


def _plural(noun: str) -> str:
    return "queries" if noun == "query" else f"{noun}s"


def _records(path: PathLike) -> Iterator[tuple[int, dict[str, Any]]]:
    """Objects, each with its line."""
    for number, line in enumerate(text_lines(path), 1):
        if not line.strip():
            continue
        try:
            record = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise InputError(f"{path}:{number}: not valid JSON ({error}); write one object per line") from error
        if isinstance(record, dict) and isinstance(record.get("_source"), dict):
            record = record["_source"]
        if not isinstance(record, dict):
            raise InputError(f"{path}:{number}: the line must be a JSON object, a document of the index")
        yield number, record


def _value(record: Any, name: str) -> Any:
    """Value of a field such as event_attributes.object.object_id; None if it is absent."""
    for part in name.split("."):
        record = record.get(part) if isinstance(record, dict) else None
    return record


def _identifier(path: PathLike, line: int, name: str, value: Any) -> str | None:
    """An identifier as text; None if it is empty."""
    if isinstance(value, bool) or not (value is None or isinstance(value, (str, int))):
        raise InputError(f"{path}:{line}: {name} is {json.dumps(value)[:40]}, not text or an integer; correct it")
    return None if value is None or value == "" else str(value)


def _is_in(keys: Ints, wanted: Ints) -> Bools:
    """Whether each key is wanted; by a hash table, where `np.isin` sorts."""
    import pyarrow as pa
    import pyarrow.compute as pc

    found = pc.is_in(pa.array(keys), value_set=pa.array(wanted))
    return np.from_dlpack(found.cast(pa.uint8())).astype(np.bool_)


def _texts(values: list[str], codes: Ints) -> Any:
    """A column of texts by their codes."""
    import pyarrow as pa

    return pa.DictionaryArray.from_arrays(pa.array(codes), pa.array(values, pa.large_string()))
