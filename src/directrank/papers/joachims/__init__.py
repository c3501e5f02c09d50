"""Joachims (2005): SVMs for multivariate performance measures."""

from .figure import EXPERIMENT as FIGURE_1
from .tables import EXPERIMENT as TABLE_1

EXPERIMENTS = [TABLE_1, FIGURE_1]

__all__ = ["EXPERIMENTS"]
