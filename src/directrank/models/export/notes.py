"""Sentences that several exports share."""

from __future__ import annotations

import numpy as np

from ..portable import WeightedSum
from .plain_trees import PlainTree, lowest_score, n_missing_unlike_zero

SINGLE_VALUES = "Features are in single precision there; every such value takes the same branch as here."
SINGLE_LEAVES = "Leaves and sums are in single precision there: scores that differ by less than that become equal."
#: Stands for a kind of query, and is none.
FILL_IN = "FILL IN: a query, for example match"

MISSING_IS_ZERO = "A missing feature counts 0."


def missing_values(trees: list[PlainTree], otherwise: str) -> str:
    """That a missing feature is taken for 0; or else what follows from branches of its own that the model has for it."""
    unlike = n_missing_unlike_zero(trees)
    if unlike == 0:
        return MISSING_IS_ZERO
    return f"At {unlike:,} splits a missing feature goes otherwise than 0 does: {otherwise}"


def negative_scores(trees: list[PlainTree], leaf_type: type) -> str | None:
    """What Lucene, which refuses negative scores, must be told about trees."""
    lowest = lowest_score(trees, leaf_type)
    return f"Scores can be as low as {lowest:.6g}, and Lucene refuses negative ones: see --shift." if lowest < 0 else None


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
