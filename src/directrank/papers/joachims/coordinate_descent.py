r"""The linear SVM of sparse rows by coordinate descent in the dual (Hsieh et al. 2008), with a bias that is not regularised.

.. math:: \max_\alpha\ \sum_i \alpha_i - \tfrac12 \Bigl|\sum_i \alpha_i y_i x_i\Bigr|^2
          \quad\text{s.t.}\quad 0 \le \alpha_i \le C_i,\ \sum_i \alpha_i y_i = 0

A single multiplier cannot move without leaving the equation, whose own multiplier is the bias. So the equation becomes part
of the objective, by the method of multipliers (Hestenes 1969; Powell 1969): with a balance :math:`\sum_i \alpha_i y_i = t`
the bias is :math:`b + \rho t`, and whenever the multipliers have nearly settled, b becomes that. In the end t is 0.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy import sparse

from ...arrays import Bools, Floats, Ints
from ...evaluation.random_words import random_word, seed_of
from ...kernel_compiler import njit
from .hyperplane import Hyperplane

MAX_PASSES = 20_000


class CoordinateDescent:
    """Solutions for ascending values of C, each from the one before.

    Parameters
    ----------
    X : CSR array
    positive : array
        Which rows are positive.
    tol : float
        How far the conditions of optimality may be violated, in units of the margin.
    """

    def __init__(self, X: sparse.csr_array, positive: Bools, tol: float) -> None:
        self.positive, self.tol = positive, tol
        squares = np.asarray((X * X).sum(axis=1), np.float64)
        self.rows = _Rows(X.data, X.indices, X.indptr, np.where(positive, 1.0, -1.0), squares, float(squares.mean()) or 1.0)
        self.state = _State(np.zeros(X.shape[0]), np.zeros(X.shape[1]), np.zeros(1))
        self.bias = 0.0

    def solve(self, C: float, j: float) -> Hyperplane:
        """With j times the C for positive rows; neither may be lower than before."""
        upper = np.where(self.positive, C * j, C)
        self.bias, solved = _solve(self.rows, upper, self.state, self.bias, self.tol, MAX_PASSES, seed_of(0))
        return Hyperplane(self.state.w.copy(), self.bias, solved)


class _Rows(NamedTuple):
    """CSR rows, the class of each (1 or -1) and its squared length, and rho, of the size of such a square."""

    data: Floats
    indices: Ints
    indptr: Ints
    y: Floats
    squares: Floats
    rho: float


class _State(NamedTuple):
    """The multipliers of the rows; the w that they make; and, as an array of one, their balance."""

    alpha: Floats
    w: Floats
    balance: Floats


@njit(cache=True)
def _solve(rows, upper, state, bias, tol, max_passes, seed):  # type: ignore[no-untyped-def]
    """The bias, and whether it and the multipliers are optimal.

    Multipliers that stay at a bound are left out of passes, until the others have settled.
    """
    n = upper.size
    order, n_active = np.arange(n), n
    highest, lowest = np.inf, -np.inf
    enough, counter = 1.0, 0
    for _ in range(max_passes):
        counter = _shuffle(order[:n_active], seed, counter)
        n_active, low, high = _pass(rows, upper, state, bias, order, n_active, lowest, highest)
        if high - low > enough:
            lowest, highest = low if low < 0 else -np.inf, high if high > 0 else np.inf
            continue
        lowest, highest = -np.inf, np.inf
        if n_active < n:
            n_active = n
            continue
        bias += rows.rho * state.balance[0]
        shift = abs(rows.rho * state.balance[0])
        if high - low <= tol and shift <= tol:
            return bias, True
        enough = max(tol, min(enough, 0.3 * shift))
    return bias + rows.rho * state.balance[0], False


@njit(cache=True)
def _pass(rows, upper, state, bias, order, n_active, lowest, highest):  # type: ignore[no-untyped-def]
    """Optimise one multiplier after another; gives how many are still active, and the range of their gradients.

    One that is at a bound, with a gradient beyond what the last pass has seen, is moved to the end of the order.
    """
    low, high, place = 0.0, 0.0, 0
    while place < n_active:
        i = order[place]
        gradient = rows.y[i] * (_score(rows, i, state.w) + bias + rows.rho * state.balance[0]) - 1
        at_0, at_upper = state.alpha[i] == 0, state.alpha[i] == upper[i]
        if (at_0 and gradient > highest) or (at_upper and gradient < lowest):
            n_active -= 1
            order[place], order[n_active] = order[n_active], order[place]
            continue
        if not (at_0 and gradient > 0) and not (at_upper and gradient < 0):
            low, high = min(low, gradient), max(high, gradient)
            _move(rows, upper, state, i, gradient)
        place += 1
    return n_active, low, high


@njit(cache=True)
def _move(rows, upper, state, i, gradient):  # type: ignore[no-untyped-def]
    alpha = min(max(state.alpha[i] - gradient / (rows.squares[i] + rows.rho), 0.0), upper[i])
    step = (alpha - state.alpha[i]) * rows.y[i]
    state.alpha[i] = alpha
    state.balance[0] += step
    for k in range(rows.indptr[i], rows.indptr[i + 1]):
        state.w[rows.indices[k]] += step * rows.data[k]


@njit(cache=True)
def _score(rows, i, w):  # type: ignore[no-untyped-def]
    total = 0.0
    for k in range(rows.indptr[i], rows.indptr[i + 1]):
        total += rows.data[k] * w[rows.indices[k]]
    return total


@njit(cache=True)
def _shuffle(order, seed, counter):  # type: ignore[no-untyped-def]
    """Put numbers in a random order; gives the counter of the next random word."""
    for place in range(order.size - 1, 0, -1):
        other = random_word(seed, counter) % np.uint64(place + 1)
        order[place], order[other] = order[other], order[place]
        counter += 1
    return counter
