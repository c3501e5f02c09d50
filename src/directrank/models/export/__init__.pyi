from .elasticsearch import (
    elasticsearch_features as elasticsearch_features,
    to_elasticsearch as to_elasticsearch,
)
from .elasticsearch_ltr import (
    elasticsearch_ltr_features as elasticsearch_ltr_features,
    to_elasticsearch_ltr as to_elasticsearch_ltr,
    to_opensearch_ltr as to_opensearch_ltr,
)
from .exported_model import (
    Exported as Exported,
    as_portable as as_portable,
)
from .lightgbm import (
    to_lightgbm as to_lightgbm,
)
from .model_parts import (
    PARTS as PARTS,
    model_part as model_part,
)
from .onnx import (
    to_onnx as to_onnx,
)
from .python import (
    to_python as to_python,
)
from .ranklib import (
    to_ranklib as to_ranklib,
)
from .score_agreement import (
    Agreement as Agreement,
    agreement as agreement,
    score_lower_bound as score_lower_bound,
)
from .solr import (
    solr_features as solr_features,
    to_solr as to_solr,
)
from .sql import (
    to_sql as to_sql,
)
from .targets import (
    TARGETS as TARGETS,
    Target as Target,
)
from .treelite import (
    to_treelite as to_treelite,
)
from .vespa import (
    to_vespa as to_vespa,
    vespa_features as vespa_features,
)
from .xgboost import (
    to_xgboost as to_xgboost,
)
