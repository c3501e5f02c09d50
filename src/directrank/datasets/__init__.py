"""Collections that anyone can build with no download."""

from .docstrings import Collection, docstrings

__all__ = ["Collection", "docstrings"]
