"""Yue, Finley, Radlinski and Joachims (2007): SVM-map and its baselines."""

from .experiments import EXPERIMENTS

__all__ = ["EXPERIMENTS"]
