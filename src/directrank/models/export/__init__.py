"""Models in the formats of other engines: a file for each, one walker over trees, one rule for what a threshold becomes."""

from .elasticsearch import elasticsearch_features, to_elasticsearch
from .elasticsearch_ltr import elasticsearch_ltr_features, to_elasticsearch_ltr, to_opensearch_ltr
from .exported_model import Exported, portable_of
from .lightgbm import to_lightgbm
from .onnx import to_onnx
from .python import to_python
from .ranklib import to_ranklib
from .score_agreement import Agreement, agreement, lowest_score_of
from .solr import solr_features, to_solr
from .sql import to_sql
from .targets import TARGETS, Target
from .treelite import to_treelite
from .vespa import to_vespa, vespa_features
from .xgboost import to_xgboost

__all__ = [
    "TARGETS",
    "Agreement",
    "Exported",
    "Target",
    "agreement",
    "elasticsearch_features",
    "elasticsearch_ltr_features",
    "lowest_score_of",
    "portable_of",
    "solr_features",
    "to_elasticsearch",
    "to_elasticsearch_ltr",
    "to_lightgbm",
    "to_onnx",
    "to_opensearch_ltr",
    "to_python",
    "to_ranklib",
    "to_solr",
    "to_sql",
    "to_treelite",
    "to_vespa",
    "to_xgboost",
    "vespa_features",
]
