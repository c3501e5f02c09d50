"""Collections: queries with candidate documents, their features, and BM25 with its parameters."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ...arrays import Floats
from ...data import RankingData
from ...measures import AP
from ...retrieval import BM25


@dataclass(frozen=True, eq=False)
class Collection:
    """Queries with candidate documents.

    Attributes
    ----------
    data : RankingData
        Candidate documents with grades; not necessarily with all features.
    bm25 : callable
        Takes a BM25 and returns the scores of all documents.
    features : callable
        Takes a BM25 and returns the data with all features.
    settings : tuple of BM25
        Parameters of BM25 to try.
    sizes : dict
        Numbers of documents and links in the whole collection.
    relevant : float
        Lowest grade that counts as relevant in MAP, such as OHSUMED's "definitely relevant".
    remarks : tuple of str
        Remarks on the data.
    about_bm25 : str
        Remark on BM25 if it cannot be tuned.
    """

    data: RankingData
    bm25: Callable[[BM25], Floats]
    features: Callable[[BM25], RankingData]
    settings: tuple[BM25, ...]
    sizes: dict[str, int]
    relevant: float
    remarks: tuple[str, ...] = ()
    about_bm25: str = ""

    @property
    def average_precision(self) -> AP:
        return AP(rel=self.relevant)
