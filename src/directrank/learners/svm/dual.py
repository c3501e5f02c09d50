r"""The small problem of the cutting-plane method: the best weights for the planes so far.

.. math:: \min_w\ \tfrac12 |w|^2 + C \max(0, \max_k b_k - a_k^T w)
          = \max_{\alpha \ge 0,\ \sum \alpha \le C}\ b^T \alpha - \tfrac12 |A^T \alpha|^2

The inner products of the planes, which is how such problems are mostly put, have the square of the planes' condition number:
one feature on a scale of 1e8, or a C of 1e12, and the optimum is lost in rounding. Here the equations of the active set are
solved by an orthogonal factorisation of the planes themselves, and w comes from the equations a_k^T w = b_k - xi of the
active planes rather than from the multipliers, whose sum cancels. The result is that of planes which differ from those given
by rounding, at any scale and any C.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...arrays import Floats, Ints
from ...kernel_compiler import njit


def solve_dual(planes: Floats, offsets: Floats, total: float, start: Floats) -> tuple[Floats, Floats]:
    r"""The multipliers :math:`\alpha` and the weights :math:`w`.

    An active-set method: solve the problem on the free multipliers as linear equations, go there or to the first bound on
    the way, then free the multiplier that promises most. From the last optimum it takes a few steps, and it ends at the
    optimum up to rounding.

    Parameters
    ----------
    planes : (k, d) array
        :math:`A`, of a size whose squares neither overflow nor vanish.
    offsets : (k,) array
        :math:`b`.
    total : float
        :math:`C`.
    start : (k,) array
        A feasible point, such as the last optimum with 0 for the new planes.
    """
    # A plane of zeros takes up what is left of C, so that the sum is C. A constant coordinate, the same for all, then adds a
    # constant to the objective, and makes the plane of zeros like any other.
    k, d = planes.shape
    constant = float(np.sqrt(np.mean(np.sum(planes**2, axis=1)))) or 1.0
    extended = np.zeros((k + 1, d + 1))
    extended[:k, :d] = planes
    extended[:, d] = constant
    alpha, w = _active_set(extended, np.append(offsets, 0.0), total, np.append(start, max(total - start.sum(), 0.0)))
    used = alpha[:k].sum()
    return alpha[:k] * (total / used if used > total else 1.0), w  # rounding must not carry it beyond the bound


class _Factors(NamedTuple):
    """The free planes in the order in which they were freed, as products of an orthonormal basis.

    Attributes
    ----------
    basis : (d, d) array
        The first m rows are orthonormal.
    triangle : (d, d) array
        Free plane i is sum_j triangle[i, j] basis[j]: lower triangular.
    free : (d,) array
        The numbers of the free planes.
    """

    basis: Floats
    triangle: Floats
    free: Ints


@njit(cache=True)
def _active_set(planes, offsets, total, alpha):  # type: ignore[no-untyped-def]
    """The optimum for planes with a constant last coordinate, over multipliers whose sum is `total`."""
    k, d = planes.shape
    sizes = np.sqrt(np.array([dot(plane, plane) for plane in planes]))
    factors, m = _Factors(np.zeros((d, d)), np.zeros((d, d)), np.zeros(d, np.int64)), 0
    is_free = np.zeros(k, np.bool_)
    for plane in np.argsort(-alpha):
        if alpha[plane] > 0:
            m = _free_plane(factors, m, plane, planes, sizes, alpha, is_free)
    w = np.zeros(d)
    for _ in range(100 * k):
        target, w = _optimum_of_free_plane(planes, offsets, total, factors, m)
        blocking = _move(alpha, factors.free[:m], target - alpha[factors.free[:m]], 1.0)
        if blocking >= 0:
            m = _fix_plane(factors, m, blocking, is_free)
            continue
        slacks = np.array([offsets[i] - dot(planes[i, :-1], w[:-1]) for i in range(k)])
        promised = np.where(is_free, -np.inf, slacks - np.max(slacks[factors.free[:m]]))
        rounding = 1e-15 * sizes.max() * np.sqrt(dot(w[:-1], w[:-1])) + 1e-14 * np.abs(offsets).max()
        if is_free.all() or promised.max() <= rounding:
            break
        m = _free_plane(factors, m, np.argmax(promised), planes, sizes, alpha, is_free)
    return alpha, w[:-1].copy()


@njit(cache=True)
def _optimum_of_free_plane(planes, offsets, total, factors, m):  # type: ignore[no-untyped-def]
    """The multipliers and weights at which the slacks of the free planes are equal and the multipliers sum to `total`.

    With planes L Q, Q the basis, and sigma their constant coordinate: the w of least norm whose products with the planes are
    b is Q^T p, L p = b. The part of the last unit vector e that is orthogonal to all planes moves w and changes none of the
    products. The sum is right where the last coordinate of w is sigma times the total; the multipliers solve L^T x = Q w.
    A constant added to b changes neither: without their mean, nothing large cancels where the total is small.
    """
    basis, triangle, free = factors
    last = planes.shape[1] - 1
    mean = np.mean(offsets[free[:m]])
    p = np.empty(m)
    for i in range(m):
        p[i] = (offsets[free[i]] - mean - dot(triangle[i, :i], p[:i])) / triangle[i, i]
    w, apart = np.zeros(last + 1), np.zeros(last + 1)
    for i in range(m):
        w += p[i] * basis[i]
    apart[last] = 1.0
    e = orthogonalise(apart, basis, m)
    missing = (planes[0, last] * total - w[last]) / dot(e, e)
    x = p + missing * e
    for i in range(m - 1, -1, -1):
        x[i] /= triangle[i, i]
        x[:i] -= x[i] * triangle[i, :i]
    return x, w - missing * apart


@njit(cache=True)
def _move(alpha, free, step, longest):  # type: ignore[no-untyped-def]
    """Move the free multipliers by a step, or until one of them is 0; gives the place of that one, or -1."""
    length, blocking = longest, -1
    for i in range(free.size):
        if step[i] < 0 and alpha[free[i]] < -length * step[i]:
            length, blocking = -alpha[free[i]] / step[i], i
    if length == np.inf:
        return -1
    for i in range(free.size):
        alpha[free[i]] = max(alpha[free[i]] + length * step[i], 0.0)
    if blocking >= 0:
        alpha[free[blocking]] = 0.0
    return blocking


@njit(cache=True)
def _free_plane(factors, m, plane, planes, sizes, alpha, is_free):  # type: ignore[no-untyped-def]
    """Free a multiplier; gives the number of free ones.

    Where its plane is a combination of the free ones, within rounding, the objective is linear in the direction in which the
    combination is replaced by the plane: move in that direction until one of the others is 0, and fix that one.
    """
    basis, triangle, free = factors
    while True:
        rest = planes[plane].copy()
        along = orthogonalise(rest, basis, m)
        size = np.sqrt(dot(rest, rest))
        if m < free.size and size > 1e-13 * sizes[plane]:
            break
        step = -along
        for i in range(m - 1, -1, -1):
            step[i] /= triangle[i, i]
            step[:i] -= step[i] * triangle[i, :i]
        before = alpha[free[:m]].sum()
        blocking = _move(alpha, free[:m], step, np.inf)
        if blocking < 0:
            return m
        alpha[plane] += before - alpha[free[:m]].sum()
        m = _fix_plane(factors, m, blocking, is_free)
    triangle[m, :m], triangle[m, m], basis[m] = along, size, rest / size
    free[m], is_free[plane] = plane, True
    return m + 1


@njit(cache=True)
def _fix_plane(factors, m, at, is_free):  # type: ignore[no-untyped-def]
    """Take a plane out of the free ones, and make the rest of the triangle a triangle again by rotating the basis."""
    basis, triangle, free = factors
    is_free[free[at]] = False
    for i in range(at, m - 1):
        free[i] = free[i + 1]
        triangle[i, : i + 2] = triangle[i + 1, : i + 2]
    for i in range(at, m - 1):
        size = np.hypot(triangle[i, i], triangle[i, i + 1])
        cosine, sine = triangle[i, i] / size, triangle[i, i + 1] / size
        for j in range(i, m - 1):
            _rotate(triangle[j], i, cosine, sine)
        first = basis[i].copy()
        basis[i] = cosine * first + sine * basis[i + 1]
        basis[i + 1] = cosine * basis[i + 1] - sine * first
    return m - 1


@njit(cache=True)
def _rotate(row, i, cosine, sine):  # type: ignore[no-untyped-def]
    row[i], row[i + 1] = cosine * row[i] + sine * row[i + 1], cosine * row[i + 1] - sine * row[i]


@njit(cache=True)
def orthogonalise(vector, basis, m):  # type: ignore[no-untyped-def]
    """Take the components along the first m rows of the basis out of a vector; gives them."""
    along = np.zeros(m)
    size = dot(vector, vector)
    for _ in range(2):
        before = size
        for i in range(m):
            component = dot(basis[i], vector)
            vector -= component * basis[i]
            along[i] += component
        size = dot(vector, vector)
        if size > before / 4:  # else once more, for what rounding left
            break
    return along


@njit(cache=True, fastmath={"reassoc", "contract"})
def dot(a, b):  # type: ignore[no-untyped-def]
    total = 0.0
    for i in range(a.size):
        total += a[i] * b[i]
    return total
