"""The most violated ranking for measures that see only how relevant and non-relevant documents interleave.

Rankings are compared by Psi(y) = 1/(R N) sum_ij y_ij (x_i - x_j) over the R relevant documents i and the N others j, with
y_ij = +1 where i stands above j and -1 where it stands below (Yue et al. 2007, section 3).

(A Psi = sum_i D(rank_i) x_i would need no interleaving: one sort finds the ranking. But the best ranking by score always
beats the mean of the right ones in it, and as soon as there is a little noise w = 0 is the optimum.)
"""

from __future__ import annotations

import numpy as np

from ...arrays import Bools, Floats, Ints
from ...kernel_compiler import njit, prange
from ..base import Violation
from ..pairs.precision_swaps import Earnings
from ..ranking.levels import distinct
from ..ranking.sorting import descending_order


def most_violated_gains(
    scores: Floats, gains: Floats, offsets: Ints, to_rank: Floats, minorant: Floats, n_equal_ranks: int
) -> Violation:
    """The most violated output of a measure that is a sum of gain times discount over that of the best ranking.

    With gains of one size it is an interleaving. Several sizes are taken apart: a gain is a sum of steps, each of which is
    earned by all documents from some gain up, so the loss is a weighted mean of losses with one size of gain. Each of
    those gets its own interleaving, as each pair does in the ROC area: the slack is still a bound on the loss.

    The lemma behind the interleaving needs a convex discount. One that is cut off, or that does not decrease at once, is
    not: its convex minorant takes its place, which makes the loss of each output larger, never smaller. So again the slack
    is a bound.

    Parameters
    ----------
    to_rank : float64 array
        Sums of the discounts of the first 0, 1, 2, ... ranks, up to the longest query.
    minorant : float64 array
        The convex minorant of the discounts, by rank; index 0 is not used.
    n_equal_ranks : int
        In queries of no more documents than this all ranks have the same discount, and that is its own minorant.
    """
    return Violation(*_most_violated_gains(scores, gains, offsets, to_rank, minorant, n_equal_ranks))


def most_violated_first_ranks(scores: Floats, relevant: Bools, offsets: Ints, depths: Ints) -> Violation:
    """The same where a relevant document earns as much at each of the first ``depths[q]`` ranks of query q.

    The convex minorant of a discount of 1 at ranks 1 to k and 0 at k + 1 is the line between, (k + 1 - r)/k. Losses are
    relative to the best ranking.
    """
    return Violation(*_most_violated_first_ranks(scores, relevant, offsets, depths))


def most_violated_precisions(scores: Floats, relevant: Bools, offsets: Ints, earnings: Earnings, table: Floats) -> Violation:
    """The most violated output of a measure that is a mean of g(r) + A h(r) over the relevant documents.

    Parameters
    ----------
    earnings : Earnings
        g and h of each rank.
    table : float64 array
        By rank; index 0 is not used. The loss that the j-th other document makes below k relevant ones must be
        ``((k + 1) h(j + k) + table[j + k])/R`` and a part without k.
    """
    return Violation(*_most_violated_precisions(scores, relevant, offsets, earnings, table))


@njit(cache=True)
def split_by_relevance(order, is_relevant):  # type: ignore[no-untyped-def]
    """The relevant documents and the others, each by descending score: the order they keep in the most violated ranking."""
    relevant, others = np.empty(order.size, np.int64), np.empty(order.size, np.int64)
    n_relevant, n_others = 0, 0
    for document in order:
        if is_relevant[document]:
            relevant[n_relevant] = document
            n_relevant += 1
        else:
            others[n_others] = document
            n_others += 1
    return relevant[:n_relevant], others[:n_others]


@njit(cache=True)
def most_violated_places(relevant, others, table, slopes, gain):  # type: ignore[no-untyped-def]
    """How many relevant documents stand above each other document in the most violated ranking (Yue's Algorithm 2).

    The j-th other document, counted from 1, is placed on its own: below k relevant ones it earns, against below all R,

        gain ((k + 1) slopes[j + k - 1] + table[j + k]) - 2/(R N) sum_{i > k} (s_i - s_j)

    and what does not depend on k. The first part is the loss it makes: the terms of Yue's eq. (5), summed up, with the
    tables of the measure. The best k never decreases as j grows (Lemma 1), so the range of each j is bounded by those of its
    neighbours: O((R + N) log N) in all, where the paper's loop takes O(R N).

    Parameters
    ----------
    relevant, others : float64 arrays
        Scores, descending.
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
            value = gain * ((k + 1) * slopes[j + k - 1] + table[j + k]) - pairs * (below[k] - (n_relevant - k) * score)
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
def _most_violated_precisions(scores, relevant, offsets, earnings, table):  # type: ignore[no-untyped-def]
    coefficients, losses = np.zeros(scores.size), np.zeros(offsets.size - 1)
    for q in prange(losses.size):
        lo, hi = offsets[q], offsets[q + 1]
        losses[q] = _precisions_of_query(scores[lo:hi], relevant[lo:hi], earnings, table, coefficients[lo:hi])
    return coefficients, losses


@njit(cache=True)
def _precisions_of_query(scores, is_relevant, earnings, table, coefficients):  # type: ignore[no-untyped-def]
    relevant, others = split_by_relevance(descending_order(scores), is_relevant)
    if relevant.size == 0 or others.size == 0:
        return 0.0
    places = most_violated_places(scores[relevant], scores[others], table, earnings.each_above, 1.0 / relevant.size)
    above = pair_coefficients(relevant, others, places, coefficients)
    earned = 0.0
    for i in range(relevant.size):
        earned += earnings.alone[i + above[i]] + i * earnings.each_above[i + above[i]]
    return 1 - earned / relevant.size


@njit(cache=True, parallel=True)
def _most_violated_gains(scores, gains, offsets, to_rank, minorant, n_equal_ranks):  # type: ignore[no-untyped-def]
    coefficients, losses = np.zeros(scores.size), np.zeros(offsets.size - 1)
    for q in prange(losses.size):
        lo, hi = offsets[q], offsets[q + 1]
        of_query = minorant if hi - lo > n_equal_ranks else np.full(hi - lo + 1, minorant[1])
        losses[q] = _gains_of_query(scores[lo:hi], gains[lo:hi], to_rank, of_query, coefficients[lo:hi])
    return coefficients, losses


@njit(cache=True)
def _gains_of_query(scores, gains, to_rank, minorant, coefficients):  # type: ignore[no-untyped-def]
    """Each step from one gain to the next, weighted by what it adds to the best ranking."""
    levels, counts = distinct(gains)
    n_earning = np.cumsum(counts[::-1])[::-1]  # documents from each level up
    ideal, lower = 0.0, 0.0
    for i in range(levels.size):
        ideal += (levels[i] - lower) * to_rank[n_earning[i]]
        lower = levels[i]
    if levels.size == 1 or ideal == 0:
        return 0.0
    order, of_step, loss = descending_order(scores), np.zeros(scores.size), 0.0
    for i in range(1, levels.size):
        relevant, others = split_by_relevance(order, gains >= levels[i])
        best = to_rank[relevant.size]
        weight = (levels[i] - levels[i - 1]) * best / ideal
        loss += weight * _one_gain(scores, relevant, others, best, minorant, of_step)
        for document in range(scores.size):
            coefficients[document] += weight * of_step[document]
    return loss


@njit(cache=True, parallel=True)
def _most_violated_first_ranks(scores, relevant, offsets, depths):  # type: ignore[no-untyped-def]
    coefficients, losses = np.zeros(scores.size), np.zeros(offsets.size - 1)
    for q in prange(losses.size):
        lo, hi = offsets[q], offsets[q + 1]
        losses[q] = _first_ranks_of_query(scores[lo:hi], relevant[lo:hi], depths[q], coefficients[lo:hi])
    return coefficients, losses


@njit(cache=True)
def _first_ranks_of_query(scores, is_relevant, depth, coefficients):  # type: ignore[no-untyped-def]
    relevant, others = split_by_relevance(descending_order(scores), is_relevant)
    if relevant.size == 0 or others.size == 0:
        return 0.0
    minorant = np.zeros(scores.size + 1)
    for rank in range(1, min(scores.size, depth) + 1):
        minorant[rank] = -1 / depth * (rank - 1) + 1
    return _one_gain(scores, relevant, others, float(min(relevant.size, depth)), minorant, coefficients)


@njit(cache=True)
def _one_gain(scores, relevant, others, best, minorant, coefficients):  # type: ignore[no-untyped-def]
    """Relevant document i below j others instead of j - 1 loses (D(i + j - 1) - D(i + j))/best.

    Summed over i > k this is D(j + k)/best and a part without k.
    """
    places = most_violated_places(scores[relevant], scores[others], minorant, np.zeros(scores.size), 1 / best)
    above = pair_coefficients(relevant, others, places, coefficients)
    value = 0.0
    for i in range(relevant.size):
        value += minorant[i + 1 + above[i]]
    return 1 - value / best
