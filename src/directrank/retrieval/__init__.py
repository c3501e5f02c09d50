"""Turning text and links into scores: indexes, retrieval functions, pooling, PageRank."""

from .functions import BM25, FUNCTIONS, TFIDF, Cosine, Dirichlet, Function, JelinekMercer
from .index import Query, TextIndex
from .links import hostrank, pagerank, propagate
from .pooling import pool
from .retriever import Retriever

__all__ = [
    "BM25",
    "FUNCTIONS",
    "TFIDF",
    "Cosine",
    "Dirichlet",
    "Function",
    "JelinekMercer",
    "Query",
    "Retriever",
    "TextIndex",
    "hostrank",
    "pagerank",
    "pool",
    "propagate",
]
