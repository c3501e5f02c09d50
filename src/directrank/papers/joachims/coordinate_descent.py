r"""Linear SVMs for sparse rows by dual coordinate descent (Hsieh et al. 2008), with an unregularised bias.

.. math:: \max_\alpha\ \sum_i \alpha_i - \tfrac12 \Bigl|\sum_i \alpha_i y_i x_i\Bigr|^2
          \quad\text{s.t.}\quad 0 \le \alpha_i \le C_i,\ \sum_i \alpha_i y_i = 0

No single :math:`\alpha_i` can move without violating the equality constraint, whose multiplier is the bias. So the
constraint is moved into the objective by the method of multipliers (Hestenes 1969; Powell 1969): with a balance
:math:`\sum_i \alpha_i y_i = t` the bias is :math:`b + \rho t`, and b is set to that whenever the :math:`\alpha_i` have
nearly converged. At the solution t is 0.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy import sparse

from ...arrays import Bools, Floats, Ints
from ...core import coordinate_descent as kernels
from ...data.checked_arrays import check_csr
from ...evaluation.random_words import seed_of
from .hyperplane import Hyperplane

MAX_PASSES = 20_000


class CoordinateDescent:
    """Solve linear SVMs for ascending values of C, each with a warm start.

    Parameters
    ----------
    X : CSR array
    positive : array
        Whether each row is positive.
    tol : float
        Tolerance of the optimality conditions, in units of the margin.
    """

    def __init__(self, X: sparse.csr_array, positive: Bools, tol: float) -> None:
        self.positive, self.tol = positive, tol
        squares = np.asarray((X * X).sum(axis=1), np.float64)
        check_csr(X)
        y, rho = np.where(positive, 1.0, -1.0), float(squares.mean()) or 1.0
        self.rows = _Rows(X.data, X.indices, X.indptr, X.shape[1], y, squares, rho)
        self.state = _State(np.zeros(X.shape[0]), np.zeros(X.shape[1]), np.zeros(1))
        self.bias = 0.0

    def solve(self, C: float, j: float) -> Hyperplane:
        """Solve with C, and j times C for positive rows; neither may be lower than in the last call."""
        upper = np.where(self.positive, C * j, C)
        self.bias, solved = _solve(self.rows, upper, self.state, self.bias, self.tol)
        return Hyperplane(self.state.w.copy(), self.bias, solved)


class _Rows(NamedTuple):
    """CSR rows, their classes (1 or -1) and squared norms, and rho, of the order of a squared norm."""

    data: Floats
    indices: Ints
    indptr: Ints
    n_columns: int
    y: Floats
    squares: Floats
    rho: float


class _State(NamedTuple):
    """Dual variables, the weights w, and the balance as an array of one element."""

    alpha: Floats
    w: Floats
    balance: Floats


def _solve(rows: _Rows, upper: Floats, state: _State, bias: float, tol: float) -> tuple[float, bool]:
    """Update the state; return the bias, and whether the solution is optimal.

    Dual variables that stay at a bound are skipped (shrinking) until the others have converged.
    """
    n, seed = upper.size, int(seed_of(0))
    order, n_active, counter = np.arange(n), n, 0
    lowest, highest, enough = -np.inf, np.inf, 1.0
    for _ in range(MAX_PASSES):
        n_active, counter, low, high = kernels.descend(
            *rows, upper, *state, bias, order, n_active, seed, counter, lowest, highest
        )
        if high - low > enough:
            lowest, highest = low if low < 0 else -np.inf, high if high > 0 else np.inf
            continue
        lowest, highest = -np.inf, np.inf
        if n_active < n:
            n_active = n
            continue
        shift = rows.rho * float(state.balance[0])
        bias += shift
        if high - low <= tol and abs(shift) <= tol:
            return bias, True
        enough = max(tol, min(enough, 0.3 * abs(shift)))
    return bias + rows.rho * float(state.balance[0]), False
