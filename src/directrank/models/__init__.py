"""Models as text."""

from .saved import ModelError, dumps, loads

__all__ = ["ModelError", "dumps", "loads"]
