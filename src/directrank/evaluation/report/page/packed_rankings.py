"""The rankings, packed for the page: documents of each query, grades, names and texts."""

from __future__ import annotations

import base64
import gzip
import json
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ....arrays import Floats, Ints
from ....data import InputError
from ....data.shown_ids import some_of
from ....data.strings import Numbering
from ...evaluation_result import Ranking

if TYPE_CHECKING:
    from ..report import Report

#: Number of characters of a document's title and text on the page.
TITLE, SNIPPET = 150, 300

#: Number of characters that are read, as some may be white space.
BEGINNING = 2 * (TITLE + SNIPPET)

#: Number of characters of all texts on a page; documents with the best ranks come first.
MAX_CHARACTERS = 12_000_000

#: Assumed length of a short text, to limit the number of texts read.
SHORT_TEXT = 100


class _Rows(NamedTuple):
    """Some documents of one ranking.

    Attributes
    ----------
    query : array
        Number of the query in the report.
    document : array
        Number of the document.
    grade : array
    rank : array
        Rank from 0; -1 for a relevant document below the depth of the page.
    """

    query: Ints
    document: Ints
    grade: Floats
    rank: Ints


def packed_rankings(report: Report, depth: int, documents: Mapping[str, str] | Iterable[tuple[str, str]] | None) -> str:
    """Top documents of each ranking, and relevant documents further down or not ranked.

    Returns
    -------
    str
        Base64 of compressed JSON: ``names`` and ``texts`` of the documents; for each query the numbers of its
        ``documents`` and their ``grades``, for each ranking its ``order`` (positions in `documents`, best first) and the
        number of documents it ``ranked``. Empty if no ranking is known.
    """
    named = Numbering()
    parts, ranked = [], []
    for name, evaluation in report.evaluations.items():
        if evaluation.ranking is None:
            parts.append(_no_rows())
            ranked.append(np.zeros(len(report.qid), np.int64))
        else:
            rows, sizes = _rows(evaluation.ranking, report.positions[name], depth, named)
            parts.append(rows)
            ranked.append(sizes)
    if not len(named):
        return ""
    content = {
        "depth": depth,
        "names": list(named.numbers),
        "texts": _texts(named.numbers, _best_ranks(parts, len(named)), documents),
        "queries": _by_query(parts, ranked, len(report.qid), len(named)),
    }
    text = json.dumps(content, separators=(",", ":"))
    return base64.b64encode(gzip.compress(text.encode(), 3, mtime=0)).decode()


def _rows(ranking: Ranking, positions: Ints, depth: int, named: Numbering) -> tuple[_Rows, Ints]:
    """Rows to show, by query and rank, and the number of ranked documents for each query of the report."""
    queries = ranking.queries
    sizes = np.diff(queries.offsets)
    by_rank = ranking.rows_by_rank()
    rank = np.arange(by_rank.size) - np.repeat(queries.offsets[:-1], sizes)
    in_report = np.full(queries.ids.size, -1)
    in_report[positions[positions >= 0]] = np.flatnonzero(positions >= 0)
    returned = ranking.scores[by_rank] > -np.inf
    first = returned & (rank < depth)
    chosen = first | (ranking.grades[by_rank] > 0)
    rows = by_rank[chosen]
    document = named.number(ranking.names(rows))
    query = np.repeat(in_report, sizes)
    n_ranked = np.bincount(query[returned], minlength=positions.size)
    return _Rows(query[chosen], document, ranking.grades[rows], np.where(first, rank, -1)[chosen]), n_ranked


def _no_rows() -> _Rows:
    return _Rows(np.empty(0, np.int64), np.empty(0, np.int64), np.empty(0), np.empty(0, np.int64))


def _by_query(parts: list[_Rows], ranked: list[Ints], n_queries: int, n_documents: int) -> list[dict[str, Any]]:
    keys = [part.query * n_documents + part.document for part in parts]
    pairs, place = np.unique(np.concatenate(keys), return_inverse=True)
    grades = np.zeros(pairs.size)
    np.maximum.at(grades, place, np.concatenate([part.grade for part in parts]))
    starts = np.searchsorted(pairs // n_documents, np.arange(n_queries + 1))
    orders = _orders(parts, np.split(place, np.cumsum([key.size for key in keys])[:-1]), starts)
    documents, shown_grades = (pairs % n_documents).tolist(), [_short(grade) for grade in grades.tolist()]
    return [
        {
            "documents": documents[start:end],
            "grades": shown_grades[start:end],
            "order": [order[i] for order in orders],
            "ranked": [int(counts[i]) for counts in ranked],
        }
        for i, (start, end) in enumerate(zip(starts[:-1].tolist(), starts[1:].tolist(), strict=True))
    ]


def _orders(parts: list[_Rows], places: list[Ints], starts: Ints) -> list[list[list[int]]]:
    """Positions of the top documents of each ranking and query among the query's documents, best first."""
    found = []
    for part, place in zip(parts, places, strict=True):
        shown = part.rank >= 0
        query, local = part.query[shown], (place - starts[part.query])[shown]
        order = np.lexsort((part.rank[shown], query))
        bounds = np.searchsorted(query[order], np.arange(1, starts.size - 1))
        found.append([each.tolist() for each in np.split(local[order], bounds)])
    return found


def _best_ranks(parts: list[_Rows], n_documents: int) -> Ints:
    """Best rank of each document in any ranking of any query."""
    best = np.full(n_documents, np.iinfo(np.int64).max)
    for part in parts:
        shown = part.rank >= 0
        np.minimum.at(best, part.document[shown], part.rank[shown])
    return best


def _texts(
    numbers: dict[str, int], best_ranks: Ints, documents: Mapping[str, str] | Iterable[tuple[str, str]] | None
) -> dict[int, list[str]]:
    """Title and beginning of each document's text; if there is not enough room, of the best ranked documents."""
    if documents is None:
        return {}
    pairs = documents.items() if isinstance(documents, Mapping) else documents
    by_rank = np.argsort(best_ranks, kind="stable")[: MAX_CHARACTERS // SHORT_TEXT].tolist()
    wanted = set(by_rank)
    found = {number: text[:BEGINNING] for docno, text in pairs if (number := numbers.get(docno)) in wanted}
    if not found:
        raise InputError(
            f"none of the documents with texts is in the report, which has {some_of(list(numbers))}; check that they "
            "have the same ids"
        )
    room, kept = MAX_CHARACTERS, {}
    for number in filter(found.__contains__, by_rank):
        text = _shortened(found[number])
        room -= sum(map(len, text))
        if room < 0:
            break
        kept[number] = text
    return kept


def _shortened(text: str) -> list[str]:
    """First line as the title, and the beginning of the rest."""
    title, _, rest = text.strip().partition("\n")
    if not rest and len(title) > TITLE:
        title, rest = "", title
    return [_cut(title, TITLE), _cut(rest, SNIPPET)]


def _cut(text: str, length: int) -> str:
    text = " ".join(text.split())
    return text if len(text) <= length else f"{text[: length - 1].rstrip()}…"


def _short(grade: float) -> float | int:
    return int(grade) if grade == int(grade) else grade
