"""Descriptions of click logs: counts against plain loops, intervals by their definition, and what can be estimated."""

from __future__ import annotations

import json
from collections import defaultdict
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st

from directrank.clicks.click_log import ClickLog
from directrank.clicks.log_description import LogDescription, describe_log
from directrank.clicks.log_reader import read_click_log

Page = tuple[str, str, str, str]


def log_of(pages: list[Page], weight: float = 1.0) -> ClickLog:
    """A log of pages: query, ranker, documents from rank 1 (a blank is no impression), and 1 or 0 for each."""
    rows = [
        (i, query, d, k, float(c) * weight, ranker)
        for i, (query, ranker, documents, clicks) in enumerate(pages)
        for k, (d, c) in enumerate(zip(documents, clicks, strict=True), 1)
        if d != " "
    ]
    session, names, docno, rank, click, ranker = (list(column) for column in zip(*rows, strict=True))
    return ClickLog.from_arrays(session, names, docno, rank, click, ranker if any(ranker) else None)


@st.composite
def page_lists(draw: st.DrawFn) -> list[Page]:
    query, ranker, clicks = st.sampled_from("qr"), st.sampled_from("AB"), st.text("01", min_size=4, max_size=4)
    documents = st.permutations("abcd ").map(lambda order: "".join(order[:4]))
    pages: list[Page] = draw(st.lists(st.tuples(query, ranker, documents, clicks), min_size=1, max_size=8))
    return [*pages, ("q", "A", "abcd", "0000")]


@given(page_lists())
def test_counts(pages: list[Page]) -> None:
    found = describe_log(log_of(pages))
    shown, clicked, ranks_of = defaultdict(int), defaultdict(int), defaultdict(set)
    in_session = [sum(d != " " and c == "1" for d, c in zip(page[2], page[3], strict=True)) for page in pages]
    for query, _, documents, clicks in pages:
        for k, (d, c) in enumerate(zip(documents, clicks, strict=True), 1):
            if d != " ":
                shown[k], clicked[k] = shown[k] + 1, clicked[k] + int(c)
                ranks_of[query, d].add(k)
    several = sum(len(ranks) > 1 for ranks in ranks_of.values())
    assert (found.n_sessions, found.n_impressions, found.n_clicks) == (len(pages), sum(shown.values()), sum(in_session))
    assert (found.n_queries, found.n_pairs) == (len({page[0] for page in pages}), len(ranks_of))
    assert found.n_rankers == len({page[1] for page in pages})
    assert found.share_at_several_ranks == several / len(ranks_of)
    assert found.n_sessions_with_click == sum(n > 0 for n in in_session)
    assert found.n_sessions_with_several_clicks == sum(n > 1 for n in in_session)
    assert found.impressions.tolist() == [shown[k] for k in range(1, 5)]
    assert [(k, n, rate) for k, n, rate, *_ in found.rates()] == [(k, shown[k], clicked[k] / shown[k]) for k in range(1, 5)]


def test_intervals_are_where_the_score_test_is_at_its_limit() -> None:
    pages: list[Page] = [("q", "", "abc", clicks) for clicks in ["100", "110", "010", *["000"] * 9]]
    found = describe_log(log_of(pages))
    for end in (found.low[:2], found.high[:2]):
        distance = np.abs(found.click_rate[:2] - end) / np.sqrt(end * (1 - end) / 12)
        np.testing.assert_allclose(distance, 1.959963984540054)
    assert (found.low[:2] < found.click_rate[:2]).all() and (found.click_rate[:2] < found.high[:2]).all()
    assert found.low[2] == 0 and 0 < found.high[2] < 0.3


def test_ranks_without_impressions() -> None:
    found = describe_log(log_of([("q", "", "a c", "100"), ("q", "", "b c", "001")]))
    assert found.impressions.tolist() == [2, 0, 2] and [rank for rank, *_ in found.rates()] == [1, 3]
    assert np.isnan([found.click_rate[1], found.low[1], found.high[1]]).all()
    values = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert values["click_rate"] == [0.5, None, 0.5] and values["impressions"] == [2, 0, 2] and values["n_rankers"] == 0
    assert values["sentences"] == found.sentences


def test_selected_sessions_are_described_alone() -> None:
    log = log_of([("q", "A", "ab", "10"), ("r", "B", "ab", "00")])
    found = describe_log(log.select_sessions([0]))
    assert (found.n_queries, found.n_pairs, found.n_rankers, found.n_sessions) == (1, 2, 1, 1)


FIXED = "Every document was always shown at the same rank: position and relevance cannot be told apart. Show a small random"
CAN = "Position bias can be estimated by harvesting from 4 impressions of documents that were shown at several ranks, if"
SWAPPED: list[Page] = [("q", "A", "ab", "11"), ("q", "B", "ba", "01")]


@pytest.mark.parametrize(
    ("pages", "expected"),
    [
        ([("q", "", "ab", "10"), ("q", "", "ab", "01")], FIXED),
        (
            [("q", "", "ab", "00"), ("q", "", "ba", "00")],
            "There are no clicks, so nothing can be estimated: check the column",
        ),
        (
            [("q", "", "ab", "00"), ("q", "", "ba", "01")],
            "Documents that were shown at several ranks have too few clicks to",
        ),
        (SWAPPED, f"{CAN} sessions were assigned to the 2 rankers at random."),
        ([("q", "", *page[2:]) for page in SWAPPED], f"{CAN} the ranks changed at random, not because the ranking followed"),
        (
            [*(("q", "A", *page[2:]) for page in SWAPPED), ("q", "B", "c", "0")],
            f"{CAN} the ranks changed at random: no two rankers showed a document of a query at different ranks.",
        ),
    ],
)
def test_what_can_be_estimated(pages: list[Page], expected: str) -> None:
    assert describe_log(log_of(pages)).sentences[0].startswith(expected)


def test_ranks_that_are_not_linked() -> None:
    found = describe_log(log_of([("q", "A", "abc", "111"), ("q", "B", "bac", "110")]))
    assert found.linked_ranks == [1, 2] and found.n_usable == 4
    assert "No clicks link rank 3 to rank 1: the bias there has to be assumed, or" in found.sentences[1]


def test_what_clicks_are_like() -> None:
    said = " ".join(describe_log(log_of(SWAPPED, weight=30)).sentences)
    assert "rule out the cascade model" in said and "rewards of up to 30: " in said and "3 clicks are few: " in said
    said = " ".join(describe_log(log_of([("q", "", "ab", "10")] * 1_000)).sentences)
    assert "cascade" not in said and "rewards" not in said and "few" not in said


def test_text_is_at_most_80_columns_wide() -> None:
    documents = [chr(200 + i) for i in range(30)]
    pages: list[Page] = [("q", "", "".join(documents[i:] + documents[:i]), "1" * 29 + "0") for i in range(30)]
    found: LogDescription = describe_log(log_of(pages * 20))
    lines = str(found).splitlines()
    assert max(map(len, lines)) <= 80 and any(line.startswith("  ...  to rank 30") for line in lines)
    assert "sessions                               600" in lines and any("95 % interval" in line for line in lines)


def test_notes_are_sentences() -> None:
    log = ClickLog.from_arrays([1, 1], [1, 1], [1, 2], [0, 1], [0, 1])
    assert str(describe_log(log)).endswith("Ranks were counted from 0.") and describe_log(log).notes == [*log.notes]


def test_real_logs(real_data: Any) -> None:
    found = describe_log(read_click_log(real_data / "clicks" / "sogou_pscm_test.tsv.gz"))
    assert (found.n_sessions, found.n_queries, found.n_pairs, found.n_clicks) == (1_791, 447, 5_025, 1_967)
    assert (np.diff(found.click_rate) < 0).all() and found.linked_ranks == [*range(1, 11)]
