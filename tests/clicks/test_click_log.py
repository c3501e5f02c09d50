"""Click logs from columns: any order of rows, against plain grouping; and what a wrong row is told."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given, strategies as st

from directrank.clicks import log_columns
from directrank.clicks.click_log import ClickLog
from directrank.clicks.log_columns import LogRowError
from directrank.data import InputError

Row = tuple[Any, Any, Any, int, float, Any]

NAMES: list[st.SearchStrategy[Any]] = [
    st.integers(-3, 3),
    st.sampled_from(["", "a", "b", "ä", "10", "a\0", "日本", "c" * 40]),
]


@st.composite
def row_lists(draw: st.DrawFn) -> list[Row]:
    """Rows in any order, one of them without a click; a session identifier may have several queries."""
    session, query, docno, ranker = (draw(st.sampled_from(NAMES)) for _ in range(4))
    pages = draw(st.lists(st.tuples(session, query, ranker), min_size=1, max_size=8, unique_by=lambda page: page[:2]))
    rows: list[Row] = []
    for page in pages:
        documents = draw(st.lists(docno, min_size=1, max_size=4, unique=True))
        ranks = draw(st.lists(st.integers(1, 6), min_size=len(documents), max_size=len(documents), unique=True))
        clicks = draw(st.lists(st.sampled_from([0.0, 1.0, 2.5]), min_size=len(ranks), max_size=len(ranks)))
        rows += [(*page[:2], d, k, c, page[2]) for d, k, c in zip(documents, ranks, clicks, strict=True)]
    if all(row[4] > 0 for row in rows):
        rows[0] = (*rows[0][:4], 0.0, rows[0][5])
    return draw(st.permutations(rows))


def log_of(rows: list[Row]) -> ClickLog:
    return ClickLog.from_arrays(*(list(column) for column in zip(*rows, strict=True)))


def pages_of(log: ClickLog) -> list[Any]:
    """Session, query, ranker and impressions of each session."""
    pages = []
    for i in range(log.n_sessions):
        part = slice(log.offsets[i], log.offsets[i + 1])
        assert (log.pairs.query[log.pair[part]] == log.query[i]).all()
        documents = log.pairs.docno[log.pair[part]].tolist()
        impressions = list(zip(log.rank[part].tolist(), documents, log.click[part].tolist(), strict=True))
        ranker = log.rankers[log.ranker[i]] if log.has_rankers else None
        pages.append((log.sessions[i], log.queries[log.query[i]], ranker, impressions))
    return pages


def plain_pages(rows: list[Row]) -> list[Any]:
    found: dict[tuple[Any, Any, Any], list[Any]] = {}
    for session, query, docno, rank, click, ranker in rows:
        found.setdefault((session, query, ranker), []).append((rank, docno, click))
    return [(*page, sorted(impressions)) for page, impressions in found.items()]


@given(row_lists())
def test_rows_are_grouped(rows: list[Row]) -> None:
    log = log_of(rows)
    assert pages_of(log) == plain_pages(rows)
    assert len(set(zip(log.pairs.query.tolist(), log.pairs.docno.tolist(), strict=True))) == log.pairs.query.size
    assert set(log.pair.tolist()) == set(range(log.pairs.query.size))
    assert log.queries.size == len({row[1] for row in rows}) and log.rankers.size == len({row[5] for row in rows})


@given(row_lists(), st.randoms(use_true_random=False))
def test_the_order_of_rows_does_not_matter(rows: list[Row], random: Any) -> None:
    again = random.sample(rows, len(rows))
    assert sorted(map(repr, pages_of(log_of(again)))) == sorted(map(repr, pages_of(log_of(rows))))


ROWS = [("s1", "q", "d1", 1, 0), ("s2", "q", "d2", 1, 1), ("s1", "q", "d2", 2, 1), ("s2", "r", "d1", 3, 0)]
SESSION, QUERY, DOCNO, RANK, CLICK = (list(column) for column in zip(*ROWS, strict=True))


def test_layout() -> None:
    log = ClickLog.from_arrays(SESSION, QUERY, DOCNO, RANK, CLICK)
    assert log.sessions.tolist() == ["s1", "s2", "s2"] and log.queries.tolist() == ["q", "r"]
    assert log.offsets.tolist() == [0, 2, 3, 4] and log.rank.tolist() == [1, 2, 1, 3] and log.click.tolist() == [0, 1, 1, 0]
    assert log.pair.tolist() == [0, 1, 1, 2] and log.pairs.docno.tolist() == ["d1", "d2", "d1"]
    assert log.session.tolist() == [0, 0, 1, 2] and log.max_rank == 3 and not log.has_rankers
    assert log.notes == ("1 session identifier has several queries, each of which counts as a session of its own",)
    for array, dtype in ((log.offsets, np.int64), (log.pair, np.int64), (log.rank, np.int64), (log.click, np.float64)):
        assert array.dtype == dtype


CONTAINERS: dict[str, Callable[[Any], Any]] = {
    "objects": lambda values: np.array(values, object),
    "fixed width": np.array,
    "variable width": lambda values: np.array(values, np.dtypes.StringDType()) if isinstance(values[0], str) else values,
    "np.str_": lambda values: [np.str_(value) if isinstance(value, str) else value for value in values],
    "series": pd.Series,
    "categories": lambda values: pd.Series(values).astype("category"),
    "nullable": lambda values: pd.Series(values).convert_dtypes(),
    "Arrow": pa.array,
    "Arrow chunks": lambda values: pa.chunked_array([values[:1], [], values[1:]]),
    "dictionary": lambda values: pa.array(values).dictionary_encode() if isinstance(values[0], str) else pa.array(values),
}


@pytest.mark.parametrize("kind", CONTAINERS)
def test_containers(kind: str) -> None:
    columns = [CONTAINERS[kind](values) for values in (SESSION, QUERY, DOCNO, RANK, CLICK, ["x", "y", "x", "z"])]
    log = ClickLog.from_arrays(*columns)
    assert pages_of(log) == plain_pages([(*row, ranker) for row, ranker in zip(ROWS, "xyxz", strict=True)])
    assert {type(name) for name in [*log.sessions, *log.queries, *log.pairs.docno, *log.rankers]} == {str}


@pytest.mark.parametrize("dtype", [np.int8, np.uint64, np.int64, np.float64, object])
def test_integers(dtype: Any) -> None:
    columns = [np.array(values, dtype) for values in ([5, 3, 5], [1, 0, 1], [7, 7, 8], [1, 1, 2], [0, 1, 1])]
    log = ClickLog.from_arrays(*columns)
    assert log.sessions.tolist() == [5, 3] and log.queries.tolist() == [1, 0] and log.pairs.docno.tolist() == [7, 8, 7]
    assert all(type(name) is int for name in [*log.sessions, *log.queries, *log.pairs.docno])


def test_truth_values_are_clicks() -> None:
    assert ClickLog.from_arrays(SESSION, QUERY, DOCNO, RANK, [False, True, True, False]).click.tolist() == [0, 1, 1, 0]


def test_ranks_from_0() -> None:
    log = ClickLog.from_arrays([1, 1, 2], [1, 1, 1], [1, 2, 1], [0, 1, 4], [0, 1, 0])
    assert log.rank.tolist() == [1, 2, 5] and log.notes == ("ranks were counted from 0",)


def test_many_objects_are_converted_in_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [(f"s{i // 3}", "q", f"d{i}", i % 3 + 1, 0.0, None) for i in range(10)]
    columns = [np.array(column, object) for column in list(zip(*rows, strict=True))[:5]]
    monkeypatch.setattr(log_columns, "_BLOCK", 4)
    assert pages_of(ClickLog.from_arrays(*columns)) == plain_pages(rows)
    columns[0][9] = 3
    with pytest.raises(InputError, match=r"^session holds int and str, not only text or only integers; convert all of it"):
        ClickLog.from_arrays(*columns)
    columns[0][8:] = 3
    with pytest.raises(InputError, match=r"^session mixes text and integers; convert all of it to one of them$"):
        ClickLog.from_arrays(*columns)


def changed(column: str, row: int, value: Any) -> dict[str, list[Any]]:
    columns: dict[str, list[Any]] = {"session": SESSION, "query": QUERY, "docno": DOCNO, "rank": RANK, "click": CLICK}
    columns = {name: list(values) for name, values in columns.items()}
    columns[column][row] = value
    return columns


WRONG_ROWS = [
    (
        "rank",
        2,
        1,
        "session s1: rank 1 is there twice, with documents d1 and d2; log each result page as a session of its own",
    ),
    ("docno", 2, "d1", "session s1: document d1 is there twice; keep the impression at the rank where it was shown"),
    ("rank", 3, -1, "session s2: rank is -1; ranks are the integers from 1, or from 0"),
    ("rank", 3, 1.5, "session s2: rank is 1.5; ranks are the integers from 1, or from 0"),
    ("rank", 3, np.inf, "session s2: rank is inf, more than any result page has; name the column of ranks"),
    ("rank", 3, 1.7e9, "session s2: rank is 1,700,000,000, more than any result page has; name the column of ranks"),
    ("rank", 3, None, "session s2: there is no rank; log the rank where the document was shown, or remove the row"),
    ("rank", 1, np.nan, "session s2: a click on a document that was not shown at any rank; log the rank where it was shown"),
    ("rank", 3, pd.NA, "session s2: there is no rank"),
    ("click", 2, np.nan, "session s1: there is no click; write 0 for a document that was shown and not clicked"),
    ("click", 2, None, "session s1: there is no click; write 0 for a document that was shown and not clicked"),
    ("click", 2, -1, "session s1: click is -1; a click or another reward is a finite number of at least 0"),
    ("click", 2, np.inf, "session s1: click is inf; a click or another reward is a finite number of at least 0"),
    ("session", 1, None, "there is no session; fill it in, or remove the row"),
    ("query", 1, np.nan, "there is no query; fill it in, or remove the row"),
    ("docno", 1, pd.NA, "there is no document; fill it in, or remove the row"),
    ("docno", 1, "\ud800", "document has half of a surrogate pair, which is no text; correct it"),
]


@pytest.mark.parametrize(("column", "row", "value", "problem"), WRONG_ROWS)
def test_wrong_rows(column: str, row: int, value: Any, problem: str) -> None:
    with pytest.raises(LogRowError) as caught:
        ClickLog.from_arrays(**changed(column, row, value))
    assert str(caught.value).startswith(f"row {row} (counted from 0): {problem}")
    assert caught.value.row == row and "\n" not in str(caught.value)


def test_a_duplicate_rank_is_named_as_it_was_counted() -> None:
    with pytest.raises(LogRowError, match=r"^row 1 .*: session s: rank 0 is there twice"):
        ClickLog.from_arrays(["s", "s"], ["q", "q"], ["a", "b"], [0, 0], [0, 1])


def test_the_first_repeated_document_is_named() -> None:
    with pytest.raises(LogRowError, match=r"^row 3 \(counted from 0\): session s: document b is there twice"):
        ClickLog.from_arrays(["s"] * 5, ["q"] * 5, ["a", "b", "c", "b", "a"], [1, 2, 3, 4, 5], [0] * 5)


def test_rankers_of_a_session_must_agree() -> None:
    with pytest.raises(LogRowError, match=r"^row 2 .*: session s1: its rankers differ, A and B; name the one ranker that"):
        ClickLog.from_arrays(SESSION, QUERY, DOCNO, RANK, CLICK, ["A", "A", "B", "B"])
    assert ClickLog.from_arrays(SESSION, QUERY, DOCNO, RANK, CLICK, ["A", "A", "A", "B"]).ranker.tolist() == [0, 0, 1]


WRONG_COLUMNS: list[tuple[dict[str, Any], str]] = [
    ({"rank": [1, 2]}, "session has 4 rows and rank has 2; pass columns of one length"),
    ({"ranker": ["A"]}, "session has 4 rows and ranker has 1; pass columns of one length"),
    (
        {"click": [1, 1, 2, 1]},
        "the log has clicks only: without the documents that were shown and not clicked, nothing tells",
    ),
    ({"rank": ["one", "two", "1", "2"]}, "rank must hold numbers: "),
    ({"rank": np.ones((4, 2))}, "rank has 2 dimensions; it must have one value for each impression"),
    ({"rank": pa.array(["1", "2", "1", "3"])}, r"rank holds string ('1'), not numbers; name another column"),
    ({"click": np.array([0, 1, 1, 0], "M8[s]")}, "click holds datetime64[s], not numbers; pass numbers"),
    (
        {"session": ["s", 1, "s", 1]},
        "session holds int and str, not only text or only integers; convert all of it to one of",
    ),
    ({"session": [True, False, True, False]}, "session holds bool, not text or integers; pass identifiers"),
    ({"session": [b"s", b"t", b"s", b"t"]}, "session holds bytes, not only text or only integers; convert all of it"),
    ({"query": [1.5, 1, 1, 1]}, "query holds float and int, not only text or only integers"),
    ({"query": np.array([1.5, 1, 1, 1])}, "query holds fractions, or integers too large for a float; pass text or integers"),
    ({"query": np.array([2.0**53, 1, 1, 1])}, "query holds fractions, or integers too large for a float"),
    ({"query": np.ones((4, 2))}, "query has 2 dimensions; it must have one value for each impression"),
    ({"docno": np.array([2**63, 1, 2, 3], object)}, "document has integers of 2^63 or more; pass them as text"),
    ({"docno": np.array([0, 1, 1, 0], "M8[s]")}, "document holds datetime64[s], not text or integers; pass identifiers"),
    ({"session": 3}, "session, query, docno, rank and click must be arrays with one value for each impression"),
]


@pytest.mark.parametrize(("columns", "message"), WRONG_COLUMNS)
def test_wrong_columns(columns: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError) as caught:
        ClickLog.from_arrays(**{**changed("rank", 0, 1), **columns})
    assert str(caught.value).startswith(message)


def test_an_empty_log() -> None:
    with pytest.raises(InputError, match=r"^the log is empty; it needs a row for each document that was shown$"):
        ClickLog.from_arrays([], [], [], [], [])


def test_masked_values_are_missing() -> None:
    sessions = np.ma.MaskedArray([1, 1, 2, 2], [False, False, True, False])
    with pytest.raises(LogRowError, match=r"^row 2 .*: there is no session"):
        ClickLog.from_arrays(sessions, QUERY, DOCNO, RANK, CLICK)
    ranks = np.ma.MaskedArray(RANK, [False, False, False, True])
    with pytest.raises(LogRowError, match=r"^row 3 .*: there is no rank"):
        ClickLog.from_arrays(**{**changed("rank", 0, 1), "rank": ranks})


def test_selected_sessions() -> None:
    log = ClickLog.from_arrays(SESSION, QUERY, DOCNO, RANK, CLICK, ["A", "B", "A", "A"])
    chosen = log.select_sessions([2, 0, 2])
    pages = pages_of(log)
    assert pages_of(chosen) == [pages[2], pages[0], pages[2]] and chosen.notes == log.notes


def test_a_mask_of_sessions_is_refused() -> None:
    log = ClickLog.from_arrays([1, 1, 2, 2], ["a"] * 4, ["x", "y", "x", "y"], [1, 2, 1, 2], [1, 0, 0, 1])
    with pytest.raises(InputError, match=r"by number, not by a mask; pass np.flatnonzero\(mask\)"):
        log.select_sessions([False, True])
