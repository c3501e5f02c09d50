"""LightGBM's text (``Booster.save_model``)."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...arrays import Floats
from ..errors import ModelError
from ..portable import Portable, TreeSum
from ..trees.lightgbm_text import write_text
from ..trees.tree import ZERO_THRESHOLD, linear_trees
from .export_names import check_names
from .exported_model import Exported, as_parts, exported, no_logarithm, trees_only

_TO_ADD = "export --part trees, and add the scores of --part linear --to python"


def to_lightgbm(model: Any) -> Exported:
    """The text that ``lightgbm.Booster(model_str=...)`` reads, for trees and stumps; it supports all features of trees,
    and a linear start as trees of one linear leaf.

    Parameters
    ----------
    model : Model, or a fitted learner
    """
    portable, (linear, _) = as_parts(model)
    if not isinstance(portable, TreeSum):
        raise ModelError(trees_only("LightGBM's text", portable))
    if linear is not None and np.any(linear.is_log):
        raise no_logarithm("LightGBM", linear, _TO_ADD)
    names = portable.feature_names
    if names is not None:
        check_names("LightGBM", names, r"[A-Za-z0-9_.-]+", "all but letters, digits, '_', '.' and '-'")
    trees = portable.trees if linear is None else (*linear_trees(linear), *portable.trees)
    return exported(write_text(trees, portable.width, names, portable.categories), _tiny(portable))


def _tiny(model: TreeSum) -> str | None:
    if model.tiny_is_zero or all(np.all(np.abs(tree.threshold) > ZERO_THRESHOLD) for tree in model.trees):
        return None
    return "LightGBM takes values up to 1e-35 for 0, which this model tells apart."


def lightgbm_scores(content: bytes, X: Any, portable: Portable) -> Floats:
    """Scores of an export by LightGBM."""
    import lightgbm

    return np.asarray(lightgbm.Booster(model_str=content.decode()).predict(X, num_threads=1))
