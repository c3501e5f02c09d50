"""Treelite's checkpoint, from which TL2cgen compiles C and FIL scores on GPUs."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...arrays import Floats
from ..errors import ModelError
from ..portable import Portable
from .exported_model import Exported, as_tree_sum
from .plain_trees import PlainTree, plain_trees
from .requirements import imported
from .threshold_rounding import exactly

_TO_ADD = "export --part trees, and add the scores of --part linear --to python"


def to_treelite(model: Any, *, shift: bool = False) -> Exported:
    """The bytes that ``treelite.Model.deserialize`` reads, for trees and stumps, all in double precision.

    Parameters
    ----------
    model : Model, or a fitted learner
    shift : bool
        Whether to add a constant to the first tree so that no score is negative.
    """
    portable = as_tree_sum(model, "Treelite's checkpoint", _TO_ADD)
    if portable.width >= 2**31:
        raise ModelError(f"it has {portable.width:,} features, and Treelite takes fewer than 2,147,483,648")
    trees = plain_trees(portable, exactly, shift=shift)
    builder = _builder(imported("treelite.model_builder", "treelite"), len(trees), portable.width)
    for tree in trees:
        _add(builder, tree)
    return Exported(builder.commit().serialize_bytes())


def treelite_scores(content: bytes, X: Any, portable: Portable) -> Floats:
    """Scores of an export by Treelite's reference implementation."""
    import treelite

    found: Floats = treelite.gtil.predict(treelite.Model.deserialize_bytes(content), X.astype(np.float64), nthread=1)
    return found.reshape(-1)


def _builder(treelite: Any, n_trees: int, width: int) -> Any:
    return treelite.ModelBuilder(
        threshold_type="float64",
        leaf_output_type="float64",
        metadata=treelite.Metadata(
            num_feature=width,
            task_type="kRegressor",
            average_tree_output=False,
            num_target=1,
            num_class=[1],
            leaf_vector_shape=(1, 1),
        ),
        tree_annotation=treelite.TreeAnnotation(num_tree=n_trees, target_id=[0] * n_trees, class_id=[0] * n_trees),
        postprocessor=treelite.PostProcessorFunc(name="identity"),
        base_scores=[0.0],
    )


def _add(builder: Any, tree: PlainTree) -> None:
    """A tree, whose root has the key 0: splits come first, then leaves."""
    n_splits = tree.n_splits
    builder.start_tree()
    for split, (feature, threshold, left, right, missing_left) in enumerate(tree.nodes()):
        builder.start_node(split)
        builder.numerical_test(
            feature_id=feature,
            threshold=threshold,
            default_left=missing_left,
            opname="<=",
            left_child_key=left if left >= 0 else n_splits + ~left,
            right_child_key=right if right >= 0 else n_splits + ~right,
        )
        builder.end_node()
    for leaf, value in enumerate(tree.leaf_value.tolist()):
        builder.start_node(n_splits + leaf)
        builder.leaf(value)
        builder.end_node()
    builder.end_tree()
