"""From documents to features."""

from .fusion import FUSIONS, comb_mnz, comb_sum, reciprocal_rank_fusion, scaled_scores
from .links import hostrank, pagerank, propagate
from .pooling import pool
from .query_scaling import QueryMinMax, QueryPercentile
from .retrieval import BM25, FUNCTIONS, TFIDF, Cosine, Dirichlet, Function, JelinekMercer, Retriever
from .score_binner import Curve, ScoreBinner
from .text_features import (
    ADARANK_FEATURES,
    LogBM25,
    LogCount,
    LogIdf,
    LogRarity,
    LogShare,
    LogShareIdf,
    LogShareRarity,
)
from .text_index import Query, TextIndex

__all__ = [
    "ADARANK_FEATURES",
    "BM25",
    "FUNCTIONS",
    "FUSIONS",
    "TFIDF",
    "Cosine",
    "Curve",
    "Dirichlet",
    "Function",
    "JelinekMercer",
    "LogBM25",
    "LogCount",
    "LogIdf",
    "LogRarity",
    "LogShare",
    "LogShareIdf",
    "LogShareRarity",
    "Query",
    "QueryMinMax",
    "QueryPercentile",
    "Retriever",
    "ScoreBinner",
    "TextIndex",
    "comb_mnz",
    "comb_sum",
    "hostrank",
    "pagerank",
    "pool",
    "propagate",
    "reciprocal_rank_fusion",
    "scaled_scores",
]
