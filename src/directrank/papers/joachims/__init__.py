"""Joachims (2005): SVMs for multivariate performance measures."""

from .figure1 import EXPERIMENT as FIGURE_1
from .table1 import EXPERIMENT as TABLE_1

EXPERIMENTS = [TABLE_1, FIGURE_1]

__all__ = ["EXPERIMENTS"]
