"""Turning scores and text into features: scaling within queries, binning, AdaRank's features of text and of the web."""

from .query_scalers import QueryMinMax, QueryPercentile
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
from .web_features import with_web_features

__all__ = [
    "ADARANK_FEATURES",
    "Curve",
    "LogBM25",
    "LogCount",
    "LogIdf",
    "LogRarity",
    "LogShare",
    "LogShareIdf",
    "LogShareRarity",
    "QueryMinMax",
    "QueryPercentile",
    "ScoreBinner",
    "with_web_features",
]
