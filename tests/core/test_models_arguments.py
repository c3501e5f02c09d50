"""Wrong arrays handed to the kernels of `directrank.models` are exceptions."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from directrank.core import scoring, stumps

LARGE = 2**63 - 1

# Two trees: two splits, the second on categories and with linear leaves below, and a single leaf.
FOREST: dict[str, Any] = {
    "first_split": np.array([0, 2, 2]),
    "feature": np.array([0, 3]),
    "threshold": np.array([0.5, 0.0]),
    "left": np.array([~0, ~1]),
    "right": np.array([1, ~2]),
    "missing": np.array([0, 2]),
    "default_left": np.array([True, False]),
    "first_category": np.array([0, 0, 2]),
    "category": np.array([1, 4]),
    "leaf_value": np.arange(4.0),
    "constant": np.arange(4.0),
    "first_coefficient": np.array([0, 0, 1, 1, 2]),
    "coefficient_feature": np.array([1, 2]),
    "coefficient": np.ones(2),
}
WRONG = [
    ("first_split", np.array([], np.int64)),
    ("first_split", np.array([0, 2, 3])),
    ("first_split", np.array([0, 3, 2])),
    ("first_split", np.array([0, 2])),
    ("feature", np.array([0, -1])),
    ("feature", np.array([0, 2**31])),
    ("feature", np.array([0, 1, 2])),
    ("feature", np.array([0, 3], np.int32)),
    ("threshold", np.ones(1)),
    ("left", np.array([0, ~1])),
    ("left", np.array([2, ~1])),
    ("left", np.array([~3, ~1])),
    ("left", np.array([LARGE, ~1])),
    ("left", np.array([-LARGE, ~1])),
    ("right", np.array([1, 1])),
    ("right", np.array([1])),
    ("missing", np.array([0, 3])),
    ("missing", np.array([0, -1])),
    ("default_left", np.array([1, 0])),
    ("default_left", np.array([True])),
    ("first_category", np.array([0, 0])),
    ("first_category", np.array([0, 0, 3])),
    ("first_category", np.array([0, 5, 2])),
    ("category", np.array([1])),
    ("leaf_value", np.ones(3)),
    ("constant", np.ones(3)),
    ("first_coefficient", np.array([0, 0, 1, 2])),
    ("first_coefficient", np.array([0, 0, 1, 1, 3])),
    ("first_coefficient", np.array([], np.int64)),
    ("coefficient_feature", np.array([1, -1])),
    ("coefficient_feature", np.array([1])),
    ("coefficient", np.ones(3)),
]


def test_valid_arguments() -> None:
    forest = scoring.Forest(**FOREST)
    X = np.array([[0.0, 9, 7, 4], [1, 2, 3, 4], [1, np.nan, 3, 4], [1, 2, 3, np.nan]])
    assert forest.leaves(X).tolist() == [[0, 3], [1, 3], [1, 3], [2, 3]]
    assert forest.scores(X).tolist() == [0.0 + (3 + 7), (1 + 2) + (3 + 3), 1 + (3 + 3), 2 + (3 + 3)]
    assert forest.scores(X.astype(np.float32)).tolist() == forest.scores(X).tolist()


@pytest.mark.parametrize(("name", "wrong"), WRONG)
def test_trees_that_do_not_fit(name: str, wrong: Any) -> None:
    with pytest.raises((TypeError, ValueError)):
        scoring.Forest(**FOREST | {name: wrong})


@pytest.mark.parametrize(
    "rows",
    [
        (np.zeros((2, 3)),),
        (np.zeros((2, 4), np.int64),),
        (np.zeros((2, 8))[:, ::2],),
        (np.zeros(4),),
        (np.ones(1), np.zeros(2, np.int32), np.array([0, 2], np.int32)),
        (np.ones(2), np.zeros(1, np.int32), np.array([0, 2], np.int32)),
        (np.ones(2), np.zeros(2, np.int32), np.array([0, 2])),
        (np.ones(2), np.zeros(2, np.int32), np.array([], np.int32)),
        (np.ones(2), np.zeros(2, np.int32), np.array([0, 2, 1], np.int32)),
        (np.ones(2), np.zeros(2, np.int32), np.array([-1, 2], np.int32)),
        (np.ones(2), np.zeros(2), np.array([0, 2], np.int32)),
    ],
)
def test_rows_that_do_not_fit(rows: Any) -> None:
    forest = scoring.Forest(**FOREST)
    with pytest.raises((TypeError, ValueError)):
        forest.scores(*rows)
    with pytest.raises((TypeError, ValueError)):
        forest.leaves(*rows)


def test_columns_that_no_tree_uses_are_passed_over() -> None:
    forest = scoring.Forest(**FOREST)
    columns = np.array([-5, 0, 4, 2**40, LARGE])
    assert forest.leaves(np.ones(5), columns, np.array([0, 5])).tolist() == [[2, 3]]
    far = scoring.Forest(**FOREST | {"feature": np.array([2**31 - 1, 3])})  # beyond what is found in a table
    assert far.leaves(np.ones(2), np.array([0, 2**31 - 1]), np.array([0, 1, 2])).tolist() == [[0, 3], [2, 3]]


STUMPS: dict[str, Any] = {
    "X": np.zeros((2, 3)),
    "features": np.array([0, 2]),
    "thresholds": np.zeros(2),
    "weights": np.ones(2),
}


@pytest.mark.parametrize(
    ("name", "wrong"),
    [
        ("X", np.zeros((2, 2))),
        ("X", np.zeros((2, 3), np.int32)),
        ("X", np.zeros((2, 3), order="F")),
        ("features", np.array([0, -1])),
        ("features", np.array([0, 3])),
        ("features", np.array([0])),
        ("thresholds", np.zeros(3)),
        ("weights", np.zeros(1)),
        ("weights", np.zeros(2, np.float32)),
    ],
)
def test_stumps_that_do_not_fit(name: str, wrong: Any) -> None:
    stumps.sum_above(*STUMPS.values())
    with pytest.raises((TypeError, ValueError)):
        stumps.sum_above(*(STUMPS | {name: wrong}).values())
