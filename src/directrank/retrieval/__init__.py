"""From text and links to scores: indices, retrieval functions, pooling, PageRank."""

from .functions import BM25, FUNCTIONS, TFIDF, Cosine, Dirichlet, Function, JelinekMercer, Retriever
from .index import Query, TextIndex
from .links import hostrank, pagerank, propagate
from .pooling import pool

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
