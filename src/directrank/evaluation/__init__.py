"""Evaluating rankings, and comparing them."""

from .evaluate import DEFAULT_MEASURES, Evaluation, evaluate, evaluate_run
from .significance import Comparison, compare, compare_values

__all__ = ["DEFAULT_MEASURES", "Comparison", "Evaluation", "compare", "compare_values", "evaluate", "evaluate_run"]
