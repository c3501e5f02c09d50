"""Evaluating rankings, and comparing them."""

from .evaluate import DEFAULT_MEASURES, Evaluation, evaluate, evaluate_run
from .local_optimality import LocalOptimality, local_optimality
from .report import Report, compare_all
from .significance import Comparison, compare, compare_values

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
    "local_optimality",
]
