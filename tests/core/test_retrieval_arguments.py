"""Wrong arrays handed to the kernels of `directrank.retrieval` are exceptions."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from directrank.core import common_terms, index, searching
from directrank.retrieval import TextIndex

INDEX = TextIndex.build([("a", "cat dog"), ("b", "cat cat"), ("c", "")], "plain")
TABLES = INDEX.common_terms
IMPACTS = np.ones(3, np.float32)
POSTINGS: dict[str, Any] = {
    "starts": INDEX.starts,
    "documents": INDEX.documents,
    "impacts": IMPACTS,
    "row": TABLES.row,
    "bits": TABLES.bits,
    "before": TABLES.before,
    "own": np.ones(3),
    "n_documents": 3,
}
WRONG_POSTINGS = [
    ("starts", np.array([0, 2])),
    ("starts", np.array([0, 3, 2])),
    ("starts", np.array([0, -1, 3])),
    ("starts", np.array([], np.int64)),
    ("starts", np.array([0, 2, 3], np.int32)),
    ("documents", np.array([0, 1], np.int32)),
    ("documents", np.array([1, 0, 0], np.int32)),
    ("documents", np.array([0, 0, 0], np.int32)),
    ("documents", np.array([0, 3, 0], np.int32)),
    ("documents", np.array([-1, 1, 0], np.int32)),
    ("documents", np.array([0, 1, 0])),
    ("impacts", np.ones(2, np.float32)),
    ("impacts", np.ones(3)),
    ("impacts", np.array([1, np.nan, 1], np.float32)),
    ("impacts", np.array([1, np.inf, 1], np.float32)),
    ("row", np.array([0], np.int32)),
    ("row", np.array([0, 2], np.int32)),
    ("row", np.array([-2, 0], np.int32)),
    ("row", np.array([1, 0], np.int32)),
    ("bits", TABLES.bits[:1]),
    ("bits", np.zeros((2, 2), np.uint64)),
    ("bits", np.full((2, 1), 2**64 - 1, np.uint64)),
    ("before", np.full((2, 1), 1, np.int32)),
    ("before", np.zeros((2, 2), np.int32)),
    ("own", np.ones(2)),
    ("own", np.array([0, np.nan, 0])),
    ("n_documents", 1),
    ("n_documents", -1),
    ("n_documents", 2**31),
    ("n_documents", 2**62),
]


@pytest.mark.parametrize(("name", "wrong"), WRONG_POSTINGS)
def test_postings_that_do_not_fit(name: str, wrong: Any) -> None:
    searching.Postings(**POSTINGS)
    with pytest.raises((TypeError, ValueError)):
        searching.Postings(**POSTINGS | {name: wrong})


def test_arrays_outlive_their_names() -> None:
    postings = searching.Postings(**{name: value.copy() if name != "n_documents" else 3 for name, value in POSTINGS.items()})
    documents, scores, sizes = postings.search(np.array([0]), np.ones(1), np.array([0, 1]), np.ones(1), 3)
    assert (documents[0, : sizes[0]].tolist(), scores[0, : sizes[0]].tolist()) == ([0, 1], [2.0, 2.0])


QUERIES = {"terms": np.array([0, 1, 1]), "weights": np.ones(3), "offsets": np.array([0, 2, 3]), "lengths": np.ones(2)}
WRONG_QUERIES = [
    ("terms", np.array([0, 1])),
    ("terms", np.array([0, 2, 1])),
    ("terms", np.array([0, -1, 1])),
    ("terms", np.array([0, 1, 1], np.int32)),
    ("weights", np.ones(2)),
    ("weights", np.array([1, np.nan, 1])),
    ("weights", np.array([1, -np.inf, 1])),
    ("offsets", np.array([0, 2])),
    ("offsets", np.array([0, 4, 3])),
    ("offsets", np.array([1, 2, 3])),
    ("offsets", np.array([], np.int64)),
    ("lengths", np.ones(3)),
    ("lengths", np.array([1, np.nan])),
]


@pytest.mark.parametrize(("name", "wrong"), WRONG_QUERIES)
def test_queries_that_do_not_fit(name: str, wrong: Any) -> None:
    postings, documents, ends = searching.Postings(**POSTINGS), np.array([0, 2]), np.array([0, 1, 2])
    postings.search(*QUERIES.values(), 2)
    postings.score(*QUERIES.values(), documents, ends)
    queries = (QUERIES | {name: wrong}).values()
    with pytest.raises((TypeError, ValueError)):
        postings.search(*queries, 2)
    with pytest.raises((TypeError, ValueError)):
        postings.score(*queries, documents, ends)


@pytest.mark.parametrize("depth", [-1, 4, 2**62])
def test_invalid_depths(depth: int) -> None:
    postings = searching.Postings(**POSTINGS)
    with pytest.raises(ValueError, match="depth must be at most the number of documents, 3"):
        postings.search(*QUERIES.values(), depth)
    with pytest.raises(ValueError, match="depth must be at most the number of documents, 3"):
        postings.score_all(QUERIES["terms"], QUERIES["weights"], 1.0, depth)
    with pytest.raises(ValueError, match="outside of 0 to 1"):
        postings.score_all(np.array([2]), np.ones(1), 1.0, 1)
    with pytest.raises(ValueError, match="an array of length 2"):
        postings.needs_all(np.array([0]), np.ones(2), 1)


@pytest.mark.parametrize(
    ("documents", "ends"),
    [
        (np.array([0, 3]), np.array([0, 1, 2])),
        (np.array([0, -1]), np.array([0, 1, 2])),
        (np.array([0, 2**40]), np.array([0, 1, 2])),
        (np.array([0, 1]), np.array([0, 2])),
        (np.array([0, 1]), np.array([0, 1, 3])),
        (np.array([0, 1], np.int32), np.array([0, 1, 2])),
    ],
)
def test_pairs_that_do_not_fit(documents: Any, ends: Any) -> None:
    with pytest.raises((TypeError, ValueError)):
        searching.Postings(**POSTINGS).score(*QUERIES.values(), documents, ends)


@pytest.mark.parametrize(
    ("terms", "starts", "documents", "n_documents"),
    [
        (np.array([2]), INDEX.starts, INDEX.documents, 3),
        (np.array([-1]), INDEX.starts, INDEX.documents, 3),
        (np.array([0]), INDEX.starts[:-1], INDEX.documents, 3),
        (np.array([0]), INDEX.starts, INDEX.documents, 1),
        (np.array([0]), INDEX.starts, np.array([0, -1, 1], np.int32), 3),
        (np.array([0]), INDEX.starts, INDEX.documents, -1),
        (np.array([0]), INDEX.starts, INDEX.documents, 2**63 - 1),
    ],
)
def test_tables_of_wrong_postings(terms: Any, starts: Any, documents: Any, n_documents: int) -> None:
    with pytest.raises((TypeError, ValueError, MemoryError)):
        common_terms.tables(terms, starts, documents, n_documents)


def test_documents_out_of_range() -> None:
    for document in (-1, 64):
        with pytest.raises(ValueError, match="outside of 0 to 63"):
            common_terms.places(np.array([document], np.int32), TABLES.bits[0], TABLES.before[0])
    with pytest.raises(ValueError, match="an array of length 0"):
        common_terms.places(np.array([0], np.int32), TABLES.bits[0], TABLES.before[0][:0])


def test_tokens_and_counts_that_do_not_fit() -> None:
    tokens, documents = np.array([0, 1], np.int32), np.array([0, 1], np.int32)
    index.invert(tokens, documents, 2)
    for wrong in [(tokens, documents, 1), (-tokens, documents, 2), (tokens, documents[:1], 2), (tokens, -documents, 2)]:
        with pytest.raises(ValueError, match=r"outside of|of length"):
            index.invert(*wrong)
    with pytest.raises(ValueError, match="number of terms"):
        index.invert(tokens[:0], documents[:0], -1)
    with pytest.raises(ValueError, match="of length 2"):
        index.count(np.array([0, 1]), np.array([0, 3]))
    counts, lengths = np.array([1, 2, 1], np.uint8), INDEX.lengths
    assert index.fits(INDEX.starts, INDEX.documents, counts, lengths)
    with pytest.raises(ValueError, match="offsets"):
        index.sum_counts(counts, np.array([0, 4]))
    with pytest.raises(TypeError):
        index.sum_counts(counts.astype(np.int64), INDEX.starts)
    with pytest.raises(ValueError, match="of length 2"):
        index.fits(INDEX.starts, INDEX.documents, counts[:2], lengths)
    with pytest.raises(ValueError, match="offsets"):
        index.fits(np.array([0, 2, 4]), INDEX.documents, counts, lengths)


@pytest.mark.parametrize(
    ("name", "wrong"),
    [
        ("documents", np.array([0, 3, 0], np.int32)),
        ("documents", np.array([1, 0, 0], np.int32)),
        ("documents", np.array([-1, 1, 0], np.int32)),
        ("counts", np.array([1, 0, 1], np.uint8)),
        ("counts", np.array([1, 3, 1], np.uint8)),
        ("counts", np.array([2**64 - 5, 2, 4], np.uint64)),  # which is -5, if it overflows
        ("lengths", np.array([2, 2, 1])),
        ("lengths", np.array([2])),
        ("lengths", np.array([2, 2, -1])),
    ],
)
def test_postings_that_contradict_document_lengths(name: str, wrong: Any) -> None:
    arrays = {"starts": INDEX.starts, "documents": INDEX.documents, "counts": INDEX.counts, "lengths": INDEX.lengths}
    assert index.fits(*arrays.values())
    assert not index.fits(*(arrays | {name: wrong}).values())
