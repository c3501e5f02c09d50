"""Tie groups: the documents of a ranking that have equal scores.

Every measure takes the mean over all orders of each group, in closed form, so the order of the rows never changes a value.
A document of score -inf has no rank.
"""

from __future__ import annotations

import numpy as np

from ...kernel_compiler import njit


@njit(cache=True)
def group_end(scores, start):  # type: ignore[no-untyped-def]
    """One past the last document whose score equals that of document `start`."""
    end = start + 1
    while end < scores.size and scores[end] == scores[start]:
        end += 1
    return end


@njit(cache=True)
def count_relevant(grades, start, end, threshold):  # type: ignore[no-untyped-def]
    relevant = 0
    for i in range(start, end):
        relevant += grades[i] >= threshold
    return relevant


@njit(cache=True)
def ranked_end(scores):  # type: ignore[no-untyped-def]
    """How many documents of a ranked query have a rank, that is, a score above -inf."""
    end = scores.size
    while end > 0 and scores[end - 1] == -np.inf:
        end -= 1
    return end


@njit(cache=True)
def share_among_equals(scores, grades, order, values):  # type: ignore[no-untyped-def]
    """Give documents of equal score and equal grade, which are neighbours in the order, the mean of their values."""
    start = 0
    while start < order.size:
        end, first, total = start, order[start], 0.0
        while end < order.size and scores[order[end]] == scores[first] and grades[order[end]] == grades[first]:
            total += values[order[end]]
            end += 1
        for k in range(start, end):
            values[order[k]] = total / (end - start)
        start = end
