"""Collections that anyone can build with no download, and those that ir_datasets fetches."""

from .docstrings import Collection, docstrings
from .irds import Texts, from_ir_datasets

__all__ = ["Collection", "Texts", "docstrings", "from_ir_datasets"]
