"""Test collections that need no download, generated data, and the collections of ir_datasets."""

from .docstrings import Collection, docstrings
from .generated import make_ranking
from .irds import Texts, from_ir_datasets

__all__ = ["Collection", "Texts", "docstrings", "from_ir_datasets", "make_ranking"]
