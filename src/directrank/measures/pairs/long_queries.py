r"""Sums over the pairs of a query that has too many of them to visit.

For the better documents i and the worse ones j of a query it takes, without visiting the pairs,

.. math:: \sum_j |D_i - D_j|\, \varphi(s_i - s_j), \qquad \varphi(y) = \frac{1}{1 + e^y} \quad\text{or}\quad
          \frac{e^y}{(1 + e^y)^2}

and the same for each j. Documents are sorted by score and cut into cells of width 1/32. The effect of a cell on a far one is
given by six of its moments (of 1, delta and delta^2, each plain and times D, delta being the distance from the cell's
centre), a Taylor series to the second order; the sum is computed at three points of each cell and interpolated between
them. Within a cell phi is a polynomial, and sums that run along the sorted documents give the pairs. So a query of n
documents takes one sort, O(n), and the square of the number of cells.

Third derivatives of phi are at most 1/8 in absolute value. With cells of width h that leaves, relative to
:math:`\sum_j |D_i - D_j|`, at most h^3/384 of the series, h^3/1536 of the interpolation and h^3/48 within a cell: below
10^-6 in all for the gradient (the test has the bound), and no more for the hessian.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ...arrays import Floats
from ...kernel_compiler import njit, prange

#: The width of a cell, in units of the score.
CELL_WIDTH = 1 / 32

#: Where phi cannot be told from 0 or 1.
_MAX_DISTANCE = 40.0

#: Chebyshev's points of a cell, relative to its centre.
_NODES = CELL_WIDTH / 2 * np.cos(np.pi * (2 * np.arange(3) + 1) / 6)


def sum_many_pairs(
    scores: Floats, discounts: Floats, group: NDArray[np.int32], tied: Floats, n_better: int
) -> tuple[Floats, Floats]:
    """Gradient and hessian of each document, all pairs of the first `n_better` and the rest having gains 1 apart.

    Parameters
    ----------
    scores, discounts, group, tied : arrays
        As in `Swaps`; the discount is `upper`.
    n_better : int
        How many documents, the first ones, are the better ones.
    """
    order = _by_descending_score(group)
    worse = order >= n_better
    s, D = scores[order], discounts[order]
    cell = np.floor((s[0] - s) / CELL_WIDTH).astype(np.int64)
    starts = np.concatenate(([0], np.flatnonzero(cell[1:] != cell[:-1]) + 1, [s.size]))
    centres = s[0] - (cell[starts[:-1]] + 0.5) * CELL_WIDTH
    moments = _moments(s, D, worse, starts, centres)
    at_nodes = _far_field(moments, centres, _NODES)
    sums = _near_field(s, D, worse, starts, centres, moments, at_nodes, _NODES)
    _add_ties(group[order], worse, tied[order], *sums)
    gradient, hessian = np.empty_like(scores), np.empty_like(scores)
    gradient[order] = np.where(worse, sums[0], -sums[0])
    hessian[order] = sums[1]
    return gradient, hessian


@njit(cache=True)
def _by_descending_score(group):  # type: ignore[no-untyped-def]
    """The documents in the order of their groups, which are numbered from the top: by counting."""
    starts = np.zeros(group.max() + 2, np.int64)
    for g in group:
        starts[g + 1] += 1
    starts = np.cumsum(starts)
    order = np.empty(group.size, np.int64)
    for i in range(group.size):
        order[starts[group[i]]] = i
        starts[group[i]] += 1
    return order


@njit(cache=True, parallel=True)
def _moments(s, D, worse, starts, centres):  # type: ignore[no-untyped-def]
    """Of each cell, the better and the worse documents apart: sums of 1, delta, delta^2, D, D delta, D delta^2."""
    moments = np.zeros((centres.size, 2, 6))
    for c in prange(centres.size):
        for i in range(starts[c], starts[c + 1]):
            delta = s[i] - centres[c]
            m = moments[c, 1 if worse[i] else 0]
            m[0] += 1
            m[1] += delta
            m[2] += delta * delta
            m[3] += D[i]
            m[4] += D[i] * delta
            m[5] += D[i] * delta * delta
    return moments


@njit(cache=True, parallel=True)
def _far_field(moments, centres, nodes):  # type: ignore[no-untyped-def]
    """What all other cells are to documents at the nodes of each: a part of the sum without D_i, and one to multiply by it.

    The last axis has both parts for the gradient, then for the hessian. A document above gives D_j - D_i, one below
    D_i - D_j.
    """
    n = centres.size
    totals = np.zeros((n + 1, 2, 2))  # of 1 and D over all cells before each
    for c in range(n):
        for kind in range(2):
            totals[c + 1, kind, 0] = totals[c, kind, 0] + moments[c, kind, 0]
            totals[c + 1, kind, 1] = totals[c, kind, 1] + moments[c, kind, 3]
    field = np.zeros((n, 2, 3, 4))
    for c in prange(n):
        first = np.searchsorted(-centres, -(centres[c] + _MAX_DISTANCE))
        last = np.searchsorted(-centres, -(centres[c] - _MAX_DISTANCE), side="right")
        for node in range(3):
            _add_window(field[c, :, node], moments, centres, c, first, last, centres[c] + nodes[node])
            # Beyond the window phi is 1 for worse documents far above a better one, and for better ones far below a worse.
            field[c, 0, node, 0] += totals[first, 1, 1]
            field[c, 0, node, 1] -= totals[first, 1, 0]
            field[c, 1, node, 0] -= totals[n, 0, 1] - totals[last, 0, 1]
            field[c, 1, node, 1] += totals[n, 0, 0] - totals[last, 0, 0]
    return field


@njit(cache=True)
def _add_window(field, moments, centres, own, first, last, at):  # type: ignore[no-untyped-def]
    for c in range(first, last):
        if c == own:
            continue
        sign = 1.0 if c < own else -1.0
        p = 1 / (1 + np.exp(at - centres[c]))
        k = p * (1 - p)
        for target in range(2):
            m = moments[c, 1 - target]
            value, derivative, second = (p, -k, k * (1 - 2 * p)) if target == 0 else (1 - p, k, -k * (1 - 2 * p))
            field[target, 0] += sign * (value * m[3] - derivative * m[4] + second / 2 * m[5])
            field[target, 1] -= sign * (value * m[0] - derivative * m[1] + second / 2 * m[2])
            derivative, second = -k * (1 - 2 * p), k * (1 - 6 * k)
            field[target, 2] += sign * (k * m[3] - derivative * m[4] + second / 2 * m[5])
            field[target, 3] -= sign * (k * m[0] - derivative * m[1] + second / 2 * m[2])


@njit(cache=True, parallel=True)
def _near_field(s, D, worse, starts, centres, moments, at_nodes, nodes):  # type: ignore[no-untyped-def]
    """The whole sums of each document: the far field between the nodes, and the pairs within its cell."""
    gradients, hessians = np.zeros(s.size), np.zeros(s.size)
    for c in prange(centres.size):
        net = np.empty((2, 6))  # moments of what stands above in the cell, less those of what stands below
        for kind in range(2):
            for k in range(6):
                net[kind, k] = -moments[c, kind, k]
        for i in range(starts[c], starts[c + 1]):
            delta, kind = s[i] - centres[c], 1 if worse[i] else 0
            _count_as_above(net[kind], delta, D[i])
            m, sign = net[1 - kind], 0.25 if worse[i] else -0.25
            zeroth, first, second = m[3] - D[i] * m[0], m[4] - D[i] * m[1], m[5] - D[i] * m[2]
            gradients[i] = 0.5 * zeroth + sign * (delta * zeroth - first)
            hessians[i] = 0.25 * zeroth - (delta * delta * zeroth - 2 * delta * first + second) / 16
            field = at_nodes[c, kind]
            for node in range(3):
                weight = 1.0
                for other in range(3):
                    if other != node:
                        weight *= (delta - nodes[other]) / (nodes[node] - nodes[other])
                gradients[i] += weight * (field[node, 0] + D[i] * field[node, 1])
                hessians[i] += weight * (field[node, 2] + D[i] * field[node, 3])
    return gradients, hessians


@njit(cache=True)
def _count_as_above(net, delta, discount):  # type: ignore[no-untyped-def]
    net[0] += 2
    net[1] += 2 * delta
    net[2] += 2 * delta * delta
    net[3] += 2 * discount
    net[4] += 2 * discount * delta
    net[5] += 2 * discount * delta * delta


@njit(cache=True)
def _add_ties(group, worse, tied, gradients, hessians):  # type: ignore[no-untyped-def]
    """Pairs of equal score, whose discounts are equal too: phi is 1/2, or 1/4."""
    start = 0
    while start < group.size:
        end = start + 1
        while end < group.size and group[end] == group[start]:
            end += 1
        if end > start + 1:
            n_worse = np.sum(worse[start:end])
            for i in range(start, end):
                others = end - start - n_worse if worse[i] else n_worse
                gradients[i] += 0.5 * others * tied[i]
                hessians[i] += 0.25 * others * tied[i]
        start = end
