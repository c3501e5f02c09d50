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
        Over the documents of one level in the lower half: v, their vectors, and v e'.
    lower, net, base
        Sums over the lower half by grade.
    decay, to_upper
        Powers that lead from one score of reference to another.
    powers, values
        Of x, and what they are multiplied by.
    """

    equal: Floats
    equal_vectors: Floats
    equal_counted: Floats
    lower: Floats
    net: Floats
    base: Floats
    decay: Floats
    to_upper: Floats
    powers: Floats
    values: Floats


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
    n = _N_SUMS
    equal, equal_vectors, equal_counted = np.zeros(n), np.zeros(n), np.zeros(n)
    lower, net, base, decay, to_upper = np.zeros(n), np.zeros(n), np.zeros(n), np.zeros(n), np.zeros(n)
    return Work(equal, equal_vectors, equal_counted, lower, net, base, decay, to_upper, np.zeros(n), np.zeros(n))


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
def _set_powers(y, powers):  # type: ignore[no-untyped-def]
    """The powers of x = exp(y), from 0."""
    x = np.exp(y)
    _set_powers_of(x if x > _MIN_X else 0.0, powers)


@njit(cache=True)
def _set_powers_of(x, powers):  # type: ignore[no-untyped-def]
    fourth = (x * x) * (x * x)
    powers[0] = 1.0
    powers[1] = x
    powers[2] = x * x
    powers[3] = x * x * x
    for p in range(4, _N_SUMS):  # four at a time
        powers[p] = powers[p - 4] * fourth


@njit(cache=True, fastmath={"reassoc", "contract"})
def _polynomials(powers, values):  # type: ignore[no-untyped-def]
    gradient, hessian = 0.0, 0.0
    for p in range(_N_SUMS):
        term = powers[p] * values[p]
        gradient += _GRADIENT[p] * term
        hessian += _HESSIAN[p] * term
    return gradient, hessian


@njit(cache=True)
def _go_down(ranking, depth, part, side, work):  # type: ignore[no-untyped-def]
    """Sum the vectors of the lower half for each document of the upper one; add the lower half to the upper one's vectors."""
    start, middle, end = _bounds(ranking, depth, part)
    if middle < end:
        scores = ranking.scores
        _set_powers(scores[end - 1] - scores[middle - 1], work.decay)
        _set_powers(scores[middle] - scores[middle - 1], work.to_upper)
        _sum_lower_half(scores, middle, end, side, work)
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
def _sum_lower_half(scores, start, end, side, work):  # type: ignore[no-untyped-def]
    """Set x; `lower` to the sum of v, `base` to that of v g, and `net` to minus that of the vectors."""
    vectors, numbers, powers, lower, net, base = side.vectors, side.numbers, work.powers, work.lower, work.net, work.base
    for p in range(_N_SUMS):
        lower[p] = net[p] = base[p] = 0.0
    for rank in range(start, end):
        _set_powers(scores[rank] - scores[start], powers)
        numbers[rank, X] = powers[1]
        weight = numbers[rank, LOWER_ABOVE]
        for p in range(_N_SUMS):
            lower[p] += powers[p]
            base[p] += weight * powers[p]
            net[p] -= vectors[rank, p]


@njit(cache=True)
def _sum_vectors(ranking, depth, ranks, side, work):  # type: ignore[no-untyped-def]
    start, middle, end = ranks
    scores, level, order = ranking.scores, ranking.level, ranking.orders[depth]
    vectors, numbers, lower, net = side.vectors, side.numbers, work.lower, work.net
    decay, to_upper, powers = work.decay, work.to_upper, work.powers
    for p in range(_N_SUMS):
        lower[p] = 0.0
    first = start
    while first < end:
        last = _level_end(level, order, first, end)
        n_lower = _sum_level(order, first, last, middle, numbers, vectors, work)
        if n_lower > 0:
            _count_level(lower, work.equal, net, work.equal_vectors)
        if n_lower < last - first:
            for position in range(first, last):
                rank = order[position]
                if rank < middle:
                    _set_powers(scores[end - 1] - scores[rank], powers)
                    gradient, hessian = _polynomials(powers, net)
                    numbers[rank, GRADIENT] += gradient
                    numbers[rank, HESSIAN] += hessian
                    for p in range(_N_SUMS):
                        vectors[rank, p] = decay[p] * vectors[rank, p] + to_upper[p] * lower[p]
        if n_lower > 0:
            _count_level(lower, work.equal, net, work.equal_vectors)
        first = last


@njit(cache=True)
def _sum_level(order, first, last, middle, numbers, vectors, work):  # type: ignore[no-untyped-def]
    """Set the sums over the documents of one level in the lower half; their number."""
    powers, equal, equal_vectors, equal_counted = work.powers, work.equal, work.equal_vectors, work.equal_counted
    n_lower = 0
    for p in range(_N_SUMS):
        equal[p] = equal_vectors[p] = equal_counted[p] = 0.0
    for position in range(first, last):
        rank = order[position]
        if rank >= middle:
            n_lower += 1
            _set_powers_of(numbers[rank, X], powers)
            n_equal = numbers[rank, EQUAL_ABOVE]
            for p in range(_N_SUMS):
                equal[p] += powers[p]
                equal_vectors[p] += vectors[rank, p]
                equal_counted[p] += n_equal * powers[p]
    return n_lower


@njit(cache=True)
def _count_level(total, equal, total_vectors, equal_vectors):  # type: ignore[no-untyped-def]
    """Count a level: once before its own documents are looked at, once more for those of higher grade."""
    for p in range(_N_SUMS):
        total[p] += equal[p]
        total_vectors[p] += equal_vectors[p]


@njit(cache=True)
def _turn(ranking, group, side, work):  # type: ignore[no-untyped-def]
    """Sum the vectors within a tie group, then set what the way up starts from."""
    start, end = ranking.group_starts[group], ranking.group_starts[group + 1]
    level, order, numbers, vectors = ranking.level, ranking.orders[-1], side.numbers, side.vectors
    if end - start > 1:
        _sum_lower_half(ranking.scores, start, end, side, work)
    first = start
    while first < end:
        last = _level_end(level, order, first, end)
        if end - start > 1:
            _sum_level(order, first, last, start, numbers, vectors, work)
            _count_level(work.lower, work.equal, work.net, work.equal_vectors)
            _set_powers_of(1.0, work.powers)
            gradient, hessian = _polynomials(work.powers, work.net)
            _count_level(work.lower, work.equal, work.net, work.equal_vectors)
            for position in range(first, last):
                numbers[order[position], GRADIENT] += gradient / 2
                numbers[order[position], HESSIAN] += hessian / 2
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
def _go_up(ranking, depth, part, side, work):  # type: ignore[no-untyped-def]
    """Sum the rest of the pairs of the halves, and join what each has of its own documents."""
    start, middle, end = _bounds(ranking, depth, part)
    if middle == end:
        return
    _set_powers(ranking.scores[middle] - ranking.scores[start], work.decay)
    _sum_lower_half(ranking.scores, middle, end, side, work)
    level, order, below, numbers = ranking.level, ranking.orders[depth], ranking.below, side.numbers
    work.to_upper[:] = work.lower
    for p in range(_N_SUMS):
        work.net[p] = -work.lower[p]
    higher, lower, passed = 2 * (end - middle), 0, 0.0
    first = start
    while first < end:
        last = _level_end(level, order, first, end)
        n_lower = _sum_level(order, first, last, middle, numbers, side.vectors, work)
        n_upper = last - first - n_lower
        if n_lower > 0:
            _count_level(work.net, work.equal, work.base, work.equal_vectors)
            for position in range(first, last):
                rank = order[position]
                if rank >= middle:
                    passed += below[rank]
        higher, lower = higher - n_lower, lower + n_upper
        for position in range(first, last):
            rank = order[position]
            if rank >= middle:
                numbers[rank, LOWER_ABOVE] += lower
                numbers[rank, EQUAL_ABOVE] += n_upper
                for p in range(_N_SUMS):
                    side.vectors[rank, p] *= work.decay[p]
            else:
                _sum_for_upper(rank, ranking.scores[middle] - ranking.scores[rank], numbers, side.vectors, work)
                numbers[rank, HIGHER_BELOW] += higher
                numbers[rank, EQUAL_BELOW] += n_lower
                numbers[rank, PASSED] += passed
        if n_lower > 0:
            _count_level(work.net, work.equal, work.base, work.equal_vectors)
            for position in range(first, last):
                rank = order[position]
                if rank >= middle:
                    passed += below[rank]
        higher, lower = higher - n_lower, lower + n_upper
        first = last


@njit(cache=True)
def _sum_for_upper(rank, y, numbers, vectors, work):  # type: ignore[no-untyped-def]
    values, total, base, equal, equal_counted = work.values, work.to_upper, work.base, work.equal, work.equal_counted
    f, e = numbers[rank, HIGHER_BELOW], numbers[rank, EQUAL_BELOW]
    for p in range(_N_SUMS):
        values[p] = f * total[p] + base[p] - e * equal[p] - equal_counted[p]
        vectors[rank, p] += work.decay[p] * work.net[p]
    _set_powers(y, work.powers)
    gradient, hessian = _polynomials(work.powers, values)
    numbers[rank, GRADIENT] += gradient
    numbers[rank, HESSIAN] += hessian
