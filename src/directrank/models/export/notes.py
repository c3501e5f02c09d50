"""Sentences that several exports share."""

from __future__ import annotations

import numpy as np

from ..errors import ModelError
from ..portable import Portable, WeightedSum
from .plain_trees import PlainTree, lowest_score, n_missing_unlike_zero
from .threshold_rounding import LARGEST_SINGLE

SINGLE_VALUES = "Features are in single precision there; every such value below 3.4e38 takes the same branch as here."
SINGLE_LEAVES = "Leaves and sums are in single precision there: scores that differ by less than that become equal."
#: Stands for a kind of query, and is none.
FILL_IN = "FILL IN: a query, for example match"

MISSING_IS_ZERO = "A missing feature counts 0."


def missing_values(trees: list[PlainTree], otherwise: str) -> str:
    """That a missing feature is taken for 0; or else what follows from branches of its own that the model has for it."""
    unlike = n_missing_unlike_zero(trees)
    if unlike == 0:
        return MISSING_IS_ZERO
    return f"At {unlike:,} splits a missing feature does not go where 0 goes: {otherwise}"


def negative_scores(trees: list[PlainTree], leaf_type: type) -> str | None:
    """What Lucene, which refuses negative scores, must be told about trees."""
    lowest = lowest_score(trees, leaf_type)
    return f"Scores can be as low as {lowest:.6g}, and Lucene refuses negative ones: see --shift." if lowest < 0 else None


def intercept_left_out(model: WeightedSum) -> str | None:
    """What is lost where a target has no intercept."""
    if model.intercept == 0:
        return None
    return f"The intercept, {model.intercept:.6g}, is left out: it moves all scores alike and changes no ranking."


def unnamed(model: Portable) -> str | None:
    """What the names are that a model without names gets."""
    if model.feature_names is not None:
        return None
    return "The model has no feature names: f1 stands for the first feature, which is 1 in LETOR text."


def check_single_weights(model: WeightedSum) -> str:
    """What becomes of weights in single precision; those beyond it are refused."""
    largest = float(np.abs(model.weights).max())
    if largest > LARGEST_SINGLE:
        raise ModelError(f"a weight is {largest:.3g}, beyond single precision, 3.4e38, which is all that the target has")
    return "Weights, features and their sum are in single precision there."


def unshifted(shift: bool) -> str | None:
    """What becomes of --shift where there are no trees."""
    return "--shift changes nothing: a weighted sum of features has no lower bound." if shift else None


def may_be_negative(model: WeightedSum, shift: bool) -> str | None:
    """What Lucene, which refuses negative scores, must be told about a weighted sum."""
    lowest = float(np.minimum(model.weights, 0).sum())
    if lowest == 0:
        return unshifted(shift)
    unchanged = "; --shift changes nothing" if shift else ""
    return (
        f"Lucene refuses negative scores, and a weighted sum has no lower bound{unchanged}: it is at least {lowest:.6g} if "
        "every feature is between 0 and 1, and can be lower if not."
    )
