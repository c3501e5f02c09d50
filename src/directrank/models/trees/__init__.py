"""Sums of regression trees: one tree as checked arrays, the model, its scores, and LightGBM's text."""

from .model import TreesModel
from .tree import NAN, NO_MISSING, ZERO, LinearLeaves, Tree

__all__ = ["NAN", "NO_MISSING", "ZERO", "LinearLeaves", "Tree", "TreesModel"]
