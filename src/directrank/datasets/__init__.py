"""Collections that anyone can build with no download, generated ones included, and those that ir_datasets fetches."""

from .docstrings import Collection, docstrings
from .generated import make_ranking
from .irds import Texts, from_ir_datasets

__all__ = ["Collection", "Texts", "docstrings", "from_ir_datasets", "make_ranking"]
