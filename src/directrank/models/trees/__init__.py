"""Sums of regression trees: one tree as checked arrays, the model, its scores, and LightGBM's text."""

from .tree import NAN, NO_MISSING, ZERO, LinearLeaves, Tree
from .trees_model import TreesModel

__all__ = ["NAN", "NO_MISSING", "ZERO", "LinearLeaves", "Tree", "TreesModel"]
