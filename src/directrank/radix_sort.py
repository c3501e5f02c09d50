"""Sorting by digits: stable, in linear time, and without branches to mispredict."""

from __future__ import annotations

import numpy as np

from .kernel_compiler import njit


@njit(cache=True)
def stable_descending_order(keys):  # type: ignore[no-untyped-def]
    """The numbers of the keys, which must not be NaN, by descending key; those of equal keys ascend.

    First by how many steps of equal size a key is below the highest, in integers of 22 bits, or of 32 where there are more
    keys than a quarter of the steps; then what is in one step is compared. Where that would be much, since a few keys are
    far from all others, or infinite, the sort is by all 64 bits.
    """
    order, n_digits = np.arange(keys.size), 2 if keys.size <= 2**20 else 3
    highest, lowest = -np.inf, np.inf
    for key in keys:
        highest, lowest = max(highest, key), min(lowest, key)
    if highest <= lowest:  # all are equal, or there are none
        return order
    scale = (2.0 ** (22 if n_digits == 2 else 32) - 1) / (highest - lowest)
    if 0 < scale < np.inf:
        numbered = sort_by_digits(_steps_below(keys, highest, scale), order, n_digits)
        if _compare_in_runs(keys, numbered):
            take_numbers(numbered, order)
            return order
    halves = _descending_halves(keys)
    for half in range(2):
        take_numbers(sort_by_digits(halves[:, half], order, 3), order)
    return order


@njit(cache=True)
def sort_by_digits(integers, order, n_digits):  # type: ignore[no-untyped-def]
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
def take_numbers(numbered, order):  # type: ignore[no-untyped-def]
    """Write the numbers of documents, as `sort_by_digits` gives them, to an order."""
    for i in range(order.size):
        order[i] = _number(numbered[i])


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
def _number(numbered):  # type: ignore[no-untyped-def]
    return np.int64(numbered & np.uint64(0xFFFFFFFF))
