"""Features of docstrings for queries, as a search engine logs them: unscaled, and missing where nothing matched."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from itertools import chain, pairwise
from typing import NamedTuple

import numpy as np

from ..arrays import Floats, Ints
from ..data import RankingData
from ..retrieval import BM25, TFIDF, Cosine, Dirichlet, Function, Query, Retriever, TextIndex
from ..retrieval.analysis import words
from .docstring_collection import section_of

#: Decimals of scores, few enough to be the same on machines whose last bits differ.
DECIMALS = 4

_IDENTIFIER = re.compile(r"[A-Za-z_]\w*")


class Document(NamedTuple):
    """A docstring: the words of the name it belongs to, and its text without the summary and the "See Also" section."""

    title: str
    text: str


class MatchedTerms(Function):
    """The number of distinct terms of the query that the document has."""

    name = "matched-terms"

    def impacts(self, index: TextIndex) -> Floats:
        return np.ones(index.documents.size)

    def term_weights(self, index: TextIndex, query: Query) -> Floats:
        return np.ones(query.terms.size)


#: As in Elasticsearch and Solr, so that every document that matches has a score above 0.
ENGINE_BM25 = BM25(idf="lucene")

#: Scores of documents for queries: a function on a field. Where nothing matched, the score is missing.
SCORES: dict[str, tuple[Function, str]] = {
    "bm25_title": (ENGINE_BM25, "title"),
    "bm25_body": (ENGINE_BM25, "body"),
    "bm25_exact": (ENGINE_BM25, "exact"),
    "bm25_pairs": (ENGINE_BM25, "pairs"),
    "bm25_parameters": (ENGINE_BM25, "parameters"),
    "bm25_notes": (ENGINE_BM25, "notes"),
    "bm25_examples": (ENGINE_BM25, "examples"),
    "tfidf_body": (TFIDF(), "body"),
    "cosine_body": (Cosine(), "body"),
}

#: Scores that every document has.
OTHER_SCORES: dict[str, tuple[Function, str]] = {
    "dirichlet_body": (Dirichlet(), "body"),
    "matched_terms": (MatchedTerms(), "body"),
}

#: Properties of documents, whole numbers.
PROPERTIES = ("title_words", "body_length", "n_examples", "mentions")

FEATURES = (*SCORES, *OTHER_SCORES, *PROPERTIES)


def index_fields(documents: Mapping[str, Document]) -> dict[str, TextIndex]:
    """An index of each field without stop words, stemmed; "exact" has the words of the body, "pairs" two by two."""
    texts = {
        "title": {docno: document.title for docno, document in documents.items()},
        "body": {docno: document.text for docno, document in documents.items()},
        **{
            name.lower(): {docno: section_of(document.text, name) for docno, document in documents.items()}
            for name in ("Parameters", "Notes", "Examples")
        },
    }
    indexes = {field: TextIndex.build(fields.items()) for field, fields in texts.items()}
    exact, pairs = (TextIndex.build(texts["body"].items(), analyser) for analyser in ("plain", word_pairs))
    return {**indexes, "exact": exact, "pairs": pairs}


def word_pairs(text: str) -> list[str]:
    """The pairs of adjacent words of a text, as a search engine's shingles."""
    return [f"{first} {second}" for first, second in pairwise(words(text))]


def docstring_features(documents: Mapping[str, Document], queries: Mapping[str, str], found: RankingData) -> RankingData:
    """Data whose features are `FEATURES`, of documents that were found for queries, with the rows of a query together."""
    assert found.qid is not None and found.docno is not None
    indexes = index_fields(documents)
    starts = np.flatnonzero(np.append(True, found.qid[1:] != found.qid[:-1]))
    offsets, texts = np.append(starts, len(found)), [queries[str(qid)] for qid in found.qid[starts]]
    row_of = {docno: row for row, docno in enumerate(documents)}
    rows = np.array([row_of[str(docno)] for docno in found.docno], np.int64)
    columns = [_scores(indexes[field], function, texts, offsets, rows) for function, field in SCORES.values()]
    columns = [np.where(column > 0, column, np.nan) for column in columns]
    columns += [_scores(indexes[field], function, texts, offsets, rows) for function, field in OTHER_SCORES.values()]
    X = np.column_stack([*columns, _properties(documents)[rows]])
    return RankingData(X, found.y, found.qid, found.docno, list(FEATURES))


def _scores(index: TextIndex, function: Function, texts: list[str], offsets: Ints, rows: Ints) -> Floats:
    return np.round(Retriever(index, function).score_pairs(texts, offsets, rows), DECIMALS)


def _properties(documents: Mapping[str, Document]) -> Floats:
    """The `PROPERTIES` of each document: words, characters, lines of examples, and documents that use its last name."""
    used = Counter(chain.from_iterable(set(_IDENTIFIER.findall(document.text)) for document in documents.values()))
    return np.array(
        [
            (len(title.split()), len(text), text.count(">>> "), used[docno.rsplit(".", 1)[-1]])
            for docno, (title, text) in documents.items()
        ],
        np.float64,
    )
