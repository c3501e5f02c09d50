"""Qin, Liu, Xu and Li (2010): LETOR's five folds."""

from .experiments import EXPERIMENTS

__all__ = ["EXPERIMENTS"]
