"""Trees for engines that send missing values right at every split, whatever the model says."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ..errors import ModelError
from .plain_trees import PlainTree
from .threshold_rounding import LARGEST_SINGLE

#: Maximum number of splits of all trees with guards.
MAX_SPLITS = 200_000

_TOO_LARGE = (
    f"trees in which missing values may always go right would have more than {MAX_SPLITS:,} splits; use OpenSearch 3.8 "
    "or later, train smaller trees, or use --ranklib if missing values count 0 in the model"
)


def guarded(trees: list[PlainTree]) -> list[PlainTree]:
    """The same scores by trees in which missing values always go right.

    A split that sends missing values left is preceded by a guard, x < 3.4e38, whose right branch has the missing values: a
    copy of the left subtree. On paths where a feature is known to be present or missing, no guard is needed.
    """
    made: list[PlainTree] = []
    limit = MAX_SPLITS
    for tree in trees:
        made.append(_guarded(tree, limit))
        limit -= made[-1].n_splits
    return made


def _guarded(tree: PlainTree, limit: int) -> PlainTree:
    nodes, copy = tree.nodes(), _Copy(tree, limit)
    waiting: list[tuple[int, Mapping[int, bool], _End]] = [(0 if nodes else ~0, {}, (0, 0))]
    while waiting:
        node, present, end = waiting.pop()  # `present`: whether features are known to be present in the rows at this end
        while node >= 0 and present.get(nodes[node][0]) is False:
            _, _, left, right, missing_left = nodes[node]
            node = left if missing_left else right
        if node < 0:
            copy.add_leaf(end, ~node)
            continue
        feature, threshold, left, right, missing_left = nodes[node]
        known = {**present, feature: True}
        if missing_left and feature not in present:
            below, above = copy.add_split(end, feature, LARGEST_SINGLE)
            waiting += [(left, {**present, feature: False}, above), (node, known, below)]
        else:
            below, above = copy.add_split(end, feature, threshold)
            waiting += [(right, present, above), (left, known, below)]
    return copy.result()


#: One of the two ends of a split, counted from 1, at which the tree goes on; an end of split 0 is the root.
_End = tuple[int, int]


class _Copy:
    """A tree that grows from the root, in which missing values go right."""

    def __init__(self, tree: PlainTree, limit: int) -> None:
        self._tree, self._limit = tree, limit
        self._features: list[int] = []
        self._thresholds: list[float] = []
        self._children: list[list[int]] = [[0, 0]]
        self._leaves: list[float] = []

    def add_leaf(self, end: _End, leaf: int) -> None:
        """A copy of one of the leaves."""
        self._children[end[0]][end[1]] = ~len(self._leaves)
        self._leaves.append(self._tree.leaf_value[leaf])

    def add_split(self, end: _End, feature: int, threshold: float) -> tuple[_End, _End]:
        """A split, of which both ends are open."""
        if len(self._features) >= self._limit:
            raise ModelError(_TOO_LARGE)
        self._children[end[0]][end[1]] = len(self._features)
        self._features.append(feature)
        self._thresholds.append(threshold)
        self._children.append([0, 0])
        return (len(self._features), 0), (len(self._features), 1)

    def result(self) -> PlainTree:
        thresholds, children = np.array(self._thresholds), np.array(self._children[1:], np.int64).reshape(-1, 2)
        return PlainTree(
            feature=np.array(self._features, np.int64),
            threshold=thresholds,
            left=children[:, 0],
            right=children[:, 1],
            missing_left=np.zeros(thresholds.size, bool),
            zero_left=thresholds > 0,
            leaf_value=np.array(self._leaves),
            source=self._tree.source,
        )
