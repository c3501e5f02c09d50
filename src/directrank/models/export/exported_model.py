"""What an exporter gives: a file's content, and what is to be known about it."""

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
        What was assumed, and what the engine does otherwise.
    """

    content: bytes
    notes: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        return self.content.decode()

    def save(self, path: PathLike) -> None:
        """Write the content to a file, which is replaced only when the new one is whole; gzip if the name ends in .gz."""
        with replacing(path) as file:
            file.write(self.content)


Notes = tuple[str | None, ...]


def exported(content: Any, *notes: str | None) -> Exported:
    """Text as it is, anything else as JSON; with those of the notes that there are."""
    text = content if isinstance(content, str) else compact_json(content) + "\n"
    return Exported(text.encode(), tuple(note for note in notes if note))


def compact_json(content: Any) -> str:
    return json.dumps(content, ensure_ascii=False, allow_nan=False, separators=(",", ":"))


def portable_of(model: Any) -> WeightedSum | TreeSum:
    """A model, or what a learner has learned, in the form that exporters take."""
    portable = as_model(model).portable()
    portable.check()
    return portable


def trees_of(model: Any, target: str, instead: str = "") -> TreeSum:
    """The same for a target that has trees only."""
    portable = portable_of(model)
    if not isinstance(portable, TreeSum):
        raise ModelError(f"{target} has trees only, and this model is a weighted sum of features{instead}")
    return portable
