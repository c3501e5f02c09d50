"""The small dual problem of the cutting-plane method."""

from __future__ import annotations

import numpy as np
from numba import njit

from ...arrays import Floats


def solve_dual(gram: Floats, offsets: Floats, total: float, start: Floats) -> Floats:
    r"""Maximise :math:`b^T \alpha - \frac12 \alpha^T G \alpha` over :math:`\alpha \ge 0,\ \sum \alpha \le C`.

    An active-set method: solve the problem on the free variables as linear equations, go there or to the first bound on
    the way, then free the variable that promises most. From the last optimum it takes a few steps, and it ends at the
    optimum up to rounding.

    Parameters
    ----------
    gram : (k, k) array
        :math:`G`, the inner products of the planes.
    offsets : (k,) array
        :math:`b`.
    total : float
        :math:`C`.
    start : (k,) array
        A feasible point, such as the last optimum with 0 for the new planes.
    """
    # A plane of zeros takes up what is left of C, so that the sum is C. A constant may then be added to all of G: that adds
    # a constant to the objective, and makes the plane of zeros like any other. The last term is for planes that are equal.
    k = offsets.size
    shift = float(np.diag(gram).mean()) or 1.0
    G = np.full((k + 1, k + 1), shift)
    G[:k, :k] += gram
    G[np.diag_indices(k + 1)] += 1e-12 * shift
    alpha = _active_set(G, np.append(offsets, 0.0), total, np.append(start, max(total - start.sum(), 0.0)))[:k]
    alpha = alpha * min(1.0, total / max(alpha.sum(), 1e-300))  # rounding must not carry it beyond the bound
    # With features of very different scales the equations may be beyond double precision: then rather stay.
    return alpha if _value(gram, offsets, alpha) >= _value(gram, offsets, start) else start


def _value(gram: Floats, offsets: Floats, alpha: Floats) -> float:
    return float(np.sum(offsets * alpha) - 0.5 * np.sum(alpha[:, None] * gram * alpha))


@njit(cache=True)
def _active_set(G, b, total, alpha):  # type: ignore[no-untyped-def]
    scale = np.abs(b).max() + total * np.abs(G).max()
    free = alpha > 0
    for _ in range(100 * alpha.size):
        at = np.flatnonzero(free)
        step = _optimum_of_free(G, b, total, at) - alpha[at]
        length, blocking = 1.0, -1
        for i in range(at.size):
            if alpha[at[i]] + length * step[i] < 0:
                length, blocking = -alpha[at[i]] / step[i], i
        for i in range(at.size):
            alpha[at[i]] = max(alpha[at[i]] + length * step[i], 0.0)
        if blocking >= 0:
            alpha[at[blocking]] = 0.0
            free[at[blocking]] = False
            continue
        slope = b - _times(G, alpha)
        promised = slope - np.max(slope[at])
        best = np.argmax(np.where(free, -np.inf, promised))
        if free.all() or promised[best] <= 1e-14 * scale:
            break
        free[best] = True
    return alpha


@njit(cache=True)
def _times(G, alpha):  # type: ignore[no-untyped-def]
    out = np.zeros(alpha.size)
    for j in range(alpha.size):
        if alpha[j] > 0:
            out += alpha[j] * G[j]
    return out


@njit(cache=True)
def _optimum_of_free(G, b, total, at):  # type: ignore[no-untyped-def]
    """Where the slopes of the free variables are equal and their sum is `total`: x = u - m v with G u = b, G v = 1."""
    m = at.size
    L, u, v = np.zeros((m, m)), np.empty(m), np.empty(m)
    for i in range(m):  # Cholesky factor, and both right sides on the way down
        for j in range(i + 1):
            value = G[at[i], at[j]] - np.sum(L[i, :j] * L[j, :j])
            L[i, j] = np.sqrt(max(value, 1e-14 * G[at[i], at[i]])) if i == j else value / L[j, j]
        u[i] = (b[at[i]] - np.sum(L[i, :i] * u[:i])) / L[i, i]
        v[i] = (1.0 - np.sum(L[i, :i] * v[:i])) / L[i, i]
    for i in range(m - 1, -1, -1):
        u[i] = (u[i] - np.sum(L[i + 1 :, i] * u[i + 1 :])) / L[i, i]
        v[i] = (v[i] - np.sum(L[i + 1 :, i] * v[i + 1 :])) / L[i, i]
    return u - (u.sum() - total) / v.sum() * v
