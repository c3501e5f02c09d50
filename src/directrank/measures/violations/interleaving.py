"""The most violated ranking for measures that see only how relevant and other documents interleave.

Rankings are compared by Psi(y) = 1/(R N) sum_ij y_ij (x_i - x_j) over the R relevant documents i and the N others j, with
y_ij = +1 where i stands above j and -1 where it stands below (Yue et al. 2007, section 3).
"""

from __future__ import annotations

import numpy as np
from numba import njit, prange

from ...arrays import Floats, Ints
from ..base import Violation
from ..ranking.ties import descending_order, distinct


def most_violated_gains(scores: Floats, gains: Floats, offsets: Ints, discounts: Floats, is_cut: bool) -> Violation:
    """The most violated output of a measure that is a sum of gain times discount over that of the best ranking.

    With gains of one size it is an interleaving. Several sizes are taken apart: a gain is a sum of steps, each of which is
    earned by all documents from some gain up, so the loss is a weighted mean of losses with one size of gain. Each of
    those gets an interleaving of its own, as each pair does in the ROC area: the slack is still a bound on the loss.

    The lemma behind the interleaving needs a convex discount. One that is cut off after the ranks given, or that does not
    fall at once, is not: its convex minorant takes its place, which makes the loss of each output larger, never smaller. So
    again the slack is a bound.

    (A Psi = sum_i D(rank_i) x_i needs neither, and one sort then finds the ranking. But the best ranking by score always
    beats the mean of the right ones in it, and as soon as there is a little noise w = 0 is the optimum.)
    """
    longest = int(np.diff(offsets).max())
    convex = _convex_minorant(np.append(discounts, 0.0) if is_cut else discounts)
    to_rank = np.concatenate(([0.0], np.cumsum(_padded(discounts, longest))))
    by_rank = np.concatenate(([0.0], _padded(convex, longest)))
    return Violation(*_most_violated_gains(scores, gains, offsets, to_rank, by_rank))


def _padded(discounts: Floats, longest: int) -> Floats:
    """The discounts of that many ranks, and a 0 after them."""
    table = np.zeros(longest + 1)
    table[: min(discounts.size, longest)] = discounts[:longest]
    return table


def _convex_minorant(values: Floats) -> Floats:
    """The largest convex sequence that is nowhere above this one."""
    if np.all(np.diff(values, 2) >= -1e-15):
        return values
    corners: list[int] = []
    for i in range(values.size):
        while len(corners) >= 2:
            a, b = corners[-2:]
            if (values[b] - values[a]) * (i - a) < (values[i] - values[a]) * (b - a):
                break
            corners.pop()
        corners.append(i)
    return np.interp(np.arange(values.size), corners, values[corners])


@njit(cache=True)
def split_by_relevance(order, grades, threshold):  # type: ignore[no-untyped-def]
    """The relevant documents and the others, each by descending score: the order they keep in the most violated ranking."""
    relevant, others = np.empty(order.size, np.int64), np.empty(order.size, np.int64)
    n_relevant, n_others = 0, 0
    for document in order:
        if grades[document] >= threshold:
            relevant[n_relevant] = document
            n_relevant += 1
        else:
            others[n_others] = document
            n_others += 1
    return relevant[:n_relevant], others[:n_others]


@njit(cache=True)
def most_violated_places(relevant, others, table, weight, gain):  # type: ignore[no-untyped-def]
    """How many relevant documents stand above each other document in the most violated ranking (Yue's Algorithm 2).

    The j-th other document, counted from 1, is placed on its own: below k relevant ones it earns, against below all R,

        gain (weight (k + 1)/(j + k) + table[j + k]) - 2/(R N) sum_{i > k} (s_i - s_j)

    and what does not depend on k. The first part is the loss it makes: the terms of Yue's eq. (5), summed up, with the
    table of the measure. The best k never falls as j grows (Lemma 1), so the range of each j is bounded by those of its
    neighbours: O((R + N) log N) in all, where the paper's loop takes O(R N).

    Parameters
    ----------
    relevant, others : float64 arrays
        Scores, falling.
    """
    n_relevant, n_others = relevant.size, others.size
    pairs = 2.0 / (n_relevant * n_others)
    below = np.zeros(n_relevant + 1)  # sum of the scores of the relevant documents from k on
    for k in range(n_relevant - 1, -1, -1):
        below[k] = below[k + 1] + relevant[k]
    places = np.empty(n_others, np.int64)
    todo = np.empty((2 * int(np.log2(n_others) + 2), 4), np.int64)
    todo[0, 0], todo[0, 1], todo[0, 2], todo[0, 3] = 0, n_others, 0, n_relevant
    n_todo = 1
    while n_todo > 0:
        n_todo -= 1
        first, end, lowest, highest = todo[n_todo]
        middle = (first + end) // 2
        j, score = middle + 1, others[middle]
        best, best_value = lowest, -np.inf
        for k in range(lowest, highest + 1):
            value = gain * (weight * (k + 1) / (j + k) + table[j + k]) - pairs * (below[k] - (n_relevant - k) * score)
            if value > best_value:
                best, best_value = k, value
        places[middle] = best
        if first < middle:
            todo[n_todo, 0], todo[n_todo, 1], todo[n_todo, 2], todo[n_todo, 3] = first, middle, lowest, best
            n_todo += 1
        if middle + 1 < end:
            todo[n_todo, 0], todo[n_todo, 1], todo[n_todo, 2], todo[n_todo, 3] = middle + 1, end, best, highest
            n_todo += 1
    return places


@njit(cache=True)
def pair_coefficients(relevant, others, places, coefficients):  # type: ignore[no-untyped-def]
    """Psi(y*) - Psi(y^) as a coefficient of each document, where `places[j]` relevant ones stand above other document j.

    Also gives how many others stand above each relevant document.
    """
    pairs = 2.0 / (relevant.size * others.size)
    above = np.zeros(relevant.size, np.int64)
    for j in range(others.size):
        coefficients[others[j]] = -pairs * (relevant.size - places[j])
        if places[j] < relevant.size:
            above[places[j]] += 1
    for i in range(relevant.size):
        if i > 0:
            above[i] += above[i - 1]
        coefficients[relevant[i]] = pairs * above[i]
    return above


@njit(cache=True, parallel=True)
def _most_violated_gains(scores, gains, offsets, to_rank, convex):  # type: ignore[no-untyped-def]
    coefficients, losses = np.zeros(scores.size), np.zeros(offsets.size - 1)
    for q in prange(losses.size):
        lo, hi = offsets[q], offsets[q + 1]
        losses[q] = _gains_of_query(scores[lo:hi], gains[lo:hi], to_rank, convex, coefficients[lo:hi])
    return coefficients, losses


@njit(cache=True)
def _gains_of_query(scores, gains, to_rank, convex, coefficients):  # type: ignore[no-untyped-def]
    """Each step from one gain to the next, weighted by what it adds to the best ranking.

    `to_rank` sums the discounts up to each rank.
    """
    levels, counts = distinct(gains)
    n_earning = np.cumsum(counts[::-1])[::-1]  # documents from each level up
    ideal, lower = 0.0, 0.0
    for i in range(levels.size):
        ideal += (levels[i] - lower) * to_rank[n_earning[i]]
        lower = levels[i]
    if levels.size == 1 or ideal == 0:
        return 0.0
    order, part, loss = descending_order(scores), np.zeros(scores.size), 0.0
    for i in range(1, levels.size):
        relevant, others = split_by_relevance(order, gains, levels[i])
        best = to_rank[relevant.size]
        weight = (levels[i] - levels[i - 1]) * best / ideal
        loss += weight * _one_gain(scores, relevant, others, best, convex, part)
        for document in range(scores.size):
            coefficients[document] += weight * part[document]
    return loss


@njit(cache=True)
def _one_gain(scores, relevant, others, best, convex, coefficients):  # type: ignore[no-untyped-def]
    """Relevant document i below j others instead of j - 1 loses (D(i + j - 1) - D(i + j))/best.

    Summed over i > k this is D(j + k)/best and a part without k. `convex` has D by rank, from 1 up.
    """
    places = most_violated_places(scores[relevant], scores[others], convex, 0.0, 1 / best)
    above = pair_coefficients(relevant, others, places, coefficients)
    value = 0.0
    for i in range(relevant.size):
        value += convex[i + 1 + above[i]]
    return 1 - value / best
