r"""Sums over the pairs of one ranking in O(n log n), for the ROC area; see `continuous_grades`.

Of each document i it sums :math:`|\Delta_{ij}|\, (\tfrac12 - \varphi(y))` and :math:`|\Delta_{ij}|\, \varphi(y) (1 -
\varphi(y))` over all documents j below it, where y is the distance between their scores and phi(y) = 1/(1 + e^y).

As y is never negative, :math:`x = e^{-y}` is in (0, 1], and phi = x/(1 + x) and phi (1 - phi) = x/(1 + x)^2, whose only pole
is at -1, are close to polynomials of degree `N_TERMS` in x, however wide the range of the scores. A power of x separates
into a factor of i and a factor of j, so what remains is to sum :math:`|\Delta_{ij}| e^{-p y}` for p = 0 to `N_TERMS`.

The ranking is halved recursively, and the pairs of an upper half U with its lower half L are summed. All documents between
two such lie in U or in L. Let H(k, j) be 1 where k stands above j, 1/2 where they are tied (or the same) and 0 otherwise;
let :math:`W_c(k) = [l_k < c] + [l_k \le c]`, :math:`\sigma_{ik} = \operatorname{sgn}(l_i - l_k)`, and
:math:`v_j = e^{-p (t - s_j)}` with t the highest score in L. For i in U, of grade a, the sum over L is
:math:`e^{-p (s_i - t)}` times

.. math:: f_i \sum_{j \in L} v_j + \sum_{j \in L} v_j g_j + \sum_{k \in L} W_a(k)\, R_k
          + \sum_{k \in U} H(i, k)\, \sigma_{ik} \sum_{j \in L} W_{l_k}(j)\, v_j
          - \sum_{j \in L,\, l_j = a} v_j (e_i + e'_j)

    R_k = \sum_{j \in L} H(k, j)\, \sigma_{kj}\, v_j

where :math:`f_i = \sum_{k \in U} H(i, k) (2 - W_a(k))` and :math:`g_j = \sum_{k \in L} H(k, j) W_{l_j}(k)` are numbers of
each document, and so are e_i and e'_j, the parts of f_i and g_j due to documents of equal grade. The sums over L by grade
run along its documents sorted by grade. R of a half follows from R of its own halves, on the way up the recursion. The term
with H(i, k) sums a vector of each k over U, and is summed on the way down, where the halves of U add the pairs (i, k) that
they separate. Every level of the recursion takes O(n), and a tie group is never halved.

The interpolation of phi at Chebyshev's points errs by at most 1/(2 T(3)), with T the Chebyshev polynomial of degree
`N_TERMS`: 4 10^-9, and that of phi (1 - phi) by 4 10^-8. So both sums of a document are within 10^-7 of its sum of |Delta|
(the test has the bound).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.polynomial import Chebyshev, Polynomial

from ...arrays import Floats
from ...kernel_compiler import njit, prange
from .halves import Ranking, bounds, count_lower, level_end, split

#: The degree of the polynomials in x.
N_TERMS = 11

#: Parts of about this many documents fit the cache, and have their whole recursion on one core.
_PART_SIZE = 1024

#: Below this, x is set to 0, so that its powers are never denormal.
_MIN_X = 1e-20

_N_SUMS = N_TERMS + 1

#: The columns of an array that has a row for each document, after a vector of N_TERMS + 1 numbers. On the way down, the
#: vector of k is the sum of W(j) e^{-p (b - s_j)} over all lower halves j whose upper half contains k, b being the lowest
#: score in the part of k; on the way up it is R, with t the highest score in the part. GRADIENT and HESSIAN are the sums of
#: |Delta| (1/2 - phi) and |Delta| phi (1 - phi) over all documents below; PASSED is the sum of W_a(k) BELOW(k) over all k
#: below, a being the grade of the document. Then f, e, g and e' within its part; exp(s - t) if it is in a lower half; its
#: score; and how many documents are below it, where those of its own tie group count 1/2.
GRADIENT, HESSIAN, PASSED, HIGHER_BELOW, EQUAL_BELOW, LOWER_ABOVE, EQUAL_ABOVE = range(_N_SUMS, _N_SUMS + 7)
X, SCORE, BELOW = range(_N_SUMS + 7, _N_SUMS + 10)

#: The rows of the array of shape (10, N_TERMS + 1) that each core works with: sums of v, the vectors and v e' over the
#: documents of the lower half at one level, if the upper half has that level too; sums over the lower half; powers that
#: convert from one reference score to another; and the powers of a document's x.
EQUAL, EQUAL_VECTORS, EQUAL_COUNTED, TOTAL, LOWER, NET, BASE, DECAY, TO_UPPER, POWERS = range(10)


def _coefficients(constant: float, sign: float, order: int) -> Floats:
    """Those of the powers of x, from 0, in constant + sign x/(1 + x)^order."""
    fitted = Chebyshev.interpolate(lambda x: 1 / (1 + x) ** order, N_TERMS - 1, domain=[0, 1])
    return np.append(constant, sign * np.asarray(fitted.convert(kind=Polynomial).coef, float))


_GRADIENT = _coefficients(0.5, -1.0, 1)
_HESSIAN = _coefficients(0.0, 1.0, 2)


class Side(NamedTuple):
    """For each document, by rank, the columns GRADIENT, HESSIAN, PASSED and HIGHER_BELOW of the whole ranking."""

    gradient: Floats
    hessian: Floats
    passed: Floats
    higher_below: Floats


def sum_below(ranking: Ranking) -> Side:
    """The sums of each document over those below it."""
    n, starts = ranking.scores.size, ranking.group_starts
    rows = np.zeros((n, BELOW + 1))
    rows[:, SCORE] = ranking.scores
    rows[:, BELOW] = n - np.repeat(starts[:-1] + starts[1:], np.diff(starts)) / 2
    _recurse(ranking, rows)
    return Side(*(rows[:, column].copy() for column in (GRADIENT, HESSIAN, PASSED, HIGHER_BELOW)))


@njit(cache=True, parallel=True)
def _recurse(ranking, rows):  # type: ignore[no-untyped-def]
    depth = ranking.orders.shape[0] - 1
    top = 0
    while top < depth and rows.shape[0] >> top > _PART_SIZE:
        top += 1
    for d in range(top):
        for part in prange(1 << d):
            _go_down(ranking, d, part, rows, np.zeros((10, _N_SUMS)))
    for part in prange(1 << top):
        _recurse_from(ranking, top, np.int64(part), rows)
    for d in range(top - 1, -1, -1):
        for part in prange(1 << d):
            _go_up(ranking, d, part, rows, np.zeros((10, _N_SUMS)))


@njit(cache=True)
def _recurse_from(ranking, top, part, rows):  # type: ignore[no-untyped-def]
    """The whole recursion of one part."""
    work, depth = np.zeros((10, _N_SUMS)), ranking.orders.shape[0] - 1
    for d in range(top, depth):
        for half in range(part << (d - top), (part + 1) << (d - top)):
            _go_down(ranking, d, half, rows, work)
    for group in range(part << (depth - top), min((part + 1) << (depth - top), ranking.group_starts.size - 1)):
        _turn(ranking, group, rows)
    for d in range(depth - 1, top - 1, -1):
        for half in range(part << (d - top), (part + 1) << (d - top)):
            _go_up(ranking, d, half, rows, work)


@njit(cache=True)
def _exp(y):  # type: ignore[no-untyped-def]
    x = np.exp(y)
    return x if x > _MIN_X else 0.0


@njit(cache=True)
def _set_powers(x, work, row):  # type: ignore[no-untyped-def]
    fourth = (x * x) * (x * x)
    work[row, 0], work[row, 1], work[row, 2], work[row, 3] = 1.0, x, x * x, x * x * x
    for p in range(4, _N_SUMS):
        work[row, p] = work[row, p - 4] * fourth


@njit(cache=True)
def _go_down(ranking, depth, part, rows, work):  # type: ignore[no-untyped-def]
    """Sum the lower half's vectors for each document of the upper half, and add the lower half to the latter's vectors."""
    start, middle, end = bounds(ranking, depth, part)
    if middle < end:
        scores = ranking.scores
        _set_powers(_exp(scores[end - 1] - scores[middle - 1]), work, DECAY)
        _set_powers(_exp(scores[middle] - scores[middle - 1]), work, TO_UPPER)
        _sum_vectors(ranking, depth, (start, middle, end), rows, work)
    split(ranking.orders[depth], start, middle, end, ranking.orders[depth + 1])


@njit(cache=True)
def _sum_vectors(ranking, depth, ranks, rows, work):  # type: ignore[no-untyped-def]
    """By ascending level: LOWER is W of v over the lower half, NET its vectors with the signs of sigma."""
    start, middle, end = ranks
    scores, level, order = ranking.scores, ranking.level, ranking.orders[depth]
    for p in range(_N_SUMS):
        work[LOWER, p] = work[NET, p] = 0.0
    for rank in range(middle, end):
        rows[rank, X] = _exp(rows[rank, SCORE] - scores[middle])
        for p in range(_N_SUMS):
            work[NET, p] -= rows[rank, p]
    first = start
    while first < end:
        last = level_end(level, order, first, end)
        n_lower = count_lower(order, first, last, middle)
        if n_lower > 0:
            _count_level(order, first, last, middle, rows, work, LOWER, NET)
        if n_lower < last - first:
            for position in range(first, last):
                rank = order[position]
                if rank < middle:
                    _set_powers(_exp(scores[end - 1] - rows[rank, SCORE]), work, POWERS)
                    _add_net_vectors(rank, rows, work)
            if n_lower > 0:
                _end_level(work, LOWER, NET)
        first = last


@njit(cache=True, fastmath={"reassoc", "contract"})
def _add_net_vectors(rank, rows, work):  # type: ignore[no-untyped-def]
    """Add the lower half's vectors to the sums of a document of the upper half, then update its own vector."""
    gradient, hessian = 0.0, 0.0
    for p in range(_N_SUMS):
        term = work[POWERS, p] * work[NET, p]
        gradient += _GRADIENT[p] * term
        hessian += _HESSIAN[p] * term
        rows[rank, p] = work[DECAY, p] * rows[rank, p] + work[TO_UPPER, p] * work[LOWER, p]
    rows[rank, GRADIENT] += gradient
    rows[rank, HESSIAN] += hessian


@njit(cache=True)
def _count_level(order, first, last, middle, rows, work, row, vector_row):  # type: ignore[no-untyped-def]
    """Count the lower half's documents of one level twice in two sums, or once if the upper half has the level too."""
    if count_lower(order, first, last, middle) < last - first:
        _sum_level(order, first, last, middle, rows, work)
        _count_equal(work, row, vector_row)
        return
    for position in range(first, last):
        rank = order[position]
        _set_powers(rows[rank, X], work, POWERS)
        for p in range(_N_SUMS):
            work[row, p] += 2 * work[POWERS, p]
            work[vector_row, p] += 2 * rows[rank, p]


@njit(cache=True)
def _sum_level(order, first, last, middle, rows, work):  # type: ignore[no-untyped-def]
    """Add to the sums over the lower half's documents of one level."""
    for position in range(first, last):
        rank = order[position]
        if rank >= middle:
            _set_powers(rows[rank, X], work, POWERS)
            n_equal = rows[rank, EQUAL_ABOVE]
            for p in range(_N_SUMS):
                work[EQUAL, p] += work[POWERS, p]
                work[EQUAL_VECTORS, p] += rows[rank, p]
                work[EQUAL_COUNTED, p] += n_equal * work[POWERS, p]


@njit(cache=True)
def _count_equal(work, row, vector_row):  # type: ignore[no-untyped-def]
    for p in range(_N_SUMS):
        work[row, p] += work[EQUAL, p]
        work[vector_row, p] += work[EQUAL_VECTORS, p]


@njit(cache=True)
def _end_level(work, row, vector_row):  # type: ignore[no-untyped-def]
    """Count a level that both halves have for the second time."""
    _count_equal(work, row, vector_row)
    for p in range(_N_SUMS):
        work[EQUAL, p] = work[EQUAL_VECTORS, p] = work[EQUAL_COUNTED, p] = 0.0


@njit(cache=True)
def _turn(ranking, group, rows):  # type: ignore[no-untyped-def]
    """Sum the vectors within a tie group, then set what the way up starts from."""
    start, end = ranking.group_starts[group], ranking.group_starts[group + 1]
    level, order = ranking.level, ranking.orders[-1]
    if end - start > 1:
        _sum_tied_vectors(level, order, start, end, rows)
    first = start
    while first < end:
        last = level_end(level, order, first, end)
        n_lower, n_equal, n_higher = first - start, last - first, end - last
        for position in range(first, last):
            rank = order[position]
            rows[rank, EQUAL_BELOW] = rows[rank, EQUAL_ABOVE] = n_equal / 2
            rows[rank, LOWER_ABOVE] = n_lower + n_equal / 2
            rows[rank, HIGHER_BELOW] = n_higher + n_equal / 2
            for p in range(_N_SUMS):
                rows[rank, p] = (n_lower - n_higher) / 2
        first = last


@njit(cache=True)
def _sum_tied_vectors(level, order, start, end, rows):  # type: ignore[no-untyped-def]
    """The same within a tie group, where x is 1 and each vector counts 1/2."""
    gradient, hessian = 0.0, 0.0
    for rank in range(start, end):
        at_one = _polynomials_at_one(rows, rank)
        gradient, hessian = gradient - at_one[0] / 2, hessian - at_one[1] / 2
    first = start
    while first < end:
        last = level_end(level, order, first, end)
        level_gradient, level_hessian = 0.0, 0.0
        for position in range(first, last):
            at_one = _polynomials_at_one(rows, order[position])
            level_gradient, level_hessian = level_gradient + at_one[0] / 2, level_hessian + at_one[1] / 2
        for position in range(first, last):
            rows[order[position], GRADIENT] += gradient + level_gradient
            rows[order[position], HESSIAN] += hessian + level_hessian
        gradient, hessian = gradient + 2 * level_gradient, hessian + 2 * level_hessian
        first = last


@njit(cache=True)
def _polynomials_at_one(rows, rank):  # type: ignore[no-untyped-def]
    """The polynomials with each power multiplied by the vector's number, at x = 1."""
    gradient, hessian = 0.0, 0.0
    for p in range(_N_SUMS):
        gradient += _GRADIENT[p] * rows[rank, p]
        hessian += _HESSIAN[p] * rows[rank, p]
    return gradient, hessian


@njit(cache=True)
def _go_up(ranking, depth, part, rows, work):  # type: ignore[no-untyped-def]
    """Sum the rest of the pairs of the halves, and join what each has of its own documents."""
    start, middle, end = bounds(ranking, depth, part)
    if middle == end:
        return
    scores, level, order = ranking.scores, ranking.level, ranking.orders[depth]
    _set_powers(_exp(scores[middle] - scores[start]), work, DECAY)
    _sum_lower_half(scores, middle, end, rows, work)
    higher, lower, passed = 2 * (end - middle), 0, 0.0
    first = start
    while first < end:
        last = level_end(level, order, first, end)
        n_lower, passed_here = count_lower(order, first, last, middle), 0.0
        n_upper = last - first - n_lower
        if n_lower > 0:
            _count_level(order, first, last, middle, rows, work, NET, BASE)
            passed_here = _join_lower(order, first, last, middle, 2 * lower + n_upper, n_upper, rows, work)
        if n_upper > 0:
            for position in range(first, last):
                rank = order[position]
                if rank < middle:
                    _set_powers(_exp(scores[middle] - rows[rank, SCORE]), work, POWERS)
                    _add_lower_half(rank, rows, work)
                    rows[rank, HIGHER_BELOW] += higher - n_lower
                    rows[rank, EQUAL_BELOW] += n_lower
                    rows[rank, PASSED] += passed + passed_here
            if n_lower > 0:
                _end_level(work, NET, BASE)
        higher, lower, passed = higher - 2 * n_lower, lower + n_upper, passed + 2 * passed_here
        first = last


@njit(cache=True)
def _join_lower(order, first, last, middle, passed, n_equal, rows, work):  # type: ignore[no-untyped-def]
    """Extend the lower half's documents of one level to the whole part; the sum of their BELOW."""
    total = 0.0
    for position in range(first, last):
        rank = order[position]
        if rank >= middle:
            total += rows[rank, BELOW]
            rows[rank, LOWER_ABOVE] += passed
            rows[rank, EQUAL_ABOVE] += n_equal
            for p in range(_N_SUMS):
                rows[rank, p] *= work[DECAY, p]
    return total


@njit(cache=True)
def _sum_lower_half(scores, start, end, rows, work):  # type: ignore[no-untyped-def]
    """Set x, the sum of v, minus that sum, and the sum of v g."""
    for p in range(_N_SUMS):
        work[TOTAL, p] = work[BASE, p] = 0.0
    for rank in range(start, end):
        rows[rank, X], weight = _exp(rows[rank, SCORE] - scores[start]), rows[rank, LOWER_ABOVE]
        _set_powers(rows[rank, X], work, POWERS)
        for p in range(_N_SUMS):
            work[TOTAL, p] += work[POWERS, p]
            work[BASE, p] += weight * work[POWERS, p]
    for p in range(_N_SUMS):
        work[NET, p] = -work[TOTAL, p]


@njit(cache=True, fastmath={"reassoc", "contract"})
def _add_lower_half(rank, rows, work):  # type: ignore[no-untyped-def]
    """Add the lower half to the sums of a document of the upper half, and to its R."""
    f, e = rows[rank, HIGHER_BELOW], rows[rank, EQUAL_BELOW]
    gradient, hessian = 0.0, 0.0
    for p in range(_N_SUMS):
        of_pairs = f * work[TOTAL, p] + work[BASE, p] - e * work[EQUAL, p] - work[EQUAL_COUNTED, p]
        gradient += _GRADIENT[p] * work[POWERS, p] * of_pairs
        hessian += _HESSIAN[p] * work[POWERS, p] * of_pairs
        rows[rank, p] += work[DECAY, p] * work[NET, p]
    rows[rank, GRADIENT] += gradient
    rows[rank, HESSIAN] += hessian
