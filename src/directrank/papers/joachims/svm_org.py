r"""The ordinary SVM with a cost model: SVMlight's, with its parameters C and j.

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

#: Of LIBSVM. Where it is too few, the hyperplane says so.
MAX_ITER = 300_000


def ordinary_svms(X: Any, positive: Bools, j: float, Cs: Sequence[float], tol: float) -> Iterator[Hyperplane]:
    """That of each C, ascending.

    Sparse rows of many features are left to coordinate descent, where one C starts from the last. It would take very long
    with few features and a large C: dense rows are left to LIBSVM.

    Parameters
    ----------
    tol : float
        How far the conditions of optimality may be violated, in units of the margin.
    """
    if sparse.issparse(X):
        descent = CoordinateDescent(X, positive, tol)
        return (descent.solve(C, j) for C in Cs)
    return (_by_libsvm(X, positive, C, j, tol) for C in Cs)


def _by_libsvm(X: Any, positive: Bools, C: float, j: float, tol: float) -> Hyperplane:
    svm = SVC(C=C, kernel="linear", class_weight={True: j}, tol=tol, max_iter=MAX_ITER)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # the hyperplane says so
        svm.fit(X, positive)
    return Hyperplane(svm.coef_[0], float(svm.intercept_[0]), svm.fit_status_ == 0)
