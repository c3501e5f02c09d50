"""Fenwick trees: how many entries of each level, from 1, were added so far; index 0 is not used."""

from __future__ import annotations

from ...kernel_compiler import njit


@njit(cache=True)
def count_to(tree, level):  # type: ignore[no-untyped-def]
    """How many entries are at `level` or lower."""
    count = 0
    while level > 0:
        count += tree[level]
        level -= level & -level
    return count


@njit(cache=True)
def add(tree, level):  # type: ignore[no-untyped-def]
    while level < tree.size:
        tree[level] += 1
        level += level & -level
