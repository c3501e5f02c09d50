"""Turning text and links into scores: indexes, retrieval functions, pooling, PageRank."""

from .analysis import Analyser, porter
from .functions import BM25, FUNCTIONS, TFIDF, Cosine, Dirichlet, Function, JelinekMercer
from .index import Query, TextIndex
from .link_analysis import hostrank, pagerank, propagate
from .pooling import pool
from .retriever import Retriever
from .sitemaps import Sitemap, propagate_up, sitemap

__all__ = [
    "BM25",
    "FUNCTIONS",
    "TFIDF",
    "Analyser",
    "Cosine",
    "Dirichlet",
    "Function",
    "JelinekMercer",
    "Query",
    "Retriever",
    "Sitemap",
    "TextIndex",
    "hostrank",
    "pagerank",
    "pool",
    "porter",
    "propagate",
    "propagate_up",
    "sitemap",
]
