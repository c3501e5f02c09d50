"""Indexing and searching text against bm25s, all base functions against one, and memory of an index."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import bm25s
import numpy as np
import Stemmer

from directrank import get_num_threads
from directrank.datasets import docstrings
from directrank.retrieval import BM25, FUNCTIONS, Retriever, TextIndex, pool

from .timing import Result, at_most, best_cpu_of, best_of, faster

DOCUMENTS, QUERIES, DEPTHS = 100_000, 1000, (10, 1000)

#: Maximum seconds per query.
LATENCY = 0.3e-3


def run() -> list[Result]:
    collection = docstrings()
    documents = _repeated(list(collection.documents.items()))
    names, texts = np.array([docno for docno, _ in documents]), [text for _, text in documents]
    queries = dict(list(collection.queries.items())[:QUERIES])
    index, our_indexing = _timed(lambda: TextIndex.build(documents, "porter"))
    peer, their_indexing = _timed(lambda: _peer(texts))
    retriever = Retriever(index, BM25())
    return [
        faster(f"index {DOCUMENTS:,} docstrings, bm25s with numba", our_indexing, their_indexing, 1),
        *_search("docstrings", retriever, peer, list(queries.values())),
        _named(retriever, peer, queries, names),
        _latency(retriever, list(queries.values())),
        _memory(index, retriever, peer),
        *_random_words(2000, 5),
        *_random_words(200, 10),
        _pooling(documents, collection.queries),
    ]


def _search(collection: str, retriever: Retriever, peer: Any, queries: list[str]) -> list[Result]:
    """CPU time from query texts and from query terms to document numbers, and wall time from texts."""
    our_terms, their_terms = retriever.index.queries(queries), bm25s.tokenize(queries, **_SPLIT)
    results = []
    for depth in DEPTHS:
        _retrieve(peer, bm25s.tokenize(queries[:2], **_SPLIT), depth)  # bm25s compiles at first use
        ours, theirs, our_terms_time, their_terms_time = best_cpu_of(
            5,
            lambda depth=depth: retriever.top(queries, depth),
            lambda depth=depth: _retrieve(peer, bm25s.tokenize(queries, **_SPLIT), depth),
            lambda depth=depth: retriever.top(our_terms, depth),
            lambda depth=depth: _retrieve(peer, their_terms, depth),
        )
        our_wall = best_of(3, lambda depth=depth: retriever.top(queries, depth))
        their_wall = best_of(3, lambda depth=depth: _retrieve(peer, bm25s.tokenize(queries, **_SPLIT), depth))
        what = f"BM25 top {depth:,} of {DOCUMENTS:,} {collection}, {QUERIES:,} queries, bm25s"
        results += [
            faster(f"{what}, CPU time", ours, theirs, 1),
            faster(f"{what}, CPU time, queries as terms", our_terms_time, their_terms_time, 1),
            faster(what, our_wall, their_wall, 1),
        ]
    return results


def _named(retriever: Retriever, peer: Any, queries: dict[str, str], names: Any) -> Result:
    """A run with the names of queries and documents."""
    qids, texts, depth = np.array(list(queries)), list(queries.values()), max(DEPTHS)
    ours, theirs = best_cpu_of(
        3,
        lambda: retriever.search(queries, depth),
        lambda: (np.repeat(qids, depth), _retrieve(peer, bm25s.tokenize(texts, **_SPLIT), depth, names)),
    )
    return faster(f"the same at {depth:,}, a run with names", ours, theirs, 1)


def _latency(retriever: Retriever, queries: list[str]) -> Result:
    """Median over single queries."""
    depth = min(DEPTHS)
    retriever.top(queries[:1], depth)  # builds the tables of common terms
    median = float(np.median([best_of(1, lambda query=query: retriever.top([query], depth)) for query in queries]))
    required = f"at most {1e3 * LATENCY:g} ms"
    return Result(f"one query, top {depth}, median", f"{1e3 * median:.2f} ms", "", "", required, median <= LATENCY)


def _random_words(n_words: int, query_length: int) -> list[Result]:
    """Equally common words: no term can be deferred, so all postings are read."""
    random = np.random.default_rng(0)
    texts = _texts(random, n_words, random.integers(20, 80, DOCUMENTS))
    queries = _texts(random, n_words, np.full(QUERIES, query_length))
    retriever = Retriever(TextIndex.build(enumerate(texts), "porter"), BM25())
    collection = f"texts of {n_words:,} random words, {query_length} per query"
    return _search(collection, retriever, _peer(texts), queries)


def _texts(random: np.random.Generator, n_words: int, lengths: Any) -> list[str]:
    words = np.array([f"w{word}" for word in range(n_words)])
    drawn = words[random.integers(0, n_words, lengths.sum())]
    return [" ".join(text) for text in np.split(drawn, np.cumsum(lengths)[:-1])]


def _repeated(documents: list[tuple[str, str]]) -> list[tuple[str, str]]:
    found = (documents[i % len(documents)] for i in range(DOCUMENTS))
    return [(f"{docno}#{i // len(documents)}", text) for i, (docno, text) in enumerate(found)]


def _peer(texts: list[str]) -> Any:
    """bm25s with our words and stems."""
    tokens = bm25s.tokenize(texts, **_SPLIT)
    peer = bm25s.BM25(method="robertson", backend="numba")
    peer.index(tokens, show_progress=False)
    return peer


_SPLIT: dict[str, Any] = {
    "token_pattern": r"\w+",
    "stopwords": None,
    "stemmer": Stemmer.Stemmer("porter"),
    "show_progress": False,
}


def _retrieve(peer: Any, tokens: Any, depth: int, names: Any = None) -> Any:
    return peer.retrieve(tokens, corpus=names, k=depth, show_progress=False, n_threads=get_num_threads())


def _timed(job: Callable[[], Any]) -> tuple[Any, float]:
    start = time.perf_counter()
    return job(), time.perf_counter() - start


def _memory(index: TextIndex, retriever: Retriever, peer: Any) -> Result:
    """Memory for searching by BM25, against the arrays of bm25s, which hold its scores only."""
    ours = sum(a.nbytes for a in (index.starts, index.documents, index.counts, index.lengths, retriever.impacts))
    ours += sum(a.nbytes for a in index.common_terms) + 2 * 4 * index.n_terms  # with the bounds of each term's impacts
    ours += sum(a.nbytes for a in (index.terms.blob, index.terms.ends, index.docnos.blob, index.docnos.ends))
    theirs = sum(np.asarray(peer.scores[part]).nbytes for part in ("data", "indices", "indptr"))
    ratio = ours / theirs
    sizes = (f"{ours / 2**20:.0f} MiB", f"{theirs / 2**20:.0f} MiB")
    return Result("memory of an index and BM25, bm25s", *sizes, f"{ratio:.2f} x", "at most 1.5 x", ratio <= 1.5)


def _pooling(documents: list[tuple[str, str]], queries: dict[str, str]) -> Result:
    indexes = TextIndex.build_all(documents[:20_000])
    sample = dict(list(queries.items())[:500])
    one = best_of(2, lambda: pool(indexes[1:2], sample, functions=[BM25()]))
    every = best_of(2, lambda: pool(indexes, sample))
    name = f"pool of {len(indexes) * len(FUNCTIONS)} base functions, 20,000 documents, 500 queries"
    return at_most(name, every, one, "BM25 alone", 20)
