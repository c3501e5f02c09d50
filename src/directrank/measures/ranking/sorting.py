"""Ranking by score: the documents of each query by descending score.

The sort is stable, so documents of equal score keep the order of the rows.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...arrays import Floats, Ints
from ...kernel_compiler import njit, prange

#: Queries of up to so many documents are sorted by comparing each two.
BLOCK = 256


def ranked(scores: Floats, values: NDArray[Any], offsets: Ints) -> tuple[Floats, NDArray[Any]]:
    """Scores, and a value of each document such as its grade, with each query's documents by descending score.

    Arrays that are ranked already come back as they are, so that ranking once serves many measures.
    """
    scores = np.ascontiguousarray(scores, dtype=np.float64)
    if _is_ranked(scores, offsets):
        return scores, values
    ranked_scores, ranked_values = np.empty_like(scores), np.empty_like(values)
    _rank(scores, values, offsets, ranked_scores, ranked_values)
    return ranked_scores, ranked_values


def order_by_query(scores: Floats, offsets: Ints) -> Ints:
    """The documents of each query by descending score, numbered within it."""
    order = np.empty(scores.size, np.int64)
    _order(np.ascontiguousarray(scores, dtype=np.float64), offsets, order)
    return order


@njit(cache=True, parallel=True)
def _order(scores, offsets, order):  # type: ignore[no-untyped-def]
    for q in prange(offsets.size - 1):
        order[offsets[q] : offsets[q + 1]] = descending_order(scores[offsets[q] : offsets[q + 1]])


@njit(cache=True)
def descending_order(scores):  # type: ignore[no-untyped-def]
    """The documents of one query by descending score, stably."""
    if scores.size > BLOCK:
        return _order_by_digits(scores)
    order, scratch = np.empty(scores.size, np.int64), np.empty(scores.size)
    _sort_block(scores, np.arange(scores.size), scratch, order)
    return order


@njit(cache=True)
def worst_order(scores, grades):  # type: ignore[no-untyped-def]
    """The documents of one query by descending score, those of equal score by ascending grade."""
    by_grade = descending_order(-grades)
    return by_grade[descending_order(scores[by_grade])]


@njit(cache=True, parallel=True)
def _is_ranked(scores, offsets):  # type: ignore[no-untyped-def]
    unordered = 0
    for q in prange(offsets.size - 1):
        for i in range(offsets[q] + 1, offsets[q + 1]):
            if scores[i] > scores[i - 1]:
                unordered += 1
                break
    return unordered == 0


@njit(cache=True, parallel=True)
def _rank(scores, values, offsets, ranked_scores, ranked_values):  # type: ignore[no-untyped-def]
    for q in prange(offsets.size - 1):
        lo, hi = offsets[q], offsets[q + 1]
        sort_descending(scores[lo:hi], values[lo:hi], ranked_scores[lo:hi], ranked_values[lo:hi])


@njit(cache=True)
def sort_descending(keys, values, sorted_keys, sorted_values):  # type: ignore[no-untyped-def]
    """Sort keys and the values that go with them by descending key, stably."""
    if keys.size <= BLOCK:
        _sort_block(keys, values, sorted_keys, sorted_values)
        return
    order = _order_by_digits(keys)
    for i in range(keys.size):
        sorted_keys[i], sorted_values[i] = keys[order[i]], values[order[i]]


@njit(cache=True)
def _sort_block(keys, values, sorted_keys, sorted_values):  # type: ignore[no-untyped-def]
    """Put each key where as many stand above it as beat it: n^2 comparisons, but no branches, and they vectorise.

    They are made in single precision, of which a vector holds twice as many; a last pass puts right what that confused.
    """
    n = keys.size
    place, taken = _beaten_by(keys), np.zeros(n, np.int32)
    for j in range(n):
        at = place[j] + taken[place[j]]
        taken[place[j]] += np.int32(1)
        sorted_keys[at], sorted_values[at] = keys[j], values[j]
    for i in range(1, n):
        key, value, at = sorted_keys[i], sorted_values[i], i
        while at > 0 and sorted_keys[at - 1] < key:
            sorted_keys[at], sorted_values[at] = sorted_keys[at - 1], sorted_values[at - 1]
            at -= 1
        sorted_keys[at], sorted_values[at] = key, value


@njit(cache=True)
def _beaten_by(keys):  # type: ignore[no-untyped-def]
    """How many keys are larger than each, in single precision; four are compared with all others at a time."""
    rough, beaten = np.full(-(-keys.size // 4) * 4, np.float32(-np.inf)), np.zeros(keys.size, np.int32)
    for i in range(keys.size):
        rough[i] = keys[i]
    for j in range(0, rough.size, 4):
        a, b, c, d = rough[j], rough[j + 1], rough[j + 2], rough[j + 3]
        for i in range(keys.size):
            key = rough[i]
            beaten[i] += np.int32(key < a) + np.int32(key < b) + np.int32(key < c) + np.int32(key < d)
    return beaten


@njit(cache=True)
def _order_by_digits(keys):  # type: ignore[no-untyped-def]
    """Radix sort: stable, and linear in the number of keys.

    First by how many steps of equal size a key is below the highest, in integers of 22 bits, or of 32 where there are more
    keys than a quarter of the steps; then what is in one step is compared. Where that would be much, since a few keys are
    far from all others, or infinite, the sort is by all 64 bits.
    """
    order, n_digits = np.arange(keys.size), 2 if keys.size <= 2**20 else 3
    highest, lowest = keys[0], keys[0]
    for key in keys:
        highest, lowest = max(highest, key), min(lowest, key)
    if highest == lowest:
        return order
    scale = (2.0 ** (22 if n_digits == 2 else 32) - 1) / (highest - lowest)
    if 0 < scale < np.inf:
        numbered = _sort_by_digits(_steps_below(keys, highest, scale), order, n_digits)
        if _compare_in_runs(keys, numbered):
            _take_numbers(numbered, order)
            return order
    halves = _descending_halves(keys)
    for half in range(2):
        _take_numbers(_sort_by_digits(halves[:, half], order, 3), order)
    return order


@njit(cache=True)
def _steps_below(keys, highest, scale):  # type: ignore[no-untyped-def]
    steps = np.empty(keys.size, np.uint32)
    for i in range(keys.size):
        steps[i] = np.int64((highest - keys[i]) * scale)
    return steps


@njit(cache=True)
def _descending_halves(keys):  # type: ignore[no-untyped-def]
    """The bits of each key, turned so that as unsigned integers they ascend where the keys descend: lower and upper half.

    The bits of positive doubles ascend with them, those of negative ones descend. 0 and -0 get the same.
    """
    normal = np.empty(keys.size)
    for i in range(keys.size):
        normal[i] = keys[i] + 0.0
    bits = normal.view(np.int64)
    for i in range(keys.size):
        bits[i] ^= ~(bits[i] >> 63) & 0x7FFFFFFFFFFFFFFF
    return bits.view(np.uint32).reshape(keys.size, 2)


@njit(cache=True)
def _sort_by_digits(integers, order, n_digits):  # type: ignore[no-untyped-def]
    """Sort documents that stand in some order by integers of theirs, stably: by the lowest 11 bits, then the next, ...

    Gives the integer and the number of each document in one.
    """
    n = order.size
    numbered, sorted_numbered = np.empty(n, np.uint64), np.empty(n, np.uint64)
    places = np.zeros((3, 2049), np.int64)  # counts stand one to the right, so that their sums say where a digit begins
    for i in range(n):
        integer = np.int64(integers[order[i]])
        numbered[i] = integer << 32 | order[i]
        places[0, (integer & 2047) + 1] += 1
        places[1, (integer >> 11 & 2047) + 1] += 1
        places[2, (integer >> 22) + 1] += 1
    for digit in range(n_digits):
        place = places[digit]
        for value in range(2047):
            place[value + 1] += place[value]
        shift = np.uint64(32 + 11 * digit)
        for i in range(n):
            value = numbered[i] >> shift & np.uint64(2047)
            sorted_numbered[place[value]] = numbered[i]
            place[value] += 1
        numbered, sorted_numbered = sorted_numbered, numbered
    return numbered


@njit(cache=True)
def _compare_in_runs(keys, numbered):  # type: ignore[no-untyped-def]
    """Put runs of equal integers in order by insertion; gives False if that would take long."""
    moves_left = 8 * numbered.size
    for i in range(1, numbered.size):
        if numbered[i - 1] >> np.uint64(32) != numbered[i] >> np.uint64(32):
            continue
        mine, at = numbered[i], i
        key = keys[_number(mine)]
        while (
            at > 0 and numbered[at - 1] >> np.uint64(32) == mine >> np.uint64(32) and keys[_number(numbered[at - 1])] < key
        ):
            numbered[at] = numbered[at - 1]
            at -= 1
        numbered[at] = mine
        moves_left -= i - at
        if moves_left < 0:
            return False
    return True


@njit(cache=True)
def _take_numbers(numbered, order):  # type: ignore[no-untyped-def]
    for i in range(order.size):
        order[i] = _number(numbered[i])


@njit(cache=True)
def _number(numbered):  # type: ignore[no-untyped-def]
    return np.int64(numbered & np.uint64(0xFFFFFFFF))
