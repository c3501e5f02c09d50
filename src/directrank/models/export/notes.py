"""Notes shared by several exports."""

from __future__ import annotations

import math

import numpy as np

from ..errors import ModelError
from ..portable import Portable, WeightedSum
from .plain_trees import PlainTree, lowest_score, n_missing_unlike_zero
from .threshold_rounding import LARGEST_SINGLE

SINGLE_VALUES = (
    "The engine has features in single precision; every such value below 3.4e38 takes the same branch as in directrank."
)
SINGLE_LEAVES = "The engine has leaves and sums in single precision: scores that differ by less than that become equal."
#: Placeholder for a kind of query, which engines reject.
FILL_IN = "FILL IN: a query, for example match"

MISSING_IS_ZERO = "A missing feature counts 0."


def missing_in_sum(model: WeightedSum) -> str:
    """Note on missing features of a weighted sum."""
    n_others = int(np.count_nonzero(model.if_missing))
    if n_others == 0:
        return "A missing feature counts 0 in the weighted sum."
    others = f"{n_others:,} features, for which the model has another number"
    return f"A missing feature counts 0 in the weighted sum, except for {others}."


def missing_values(trees: list[PlainTree], otherwise: str) -> str:
    """Note on missing features, which count 0 or have branches of their own."""
    unlike = n_missing_unlike_zero(trees)
    if unlike == 0:
        return MISSING_IS_ZERO
    return f"At {unlike:,} splits a missing feature does not go where 0 goes: {otherwise}"


def negative_scores(trees: list[PlainTree], leaf_type: type) -> str | None:
    """Note on negative scores of trees, which Lucene rejects."""
    lowest = lowest_score(trees, leaf_type)
    return f"Scores can be as low as {lowest:.6g}, and Lucene refuses negative ones: see --shift." if lowest < 0 else None


def intercept_left_out(model: WeightedSum) -> str | None:
    """Note on the intercept, for targets without one."""
    if model.intercept == 0:
        return None
    return f"The intercept, {model.intercept:.6g}, is left out: it moves all scores alike and changes no ranking."


def unnamed(model: Portable) -> str | None:
    """Note on the feature names of a model without names."""
    if model.feature_names is not None:
        return None
    return "The model has no feature names: f1 stands for the first feature, which is 1 in LETOR text."


def check_single_weights(model: WeightedSum) -> str:
    """Note on weights in single precision; raises a `ModelError` for weights that overflow it."""
    largest = float(np.abs(model.weights).max())
    if largest > LARGEST_SINGLE:
        raise ModelError(f"a weight is {largest:.3g}, beyond single precision, 3.4e38, which is all that the target has")
    return "The engine has weights, features and their sum in single precision."


def linear_notes(model: WeightedSum | None, shift: bool) -> tuple[str | None, ...]:
    """Notes on the weighted sum of a model, if any, for targets in double precision."""
    return () if model is None else (missing_in_sum(model), unshifted(shift))


def unshifted(shift: bool) -> str | None:
    """Note on --shift, which has no effect on a weighted sum."""
    return "--shift changes nothing: a weighted sum of features has no lower bound." if shift else None


def may_be_negative(model: WeightedSum, shift: bool) -> str | None:
    """Note on negative scores of a weighted sum, which Lucene rejects."""
    lowest_terms = np.minimum(model.weights * np.where(model.is_log, math.log(2), 1), model.if_missing)
    lowest = float(np.minimum(lowest_terms, 0).sum())
    if lowest == 0:
        return unshifted(shift)
    unchanged = "; --shift changes nothing" if shift else ""
    return (
        f"Lucene refuses negative scores, and a weighted sum has no lower bound{unchanged}: it is at least {lowest:.6g} if "
        "every feature is between 0 and 1, and can be lower if not."
    )
