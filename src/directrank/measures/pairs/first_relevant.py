r"""Lambdas of measures that see only the first relevant document: RR and Success@k.

Their value is h(r) at the rank r of that document, h never rising: 1/r, or 1 up to rank k. Of documents of equal score the
mean over all their orders is taken. A document of the relevant kind in tie group g, none of them being above, is worth

.. math:: V(g, n) = \sum_x \Pr[\text{the first of } n \text{ relevant ones in the group stands at place } x]\, h(x)

so a swap between groups changes the measure by a difference of such values, and only documents down to the first
group with a relevant one can be the upper one of a pair that counts.
"""

from __future__ import annotations

import numpy as np
from numba import njit, prange
from numpy.typing import NDArray

from ...arrays import Floats, Ints
from ..ranking.ties import descending_order, group_end
from .pairwise import PARTS, Lambdas, chance


def first_relevant_lambdas(scores: Floats, relevant: NDArray[np.bool_], offsets: Ints, values: Floats) -> Lambdas:
    """The sums over all pairs of a relevant document and another.

    Parameters
    ----------
    values : array
        h, for each rank; ranks beyond have 0.
    """
    found = Lambdas(np.zeros(scores.size), np.zeros(scores.size))
    longest_first = np.argsort(-np.diff(offsets), kind="stable")
    _sum(scores, relevant, offsets, longest_first, values, *found)
    return found


@njit(cache=True, parallel=True)
def _sum(scores, relevant, offsets, queries, values, gradient, hessian):  # type: ignore[no-untyped-def]
    for part in prange(PARTS):
        for k in range(part, queries.size, PARTS):
            lo, hi = offsets[queries[k]], offsets[queries[k] + 1]
            n_relevant = np.sum(relevant[lo:hi])
            if 0 < n_relevant < hi - lo:
                _sum_query(scores[lo:hi], relevant[lo:hi], values, gradient[lo:hi], hessian[lo:hi])


@njit(cache=True)
def _sum_query(scores, relevant, h, gradient, hessian):  # type: ignore[no-untyped-def]
    """For each group with a relevant document and each other group: what it is worth there less what it is worth here."""
    order = descending_order(scores)
    s, bounds, counts = scores[order], _groups(scores[order]), np.zeros(scores.size, np.int64)
    for g in range(bounds.size - 1):
        for k in range(bounds[g], bounds[g + 1]):
            counts[g] += relevant[order[k]]
    with_relevant = np.flatnonzero(counts)
    first = with_relevant[0]
    for x in with_relevant:
        # Without the document in question, the first group with a relevant one, and how many it has.
        others = first if x != first or counts[first] > 1 else with_relevant[1] if with_relevant.size > 1 else -1
        n_others = 0 if others < 0 else counts[others] - (x == others)
        here = _worth(h, bounds, x, others, n_others)
        # Below the first group, no document but one of that group is the upper one of a pair that counts.
        for y in range(bounds.size - 1 if x == first else first + 1):
            if y == x:
                change = _worth_of_tie(h, bounds[x], bounds[x + 1] - bounds[x], counts[x])
            else:
                change = abs(_worth(h, bounds, y, others, n_others) - here)
            if change > 0:
                _add_pairs(s, relevant, order, bounds[x : x + 2], bounds[y : y + 2], change, gradient, hessian)


@njit(cache=True)
def _groups(ranked_scores):  # type: ignore[no-untyped-def]
    """Where each tie group starts, and the end."""
    bounds, n, start = np.empty(ranked_scores.size + 1, np.int64), 0, 0
    while start < ranked_scores.size:
        bounds[n] = start
        n += 1
        start = group_end(ranked_scores, start)
    bounds[n] = start
    return bounds[: n + 1]


@njit(cache=True)
def _worth(h, bounds, group, others, n_others):  # type: ignore[no-untyped-def]
    """The measure with a relevant document in a group, besides those in `others` (-1: nowhere) and below."""
    if others < 0 or group < others:
        return _first_of(h, bounds[group], bounds[group + 1] - bounds[group], 1)
    m = bounds[others + 1] - bounds[others]
    return _first_of(h, bounds[others], m, n_others + 1 if group == others else n_others)


@njit(cache=True)
def _first_of(h, start, m, n):  # type: ignore[no-untyped-def]
    """The mean of h at the first of n documents that stand anywhere in a group of m."""
    total, chance = 0.0, n / m
    for x in range(min(m - n + 1, h.size - start)):
        total += chance * h[start + x]
        chance *= (m - x - n) / (m - x - 1) if x < m - 1 else 0.0
    return total


@njit(cache=True)
def _worth_of_tie(h, start, m, n):  # type: ignore[no-untyped-def]
    """The mean change when two documents of the first group swap, one of its n relevant ones and another.

    It is h at the first less h at the second of these two and the other relevant ones, if the first is one of the two.
    """
    if n == m:
        return 0.0
    n += 1
    second, chance = 0.0, n * (n - 1) / (m * (m - 1.0))
    for x in range(1, min(m - n + 2, h.size - start)):
        second += chance * h[start + x]
        chance *= (x + 1) / x * (m - x - n + 1) / (m - x - 1) if x < m - 1 else 0.0
    return 2 / n * (_first_of(h, start, m, n) - second)


@njit(cache=True)
def _add_pairs(s, relevant, order, of_relevant, of_others, change, gradient, hessian):  # type: ignore[no-untyped-def]
    """All pairs of a relevant document of one group and another document of the other."""
    p = chance(s[of_relevant[0]] - s[of_others[0]])
    push, turn = change * p, change * p * (1 - p)
    n_relevant, n_others = 0, 0
    for k in range(of_relevant[0], of_relevant[1]):
        n_relevant += relevant[order[k]]
    for j in range(of_others[0], of_others[1]):
        n_others += not relevant[order[j]]
    for k in range(of_relevant[0], of_relevant[1]):
        if relevant[order[k]]:
            gradient[order[k]] -= n_others * push
            hessian[order[k]] += n_others * turn
    for j in range(of_others[0], of_others[1]):
        if not relevant[order[j]]:
            gradient[order[j]] += n_relevant * push
            hessian[order[j]] += n_relevant * turn
