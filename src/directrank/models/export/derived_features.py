"""Derived features: logarithms and indicators of missing values, for engines whose linear models have weights only."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..errors import ModelError
from ..portable import WeightedSum
from .export_names import RENAME


class DerivedFeature(NamedTuple):
    """A feature that is computed from another: its signed logarithm, or 1 where it is missing and 0 elsewhere.

    Attributes
    ----------
    name : str
    source : str
        Name of the feature that it is computed from.
    is_log : bool
    """

    name: str
    source: str
    is_log: bool


def derived_features(model: WeightedSum | None) -> list[DerivedFeature]:
    """Derived features of a weighted sum, named after their sources."""
    if model is None or model.is_plain:
        return []
    derived: list[DerivedFeature] = []
    for term in model.terms:
        if term.is_log:
            derived.append(DerivedFeature(f"{term.name}_log", term.name, True))
        if term.if_missing:
            derived.append(DerivedFeature(f"{term.name}_missing", term.name, False))
    for name in sorted({feature.name for feature in derived} & set(model.all_names())):
        raise ModelError(f"the export adds a feature {name!r}, and the model has a feature of that name; {RENAME}")
    return derived


def with_derived_features(model: WeightedSum) -> WeightedSum:
    """The same sum by weights alone: of the features of the model, followed by the derived ones."""
    if model.is_plain:
        return model
    derived = derived_features(model)
    names = (*model.all_names(), *(feature.name for feature in derived))
    column_of = {(feature.source, feature.is_log): model.width + i for i, feature in enumerate(derived)}
    weights: dict[int, float] = {}
    for term in model.terms:
        if term.weight:
            weights[column_of[term.name, True] if term.is_log else term.column] = term.weight
        if term.if_missing:
            weights[column_of[term.name, False]] = term.if_missing
    columns = np.array(sorted(weights), np.int64)
    plain = WeightedSum.from_weights(np.array([weights[j] for j in columns.tolist()]), model.intercept, None)
    return plain.at(columns, len(names), names)


def note_on_derived(model: WeightedSum) -> str | None:
    """Note on the derived features of a weighted sum, if it has any."""
    derived = derived_features(model)
    if not derived:
        return None
    shown = ", ".join(feature.name for feature in derived[:3]) + (", ..." if len(derived) > 3 else "")
    return (
        f"The model needs {len(derived):,} features that are computed from others, {shown}: logarithms, and 1 for a missing "
        "value; --feature-definitions writes their definitions."
    )
