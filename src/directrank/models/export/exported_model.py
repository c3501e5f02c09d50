"""Results of exporters: file content, and notes about it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from ...data.io.files import PathLike, replacing
from ..errors import ModelError
from ..portable import TreeSum, WeightedSum
from ..saving import as_model


@dataclass(frozen=True)
class Exported:
    """A model in the format of another engine.

    Attributes
    ----------
    content : bytes
    notes : tuple of str
        Assumptions, and differences in the engine.
    """

    content: bytes
    notes: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        return self.content.decode()

    def save(self, path: PathLike) -> None:
        """Write the content to a file atomically; gzip if the name ends in .gz."""
        with replacing(path) as file:
            file.write(self.content)


Notes = tuple[str | None, ...]


def exported(content: Any, *notes: str | None) -> Exported:
    """An export of text, or of other content as JSON, with the notes that are not None."""
    text = content if isinstance(content, str) else compact_json(content) + "\n"
    return Exported(text.encode(), tuple(note for note in notes if note))


def compact_json(content: Any) -> str:
    return json.dumps(content, ensure_ascii=False, allow_nan=False, separators=(",", ":"))


def as_portable(model: Any) -> WeightedSum | TreeSum:
    """Portable form of a model or a fitted learner."""
    portable = as_model(model).portable()
    portable.check()
    return portable


def as_tree_sum(model: Any, target: str, instead: str = "") -> TreeSum:
    """Portable form of a model, for a target that supports trees only."""
    portable = as_portable(model)
    if not isinstance(portable, TreeSum):
        raise ModelError(f"{target} has trees only, and this model is a weighted sum of features{instead}")
    return portable
