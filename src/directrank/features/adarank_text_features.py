r"""The seven text features of AdaRank (Xu & Li 2007, Table 2), as retrieval functions.

Each is a sum over the distinct terms that query and document share. In the formulas, c is the count of the term in the
document, \|d\| the length of the document, cf the count of the term in the collection, \|C\| the length of the collection,
and idf = N/df, for N documents of which df contain the term.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from ..arrays import Floats, Ints
from ..retrieval.functions import BM25, Function
from ..retrieval.index import Counts, Query, TextIndex


class PostingStatistics(NamedTuple):
    """Statistics of the term and the document of each posting."""

    c: Counts
    length: Ints
    cf: Ints
    idf: Floats
    collection: int


class _SharedTerms(Function):
    """A sum over the distinct terms that query and document share."""

    def impacts(self, index: TextIndex) -> Floats:
        df = index.document_frequencies
        cf, idf = np.repeat(index.collection_frequencies, df), np.repeat(index.n_documents / df, df)
        return self.posting_weights(PostingStatistics(index.counts, index.lengths[index.documents], cf, idf, index.n_tokens))

    def term_weights(self, index: TextIndex, query: Query) -> Floats:
        return np.ones(query.terms.size)

    @abstractmethod
    def posting_weights(self, p: PostingStatistics) -> Floats:
        """The contribution of each posting to the sum."""


@dataclass(frozen=True)
class LogCount(_SharedTerms):
    r""":math:`\sum \ln(c + 1)`"""

    name: ClassVar[str] = "ln(c+1)"

    def posting_weights(self, p: PostingStatistics) -> Floats:
        return np.log1p(p.c, dtype=np.float64)


@dataclass(frozen=True)
class LogRarity(_SharedTerms):
    r""":math:`\sum \ln(|C|/cf + 1)`"""

    name: ClassVar[str] = "ln(|C|/cf+1)"

    def posting_weights(self, p: PostingStatistics) -> Floats:
        return np.log1p(p.collection / p.cf)


@dataclass(frozen=True)
class LogIdf(_SharedTerms):
    r""":math:`\sum \ln(\mathrm{idf})`"""

    name: ClassVar[str] = "ln(idf)"

    def posting_weights(self, p: PostingStatistics) -> Floats:
        return np.log(p.idf)


@dataclass(frozen=True)
class LogShare(_SharedTerms):
    r""":math:`\sum \ln(c/|d| + 1)`"""

    name: ClassVar[str] = "ln(c/|d|+1)"

    def posting_weights(self, p: PostingStatistics) -> Floats:
        return np.log1p(p.c / p.length)


@dataclass(frozen=True)
class LogShareIdf(_SharedTerms):
    r""":math:`\sum \ln(c/|d| \cdot \mathrm{idf} + 1)`"""

    name: ClassVar[str] = "ln(c/|d|*idf+1)"

    def posting_weights(self, p: PostingStatistics) -> Floats:
        return np.log1p(p.c / p.length * p.idf)


@dataclass(frozen=True)
class LogShareRarity(_SharedTerms):
    r""":math:`\sum \ln\left(\frac{c\,|C|}{|d|\,cf} + 1\right)`"""

    name: ClassVar[str] = "ln(c|C|/(|d|cf)+1)"

    def posting_weights(self, p: PostingStatistics) -> Floats:
        return np.log1p(p.c / p.length * (p.collection / p.cf))


@dataclass(frozen=True)
class LogBM25(BM25):
    r""":math:`\ln(\mathrm{BM25})`, with BM25's parameters.

    Parameters
    ----------
    floor : float
        Lower bound on BM25, which is 0 for a document that shares no term with the query.
    """

    floor: float = 1e-3
    name: ClassVar[str] = "ln(bm25)"

    def transform(self, scores: Floats) -> Floats:
        return np.log(np.maximum(scores, self.floor))


#: The features of Table 2 of Xu & Li (2007), in order.
ADARANK_FEATURES: tuple[Function, ...] = (
    LogCount(),
    LogRarity(),
    LogIdf(),
    LogShare(),
    LogShareIdf(),
    LogShareRarity(),
    LogBM25(),
)
