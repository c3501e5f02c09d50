r"""The ordinary SVM with a cost model, as in SVMlight, with its parameters C and j.

.. math:: \min_{w, b}\ \tfrac12 |w|^2 + C \sum_i j^{[y_i = 1]} \max\{0, 1 - y_i (w^T x_i + b)\}

The bias b is not regularised.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from typing import Any

from scipy import sparse
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import SVC

from ...arrays import Bools
from .coordinate_descent import CoordinateDescent
from .hyperplane import Hyperplane

#: Iterations of LIBSVM; `Hyperplane.solved` is False if they do not suffice.
MAX_ITER = 300_000


def train_ordinary_svms(X: Any, positive: Bools, j: float, Cs: Sequence[float], tol: float) -> Iterator[Hyperplane]:
    """Train an SVM for each C, in ascending order.

    Sparse rows are solved by coordinate descent with warm starts. That is very slow with few features and a large C, so
    dense rows are solved by LIBSVM.

    Parameters
    ----------
    tol : float
        Tolerance of the optimality conditions, in units of the margin.
    """
    if sparse.issparse(X):
        descent = CoordinateDescent(X, positive, tol)
        return (descent.solve(C, j) for C in Cs)
    return (_solve_by_libsvm(X, positive, C, j, tol) for C in Cs)


def _solve_by_libsvm(X: Any, positive: Bools, C: float, j: float, tol: float) -> Hyperplane:
    svm = SVC(C=C, kernel="linear", class_weight={True: j}, tol=tol, max_iter=MAX_ITER)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # `solved` is False
        svm.fit(X, positive)
    return Hyperplane(svm.coef_[0], float(svm.intercept_[0]), svm.fit_status_ == 0)
