"""Indexing text and searching it, against bm25s; all base functions against one; memory of an index."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import bm25s
import numba
import numpy as np
import Stemmer

from directrank.datasets import docstrings
from directrank.retrieval import BM25, FUNCTIONS, Retriever, TextIndex, pool

from .timing import Result, at_most, best_of, faster

DOCUMENTS, DEPTH = 100_000, 1000


def run() -> list[Result]:
    collection = docstrings()
    documents = _repeated(list(collection.documents.items()))
    names, texts = np.array([docno for docno, _ in documents]), [text for _, text in documents]
    queries = list(collection.queries.values())
    TextIndex.build(documents[:100])  # compiles
    index, our_indexing = _timed(lambda: TextIndex.build(documents, "porter"))
    peer, their_indexing = _timed(lambda: _peer(texts))

    retriever = Retriever(index, BM25())
    retriever.first(queries[:2], DEPTH)
    _retrieve(peer, queries[:2], None)
    ours, theirs = best_of(3, lambda: retriever.first(queries, DEPTH)), best_of(3, lambda: _retrieve(peer, queries, None))
    named = best_of(3, lambda: retriever.search(collection.queries, DEPTH))
    qids = np.array(list(collection.queries))
    their_named = best_of(3, lambda: (np.repeat(qids, DEPTH), _retrieve(peer, queries, names)))
    what = f"BM25 top {DEPTH:,} of {DOCUMENTS:,} documents, {len(queries):,} queries"
    return [
        faster(f"index {DOCUMENTS:,} docstrings, bm25s with numba", our_indexing, their_indexing, 1),
        faster(f"{what}, numbers of documents, bm25s", ours, theirs, 1),
        faster(f"{what}, a run with names, bm25s", named, their_named, 1),
        _memory(index, retriever, peer),
        _pooling(documents, collection.queries),
    ]


def _repeated(documents: list[tuple[str, str]]) -> list[tuple[str, str]]:
    found = (documents[i % len(documents)] for i in range(DOCUMENTS))
    return [(f"{docno}#{i // len(documents)}", text) for i, (docno, text) in enumerate(found)]


def _peer(texts: list[str]) -> Any:
    """bm25s with the same words and stems as ours."""
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


def _retrieve(peer: Any, queries: list[str], names: Any) -> Any:
    tokens = bm25s.tokenize(queries, **_SPLIT)
    return peer.retrieve(tokens, corpus=names, k=DEPTH, show_progress=False, n_threads=numba.get_num_threads())


def _timed(job: Callable[[], Any]) -> tuple[Any, float]:
    start = time.perf_counter()
    return job(), time.perf_counter() - start


def _memory(index: TextIndex, retriever: Retriever, peer: Any) -> Result:
    """What is in memory to search by BM25, against the arrays of bm25s, which have its scores and nothing else."""
    ours = sum(a.nbytes for a in (index.starts, index.documents, index.counts, index.lengths, retriever.impacts))
    ours += sum(a.nbytes for a in (index.terms.blob, index.terms.ends, index.docnos.blob, index.docnos.ends))
    theirs = sum(np.asarray(peer.scores[part]).nbytes for part in ("data", "indices", "indptr"))
    ratio = ours / theirs
    sizes = (f"{ours / 2**20:.0f} MiB", f"{theirs / 2**20:.0f} MiB")
    return Result("memory of an index and BM25, bm25s", *sizes, f"{ratio:.2f} x", "at most 1.5 x", ratio <= 1.5)


def _pooling(documents: list[tuple[str, str]], queries: dict[str, str]) -> Result:
    indices = TextIndex.build_all(documents[:20_000])
    some = dict(list(queries.items())[:500])
    one = best_of(2, lambda: pool(indices[1:2], some, functions=[BM25()]))
    every = best_of(2, lambda: pool(indices, some))
    name = f"pool of {len(indices) * len(FUNCTIONS)} base functions, 20,000 documents, 500 queries"
    return at_most(name, every, one, "BM25 alone", 20)
