"""How much each feature counts in a model."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ..arrays import Floats
from .errors import ModelError
from .portable import TreeSum, WeightedSum

if TYPE_CHECKING:
    from .trees.tree import Tree


@dataclass(frozen=True)
class Importances:
    r"""How much each feature counts that a model uses.

    Attributes
    ----------
    kind : {"weight", "gain", "step", "splits", "none"}
        What the values are:

        - "weight": the weights of a weighted sum; of a sum over grades c those of the whole, :math:`\sum_c c\, w_c`;
        - "gain": what the splits of trees on the feature gained in training, all together, as LightGBM reports it;
        - "step": of stumps, which make a score a sum of step functions of single features, by how much the feature's
          function changes in all: the sum of \|step\| over its thresholds;
        - "splits": how often trees that have no gains split on the feature;
        - "none": there are no values: a kernel's score has no share of a single feature, and in a weighted sum of models
          the gains of trees have no scale in common.
    names : tuple of str
        Without names f1, f2 and so on, as LETOR numbers features from 1.
    values : tuple of float
        By descending size. Only weights have signs.
    """

    kind: str
    names: tuple[str, ...]
    values: tuple[float, ...]


def importances_of(model: WeightedSum | TreeSum) -> Importances:
    """Those of any model, as `Model.portable` gives it."""
    kind, values = ("weight", model.weights) if isinstance(model, WeightedSum) else _of_trees(model)
    if not np.all(np.isfinite(values)):
        raise ModelError(f"the {kind} of a feature is the sum of numbers that are too large: it is not finite")
    order = np.argsort(-np.abs(values), kind="stable")
    names = list(model.features.values())
    return Importances(kind, tuple(names[i] for i in order), tuple(values[order].tolist()))


def _of_trees(model: TreeSum) -> tuple[str, Floats]:
    """The kind, and a value for each column that is used."""
    if all(_is_stump(tree) for tree in model.trees):
        return "step", _total_steps(model)
    feature = np.concatenate([tree.feature for tree in model.trees])
    gain = np.maximum(np.concatenate([tree.gain for tree in model.trees]), 0.0)
    kind, counted = ("gain", gain) if np.any(gain) else ("splits", np.ones(feature.size))
    totals = np.bincount(np.searchsorted(model.columns, feature), counted, minlength=model.columns.size)
    return kind, totals.astype(np.float64)


def _is_stump(tree: Tree) -> bool:
    """Whether a tree is a threshold on one feature, without a gain."""
    return tree.n_splits == 1 and not (np.any(tree.gain) or tree.categories or tree.linear)


def _total_steps(model: TreeSum) -> Floats:
    """The sum of |step| of each column; stumps at the same threshold make one step."""
    steps: dict[tuple[int, float], float] = defaultdict(float)
    for tree in model.trees:
        below, above = (float(tree.leaf_value[~child[0]]) for child in (tree.left, tree.right))
        steps[int(tree.feature[0]), float(tree.threshold[0])] += above - below
    totals = dict.fromkeys(model.columns.tolist(), 0.0)
    for (column, _), step in steps.items():
        totals[column] += abs(step)
    return np.array(list(totals.values()), np.float64)
