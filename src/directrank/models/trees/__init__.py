"""Regression trees: validated arrays, models, scoring, and LightGBM's text format."""

from .tree import NAN, NO_MISSING, ZERO, LinearLeaves, Tree
from .trees_model import TreesModel

__all__ = ["NAN", "NO_MISSING", "ZERO", "LinearLeaves", "Tree", "TreesModel"]
