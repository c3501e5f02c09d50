"""Rows, trees and sums in float32, shared by the engines."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from .strict import Refused

Row = Mapping[str, "float | np.floating[Any] | None"]
Tree = tuple[Any, ...]
"""A leaf is (value,); a split is (feature, threshold, left, right) and, for some engines, whether missing goes left."""

NAN = np.float32(np.nan)
ZERO = np.float32(0)


def below(x: np.float32, threshold: np.float32) -> bool:
    return bool(x < threshold)


def at_most(x: np.float32, threshold: np.float32) -> bool:
    return bool(x <= threshold)


def leaf_of(tree: Tree, x: list[np.float32], left_if: Callable[[np.float32, np.float32], bool]) -> np.float32:
    """The leaf of a row; NaN goes left only where the split says so."""
    while len(tree) > 1:
        feature, threshold, left, right, *missing_left = tree
        goes_left = any(missing_left) if np.isnan(x[feature]) else left_if(x[feature], threshold)
        tree = left if goes_left else right
    return tree[0]


def without_missing(tree: Tree) -> Tree:
    """The tree of an engine that does not read where missing values go: NaN fails the comparison and goes right."""
    if len(tree) == 1:
        return tree
    feature, threshold, left, right, *_ = tree
    return (feature, threshold, without_missing(left), without_missing(right))


def float_sum(values: Iterable[np.float32]) -> np.float32:
    total = ZERO
    for value in values:
        total = total + value
    return total


def feature_set(features: Sequence[str] | None, rows: Sequence[Row]) -> list[str]:
    names = list(features) if features is not None else [name for row in rows[:1] for name in row]
    if len(set(names)) < len(names):
        raise Refused("two features have the same name")
    return names


def vector(row: Row, names: Sequence[str], missing: np.float32) -> list[np.float32]:
    """The row's values in the order of names, each a float32 exactly; `missing` where there is none."""
    values = []
    for name in names:
        value = row.get(name)
        if value is None or math.isnan(value):
            values.append(missing)
        elif float(np.float32(value)) != float(value):
            raise ValueError(f"{name!r} is {value!r}, which is no float32")
        else:
            values.append(np.float32(value))
    return values
