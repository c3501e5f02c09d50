"""Evaluating rankings, and comparing them."""

from typing import TYPE_CHECKING

from ..lazy import lazily
from .evaluate import DEFAULT_MEASURES, Evaluation, evaluate, evaluate_run
from .local_optimality import LocalOptimality, local_optimality

if TYPE_CHECKING:
    from .curves import interpolated_precision, precision_recall_points, roc_points
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

__getattr__, __dir__ = lazily(
    __name__,
    {
        "curves": ["interpolated_precision", "precision_recall_points", "roc_points"],
        "report": ["Report", "compare_all"],
        "significance": ["Comparison", "compare", "compare_values"],
        "trec_eval": ["trec_eval_official"],
    },
)
