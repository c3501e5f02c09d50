r"""Base retrieval functions: a score for each document, from counts of terms.

Each is a sum over the terms t that query and document share, of what the query has of it times what the document has of it,
and a part of the document's own:

.. math:: f(q, d) = \sum_{t \in q \cap d} w(t, q)\, i(t, d) + |q|\, p(d) + c(q)

so an index keeps :math:`i(t, d)` beside its postings, and any function is one pass over those of the query's terms.
With tf the count of t in d, \|d\| its length, N documents, df of them with t, cf occurrences of t among the \|C\| of all.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numba import njit, prange
from numpy.typing import NDArray

from ..arrays import Floats, Ints
from ..data import InputError, Run
from ..data.ranking_data import as_docno
from .index import Query, TextIndex

_BINS = 1024


class Function(ABC):
    """A retrieval function; subclasses are small immutable values with their parameters."""

    name: ClassVar[str]

    @property
    def label(self) -> str:
        """The name, and the parameters that are not the usual ones: ``bm25(k1=2)``."""
        if not is_dataclass(self):
            return self.name
        mine = [(f.name, getattr(self, f.name), f.default) for f in fields(self)]
        changed = ", ".join(f"{name}={value}" for name, value, usual in mine if value != usual)
        return f"{self.name}({changed})" if changed else self.name

    @abstractmethod
    def impacts(self, index: TextIndex) -> Floats:
        """i(t, d), for each posting."""

    def term_weights(self, index: TextIndex, query: Query) -> Floats:
        """w(t, q), for each term of a query."""
        return query.counts

    def document_part(self, index: TextIndex) -> Floats:
        """p(d), for each document."""
        return np.zeros(index.n_documents)

    def constant(self, index: TextIndex, query: Query) -> float:
        """c(q)."""
        return 0.0

    def finished(self, scores: Floats) -> Floats:
        """A rising function of the sum, for those that have one."""
        return scores


def _check(function: Function, **good: bool) -> None:
    """Refuse the first parameter that is not good."""
    for name, holds in good.items():
        if not holds:
            raise InputError(f"{name}={getattr(function, name)!r} is no parameter for {type(function).__name__}")


@dataclass(frozen=True)
class BM25(Function):
    r"""Okapi BM25 (Robertson et al. 1994).

    .. math:: \sum_t \mathrm{idf}(t)\, \frac{(k_1 + 1)\, tf}{tf + k_1 (1 - b + b |d|/\overline{|d|})}\,
              \frac{(k_3 + 1)\, qtf}{k_3 + qtf}

    Parameters
    ----------
    k1, b, k3 : float
        1.2, 0.75 and 7, as in Indri.
    idf : {"robertson", "lucene"}
        :math:`\ln \frac{N - df + 0.5}{df + 0.5}`, but not below 0, where more than half of the documents have the term; or
        the same plus 1 within the logarithm, as in Lucene.
    """

    k1: float = 1.2
    b: float = 0.75
    k3: float = 7.0
    idf: str = "robertson"
    name: ClassVar[str] = "bm25"

    def __post_init__(self) -> None:
        _check(self, k1=self.k1 >= 0, b=0 <= self.b <= 1, k3=self.k3 >= 0, idf=self.idf in ("robertson", "lucene"))

    def impacts(self, index: TextIndex) -> Floats:
        df = index.document_frequencies
        odds = (index.n_documents - df + 0.5) / (df + 0.5)
        idf = np.log1p(odds) if self.idf == "lucene" else np.log(np.maximum(odds, 1.0))
        return np.repeat(idf, df) * bm25_tf(index, self.k1, self.b)

    def term_weights(self, index: TextIndex, query: Query) -> Floats:
        return (self.k3 + 1) * query.counts / (self.k3 + query.counts)


@dataclass(frozen=True)
class TFIDF(Function):
    r"""TF-IDF as in Lemur and Indri (Zhai 2001): BM25's tf, and :math:`\ln \frac{N + 1}{df + 0.5}` for query and document.

    .. math:: \sum_t \mathrm{idf}(t)^2\, \frac{(k_1 + 1)\, tf}{tf + k_1 (1 - b + b |d|/\overline{|d|})}\, qtf

    Parameters
    ----------
    k1, b : float
    """

    k1: float = 1.2
    b: float = 0.75
    name: ClassVar[str] = "tfidf"

    def __post_init__(self) -> None:
        _check(self, k1=self.k1 >= 0, b=0 <= self.b <= 1)

    def impacts(self, index: TextIndex) -> Floats:
        df = index.document_frequencies
        return np.repeat(np.log((index.n_documents + 1) / (df + 0.5)) ** 2, df) * bm25_tf(index, self.k1, self.b)


@dataclass(frozen=True)
class Cosine(Function):
    r"""The cosine of query and document, with weights :math:`(1 + \ln tf) \ln(1 + N/df)` in both (Salton & Buckley 1988)."""

    name: ClassVar[str] = "cosine"

    def impacts(self, index: TextIndex) -> Floats:
        df = index.document_frequencies
        weights = (1 + np.log(index.counts, dtype=np.float64)) * np.repeat(self._idf(index, df), df)
        lengths = np.sqrt(np.bincount(index.documents, weights**2, minlength=index.n_documents))
        return weights / lengths[index.documents]

    def term_weights(self, index: TextIndex, query: Query) -> Floats:
        weights = (1 + np.log(query.counts)) * self._idf(index, index.document_frequencies[query.terms])
        return weights / (np.linalg.norm(weights) or 1.0)

    def _idf(self, index: TextIndex, df: Ints) -> Floats:
        return np.log1p(index.n_documents / df)


@dataclass(frozen=True)
class Dirichlet(Function):
    r"""The query's log-likelihood in a document's language model with Dirichlet smoothing (Zhai & Lafferty 2001).

    .. math:: \sum_t qtf\, \ln \frac{tf + \mu\, cf/|C|}{|d| + \mu}

    over all terms of the query that the index has.

    Parameters
    ----------
    mu : float
        2500, as in Indri.
    """

    mu: float = 2500.0
    name: ClassVar[str] = "dirichlet"

    def __post_init__(self) -> None:
        _check(self, mu=self.mu > 0)

    def impacts(self, index: TextIndex) -> Floats:
        share = index.collection_frequencies / max(index.n_tokens, 1)
        return np.log1p(index.counts / (self.mu * np.repeat(share, index.document_frequencies)))

    def document_part(self, index: TextIndex) -> Floats:
        return -np.log(index.lengths + self.mu)

    def constant(self, index: TextIndex, query: Query) -> float:
        share = index.collection_frequencies[query.terms] / max(index.n_tokens, 1)
        return float(np.sum(query.counts * np.log(self.mu * share)))


@dataclass(frozen=True)
class JelinekMercer(Function):
    r"""The query's log-likelihood with Jelinek-Mercer smoothing (Zhai & Lafferty 2001).

    .. math:: \sum_t qtf\, \ln\left((1 - \lambda) \frac{tf}{|d|} + \lambda \frac{cf}{|C|}\right)

    Parameters
    ----------
    weight : float
        Lambda, the weight of the collection: 0.4, as in Indri.
    """

    weight: float = 0.4
    name: ClassVar[str] = "jelinek-mercer"

    def __post_init__(self) -> None:
        _check(self, weight=0 < self.weight < 1)

    def impacts(self, index: TextIndex) -> Floats:
        share = np.repeat(index.collection_frequencies / max(index.n_tokens, 1), index.document_frequencies)
        within = index.counts / index.lengths[index.documents]
        return np.log1p((1 - self.weight) * within / (self.weight * share))

    def constant(self, index: TextIndex, query: Query) -> float:
        share = index.collection_frequencies[query.terms] / max(index.n_tokens, 1)
        return float(np.sum(query.counts * np.log(self.weight * share)))


#: The five functions of Yue et al. (2007), with Indri's parameters.
FUNCTIONS: tuple[Function, ...] = (Cosine(), TFIDF(), BM25(), Dirichlet(), JelinekMercer())


def bm25_tf(index: TextIndex, k1: float, b: float) -> Floats:
    """(k1 + 1) tf/(tf + k1 (1 - b + b |d|/mean |d|)), for each posting."""
    mean = index.n_tokens / max(index.n_documents, 1)
    norms = k1 * (1 - b + b * index.lengths / (mean or 1.0))
    return (k1 + 1) * index.counts / (index.counts + norms[index.documents])


class _Batch(NamedTuple):
    """Many queries as flat arrays: terms and their weights, where each query's start; lengths and constants."""

    terms: Ints
    weights: Floats
    offsets: Ints
    lengths: Floats
    constants: Floats


class Retriever:
    """A function at work on an index: what the postings are worth is computed once.

    Parameters
    ----------
    index : TextIndex
    function : Function

    Examples
    --------
    >>> index = TextIndex.build([("a", "a cat and a dog"), ("b", "two cats"), ("c", "a cow")], analyser="plain")
    >>> run = Retriever(index, BM25()).search({"q1": "dog and cat"}, depth=10)
    >>> run.docno.tolist()
    ['a']
    """

    def __init__(self, index: TextIndex, function: Function) -> None:
        self.index, self.function = index, function
        # In single precision: searching is as fast as memory gives out what the postings are worth.
        self.impacts, self.document_part = function.impacts(index).astype(np.float32), function.document_part(index)
        if not (np.all(np.isfinite(self.impacts)) and np.all(np.isfinite(self.document_part))):
            raise InputError(f"{function} gives values that are not finite; check its parameters")

    def scores(self, text: str) -> Floats:
        """The score of every document for a query."""
        n = self.index.n_documents
        return self.score_pairs([text], np.array([0, n]), np.arange(n))

    def search(self, queries: Mapping[str, str] | Iterable[tuple[str, str]], depth: int = 1000) -> Run:
        """The first documents of each query, among those that have one of its terms; ties in the order of the index."""
        pairs = list(queries.items() if isinstance(queries, Mapping) else queries)
        batch = self._batch([text for _, text in pairs])
        documents, scores, sizes = self._search(batch, depth)
        kept = np.arange(documents.shape[1]) < sizes[:, None]
        docnos = self.index.docno_array[documents[kept]]
        qids = np.repeat(as_docno([str(qid) for qid, _ in pairs], len(pairs)), sizes)
        return Run(qids, docnos, self.function.finished((scores + batch.constants[:, None])[kept]), self.function.name)

    def first(self, queries: Sequence[str | Query], depth: int) -> list[NDArray[np.int32]]:
        """The numbers of the first documents of each query."""
        documents, _, sizes = self._search(self._batch(queries), depth)
        return [row[:size] for row, size in zip(documents, sizes, strict=True)]

    def score_pairs(self, queries: Sequence[str | Query], offsets: Ints, documents: NDArray[Any]) -> Floats:
        """The scores of documents ``offsets[i]:offsets[i + 1]``, by their numbers, for query i."""
        batch, sizes = self._batch(queries), np.diff(offsets)
        scores = _score_pairs(
            batch.terms, batch.weights, batch.offsets, *self._postings(), offsets, documents, self.index.n_documents
        )
        own = np.repeat(batch.lengths, sizes) * self.document_part[documents]
        return self.function.finished(scores + own + np.repeat(batch.constants, sizes))

    def _search(self, batch: _Batch, depth: int) -> tuple[NDArray[np.int32], Floats, Ints]:
        if not (isinstance(depth, (int, np.integer)) and depth >= 1):
            raise InputError(f"depth must be a whole number from 1 up, not {depth!r}")
        return _search(
            batch.terms,
            batch.weights,
            batch.offsets,
            batch.lengths,
            *self._postings(),
            self.document_part,
            min(depth, self.index.n_documents),
        )

    def _batch(self, queries: Sequence[str | Query]) -> _Batch:
        analysed = iter(self.index.queries(query for query in queries if isinstance(query, str)))
        found = [next(analysed) if isinstance(query, str) else query for query in queries]
        weights = np.concatenate([np.empty(0), *(self.function.term_weights(self.index, query) for query in found)])
        if not np.all(np.isfinite(weights)):
            raise InputError(f"{self.function} gives terms weights that are not finite; check its parameters")
        return _Batch(
            np.concatenate([np.empty(0, np.int64), *(query.terms for query in found)]),
            weights,
            np.concatenate(([0], np.cumsum([query.terms.size for query in found], dtype=np.int64))),
            np.array([query.counts.sum() for query in found], np.float64),
            np.array([self.function.constant(self.index, query) for query in found], np.float64),
        )

    def _postings(self) -> tuple[Ints, NDArray[np.int32], NDArray[np.float32]]:
        return self.index.starts, self.index.documents, self.impacts


@njit(cache=True)
def _scores(terms, weights, starts, documents, impacts, n_documents):  # type: ignore[no-untyped-def]
    found = np.zeros(n_documents)
    for k in range(terms.size):
        for p in range(starts[terms[k]], starts[terms[k] + 1]):
            found[documents[p]] += weights[k] * impacts[p]
    return found


@njit(cache=True, parallel=True)
def _score_pairs(terms, weights, of_terms, starts, documents, impacts, offsets, wanted, n_documents):  # type: ignore[no-untyped-def]
    scores = np.empty(wanted.size)
    for q in prange(offsets.size - 1):
        mine = slice(of_terms[q], of_terms[q + 1])
        found = _scores(terms[mine], weights[mine], starts, documents, impacts, n_documents)
        for k in range(offsets[q], offsets[q + 1]):
            scores[k] = found[wanted[k]]
    return scores


@njit(cache=True, parallel=True)
def _search(terms, weights, offsets, lengths, starts, documents, impacts, document_part, depth):  # type: ignore[no-untyped-def]
    n = offsets.size - 1
    best, values, sizes = np.zeros((n, depth), np.int32), np.zeros((n, depth)), np.zeros(n, np.int64)
    for q in prange(n):
        mine = slice(offsets[q], offsets[q + 1])
        sizes[q] = _search_one(
            terms[mine], weights[mine], lengths[q], starts, documents, impacts, document_part, best[q], values[q]
        )
    return best, values, sizes


@njit(cache=True)
def _search_one(terms, weights, length, starts, documents, impacts, document_part, best, values):  # type: ignore[no-untyped-def]
    found = np.full(document_part.size, np.nan)  # NaN: has none of the terms
    for k in range(terms.size):
        for p in range(starts[terms[k]], starts[terms[k] + 1]):
            part, so_far = weights[k] * impacts[p], found[documents[p]]
            found[documents[p]] = part if np.isnan(so_far) else so_far + part
    n, low, high = 0, np.inf, -np.inf
    for d in range(found.size):
        if not np.isnan(found[d]):
            found[d] += length * document_part[d]
            n, low, high = n + 1, min(low, found[d]), max(high, found[d])
    near = _near_the_top(found, low, high, min(n, best.size))
    order = np.argsort(-found[near], kind="mergesort")[: best.size]  # stable: equal scores stay in the order of documents
    for k in range(order.size):
        best[k], values[k] = near[order[k]], found[near[order[k]]]
    return order.size


@njit(cache=True)
def _near_the_top(scores, low, high, depth):  # type: ignore[no-untyped-def]
    """Where the `depth` highest scores from `low` to `high` are, and few others, by counting: sorting all takes longer."""
    scale = (_BINS - 1) / (high - low) if high - low > 1e-300 else 0.0
    counts = np.zeros(_BINS, np.int64)
    for score in scores:
        if not np.isnan(score):
            counts[int((score - low) * scale)] += 1
    edge, n = _BINS, 0
    while n < depth:
        edge -= 1
        n += counts[edge]
    near = np.empty(n, np.int64)
    k = 0
    for i in range(scores.size):
        if k < n and not np.isnan(scores[i]) and int((scores[i] - low) * scale) >= edge:
            near[k] = i
            k += 1
    return near
