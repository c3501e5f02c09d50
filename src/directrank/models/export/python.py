"""Python source that scores with nothing installed."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...arrays import Floats
from ..portable import Portable
from .exported_model import Exported, as_parts_and_pieces, exported
from .notes import linear_notes, unnamed
from .plain_trees import PlainTree, plain_trees
from .threshold_rounding import exactly


def to_python(model: Any, *, shift: bool = False) -> Exported:
    """A module with ``FEATURES``, the names of the features that are used, and ``score(features)`` of one document.

    It needs no package, and compares and adds in double precision as the model does.

    Parameters
    ----------
    model : Model, or a fitted learner
    shift : bool
        Whether to add a constant to the first tree so that no score is negative.
    """
    portable, (linear, trees), pieces = as_parts_and_pieces(model)
    lines = _lines("FEATURES", list(portable.features.values()))
    score = [_SCORE]
    if linear is not None:
        if linear.is_plain:
            lines += [_WEIGHTS, *_lines("WEIGHTS", [(term.name, term.weight) for term in linear.terms])]
        else:
            lines += [_TERMS, *_lines("TERMS", [term[1:] for term in linear.terms])]
        lines += [f"INTERCEPT = {linear.intercept!r}\n"]
        score.append(_ADD_WEIGHTED if linear.is_plain else _ADD_TERMS)
    if trees is not None:
        place = {column: i for i, column in enumerate(portable.features)}
        plain = plain_trees(trees, exactly, shift=shift and linear is None)
        lines += [_LAYOUT, *_lines("TREES", [_tree(tree, place) for tree in plain])]
        score.append(_ADD_TREES)
    if pieces:
        names = portable.features
        lines += [_PIECES, *_lines("PIECES", [(names[j], knots.tolist(), values.tolist()) for j, knots, values in pieces])]
        score.append(_ADD_PIECES)
    imports = [_BISECT] if pieces else []
    if linear is not None and np.any(linear.is_log):
        imports.append(_LOGARITHM)
    head = _HEAD + "".join(["\n", *imports] if imports else [])
    source = "\n".join([head, *lines, "".join([*score, _RETURN])])
    return exported(source, unnamed(portable), *linear_notes(linear, shift))


def python_scores(content: bytes, X: Any, portable: Portable) -> Floats:
    """Scores of an export by Python."""
    module: dict[str, Any] = {}
    exec(compile(content, "<export>", "exec"), module)
    names = module["FEATURES"]
    return np.array(
        [module["score"](dict(zip(names, row, strict=True))) for row in X[:, list(portable.features)].tolist()], np.float64
    )


def _tree(tree: PlainTree, place: dict[int, int]) -> tuple[Any, Any]:
    splits = [
        (place[feature], threshold, left, right, missing_left)
        for feature, threshold, left, right, missing_left in tree.nodes()
    ]
    return splits, tree.leaf_value.tolist()


def _lines(name: str, values: list[Any]) -> list[str]:
    return [f"{name} = [", *(f"    {value!r}," for value in values), "]", ""]


_HEAD = '''"""A ranking model, exported by directrank. score(features) gives the score of a document; higher is better."""
'''

_BISECT = """\
from bisect import bisect_right
"""

_LOGARITHM = """\
from math import copysign, log1p
"""

_WEIGHTS = """\
# Names and weights of the features that are added to the score; a missing one counts 0."""

_TERMS = """\
# Names and weights of the features that are added to the score; whether the weight is that of the feature's signed
# logarithm, sign(x) log(1 + |x|); and what is added if the feature is missing."""

_PIECES = """\
# Names of features, and the knots and values of piecewise-linear functions of them that are added to the score: constant
# before the first knot and after the last, and 0 for a missing feature."""

_LAYOUT = """\
# A tree is its splits and the values of its leaves. A split is (feature, threshold, left, right, missing_left): a row
# goes left if its feature is at most the threshold, or missing and missing_left. Left and right are splits, or ~leaf."""

_SCORE = '''
def score(features):
    """The score of a document from a dict of its features by name; None or NaN is a missing value."""
    total = 0.0
'''

_ADD_WEIGHTED = """\
    total += INTERCEPT
    for name, weight in WEIGHTS:
        value = features[name]
        if value is not None and value == value:
            total += weight * value
"""

_ADD_TERMS = """\
    total += INTERCEPT
    for name, weight, is_log, if_missing in TERMS:
        value = features[name]
        if value is None or value != value:
            total += if_missing
        else:
            total += weight * (copysign(log1p(abs(value)), value) if is_log else value)
"""

_ADD_TREES = """\
    row = [features[name] for name in FEATURES]
    for splits, leaves in TREES:
        node = 0 if splits else ~0
        while node >= 0:
            feature, threshold, left, right, missing_left = splits[node]
            value = row[feature]
            if value is None or value != value:
                node = left if missing_left else right
            else:
                node = left if value <= threshold else right
        total += leaves[~node]
"""

_ADD_PIECES = """\
    for name, knots, values in PIECES:
        value = features[name]
        if value is not None and value == value:
            i = bisect_right(knots, value)
            if i == 0:
                total += values[0]
            elif i == len(knots):
                total += values[-1]
            else:
                slope = (values[i] - values[i - 1]) / (knots[i] - knots[i - 1])
                total += values[i - 1] + slope * (value - knots[i - 1])
"""

_RETURN = """\
    return total
"""
