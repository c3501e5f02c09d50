"""ONNX graphs that compute the model's scores in double precision."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ...arrays import Floats
from ..portable import Pieces, Portable, WeightedSum
from .export_names import check_model_name
from .exported_model import Exported, as_parts_and_pieces
from .notes import linear_notes
from .plain_trees import PlainTree, plain_trees
from .requirements import imported
from .threshold_rounding import exactly

#: ONNX 1.16: the first with trees in double precision, which onnxruntime runs from version 1.21 on.
_OPSETS, _IR_VERSION = {"": 21, "ai.onnx.ml": 5}, 10

_NEEDS = "It needs a runtime with TreeEnsemble of ai.onnx.ml 5, such as onnxruntime 1.21 or later."

_LESS_OR_EQUAL, _SUM, _NO_TRANSFORM = 0, 1, 0


def to_onnx(model: Any, *, name: str = "model", shift: bool = False) -> Exported:
    """A graph from ``features``, float32 rows as wide as the training data, to ``scores``, a float64 for each row.

    Features are converted to double precision first, so that comparisons equal the model's, and sums up to their order. The
    feature names are in the file's metadata as JSON (``feature_names``).

    Parameters
    ----------
    model : Model, or a fitted learner
    name : str
        Name of the graph.
    shift : bool
        Whether to add a constant to the first tree so that no score is negative.
    """
    onnx = imported("onnx", "onnx")
    portable, (linear, trees), pieces = as_parts_and_pieces(model)
    nodes: list[Any] = []
    constants: list[Any] = []
    columns = []
    if linear is not None:
        nodes, constants = _weighted_sum(onnx, linear)
        columns.append("weighted")
    if pieces:
        more_nodes, more_constants = _piecewise(onnx, pieces)
        nodes, constants = nodes + more_nodes, constants + more_constants
        columns.append("piecewise")
    if trees is not None:
        nodes.append(_trees(onnx, plain_trees(trees, exactly, shift=shift and linear is None)))
        columns.append("trees")
    nodes.append(onnx.helper.make_node("Sum", columns, ["column"]))
    notes = [*linear_notes(linear, shift), _NEEDS if trees is not None else None]
    return Exported(_file(onnx, portable, check_model_name(name), nodes, constants), tuple(note for note in notes if note))


def onnx_scores(content: bytes, X: Any, portable: Portable) -> Floats:
    """Scores of an export by onnxruntime."""
    import onnxruntime

    session = onnxruntime.InferenceSession(content, providers=["CPUExecutionProvider"])
    found: Floats = session.run(None, {"features": X.astype(np.float32)})[0]
    return found


def _file(onnx: Any, portable: Portable, name: str, nodes: list[Any], constants: list[Any]) -> bytes:
    """The graph: to double precision, the nodes from ``doubles`` to ``column``, and the column as a vector."""
    from json import dumps

    make, types = onnx.helper, onnx.TensorProto
    whole = [
        make.make_node("Cast", ["features"], ["doubles"], to=types.DOUBLE),
        *nodes,
        make.make_node("Squeeze", ["column", "second"], ["scores"]),
    ]
    constants = [*constants, onnx.numpy_helper.from_array(np.array([1], np.int64), "second")]
    graph = make.make_graph(
        whole,
        name,
        [make.make_tensor_value_info("features", types.FLOAT, ["rows", portable.width])],
        [make.make_tensor_value_info("scores", types.DOUBLE, ["rows"])],
        constants,
    )
    opsets = [make.make_opsetid(domain, version) for domain, version in _OPSETS.items()]
    made = make.make_model(graph, opset_imports=opsets, ir_version=_IR_VERSION, producer_name="directrank")
    if portable.feature_names is not None:
        make.set_model_props(made, {"feature_names": dumps(portable.feature_names)})
    content: bytes = made.SerializeToString()
    return content


def _weighted_sum(onnx: Any, model: WeightedSum) -> tuple[list[Any], list[Any]]:
    values = {
        "columns": model.columns,
        "zero": np.array(0.0),
        "weights": model.weights[:, None],
        "intercept": np.array([model.intercept]),
    }
    node = onnx.helper.make_node
    nodes = [
        node("Gather", ["doubles", "columns"], ["used"], axis=1),
        node("IsNaN", ["used"], ["missing"]),
        node("Where", ["missing", "zero", "used"], ["filled"]),
    ]
    filled, products = "filled", "products"
    if np.any(model.is_log):
        filled = "values"
        values |= {"one": np.array(1.0), "is_log": model.is_log}
        nodes += [*_logarithms(node), node("Where", ["is_log", "logarithms", "filled"], [filled])]
    nodes.append(node("MatMul", [filled, "weights"], ["products"]))
    if np.any(model.if_missing):
        products = "terms"
        values |= {"if_missing": model.if_missing[:, None]}
        nodes += [
            node("Cast", ["missing"], ["indicators"], to=onnx.TensorProto.DOUBLE),
            node("MatMul", ["indicators", "if_missing"], ["missing_terms"]),
            node("Add", ["products", "missing_terms"], [products]),
        ]
    nodes.append(node("Add", [products, "intercept"], ["weighted"]))
    return nodes, [onnx.numpy_helper.from_array(value, name) for name, value in values.items()]


def _piecewise(onnx: Any, pieces: Sequence[Pieces]) -> tuple[list[Any], list[Any]]:
    """Sum of piecewise-linear functions: the first value of each, and its rise between two knots times the share passed."""
    rises = [np.diff(part.values) for part in pieces]
    firsts = [np.where(np.arange(rise.size) == 0, part.values[0], 0.0) for part, rise in zip(pieces, rises, strict=True)]
    values = {
        "piecewise_columns": np.repeat([part.column for part in pieces], [rise.size for rise in rises]),
        "starts": np.concatenate([part.knots[:-1] for part in pieces]),
        "widths": np.concatenate([np.diff(part.knots) for part in pieces]),
        "rises": np.concatenate(rises)[:, None],
        "firsts": np.concatenate(firsts)[:, None],
        "none_passed": np.array(0.0),
        "all_passed": np.array(1.0),
    }
    node = onnx.helper.make_node
    nodes = [
        node("Gather", ["doubles", "piecewise_columns"], ["before"], axis=1),
        node("IsNaN", ["before"], ["gaps"]),
        node("Not", ["gaps"], ["no_gaps"]),
        node("Cast", ["no_gaps"], ["presence"], to=onnx.TensorProto.DOUBLE),
        node("Where", ["gaps", "starts", "before"], ["places"]),
        node("Sub", ["places", "starts"], ["distances"]),
        node("Div", ["distances", "widths"], ["shares"]),
        node("Clip", ["shares", "none_passed", "all_passed"], ["passed"]),
        node("MatMul", ["passed", "rises"], ["risen"]),
        node("MatMul", ["presence", "firsts"], ["at_first"]),
        node("Add", ["risen", "at_first"], ["piecewise"]),
    ]
    return nodes, [onnx.numpy_helper.from_array(value, name) for name, value in values.items()]


def _logarithms(node: Callable[..., Any]) -> list[Any]:
    """Signed logarithms of ``filled``: x log(u) / (u - 1), or x if u is 1, where u is 1 + |x| as rounded."""
    return [
        node("Abs", ["filled"], ["magnitudes"]),
        node("Add", ["magnitudes", "one"], ["one_more"]),
        node("Sub", ["one_more", "one"], ["increments"]),
        node("Equal", ["increments", "zero"], ["is_tiny"]),
        node("Where", ["is_tiny", "one", "increments"], ["divisors"]),
        node("Log", ["one_more"], ["logs"]),
        node("Div", ["logs", "divisors"], ["quotients"]),
        node("Where", ["is_tiny", "one", "quotients"], ["factors"]),
        node("Mul", ["filled", "factors"], ["logarithms"]),
    ]


def _trees(onnx: Any, trees: list[PlainTree]) -> Any:
    """One node for all trees; a tree without splits gets one with equal branches."""
    grown = [tree if tree.n_splits else _with_a_split(tree) for tree in trees]
    first_split = np.cumsum([0, *(tree.n_splits for tree in grown)])
    first_leaf = np.cumsum([0, *(tree.n_leaves for tree in grown)])

    def all_of(part: str) -> Any:
        return np.concatenate([getattr(tree, part) for tree in grown])

    def children(part: str) -> tuple[list[int], list[int]]:
        """Index of each child among all splits or leaves, and whether it is a leaf."""
        sides = [getattr(tree, part) for tree in grown]
        places = [np.where(s >= 0, s + first_split[i], ~s + first_leaf[i]) for i, s in enumerate(sides)]
        return np.concatenate(places).tolist(), (np.concatenate(sides) < 0).astype(int).tolist()

    (true_nodes, true_leaves), (false_nodes, false_leaves) = children("left"), children("right")
    tensor = onnx.numpy_helper.from_array
    n_splits, n_leaves = int(first_split[-1]), int(first_leaf[-1])
    return onnx.helper.make_node(
        "TreeEnsemble",
        ["doubles"],
        ["trees"],
        domain="ai.onnx.ml",
        n_targets=1,
        aggregate_function=_SUM,
        post_transform=_NO_TRANSFORM,
        tree_roots=first_split[:-1].tolist(),
        nodes_modes=tensor(np.full(n_splits, _LESS_OR_EQUAL, np.uint8)),
        nodes_featureids=all_of("feature").tolist(),
        nodes_splits=tensor(all_of("threshold")),
        nodes_missing_value_tracks_true=all_of("missing_left").astype(int).tolist(),
        nodes_truenodeids=true_nodes,
        nodes_trueleafs=true_leaves,
        nodes_falsenodeids=false_nodes,
        nodes_falseleafs=false_leaves,
        leaf_targetids=[0] * n_leaves,
        leaf_weights=tensor(all_of("leaf_value")),
    )


def _with_a_split(tree: PlainTree) -> PlainTree:
    return PlainTree(
        feature=np.array([0]),
        threshold=np.array([0.0]),
        left=np.array([~0]),
        right=np.array([~1]),
        missing_left=np.array([True]),
        zero_left=np.array([True]),
        leaf_value=np.repeat(tree.leaf_value, 2),
        source=tree.source,
    )
