"""From documents to features."""

from .pooling import pool
from .query_scaling import QueryMinMax, QueryPercentile
from .retrieval import BM25, FUNCTIONS, TFIDF, Cosine, Dirichlet, Function, JelinekMercer, Retriever
from .score_binner import Curve, ScoreBinner
from .text_index import Query, TextIndex

__all__ = [
    "BM25",
    "FUNCTIONS",
    "TFIDF",
    "Cosine",
    "Curve",
    "Dirichlet",
    "Function",
    "JelinekMercer",
    "Query",
    "QueryMinMax",
    "QueryPercentile",
    "Retriever",
    "ScoreBinner",
    "TextIndex",
    "pool",
]
