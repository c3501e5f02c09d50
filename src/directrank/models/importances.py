"""Feature importances of models."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ..arrays import Floats
from .errors import ModelError
from .portable import Portable, TreeSum, split_parts

if TYPE_CHECKING:
    from .trees.tree import Tree


@dataclass(frozen=True)
class Importances:
    r"""Importances of the features that a model uses.

    Attributes
    ----------
    kind : {"weight", "gain", "step", "splits", "none"}
        Meaning of the values:

        - "weight": weights of a weighted sum, of features or their logarithms; for a sum over grades c, the total weights
          :math:`\sum_c c\, w_c`;
        - "gain": total gain of the splits on the feature in training, as reported by LightGBM;
        - "step": for stumps, whose score is a sum of step functions of single features, the total variation of the feature's
          function: the sum of \|step\| over its thresholds;
        - "splits": number of splits on the feature, for trees without gains;
        - "none": no values, for kernel expansions, and for weighted sums of models with gains, which have no common scale.
    names : tuple of str
        f1, f2 and so on for models without names, as LETOR numbers features from 1.
    values : tuple of float
        In descending order of magnitude. Only weights have signs.
    """

    kind: str
    names: tuple[str, ...]
    values: tuple[float, ...]


def compute_importances(model: Portable) -> Importances:
    """Importances of a model in portable form; of its trees, if it is a weighted sum plus trees."""
    linear, trees = split_parts(model)
    if linear is not None and trees is None:
        kind, values, names = "weight", linear.weights, [term.name for term in linear.terms]
    else:
        assert isinstance(model, TreeSum)
        (kind, values), names = _tree_importances(model), list(model.features.values())
    if not np.all(np.isfinite(values)):
        raise ModelError(f"the {kind} of a feature is the sum of numbers that are too large: it is not finite")
    order = np.argsort(-np.abs(values), kind="stable")
    return Importances(kind, tuple(names[i] for i in order), tuple(values[order].tolist()))


def _tree_importances(model: TreeSum) -> tuple[str, Floats]:
    """Kind of importance, and a value for each used column."""
    if all(_is_stump(tree) for tree in model.trees):
        return "step", _total_steps(model)
    feature = np.concatenate([tree.feature for tree in model.trees])
    gain = np.maximum(np.concatenate([tree.gain for tree in model.trees]), 0.0)
    kind, counted = ("gain", gain) if np.any(gain) else ("splits", np.ones(feature.size))
    totals = np.bincount(np.searchsorted(model.columns, feature), counted, minlength=model.columns.size)
    return kind, totals.astype(np.float64)


def _is_stump(tree: Tree) -> bool:
    """Whether a tree is a single split without gain."""
    return tree.n_splits == 1 and not (np.any(tree.gain) or tree.categories or tree.linear)


def _total_steps(model: TreeSum) -> Floats:
    """Sum of |step| of each column; stumps at the same threshold are one step."""
    steps: dict[tuple[int, float], float] = defaultdict(float)
    for tree in model.trees:
        below, above = (float(tree.leaf_value[~child[0]]) for child in (tree.left, tree.right))
        steps[int(tree.feature[0]), float(tree.threshold[0])] += above - below
    totals = dict.fromkeys(model.columns.tolist(), 0.0)
    for (column, _), step in steps.items():
        totals[column] += abs(step)
    return np.array(list(totals.values()), np.float64)
