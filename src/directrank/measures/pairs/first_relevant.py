r"""Lambdas of measures that see only the first relevant document: RR and Success@k.

Their value is h(r) at the rank r of that document, h never increasing: 1/r, or 1 up to rank k. Of documents of equal score
the mean over all their orders is taken. If the first tie group with relevant documents starts below rank a and has n of
them among its m documents, the value is

.. math:: V = \sum_{x=0}^{m-n} \Pr[\text{the first of the } n \text{ is at place } x]\, h(a + 1 + x), \qquad
          \Pr = \frac{n}{m - x} \prod_{y<x} \frac{m - y - n}{m - y}

A swap of a relevant and a non-relevant document moves one relevant document from its tie group to another, so it changes
the value by a difference of two such V. It changes nothing unless the upper one of the two is in the first group with
relevant documents or above it, so few pairs of groups count.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...arrays import Bools, Floats, Ints
from ...kernel_compiler import njit, prange
from ..base import Lambdas
from ..ranking.sorting import descending_order
from ..ranking.ties import group_end
from .pairwise import N_PARTS, sigmoid_of_minus


class TieGroups(NamedTuple):
    """The tie groups of a ranked query.

    Attributes
    ----------
    starts : int64 array, one longer than the number of groups
        Where each group starts in the ranking, and the end.
    n_relevant : int64 array
        How many relevant documents each group has.
    """

    starts: Ints
    n_relevant: Ints


def first_relevant_lambdas(scores: Floats, relevant: Bools, offsets: Ints, queries: Ints, values: Floats) -> Lambdas:
    """The sums over all pairs of a relevant document and a non-relevant one.

    Parameters
    ----------
    queries : int64 array
        Those with documents of both kinds, in the order in which they are dealt to the cores.
    values : array
        h, for each rank; ranks beyond have 0.
    """
    found = Lambdas(np.zeros(scores.size), np.zeros(scores.size))
    _sum(scores, relevant, offsets, queries, values, *found)
    return found


@njit(cache=True, parallel=True)
def _sum(scores, relevant, offsets, queries, values, gradient, hessian):  # type: ignore[no-untyped-def]
    for part in prange(N_PARTS):
        for number in range(part, queries.size, N_PARTS):
            lo, hi = offsets[queries[number]], offsets[queries[number] + 1]
            _sum_query(scores[lo:hi], relevant[lo:hi], values, gradient[lo:hi], hessian[lo:hi])


@njit(cache=True)
def _sum_query(scores, relevant, h, gradient, hessian):  # type: ignore[no-untyped-def]
    """For each group with a relevant document and each other group: the value with it there less the value with it here."""
    order = descending_order(scores)
    ranked_scores, ranked_relevant = scores[order], relevant[order]
    groups = _tie_groups(ranked_scores, ranked_relevant)
    with_relevant = np.flatnonzero(groups.n_relevant)
    first = with_relevant[0]
    for source in with_relevant:
        if source == first:
            # Without the document that moves: the first group with a relevant one, and how many it has.
            if groups.n_relevant[first] > 1:
                values = _values_with(h, groups, first, groups.n_relevant[first] - 1)
            elif with_relevant.size > 1:
                values = _values_with(h, groups, with_relevant[1], groups.n_relevant[with_relevant[1]])
            else:
                values = _values_with(h, groups, groups.n_relevant.size, 0)
        elif source == with_relevant[1]:  # and the same for all that follow
            values = _values_with(h, groups, first, groups.n_relevant[first])
        for target in range(groups.n_relevant.size if source == first else first + 1):
            within = target == source
            change = _mean_change_in_group(h, groups, source) if within else abs(values[target] - values[source])
            if change > 0:
                _add_pairs(ranked_scores, ranked_relevant, order, groups, source, target, change, gradient, hessian)


@njit(cache=True)
def _tie_groups(ranked_scores, ranked_relevant):  # type: ignore[no-untyped-def]
    starts, n_relevant = np.empty(ranked_scores.size + 1, np.int64), np.zeros(ranked_scores.size, np.int64)
    n_groups, start = 0, 0
    while start < ranked_scores.size:
        end = group_end(ranked_scores, start)
        starts[n_groups] = start
        for place in range(start, end):
            n_relevant[n_groups] += ranked_relevant[place]
        n_groups += 1
        start = end
    starts[n_groups] = start
    return TieGroups(starts[: n_groups + 1], n_relevant[:n_groups])


@njit(cache=True)
def _values_with(h, groups, rest, n_rest):  # type: ignore[no-untyped-def]
    """The value with one relevant document in each group, besides `n_rest` in group `rest` and some below that."""
    values = np.empty(groups.n_relevant.size)
    for group in range(min(rest, values.size)):
        values[group] = _value_of_first(h, groups.starts[group], groups.starts[group + 1] - groups.starts[group], 1)
    if rest < values.size:
        start, m = groups.starts[rest], groups.starts[rest + 1] - groups.starts[rest]
        values[rest] = _value_of_first(h, start, m, n_rest + 1)
        values[rest + 1 :] = _value_of_first(h, start, m, n_rest)
    return values


@njit(cache=True)
def _value_of_first(h, start, m, n):  # type: ignore[no-untyped-def]
    """The mean of h at the first of n documents that stand anywhere in a group of m."""
    value, probability = 0.0, n / m
    for x in range(min(m - n + 1, h.size - start)):
        value += probability * h[start + x]
        probability *= (m - x - n) / (m - x - 1) if x < m - 1 else 0.0
    return value


@njit(cache=True)
def _mean_change_in_group(h, groups, group):  # type: ignore[no-untyped-def]
    """The mean change when two documents of the first group swap, one of its relevant ones and a non-relevant one.

    Take the two and the other relevant ones, n in all, at random places of the group. The swap changes the value where the
    first of the n is one of the two, which has probability 2/n, and then from h at the first to h at the second.
    """
    start, m = groups.starts[group], groups.starts[group + 1] - groups.starts[group]
    if groups.n_relevant[group] == m:
        return 0.0
    n = groups.n_relevant[group] + 1
    value_of_second, probability = 0.0, n * (n - 1) / (m * (m - 1.0))
    for x in range(1, min(m - n + 2, h.size - start)):
        value_of_second += probability * h[start + x]
        probability *= (x + 1) / x * (m - x - n + 1) / (m - x - 1) if x < m - 1 else 0.0
    return 2 / n * (_value_of_first(h, start, m, n) - value_of_second)


@njit(cache=True)
def _add_pairs(scores, relevant, order, groups, source, target, change, gradient, hessian):  # type: ignore[no-untyped-def]
    """All pairs of a relevant document of the source group and a non-relevant one of the target; scores by rank."""
    first, last = groups.starts[source], groups.starts[source + 1]
    start, end = groups.starts[target], groups.starts[target + 1]
    p = sigmoid_of_minus(scores[first] - scores[start])
    pair_gradient, pair_hessian = change * p, change * p * (1 - p)
    n_relevant, n_others = groups.n_relevant[source], end - start - groups.n_relevant[target]
    for place in range(first, last):
        if relevant[place]:
            gradient[order[place]] -= n_others * pair_gradient
            hessian[order[place]] += n_others * pair_hessian
    for place in range(start, end):
        if not relevant[place]:
            gradient[order[place]] += n_relevant * pair_gradient
            hessian[order[place]] += n_relevant * pair_hessian
