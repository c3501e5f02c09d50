"""Evaluating rankings."""

from .evaluate import DEFAULT_MEASURES, Evaluation, evaluate, evaluate_run

__all__ = ["DEFAULT_MEASURES", "Evaluation", "evaluate", "evaluate_run"]
