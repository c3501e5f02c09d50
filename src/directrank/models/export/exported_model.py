"""Results of exporters: file content, and notes about it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...data.io.files import PathLike, replacing
from ..errors import ModelError
from ..portable import Parts, Pieces, PiecewiseSum, Portable, TreeSum, WeightedSum, split_parts
from ..saving import as_model
from .export_names import check_safe_names


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


def as_portable(model: Any) -> Portable:
    """Portable form of a model or a fitted learner."""
    portable = as_model(model).portable()
    portable.check()
    check_safe_names(portable.feature_names or ())
    return portable


def as_parts(model: Any) -> tuple[WeightedSum | TreeSum, Parts]:
    """Portable form of a model, and its parts; for targets without piecewise-linear functions."""
    portable = as_portable(model)
    parts = split_parts(portable)
    assert isinstance(portable, WeightedSum | TreeSum)
    return portable, parts


def as_parts_and_pieces(model: Any) -> tuple[Portable, Parts, tuple[Pieces, ...]]:
    """Portable form of a model, its parts, and the piecewise-linear functions of features that are added to them."""
    portable = as_portable(model)
    if isinstance(portable, PiecewiseSum):
        return portable, Parts(portable.linear, None), portable.pieces
    return portable, split_parts(portable), ()


def as_one_part(model: Any, target: str, to_add: str) -> WeightedSum | TreeSum:
    """Portable form of a model that is a weighted sum or trees, for a target that cannot add the two.

    Parameters
    ----------
    model : Model, or a fitted learner
    target : str
        Name of the target.
    to_add : str
        How to add the two parts of a model with a linear start.
    """
    _, (linear, trees) = as_parts(model)
    if linear is not None and trees is not None:
        raise ModelError(
            f"the model is a weighted sum of features plus trees (a linear start), which {target} cannot add: {to_add} "
            f"(docs/serving.md, Linear start), or train LambdaMART with init=None; these targets take both: "
            f"{_listed(_TAKE_BOTH, linear)}"
        )
    part = linear or trees
    assert part is not None
    return part


def as_tree_sum(model: Any, target: str, to_add: str) -> TreeSum:
    """Portable form of a model, for a target that supports trees only; see `as_one_part`."""
    part = as_one_part(model, target, to_add)
    if not isinstance(part, TreeSum):
        raise ModelError(trees_only(target, part))
    return part


def trees_only(target: str, model: WeightedSum) -> str:
    """Error message for a weighted sum in a target that supports trees only."""
    others = targets_of(model)
    return f"{target} has trees only, and the model is a weighted sum of features; these targets take it: {others}"


def no_logarithm(target: str, model: WeightedSum, advice: str) -> ModelError:
    """Error for a weighted sum with logarithms in a target that has no logarithm."""
    features = [term.name for term in model.terms if term.is_log]
    return ModelError(
        f"the model has weights of the logarithms of {len(features):,} features, such as {features[0]!r}, and {target} has "
        f"no logarithm: {advice}"
    )


def targets_of(model: WeightedSum) -> str:
    """Targets that take a weighted sum."""
    return _listed(_TAKE_LINEAR, model)


def _listed(targets: tuple[str, ...], model: WeightedSum) -> str:
    """Those targets that have what a weighted sum needs."""
    return ", ".join(target for target in targets if not (np.any(model.is_log) and target in _WITHOUT_LOGARITHM))


_TAKE_BOTH = ("elasticsearch-ltr", "opensearch-ltr", "vespa", "onnx", "sql", "python", "lightgbm")

_TAKE_LINEAR = ("elasticsearch-ltr", "opensearch-ltr", "solr", "vespa", "ranklib", "onnx", "sql", "python")

_WITHOUT_LOGARITHM = ("ranklib", "lightgbm")
