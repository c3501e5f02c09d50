"""The most violated ranking for measures that see only how relevant and other documents interleave.

Rankings are compared by Psi(y) = 1/(R N) sum_ij y_ij (x_i - x_j) over the R relevant documents i and the N others j, with
y_ij = +1 where i stands above j and -1 where it stands below (Yue et al. 2007, section 3).
"""

from __future__ import annotations

import numpy as np
from numba import njit

from .ties import falling_order


@njit(cache=True)
def split_by_relevance(scores, grades, threshold):  # type: ignore[no-untyped-def]
    """The relevant documents and the others, each by falling score: the order they keep in the most violated ranking."""
    order = falling_order(scores)
    is_relevant = grades[order] >= threshold
    return order[is_relevant], order[~is_relevant]


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
def places_by_score(relevant, others):  # type: ignore[no-untyped-def]
    """How many relevant documents have at least the score of each other document; scores falling."""
    places, place = np.empty(others.size, np.int64), 0
    for j in range(others.size):
        while place < relevant.size and relevant[place] >= others[j]:
            place += 1
        places[j] = place
    return places


@njit(cache=True)
def prefix_sums(values):  # type: ignore[no-untyped-def]
    """The sum of the first 0, 1, ... values."""
    sums = np.zeros(values.size + 1)
    for i in range(values.size):
        sums[i + 1] = sums[i] + values[i]
    return sums


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
