"""Evaluating rankings, and comparing them."""

from .curves import interpolated_precision, precision_recall_points, roc_points
from .evaluate import DEFAULT_MEASURES, Evaluation, evaluate, evaluate_run
from .local_optimality import LocalOptimality, local_optimality
from .report import Report, compare_all
from .significance import Comparison, compare, compare_values
from .trec_eval import trec_eval_official

__all__ = [
    "DEFAULT_MEASURES",
    "Comparison",
    "Evaluation",
    "LocalOptimality",
    "Report",
    "compare",
    "compare_all",
    "compare_values",
    "evaluate",
    "evaluate_run",
    "interpolated_precision",
    "local_optimality",
    "precision_recall_points",
    "roc_points",
    "trec_eval_official",
]
