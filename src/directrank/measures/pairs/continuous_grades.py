r"""Lambdas of the ROC area of a long query with many distinct grades, in O(n log n); see `roc_area`.

Let y be the distance between the scores of two documents. The gradient of a document i is

.. math:: g_i = -\tfrac12 \sum_j \operatorname{sgn}(l_i - l_j)\, |\Delta_{ij}|
                + \sum_{j \text{ below}} |\Delta_{ij}|\, \bigl(\tfrac12 - \varphi(y_{ij})\bigr)
                - \sum_{j \text{ above}} |\Delta_{ij}|\, \bigl(\tfrac12 - \varphi(y_{ij})\bigr),
          \qquad \varphi(y) = \frac{1}{1 + e^y}

over all j of another grade; the hessian is the sum of :math:`|\Delta_{ij}|\, \varphi (1 - \varphi)`. As y is never negative,
:math:`x = e^{-y}` is in (0, 1], and phi = x/(1 + x) and phi (1 - phi) = x/(1 + x)^2, whose only pole is at -1, are
polynomials of degree `N_TERMS` in x to a high accuracy, however wide the range of the scores. A power of x separates into a
factor of i and a factor of j, so what remains is to sum :math:`|\Delta_{ij}| e^{-p y}` for p = 0 to `N_TERMS`.

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
from numba import njit, prange
from numpy.polynomial import Chebyshev, Polynomial
from numpy.typing import NDArray

from ...arrays import Floats, Ints
from ..base import Lambdas

#: The degree of the polynomials in x.
N_TERMS = 11

#: The recursion works on parts of 2^10 tie groups, which fit the cache, one core each.
_PART_DEPTH = 10

#: Below this, x is taken as 0, lest its powers be denormal numbers.
_MIN_X = 1e-20

_N_SUMS = N_TERMS + 1


def _powers_of_x(constant: float, sign: float, order: int) -> Floats:
    """The coefficients, from p = 0, of constant + sign x/(1 + x)^order."""
    fitted = Chebyshev.interpolate(lambda x: 1 / (1 + x) ** order, N_TERMS - 1, domain=[0, 1])
    return np.append(constant, sign * fitted.convert(kind=Polynomial).coef)


_GRADIENT = _powers_of_x(0.5, -1.0, 1)
_HESSIAN = _powers_of_x(0.0, 1.0, 2)


class Ranking(NamedTuple):
    """A query by rank.

    Attributes
    ----------
    scores : float64 array
        Descending.
    level : int32 array
        The number of each document's grade, 0 for the lowest.
    group_starts : int64 array
        Where each tie group starts, and n.
    below : float64 array
        How many documents stand below each; those of its tie group count 1/2.
    orders : int32 array of shape (depth + 1, n)
        The ranks of each part, by level, at each depth of the recursion. Part q at depth d has the tie groups
        whose number, shifted right by (depth - d) bits, is q.
    """

    scores: Floats
    level: NDArray[np.int32]
    group_starts: Ints
    below: Floats
    orders: NDArray[np.int32]


class Side(NamedTuple):
    """What a document sums over those below it; in a mirrored ranking, above it.

    Attributes
    ----------
    gradient, hessian : float64 arrays
        Sums of \\|Delta\\| (1/2 - phi) and \\|Delta\\| phi (1 - phi).
    passed : float64 array
        The sum of W_a(k) `below_k` over all k below, a being the document's grade.
    higher_below, equal_below, lower_above, equal_above : float64 arrays
        f, e, g and e' of the document within its part of the ranking.
    x : float64 array
        exp(s - t) of the documents of a lower half.
    vectors : float64 array of shape (n, N_TERMS + 1)
        On the way down, for each k, the sum over all lower halves j, to which k's is the upper, of W(j) e^{-p (b - s_j)},
        where b is the lowest score in k's part. On the way up, R, with t the highest score of the part.
    """

    gradient: Floats
    hessian: Floats
    passed: Floats
    higher_below: Floats
    equal_below: Floats
    lower_above: Floats
    equal_above: Floats
    x: Floats
    vectors: Floats


def sum_continuous_grades(
    scores: Floats, level: NDArray[np.int32], order: Ints, weight: float, found: Lambdas
) -> None:
    """Write the sums of one query; `order` ranks its documents."""
    ranking = _ranking(scores[order], level[order])
    side = _sum_below(ranking)
    gradient, hessian = side.gradient, side.hessian
    signed = _signed_changes(ranking, side)
    higher = side.higher_below
    mirrored = _ranking(-ranking.scores[::-1], ranking.level[::-1])
    side = _sum_below(mirrored)
    gradient -= side.gradient[::-1]
    hessian += side.hessian[::-1]
    signed += _signed_changes(mirrored, side)[::-1]
    higher += side.higher_below[::-1]
    _add_ties(ranking.level, ranking.group_starts, ranking.orders[-1], higher, signed, hessian)
    found.gradient[order] = weight * (gradient - signed / 2)
    found.hessian[order] = weight * hessian


def _ranking(scores: Floats, level: NDArray[np.int32]) -> Ranking:
    starts = np.flatnonzero(np.diff(scores, prepend=np.inf))
    group_starts = np.append(starts, scores.size)
    below = scores.size - np.repeat(group_starts[:-1] + group_starts[1:], np.diff(group_starts)) / 2
    depth = int(starts.size - 1).bit_length()
    orders = np.empty((depth + 1, scores.size), np.int32)
    orders[0] = np.argsort(level, kind="stable")
    return Ranking(np.ascontiguousarray(scores), np.ascontiguousarray(level), group_starts, below, orders)


def _sum_below(ranking: Ranking) -> Side:
    n = ranking.scores.size
    side = Side(*np.zeros((8, n)), np.zeros((n, _N_SUMS)))
    _recurse(ranking, side)
    return side


def _signed_changes(ranking: Ranking, side: Side) -> Floats:
    """The part of the sum over j of sgn(l_i - l_j) |Delta_ij| due to the documents k below i, of a tie group other than i's.

    Each counts W_a(k) - W_b(k) for every j at least as far below, b being the grade of j.
    """
    of_group = np.add.reduceat(side.higher_below, ranking.group_starts[:-1])
    further = np.append(np.cumsum(of_group[::-1])[-2::-1], 0.0)
    return side.passed - np.repeat(further, np.diff(ranking.group_starts))


@njit(cache=True)
def _add_ties(level, group_starts, order, higher, signed, hessian):  # type: ignore[no-untyped-def]
    """Add the pairs of each tie group to sgn(l_i - l_j) |Delta_ij| and to the hessian, and to the first what ties hide of others.

    A document k counts 1/2 between any document of its tie group and any outside. `higher` is how many documents are of a
    higher grade than each, twice, plus how many of the same.
    """
    n = level.size
    for group in range(group_starts.size - 1):
        start, end = group_starts[group], group_starts[group + 1]
        size, grown, outside = end - start, 0.0, 0.0
        first = start
        while first < end:
            last = _level_end(level, order, first, end)
            grown += (last - first) * (first - start + last - start)
            for rank in order[first:last]:
                outside += higher[rank] - (2 * end - first - last)
            first = last
        first, grown_lower = start, 0.0
        while first < end:
            last = _level_end(level, order, first, end)
            lower, higher_tied, own = first - start, end - last, first - start + last - start
            grown_higher = grown - grown_lower - (last - first) * own
            changes = own * (lower - higher_tied) - grown_lower + grown_higher + lower + higher_tied
            for rank in order[first:last]:
                signed[rank] += (own * (n - size) - outside) / 2 + (size * own - grown + lower - higher_tied) / 3
                hessian[rank] += changes / 12
            grown_lower += (last - first) * own
            first = last


@njit(cache=True, parallel=True)
def _recurse(ranking, side):  # type: ignore[no-untyped-def]
    depth = ranking.orders.shape[0] - 1
    top = max(0, depth - _PART_DEPTH)
    for d in range(top):
        for part in prange(1 << d):
            _go_down(ranking, d, part, side, np.empty((8, _N_SUMS)))
    for number in prange(1 << top):
        part = np.int64(number)
        sums = np.empty((8, _N_SUMS))
        for d in range(top, depth):
            for half in range(part << (d - top), (part + 1) << (d - top)):
                _go_down(ranking, d, half, side, sums)
        for group in range(part << (depth - top), min((part + 1) << (depth - top), ranking.group_starts.size - 1)):
            _turn(ranking, group, side, sums)
        for d in range(depth - 1, top - 1, -1):
            for half in range(part << (d - top), (part + 1) << (d - top)):
                _go_up(ranking, d, half, side, sums)
    for d in range(top - 1, -1, -1):
        for part in prange(1 << d):
            _go_up(ranking, d, part, side, np.empty((8, _N_SUMS)))


@njit(cache=True)
def _bounds(ranking, depth, part):  # type: ignore[no-untyped-def]
    """The ranks where a part starts, where its lower half does, and where it ends."""
    starts, shift = ranking.group_starts, ranking.orders.shape[0] - 1 - depth
    last, first = starts.size - 1, np.int64(part) << shift
    half, end = first + (1 << (shift - 1)), first + (1 << shift)
    return starts[min(first, last)], starts[min(half, last)], starts[min(end, last)]


@njit(cache=True)
def _level_end(level, order, start, end):  # type: ignore[no-untyped-def]
    """Where the documents of one level end that start at `start`."""
    of_level = level[order[start]]
    start += 1
    while start < end and level[order[start]] == of_level:
        start += 1
    return start


@njit(cache=True)
def _exp(y):  # type: ignore[no-untyped-def]
    x = np.exp(y)
    return x if x > _MIN_X else 0.0


@njit(cache=True)
def _set_powers(x, powers):  # type: ignore[no-untyped-def]
    powers[0] = 1.0
    for p in range(1, _N_SUMS):
        powers[p] = powers[p - 1] * x


@njit(cache=True, fastmath={"reassoc", "contract"})
def _add_sums(rank, x, values, side):  # type: ignore[no-untyped-def]
    """Add the polynomials whose power p is multiplied by `values`, at x."""
    power, gradient, hessian = 1.0, 0.0, 0.0
    for p in range(_N_SUMS):
        gradient += _GRADIENT[p] * power * values[p]
        hessian += _HESSIAN[p] * power * values[p]
        power *= x
    side.gradient[rank] += gradient
    side.hessian[rank] += hessian


@njit(cache=True)
def _sum_level(ranks, middle, side, of_level):  # type: ignore[no-untyped-def]
    """Over the documents of one level in the lower half: v, the vectors, and v e'."""
    of_level[:] = 0
    n_lower = 0
    for rank in ranks:
        if rank >= middle:
            n_lower += 1
            power, equal = 1.0, side.equal_above[rank]
            for p in range(_N_SUMS):
                of_level[0, p] += power
                of_level[1, p] += side.vectors[rank, p]
                of_level[2, p] += power * equal
                power *= side.x[rank]
    return n_lower


@njit(cache=True)
def _go_down(ranking, depth, part, side, sums):  # type: ignore[no-untyped-def]
    """Sum the vectors of the lower half for each document of the upper one; add the lower half to the upper one's vectors."""
    start, middle, end = _bounds(ranking, depth, part)
    order, scores, vectors = ranking.orders[depth], ranking.scores, side.vectors
    if middle == end:
        ranking.orders[depth + 1, start:end] = order[start:end]
        return
    of_level, lower, net, decay, to_upper = sums[:3], sums[3], sums[4], sums[5], sums[6]
    _set_powers(_exp(scores[end - 1] - scores[middle - 1]), decay)
    _set_powers(_exp(scores[middle] - scores[middle - 1]), to_upper)
    lower[:] = 0
    net[:] = 0
    for rank in range(middle, end):
        side.x[rank] = _exp(scores[rank] - scores[middle])
        net -= vectors[rank]
    first = start
    while first < end:
        last = _level_end(ranking.level, order, first, end)
        ranks = order[first:last]
        _sum_level(ranks, middle, side, of_level)
        lower += of_level[0]
        net += of_level[1]
        for rank in ranks:
            if rank < middle:
                _add_sums(rank, _exp(scores[end - 1] - scores[rank]), net, side)
                for p in range(_N_SUMS):
                    vectors[rank, p] = decay[p] * vectors[rank, p] + to_upper[p] * lower[p]
        lower += of_level[0]
        net += of_level[1]
        first = last
    _split(order[start:end], middle, middle - start, ranking.orders[depth + 1, start:end])


@njit(cache=True)
def _split(order, middle, n_upper, halves):  # type: ignore[no-untyped-def]
    upper, lower = 0, n_upper
    for rank in order:
        if rank < middle:
            halves[upper] = rank
            upper += 1
        else:
            halves[lower] = rank
            lower += 1


@njit(cache=True)
def _turn(ranking, group, side, sums):  # type: ignore[no-untyped-def]
    """Sum the vectors within a tie group, then set what the way up starts from."""
    start, end = ranking.group_starts[group], ranking.group_starts[group + 1]
    order, of_level, net = ranking.orders[-1], sums[:3], sums[3]
    net[:] = 0
    for rank in range(start, end):
        net -= side.vectors[rank] / 2
    first = start
    while first < end:
        last = _level_end(ranking.level, order, first, end)
        _sum_level(order[first:last], start, side, of_level)
        net += of_level[1] / 2
        for rank in order[first:last]:
            _add_sums(rank, 1.0, net, side)
        net += of_level[1] / 2
        n_lower, n_equal, n_higher = first - start, last - first, end - last
        for rank in order[first:last]:
            side.vectors[rank] = (n_lower - n_higher) / 2
            side.equal_below[rank] = side.equal_above[rank] = n_equal / 2
            side.lower_above[rank] = n_lower + n_equal / 2
            side.higher_below[rank] = n_higher + n_equal / 2
        first = last


@njit(cache=True)
def _go_up(ranking, depth, part, side, sums):  # type: ignore[no-untyped-def]
    """Sum the rest of the pairs of the halves, and join what each has of its own documents."""
    start, middle, end = _bounds(ranking, depth, part)
    if middle == end:
        return
    of_level, total, net, base, decay = sums[:3], sums[3], sums[4], sums[5], sums[6]
    order, scores = ranking.orders[depth], ranking.scores
    _set_powers(_exp(scores[middle] - scores[start]), decay)
    _sum_lower_half(scores, middle, end, side, total, base)
    net[:] = -total
    higher, lower, passed = 2 * (end - middle), 0, 0.0
    first = start
    while first < end:
        last = _level_end(ranking.level, order, first, end)
        ranks = order[first:last]
        n_lower = _sum_level(ranks, middle, side, of_level)
        n_upper = last - first - n_lower
        below = _sum_of_lower(ranks, middle, ranking.below)
        higher, lower, passed = higher - n_lower, lower + n_upper, passed + below
        net += of_level[0]
        base += of_level[1]
        for rank in ranks:
            if rank >= middle:
                side.vectors[rank] *= decay
                side.lower_above[rank] += lower
                side.equal_above[rank] += n_upper
                continue
            f, e = side.higher_below[rank], side.equal_below[rank]
            values = sums[7]
            for p in range(_N_SUMS):
                values[p] = f * total[p] + base[p] - e * of_level[0, p] - of_level[2, p]
                side.vectors[rank, p] += decay[p] * net[p]
            _add_sums(rank, _exp(scores[middle] - scores[rank]), values, side)
            side.higher_below[rank] += higher
            side.equal_below[rank] += n_lower
            side.passed[rank] += passed
        net += of_level[0]
        base += of_level[1]
        higher, lower, passed = higher - n_lower, lower + n_upper, passed + below
        first = last


@njit(cache=True)
def _sum_lower_half(scores, start, end, side, total, weighted):  # type: ignore[no-untyped-def]
    """The sums of v and v g."""
    total[:] = 0
    weighted[:] = 0
    for rank in range(start, end):
        side.x[rank] = _exp(scores[rank] - scores[start])
        power = 1.0
        for p in range(_N_SUMS):
            total[p] += power
            weighted[p] += power * side.lower_above[rank]
            power *= side.x[rank]


@njit(cache=True)
def _sum_of_lower(ranks, middle, values):  # type: ignore[no-untyped-def]
    total = 0.0
    for rank in ranks:
        if rank >= middle:
            total += values[rank]
    return total
