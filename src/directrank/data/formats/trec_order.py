"""The order in which trec_eval ranks: by descending score, in single precision, then by descending name."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ...arrays import Floats
from ...kernel_compiler import njit
from ...radix_sort import sort_by_digits, take_numbers
from ..bytes.names import Names


def trec_order(scores: Floats, names: Names, query: NDArray[np.integer], n_queries: int) -> NDArray[np.int32]:
    """The rows of each query in turn, in trec_eval's order; rows of the same score and name stay in order.

    Parameters
    ----------
    scores : array
        None is NaN.
    names : Names
        Of the documents. UTF-8 is ordered as the characters are.
    query : integer array
        The number of each row's query, from 0.
    n_queries : int
    """
    with np.errstate(over="ignore"):
        bits = (scores.astype(np.float32) + np.float32(0)).view(np.uint32)  # 0 is added to make 0 of -0
    keys = np.where(bits >> 31, bits, np.uint32(2**31 - 1) - bits)
    order = _by_query_and_key(keys, query, n_queries)
    _sort_ties(order, keys, query, (names.text, names.starts, names.lengths))
    return order


@njit(cache=True)
def _by_query_and_key(keys, query, n_queries):  # type: ignore[no-untyped-def]
    """The rows by query, then by ascending key, then by row."""
    order, sorted_order = np.arange(keys.size), np.empty(keys.size, np.int32)
    take_numbers(sort_by_digits(keys, order, 3), order)
    counts = np.zeros(n_queries + 1, np.int64)
    for row in range(query.size):
        counts[query[row] + 1] += 1
    _sum_up(counts)
    for row in order:
        sorted_order[counts[query[row]]] = row
        counts[query[row]] += 1
    return sorted_order


@njit(cache=True)
def _sum_up(counts):  # type: ignore[no-untyped-def]
    for i in range(1, counts.size):
        counts[i] += counts[i - 1]


@njit(cache=True)
def _sort_ties(order, keys, query, names):  # type: ignore[no-untyped-def]
    """Sort the rows of equal key and query by descending name."""
    first = 0
    while first < order.size:
        end = first + 1
        while end < order.size and keys[order[end]] == keys[order[first]] and query[order[end]] == query[order[first]]:
            end += 1
        if end > first + 1:
            _sort_by_name(order[first:end], names)
        first = end


@njit(cache=True)
def _sort_by_name(rows, names):  # type: ignore[no-untyped-def]
    """Sort rows by descending name, stably, by merging ever longer parts."""
    source, target, width = rows, np.empty_like(rows), 1
    while width < rows.size:
        for low in range(0, rows.size, 2 * width):
            middle, high = min(low + width, rows.size), min(low + 2 * width, rows.size)
            left, right = low, middle
            for to in range(low, high):
                from_left = left < middle and (right == high or not _is_above(source[right], source[left], *names))
                target[to] = source[left] if from_left else source[right]
                left += from_left
                right += not from_left
        source, target = target, source
        width *= 2
    rows[:] = source


@njit(cache=True)
def _is_above(a, b, text, starts, lengths):  # type: ignore[no-untyped-def]
    """Whether the name in row a is above that in row b: at the first byte that differs, or by being longer."""
    start_a, start_b = np.uint64(starts[a]), np.uint64(starts[b])
    for i in range(np.uint64(min(lengths[a], lengths[b]))):
        byte_a, byte_b = text[start_a + i], text[start_b + i]
        if byte_a != byte_b:
            return byte_a > byte_b
    return lengths[a] > lengths[b]
