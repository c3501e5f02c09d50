r"""Retrieval functions: scores of documents from term counts.

Each is a sum, over the terms t shared by query and document, of a query weight times a document weight (the *impact*), plus
a document score independent of the query:

.. math:: f(q, d) = \sum_{t \in q \cap d} w(t, q)\, i(t, d) + |q|\, p(d) + c(q)

The impacts :math:`i(t, d)` are computed once for all postings, so that scoring with any function is one pass over the
postings of the query's terms. In the formulas, tf is the count of t in d (qtf in q), \|d\| the length of d, N the number of
documents, df the number of documents that contain t, cf the number of occurrences of t in the collection, and \|C\| the
number of tokens in the collection.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, fields, is_dataclass
from typing import ClassVar

import numpy as np

from ..arrays import Floats, Ints
from ..data import InputError
from .index import Query, TextIndex


class Function(ABC):
    """A retrieval function; subclasses are small immutable values with their parameters."""

    name: ClassVar[str]

    @property
    def label(self) -> str:
        """The name, with the parameters that differ from their defaults: ``bm25(k1=2)``."""
        if not is_dataclass(self):
            return self.name
        mine = [(f.name, getattr(self, f.name), f.default) for f in fields(self)]
        changed = ", ".join(f"{name}={value}" for name, value, default in mine if value != default)
        return f"{self.name}({changed})" if changed else self.name

    @abstractmethod
    def impacts(self, index: TextIndex) -> Floats:
        """i(t, d) for each posting."""

    def term_weights(self, index: TextIndex, query: Query) -> Floats:
        """w(t, q) for each term of a query."""
        return query.counts

    def document_scores(self, index: TextIndex) -> Floats:
        """p(d) for each document."""
        return np.zeros(index.n_documents)

    def constant(self, index: TextIndex, query: Query) -> float:
        """c(q)."""
        return 0.0

    def transform(self, scores: Floats) -> Floats:
        """A monotone transformation of the sum; the identity by default."""
        return scores


def _check(function: Function, **valid: bool) -> None:
    """Raise an `InputError` for the first invalid parameter."""
    for name, is_valid in valid.items():
        if not is_valid:
            raise InputError(
                f"{name}={getattr(function, name)!r} is not valid for {type(function).__name__}; see its docstring"
            )


@dataclass(frozen=True)
class BM25(Function):
    r"""Okapi BM25 (Robertson et al. 1994).

    .. math:: \sum_t \mathrm{idf}(t)\, \frac{(k_1 + 1)\, tf}{tf + k_1 (1 - b + b |d|/\overline{|d|})}\,
              \frac{(k_3 + 1)\, qtf}{k_3 + qtf}

    Parameters
    ----------
    k1, b, k3 : float
        k1 and k3 at least 0, b from 0 to 1; the defaults are those of Indri.
    idf : {"robertson", "lucene"}
        :math:`\ln \frac{N - df + 0.5}{df + 0.5}`, with 0 for terms in more than half of the documents, where it would be
        negative; or with 1 added inside the logarithm, as in Lucene.
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
        return np.repeat(self._idf(index, df), df) * bm25_tf(index, self.k1, self.b)

    def term_weights(self, index: TextIndex, query: Query) -> Floats:
        return (self.k3 + 1) * query.counts / (self.k3 + query.counts)

    def score_counts(self, index: TextIndex, query: Query, counts: Floats, lengths: Floats) -> Floats:
        """Score documents by other counts of the query's terms (documents x terms) and other lengths than the index has.

        N, df and the mean length are taken from the index.
        """
        weights = self._idf(index, index.document_frequencies[query.terms]) * self.term_weights(index, query)
        norms = _bm25_norms(index, lengths, self.k1, self.b)[:, None]
        tf = np.divide((self.k1 + 1) * counts, counts + norms, out=np.zeros(counts.shape), where=counts > 0)
        return tf @ weights

    def _idf(self, index: TextIndex, df: Ints) -> Floats:
        odds = (index.n_documents - df + 0.5) / (df + 0.5)
        return np.log1p(odds) if self.idf == "lucene" else np.log(np.maximum(odds, 1.0))


@dataclass(frozen=True)
class TFIDF(Function):
    r"""TF-IDF as in Lemur and Indri (Zhai 2001): BM25's tf, and the idf :math:`\ln \frac{N + 1}{df + 0.5}` on both sides.

    .. math:: \sum_t \mathrm{idf}(t)^2\, \frac{(k_1 + 1)\, tf}{tf + k_1 (1 - b + b |d|/\overline{|d|})}\, qtf

    Parameters
    ----------
    k1, b : float
        k1 at least 0, b from 0 to 1.
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
    r"""Cosine similarity, with weights :math:`(1 + \ln tf) \ln(1 + N/df)` in query and document (Salton & Buckley 1988)."""

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
    r"""Query log-likelihood under the document's language model with Dirichlet smoothing (Zhai & Lafferty 2001).

    .. math:: \sum_t qtf\, \ln \frac{tf + \mu\, cf/|C|}{|d| + \mu}

    over all terms of the query that are in the index.

    Parameters
    ----------
    mu : float
        Above 0; 2500 as in Indri.
    """

    mu: float = 2500.0
    name: ClassVar[str] = "dirichlet"

    def __post_init__(self) -> None:
        _check(self, mu=self.mu > 0)

    def impacts(self, index: TextIndex) -> Floats:
        background = np.repeat(_background(index), index.document_frequencies)
        return np.log1p(index.counts / (self.mu * background))

    def document_scores(self, index: TextIndex) -> Floats:
        return -np.log(index.lengths + self.mu)

    def constant(self, index: TextIndex, query: Query) -> float:
        return float(np.sum(query.counts * np.log(self.mu * _background(index, query.terms))))


@dataclass(frozen=True)
class JelinekMercer(Function):
    r"""Query log-likelihood under the document's language model with Jelinek-Mercer smoothing (Zhai & Lafferty 2001).

    .. math:: \sum_t qtf\, \ln\left((1 - \lambda) \frac{tf}{|d|} + \lambda \frac{cf}{|C|}\right)

    Parameters
    ----------
    weight : float
        Lambda, the weight of the collection model, between 0 and 1; 0.4 as in Indri.
    """

    weight: float = 0.4
    name: ClassVar[str] = "jelinek-mercer"

    def __post_init__(self) -> None:
        _check(self, weight=0 < self.weight < 1)

    def impacts(self, index: TextIndex) -> Floats:
        background = np.repeat(_background(index), index.document_frequencies)
        within = index.counts / index.lengths[index.documents]
        return np.log1p((1 - self.weight) * within / (self.weight * background))

    def constant(self, index: TextIndex, query: Query) -> float:
        return float(np.sum(query.counts * np.log(self.weight * _background(index, query.terms))))


#: The five functions of Yue et al. (2007), with the parameters of Indri.
FUNCTIONS: tuple[Function, ...] = (Cosine(), TFIDF(), BM25(), Dirichlet(), JelinekMercer())


def bm25_tf(index: TextIndex, k1: float, b: float) -> Floats:
    """(k1 + 1) tf/(tf + k1 (1 - b + b |d|/mean |d|)) for each posting."""
    norms = _bm25_norms(index, index.lengths, k1, b)
    return (k1 + 1) * index.counts / (index.counts + norms[index.documents])


def _bm25_norms(index: TextIndex, lengths: Floats | Ints, k1: float, b: float) -> Floats:
    mean = index.n_tokens / max(index.n_documents, 1)
    return np.asarray(k1 * (1 - b + b * lengths / (mean or 1.0)), np.float64)


def _background(index: TextIndex, terms: Ints | slice = slice(None)) -> Floats:
    """cf/|C|, the probability of each term in the collection's language model."""
    return index.collection_frequencies[terms] / max(index.n_tokens, 1)
