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
    numbers : float64 array of shape (n, 8)
        Of each document, in the columns named below: sums of \\|Delta\\| (1/2 - phi) and \\|Delta\\| phi (1 - phi); the sum
        over all k below of W_a(k) `below_k`, a being the document's grade; f, e, g and e' within its part; and exp(s - t)
        if it is in a lower half.
    vectors : float64 array of shape (n, N_TERMS + 1)
        On the way down, for each k, the sum over all lower halves j, to which k's is the upper, of W(j) e^{-p (b - s_j)},
        where b is the lowest score in k's part. On the way up, R, with t the highest score of the part.
    """

    numbers: Floats
    vectors: Floats


#: The columns of `Side.numbers`.
GRADIENT, HESSIAN, PASSED, HIGHER_BELOW, EQUAL_BELOW, LOWER_ABOVE, EQUAL_ABOVE, X = range(8)


class Work(NamedTuple):
    """Vectors of N_TERMS + 1 numbers, for one core.

    Attributes
    ----------
    equal, equal_vectors, equal_counted
        Sums of v, the vectors and v e' over the documents of the lower half at one level, if the upper half has any of it.
    total, lower, net, base
        Sums over the lower half.
    decay, to_upper
        Powers that lead from one score of reference to another.
    powers
        Of the x of a document.
    """

    equal: Floats
    equal_vectors: Floats
    equal_counted: Floats
    total: Floats
    lower: Floats
    net: Floats
    base: Floats
    decay: Floats
    to_upper: Floats
    powers: Floats


def sum_continuous_grades(
    scores: Floats, level: NDArray[np.int32], order: Ints, weight: float, found: Lambdas
) -> None:
    """Write the sums of one query; `order` ranks its documents."""
    ranking = _ranking(scores[order], level[order])
    below = _sum_below(ranking)
    mirrored = _ranking(-ranking.scores[::-1], ranking.level[::-1])
    above = _sum_below(mirrored)
    signed = _signed_changes(ranking, below) + _signed_changes(mirrored, above)[::-1]
    hessian = below[:, HESSIAN] + above[::-1, HESSIAN]
    higher = below[:, HIGHER_BELOW] + above[::-1, HIGHER_BELOW]
    _add_ties(ranking, higher, signed, hessian)
    found.gradient[order] = weight * (below[:, GRADIENT] - above[::-1, GRADIENT] - signed / 2)
    found.hessian[order] = weight * hessian


def _ranking(scores: Floats, level: NDArray[np.int32]) -> Ranking:
    starts = np.flatnonzero(np.diff(scores, prepend=np.inf))
    group_starts = np.append(starts, scores.size)
    below = scores.size - np.repeat(group_starts[:-1] + group_starts[1:], np.diff(group_starts)) / 2
    depth = int(starts.size - 1).bit_length()
    orders = np.empty((depth + 1, scores.size), np.int32)
    orders[0] = np.argsort(level, kind="stable")
    return Ranking(np.ascontiguousarray(scores), np.ascontiguousarray(level), group_starts, below, orders)


def _sum_below(ranking: Ranking) -> Floats:
    """`Side.numbers` after the recursion, where a document's part is the whole ranking."""
    n = ranking.scores.size
    side = Side(np.zeros((n, 8)), np.zeros((n, _N_SUMS)))
    _recurse(ranking, side)
    return side.numbers


def _signed_changes(ranking: Ranking, numbers: Floats) -> Floats:
    """The part of the sum over j of sgn(l_i - l_j) |Delta_ij| due to the documents k below i, of a tie group other than i's.

    Each counts W_a(k) - W_b(k) for every j at least as far below, b being the grade of j.
    """
    of_group = np.add.reduceat(numbers[:, HIGHER_BELOW], ranking.group_starts[:-1])
    further = np.append(np.cumsum(of_group[::-1])[-2::-1], 0.0)
    return numbers[:, PASSED] - np.repeat(further, np.diff(ranking.group_starts))


@njit(cache=True)
def _add_ties(ranking, higher, signed, hessian):  # type: ignore[no-untyped-def]
    """Add the pairs of each tie group to sgn(l_i - l_j) |Delta_ij| and to the hessian, and to the first what ties hide of others.

    A document k counts 1/2 between any document of its tie group and any outside. `higher` is how many documents are of a
    higher grade than each, twice, plus how many of the same.
    """
    level, group_starts, order, n = ranking.level, ranking.group_starts, ranking.orders[-1], ranking.level.size
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
            _go_down(ranking, d, part, side, _work())
    for part in prange(1 << top):
        _recurse_from(ranking, top, np.int64(part), side)
    for d in range(top - 1, -1, -1):
        for part in prange(1 << d):
            _go_up(ranking, d, part, side, _work())


@njit(cache=True)
def _recurse_from(ranking, top, part, side):  # type: ignore[no-untyped-def]
    """The whole recursion of one part."""
    work, depth = _work(), ranking.orders.shape[0] - 1
    for d in range(top, depth):
        for half in range(part << (d - top), (part + 1) << (d - top)):
            _go_down(ranking, d, half, side, work)
    for group in range(part << (depth - top), min((part + 1) << (depth - top), ranking.group_starts.size - 1)):
        _turn(ranking, group, side, work)
    for d in range(depth - 1, top - 1, -1):
        for half in range(part << (d - top), (part + 1) << (d - top)):
            _go_up(ranking, d, half, side, work)


@njit(cache=True)
def _work():  # type: ignore[no-untyped-def]
    w = np.zeros((10, _N_SUMS))
    return Work(w[0], w[1], w[2], w[3], w[4], w[5], w[6], w[7], w[8], w[9])


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
def _set_powers(y, powers):  # type: ignore[no-untyped-def]
    _set_powers_of(_exp(y), powers)


@njit(cache=True)
def _set_powers_of(x, powers):  # type: ignore[no-untyped-def]
    fourth = (x * x) * (x * x)
    powers[0] = 1.0
    powers[1] = x
    powers[2] = x * x
    powers[3] = x * x * x
    for p in range(4, _N_SUMS):  # four at a time
        powers[p] = powers[p - 4] * fourth


@njit(cache=True)
def _go_down(ranking, depth, part, side, work):  # type: ignore[no-untyped-def]
    """Sum the vectors of the lower half for each document of the upper one; add the lower half to the upper one's vectors."""
    start, middle, end = _bounds(ranking, depth, part)
    if middle < end:
        scores = ranking.scores
        _set_powers(scores[end - 1] - scores[middle - 1], work.decay)
        _set_powers(scores[middle] - scores[middle - 1], work.to_upper)
        _sum_vectors(ranking, depth, (start, middle, end), side, work)
    upper, lower = start, middle
    for position in range(start, end):
        rank = ranking.orders[depth, position]
        if rank < middle:
            ranking.orders[depth + 1, upper] = rank
            upper += 1
        else:
            ranking.orders[depth + 1, lower] = rank
            lower += 1


@njit(cache=True)
def _sum_vectors(ranking, depth, ranks, side, work):  # type: ignore[no-untyped-def]
    start, middle, end = ranks
    scores, level, order, numbers = ranking.scores, ranking.level, ranking.orders[depth], side.numbers
    lower, net = work.lower, work.net
    for p in range(_N_SUMS):
        lower[p] = net[p] = 0.0
    for rank in range(middle, end):
        numbers[rank, X] = _exp(scores[rank] - scores[middle])
        for p in range(_N_SUMS):
            net[p] -= side.vectors[rank, p]
    first = start
    while first < end:
        last = _level_end(level, order, first, end)
        n_lower = _count_level(order, first, last, middle, side, lower, net, work)
        if n_lower < last - first:
            for position in range(first, last):
                rank = order[position]
                if rank < middle:
                    _set_powers(scores[end - 1] - scores[rank], work.powers)
                    _add_net_vectors(rank, side, work)
            if n_lower > 0:
                _end_level(lower, net, work)
        first = last


@njit(cache=True, fastmath={"reassoc", "contract"})
def _add_net_vectors(rank, side, work):  # type: ignore[no-untyped-def]
    vectors, powers, net, lower, decay, to_upper = side.vectors, work.powers, work.net, work.lower, work.decay, work.to_upper
    gradient, hessian = 0.0, 0.0
    for p in range(_N_SUMS):
        term = powers[p] * net[p]
        gradient += _GRADIENT[p] * term
        hessian += _HESSIAN[p] * term
        vectors[rank, p] = decay[p] * vectors[rank, p] + to_upper[p] * lower[p]
    side.numbers[rank, GRADIENT] += gradient
    side.numbers[rank, HESSIAN] += hessian


@njit(cache=True)
def _count_lower(order, first, last, middle):  # type: ignore[no-untyped-def]
    n_lower = 0
    for position in range(first, last):
        n_lower += order[position] >= middle
    return n_lower


@njit(cache=True)
def _count_level(order, first, last, middle, side, sums, vector_sums, work):  # type: ignore[no-untyped-def]
    """Count the lower half's documents of one level in both sums, twice; but once if the upper half has the level too.

    Returns how many they are.
    """
    n_lower = _count_lower(order, first, last, middle)
    if n_lower == last - first:
        for position in range(first, last):
            rank = order[position]
            _set_powers_of(side.numbers[rank, X], work.powers)
            for p in range(_N_SUMS):
                sums[p] += 2 * work.powers[p]
                vector_sums[p] += 2 * side.vectors[rank, p]
    elif n_lower > 0:
        _sum_level(order, first, last, middle, side, work)
        _count_again(sums, vector_sums, work)
    return n_lower


@njit(cache=True)
def _sum_level(order, first, last, middle, side, work):  # type: ignore[no-untyped-def]
    powers, equal, equal_vectors, equal_counted = work.powers, work.equal, work.equal_vectors, work.equal_counted
    for position in range(first, last):
        rank = order[position]
        if rank >= middle:
            _set_powers_of(side.numbers[rank, X], powers)
            n_equal = side.numbers[rank, EQUAL_ABOVE]
            for p in range(_N_SUMS):
                equal[p] += powers[p]
                equal_vectors[p] += side.vectors[rank, p]
                equal_counted[p] += n_equal * powers[p]


@njit(cache=True)
def _count_again(sums, vector_sums, work):  # type: ignore[no-untyped-def]
    for p in range(_N_SUMS):
        sums[p] += work.equal[p]
        vector_sums[p] += work.equal_vectors[p]


@njit(cache=True)
def _end_level(sums, vector_sums, work):  # type: ignore[no-untyped-def]
    """Count for the second time a level that both halves have."""
    _count_again(sums, vector_sums, work)
    for p in range(_N_SUMS):
        work.equal[p] = work.equal_vectors[p] = work.equal_counted[p] = 0.0


@njit(cache=True)
def _turn(ranking, group, side, work):  # type: ignore[no-untyped-def]
    """Sum the vectors within a tie group, then set what the way up starts from."""
    start, end = ranking.group_starts[group], ranking.group_starts[group + 1]
    level, order, numbers, vectors = ranking.level, ranking.orders[-1], side.numbers, side.vectors
    if end - start > 1:
        _sum_tied_vectors(level, order, start, end, side, work)
    first = start
    while first < end:
        last = _level_end(level, order, first, end)
        n_lower, n_equal, n_higher = first - start, last - first, end - last
        for position in range(first, last):
            rank = order[position]
            numbers[rank, EQUAL_BELOW] = numbers[rank, EQUAL_ABOVE] = n_equal / 2
            numbers[rank, LOWER_ABOVE] = n_lower + n_equal / 2
            numbers[rank, HIGHER_BELOW] = n_higher + n_equal / 2
            for p in range(_N_SUMS):
                vectors[rank, p] = (n_lower - n_higher) / 2
        first = last


@njit(cache=True)
def _sum_tied_vectors(level, order, start, end, side, work):  # type: ignore[no-untyped-def]
    net, vectors = work.net, side.vectors
    net[:] = 0
    for rank in range(start, end):
        for p in range(_N_SUMS):
            net[p] -= vectors[rank, p]
    first = start
    while first < end:
        last = _level_end(level, order, first, end)
        for times in range(2):
            for position in range(first, last):
                for p in range(_N_SUMS):
                    net[p] += vectors[order[position], p]
            if times == 0:
                for position in range(first, last):
                    side.numbers[order[position], GRADIENT] += np.sum(_GRADIENT * net) / 2
                    side.numbers[order[position], HESSIAN] += np.sum(_HESSIAN * net) / 2
        first = last


@njit(cache=True)
def _go_up(ranking, depth, part, side, work):  # type: ignore[no-untyped-def]
    """Sum the rest of the pairs of the halves, and join what each has of its own documents."""
    start, middle, end = _bounds(ranking, depth, part)
    if middle == end:
        return
    scores, level, order, below, numbers = ranking.scores, ranking.level, ranking.orders[depth], ranking.below, side.numbers
    _set_powers(scores[middle] - scores[start], work.decay)
    _sum_lower_half(scores, middle, end, side, work)
    higher, lower, passed = 2 * (end - middle), 0, 0.0
    first = start
    while first < end:
        last = _level_end(level, order, first, end)
        n_lower = _count_level(order, first, last, middle, side, work.net, work.base, work)
        n_upper, equal_below = last - first - n_lower, 0.0
        for position in range(first, last):
            rank = order[position]
            if rank >= middle:
                equal_below += below[rank]
                numbers[rank, LOWER_ABOVE] += 2 * lower + n_upper
                numbers[rank, EQUAL_ABOVE] += n_upper
                for p in range(_N_SUMS):
                    side.vectors[rank, p] *= work.decay[p]
        if n_upper > 0:
            for position in range(first, last):
                rank = order[position]
                if rank < middle:
                    _set_powers(scores[middle] - scores[rank], work.powers)
                    _add_lower_half(rank, side, work)
                    numbers[rank, HIGHER_BELOW] += higher - n_lower
                    numbers[rank, EQUAL_BELOW] += n_lower
                    numbers[rank, PASSED] += passed + equal_below
            if n_lower > 0:
                _end_level(work.net, work.base, work)
        higher, lower, passed = higher - 2 * n_lower, lower + n_upper, passed + 2 * equal_below
        first = last


@njit(cache=True)
def _sum_lower_half(scores, start, end, side, work):  # type: ignore[no-untyped-def]
    """Set x, the sum of v, minus that sum, and the sum of v g."""
    numbers, powers, total, net, base = side.numbers, work.powers, work.total, work.net, work.base
    for p in range(_N_SUMS):
        total[p] = base[p] = 0.0
    for rank in range(start, end):
        _set_powers(scores[rank] - scores[start], powers)
        numbers[rank, X], weight = powers[1], numbers[rank, LOWER_ABOVE]
        for p in range(_N_SUMS):
            total[p] += powers[p]
            base[p] += weight * powers[p]
    for p in range(_N_SUMS):
        net[p] = -total[p]


@njit(cache=True, fastmath={"reassoc", "contract"})
def _add_lower_half(rank, side, work):  # type: ignore[no-untyped-def]
    vectors, powers, total, net, base, decay = side.vectors, work.powers, work.total, work.net, work.base, work.decay
    f, e = side.numbers[rank, HIGHER_BELOW], side.numbers[rank, EQUAL_BELOW]
    gradient, hessian = 0.0, 0.0
    for p in range(_N_SUMS):
        term = powers[p] * (f * total[p] + base[p] - e * work.equal[p] - work.equal_counted[p])
        gradient += _GRADIENT[p] * term
        hessian += _HESSIAN[p] * term
        vectors[rank, p] += decay[p] * net[p]
    side.numbers[rank, GRADIENT] += gradient
    side.numbers[rank, HESSIAN] += hessian
