"""Scores of exported models by the rules of each search engine's source code, in slow and obvious code.

Nothing here knows how the texts are written. A text that the engine would refuse, or on which its versions disagree,
raises `Refused`. A row maps the names of features to float32 values; a value that is None or NaN, or a name that is left
out, is a missing value. Scores are computed in float32 where the engine has floats and in float64 where it has doubles.
The files of source code that a docstring names are those of the engine.
"""

from __future__ import annotations

from .elasticsearch_ltr import elasticsearch_ltr, elasticsearch_ltr_sum
from .elasticsearch_ltr_features import elasticsearch_ltr_features
from .elasticsearch_native import elasticsearch_native
from .lucene_expression import lucene_expression
from .ranklib import ranklib
from .solr import solr
from .solr_features import filled_in, solr_features
from .strict import Refused
from .vespa_expression import vespa_expression
from .vespa_lightgbm import vespa_lightgbm
from .vespa_profile import vespa_profile

__all__ = [
    "Refused",
    "elasticsearch_ltr",
    "elasticsearch_ltr_features",
    "elasticsearch_ltr_sum",
    "elasticsearch_native",
    "filled_in",
    "lucene_expression",
    "ranklib",
    "solr",
    "solr_features",
    "vespa_expression",
    "vespa_lightgbm",
    "vespa_profile",
]
