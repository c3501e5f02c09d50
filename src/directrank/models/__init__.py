"""Models as text."""

from .linear import ModelError, dumps, loads

__all__ = ["ModelError", "dumps", "loads"]
