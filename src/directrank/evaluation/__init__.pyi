from . import plots as plots
from .curves import (
    interpolated_precision as interpolated_precision,
    precision_recall_points as precision_recall_points,
    roc_points as roc_points,
)
from .detectable import smallest_detectable as smallest_detectable
from .evaluate import DEFAULT_MEASURES as DEFAULT_MEASURES, evaluate as evaluate, evaluate_run as evaluate_run
from .evaluation_result import Evaluation as Evaluation
from .feature_ranking import feature_scores as feature_scores
from .local_optimality import (
    LocalOptimality as LocalOptimality,
    local_optimality as local_optimality,
)
from .report import (
    Report as Report,
    compare_all as compare_all,
)
from .significance import (
    Comparison as Comparison,
    compare as compare,
    compare_values as compare_values,
)
from .trec_eval import (
    trec_eval_official as trec_eval_official,
)
