"""Sorting a few thousand numbers digit by digit, which has no branches to mispredict."""

from __future__ import annotations

import numpy as np

from ..kernel_compiler import njit


@njit(cache=True)
def descending(scores):  # type: ignore[no-untyped-def]
    """Keys, as uint64, that ascend where scores, which must not be NaN, descend."""
    keys, sign = scores.view(np.uint64).copy(), np.uint64(1) << np.uint64(63)
    for k in range(keys.size):  # the bits of floats above 0 ascend with them, those of floats below 0 descend
        keys[k] = keys[k] if keys[k] & sign else ~(keys[k] | sign)
    return keys


@njit(cache=True)
def reorder(order, keys):  # type: ignore[no-untyped-def]
    """Positions in the order of their keys, which are uint64; where keys are equal, the order stays as it is."""
    spare = np.empty_like(order)
    differ = np.uint64(0)
    for key in keys:
        differ |= key ^ keys[0]
    for shift in range(0, 64, 8):
        digit = np.uint64(shift)
        if (differ >> digit) & np.uint64(255):
            starts = _starts(keys, digit)
            for k in order:
                value = (keys[k] >> digit) & np.uint64(255)
                spare[starts[value]] = k
                starts[value] += np.uint64(1)
            order, spare = spare, order
    return order


@njit(cache=True)
def _starts(keys, digit):  # type: ignore[no-untyped-def]
    """Where the keys with each value of a digit start."""
    starts = np.zeros(257, np.uint64)
    for key in keys:
        starts[((key >> digit) & np.uint64(255)) + np.uint64(1)] += np.uint64(1)
    for value in range(1, 256):
        starts[value] += starts[value - 1]
    return starts
