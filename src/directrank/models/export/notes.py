"""Sentences that several exports share."""

from __future__ import annotations

import numpy as np

from ..portable import WeightedSum

SINGLE_VALUES = "The engine holds features in single precision; each such value goes the same way at every split as here."
SINGLE_LEAVES = (
    "Leaves and their sum are in single precision: scores that differ here by less than that can become equal there."
)
#: Stands for a kind of query, and is none.
FILL_IN = "FILL IN: a query, for example match"

MISSING_IS_ZERO = "A feature that is missing counts 0."


def no_weights(target: str) -> str:
    return f"{target} has trees only, and this model is a weighted sum of features"


def intercept_left_out(model: WeightedSum) -> str | None:
    """What is lost where a target has no intercept."""
    if model.intercept == 0:
        return None
    return f"The intercept, {model.intercept:.6g}, is left out: it moves all scores alike and changes no ranking."


def may_be_negative(model: WeightedSum, shift: bool) -> str | None:
    """What Lucene, which refuses negative scores, must be told about a weighted sum."""
    lowest = float(np.minimum(model.weights, 0).sum())
    if lowest == 0:
        return None
    asked = " --shift changes nothing here:" if shift else ""
    return (
        f"Lucene refuses negative scores, and a weighted sum has no lower bound:{asked} with features from 0 to 1 it is at "
        f"least {lowest:.6g}; add a constant in the engine's query if scores can fall below 0."
    )
