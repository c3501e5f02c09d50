"""What the experiments run on: queries with the documents to be ranked, their features, and BM25 with its parameters."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ...arrays import Floats
from ...data import RankingData
from ...measures import AP
from ...retrieval import BM25


@dataclass(frozen=True, eq=False)
class Collection:
    """Queries with the documents to be ranked.

    Attributes
    ----------
    data : RankingData
        All that is ranked, with grades; not necessarily with all features.
    bm25 : callable
        From a BM25 to the scores of all documents.
    features : callable
        From a BM25 to the data with all features.
    settings : tuple of BM25
        Those that are tried.
    sizes : dict
        What there is in all, by name: documents, links.
    relevant : float
        The lowest grade that is relevant to MAP: OHSUMED's "definitely relevant".
    remarks : tuple of str
        What a reader must know of this data.
    about_bm25 : str
        What a reader must know of BM25, where it cannot be tuned.
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
