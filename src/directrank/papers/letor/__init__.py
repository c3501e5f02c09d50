"""Qin, Liu, Xu and Li (2010): LETOR's five folds."""

from .record import EXPERIMENTS

__all__ = ["EXPERIMENTS"]
