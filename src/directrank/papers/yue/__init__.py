"""Yue, Finley, Radlinski and Joachims (2007): SVM-map, and what it was compared with."""

from .experiments import EXPERIMENTS

__all__ = ["EXPERIMENTS"]
