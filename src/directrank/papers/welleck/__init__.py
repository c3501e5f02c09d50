"""Welleck (2015): LambdaMART for AUC and for multi-class AUC."""

from .experiments import EXPERIMENTS

__all__ = ["EXPERIMENTS"]
