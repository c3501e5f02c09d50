"""Logs of User Behavior Insights: queries joined with events, against a plain join, and what cannot be joined."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, strategies as st

from directrank.clicks.behavior_insights import read_behavior_insights
from directrank.clicks.click_log import ClickLog
from directrank.data import InputError


def query(query_id: str, text: str | None, results: list[Any] | None, **others: Any) -> dict[str, Any]:
    return {
        "application": "shop",
        "query_id": query_id,
        "user_query": text,
        "client_id": "c",
        "query_response_id": f"r-{query_id}",
        "query_response_object_ids": results,
        "timestamp": "2025-02-18T20:20:39Z",
        **others,
    }


def event(action: str, query_id: str | None, object_id: Any, ordinal: Any = None) -> dict[str, Any]:
    return {
        "action_name": action,
        "query_id": query_id,
        "client_id": "c",
        "session_id": "u",
        "timestamp": "2025-02-18T20:20:50Z",
        "event_attributes": {"object": {"object_id": object_id, "extra": [1, "x"]}, "position": {"ordinal": ordinal}},
    }


def write(path: Path, records: list[Any]) -> Path:
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    return path


def read(folder: Path, queries: list[Any], events: list[Any], **options: Any) -> ClickLog:
    return read_behavior_insights(
        write(folder / "queries.jsonl", queries), write(folder / "events.jsonl", events), **options
    )


def pages_of(log: ClickLog) -> dict[Any, Any]:
    rows = list(zip(log.rank.tolist(), log.pairs.docno[log.pair].tolist(), log.click.tolist(), strict=True))
    spans = zip(log.offsets[:-1].tolist(), log.offsets[1:].tolist(), strict=True)
    return {log.sessions[i]: (log.queries[log.query[i]], rows[start:end]) for i, (start, end) in enumerate(spans)}


QUERIES = [query("1", "shoes", ["a", "b", "c"]), query("2", "toner", [9, 10]), query("3", "shoes", ["b", "a"])]
EVENTS = [
    event("page_exit", None, None),
    event("click", "1", "b", 2),
    event("click", "1", "b", 2),
    event("click", "2", 9, 1),
    event("purchase", "3", "a", 2),
]
PAGES = {
    "1": ("shoes", [(1, "a", 0), (2, "b", 1), (3, "c", 0)]),
    "2": ("toner", [(1, "9", 1), (2, "10", 0)]),
    "3": ("shoes", [(1, "b", 0), (2, "a", 0)]),
}


def test_clicks_are_joined(tmp_path: Path) -> None:
    log = read(tmp_path, QUERIES, EVENTS)
    assert pages_of(log) == PAGES and log.notes == () and log.queries.tolist() == ["shoes", "toner"]
    assert log.pairs.query.size == 5 and not log.has_rankers


def test_other_actions(tmp_path: Path) -> None:
    assert read(tmp_path, QUERIES, EVENTS, action="purchase").click.tolist() == [0, 0, 0, 0, 0, 0, 1]
    with pytest.raises(InputError, match=r"events\.jsonl: no event has the action 'view'; name one in action=, of click, "):
        read(tmp_path, QUERIES, EVENTS, action="view")
    with pytest.raises(InputError, match=r"events\.jsonl: no event has the action 'click'; name one in action=, of none"):
        read(tmp_path, QUERIES, [])


def test_hits_of_a_search_and_compressed_files(tmp_path: Path) -> None:
    for name, records in (("q.gz", QUERIES), ("e.gz", EVENTS)):
        with gzip.open(tmp_path / name, "wt") as file:
            file.writelines(json.dumps({"_index": "ubi", "_source": record}) + "\n\n" for record in records)
    assert pages_of(read_behavior_insights(tmp_path / "q.gz", tmp_path / "e.gz")) == PAGES


@pytest.mark.parametrize("name", ["query_response_hit_ids", "query_response_objects_ids"])
def test_other_names_of_the_results(tmp_path: Path, name: str) -> None:
    queries = [{name if key == "query_response_object_ids" else key: value for key, value in q.items()} for q in QUERIES]
    assert pages_of(read(tmp_path, queries, EVENTS)) == PAGES


@pytest.mark.parametrize("start", [0, 1])
def test_results_from_impressions(tmp_path: Path, start: int) -> None:
    shown = {"1": "abc", "2": ["9", "10"], "3": "ba"}
    impressions = [event("impression", i, d, k) for i, page in shown.items() for k, d in enumerate(page, start)]
    queries = [query(q["query_id"], q["user_query"], [] if q["query_id"] == "2" else None) for q in QUERIES]
    log = read(tmp_path, queries, [*reversed(EVENTS), *reversed(impressions), *impressions])
    assert pages_of(log) == PAGES
    assert log.notes == ("positions of impression events were counted from 0",) * (1 - start)
    mixed = read(tmp_path, [QUERIES[0], *queries[1:]], [*EVENTS, *impressions])
    assert pages_of(mixed) == PAGES


def test_rankers(tmp_path: Path) -> None:
    queries = [query("1", "x", ["a", "b"], query_attributes={"experiment": "A"}), query("2", "x", ["b", "a"])]
    queries[1]["query_attributes"] = {"experiment": 7}
    log = read(tmp_path, queries, [event("click", "1", "a")], ranker="query_attributes.experiment")
    assert log.rankers[log.ranker].tolist() == ["A", "7"]
    with pytest.raises(InputError, match=r"queries\.jsonl:1: there is no query_attributes\.variant, which names the ranker"):
        read(tmp_path, queries, [event("click", "1", "a")], ranker="query_attributes.variant")


def test_what_is_not_used_is_counted(tmp_path: Path) -> None:
    queries = [
        *QUERIES,
        QUERIES[0],
        query("4", None, ["a"]),
        query("5", "", ["a"]),
        query("6", "x", ["a", "b"]),
        query("6", "x", ["c", "d"]),
        query("7", "x", []),
    ]
    events = [
        *EVENTS,
        event("click", None, "a"),
        event("click", "1", None),
        {"action_name": "click", "query_id": "1"},
        {"action_name": "click", "query_id": "1", "event_attributes": {"object": "a"}},
        event("click", "99", "a"),
        event("click", "4", "a"),
        event("click", "6", "a"),
        event("click", "7", "a"),
        event("click", "1", "z"),
        event("click", "2", "a"),
    ]
    log = read(tmp_path, queries, events)
    assert pages_of(log) == PAGES
    assert log.notes == (
        "2 queries without user_query, left out",
        "1 query with several different responses under one query_id, left out",
        "1 query without results or impression events, left out",
        "4 click events without query_id or object_id, not used",
        "1 click event with a query_id that is not among the queries, not used",
        "3 click events on the results of queries that were left out",
        "2 click events on objects that were not shown, not used",
    )


WRONG_QUERIES: list[tuple[Any, str]] = [
    ({"user_query": "x"}, "there is no query_id; without it no event can be joined, so log it"),
    (query("9", "x", ["a", "b", "a"]), "session 9: document a is there twice; keep the impression"),
    (query("9", "x", ["a", ""]), "a document of query_response_object_ids has no id; log the id of every result"),
    (query("9", "x", ["a", 1.5]), "a document is 1.5, not text or an integer; correct it"),
    (query("9", "x", {"a": 1}), "query_response_object_ids must be the list of the documents shown, in their order"),  # type: ignore[arg-type]
    (query("9", True, ["a"]), "user_query is true, not text or an integer; correct it"),  # type: ignore[arg-type]
    ([1], "the line must be a JSON object, a document of the index"),
]


@pytest.mark.parametrize(("record", "message"), WRONG_QUERIES)
def test_wrong_queries(tmp_path: Path, record: Any, message: str) -> None:
    with pytest.raises(InputError) as caught:
        read(tmp_path, [*QUERIES, record], EVENTS)
    assert str(caught.value).startswith(f"{tmp_path}/queries.jsonl:4: {message}")


WRONG_EVENTS: list[tuple[list[Any], str]] = [
    ([event("click", "1", {})], "1: object_id is {}, not text or an integer; correct it"),
    (
        [event("impression", "1", "a"), event("click", "1", "a")],
        "1: session 1: a click on a document that was not shown at any",
    ),
    (
        [event("click", "1", "b"), event("impression", "1", "a", "first")],
        "2: session 1: there is no rank; log the rank where",
    ),
    (
        [event("click", "1", "b"), event("impression", "1", "a", 2), event("impression", "1", "b", 2)],
        "3: session 1: rank 2 is there twice, with documents a and b",
    ),
]


@pytest.mark.parametrize(("events", "message"), WRONG_EVENTS)
def test_wrong_events(tmp_path: Path, events: list[Any], message: str) -> None:
    with pytest.raises(InputError) as caught:
        read(tmp_path, [query("1", "x", None)], events)
    assert str(caught.value).startswith(f"{tmp_path}/events.jsonl:{message}")


def test_other_wrong_files(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"queries\.jsonl: no query has results; log query_response_object_ids, or"):
        read(tmp_path, [query("1", "x", [])], EVENTS)
    with pytest.raises(InputError, match=r"queries\.jsonl: the log has clicks only"):
        read(tmp_path, [query("1", "x", ["b"])], EVENTS)
    (tmp_path / "cut.jsonl").write_text(json.dumps(QUERIES[0]) + '\n{"query_id": ')
    with pytest.raises(InputError, match=r"cut\.jsonl:2: not valid JSON \(.*\); write one object per line"):
        read_behavior_insights(tmp_path / "cut.jsonl", tmp_path / "events.jsonl")


IDS = st.sampled_from("abcdef")


@given(
    st.dictionaries(st.sampled_from("12345"), st.tuples(IDS, st.lists(IDS, unique=True, max_size=5)), min_size=1),
    st.lists(st.tuples(st.sampled_from(["click", "view"]), st.sampled_from("123456"), IDS), max_size=20),
)
def test_a_plain_join(tmp_path_factory: pytest.TempPathFactory, pages: dict[str, Any], events: list[Any]) -> None:
    pages["0"], clicks = (
        ("q", ["never"]),
        {(query_id, document) for action, query_id, document in events if action == "click"},
    )
    queries = [query(query_id, *page) for query_id, page in pages.items()]
    events = [("click", "x", "y"), *events]
    log = read(tmp_path_factory.mktemp("ubi"), queries, [event(*each) for each in events])
    assert pages_of(log) == {
        query_id: (text, [(k, d, (query_id, d) in clicks) for k, d in enumerate(documents, 1)])
        for query_id, (text, documents) in pages.items()
        if documents
    }
    lost = sum(action == "click" and d not in pages.get(i, ("", ()))[1] for action, i, d in events)
    said = [note for note in log.notes if " click event" in note]
    assert sum(int(note.split()[0]) for note in said) == lost
