"""`MultivariateSVC` with a kernel, for the error rate, against scikit-learn's `SVC`: Theorem 3 of Joachims (2005)."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize
from sklearn.metrics.pairwise import polynomial_kernel, rbf_kernel
from sklearn.svm import SVC

from directrank import MultivariateSVC

RANDOM = np.random.default_rng(0)
X = RANDOM.normal(size=(120, 3))
Y = X[:, 0] * X[:, 1] + 0.4 * RANDOM.normal(size=120) > 0.2
OTHERS = RANDOM.normal(size=(50, 3))


def box_dual(K: np.ndarray, C: float) -> tuple[float, np.ndarray]:
    """max sum a - a^T Q a / 2 over 0 <= a <= C, the dual of an SVM without an intercept; its value and a_i y_i."""
    sign = np.where(Y, 1.0, -1.0)
    Q = K * np.outer(sign, sign)
    found = minimize(
        lambda a: (0.5 * a @ Q @ a - a.sum(), Q @ a - 1),
        np.zeros(sign.size),
        jac=True,
        method="L-BFGS-B",
        bounds=[(0, C)] * sign.size,
        options={"maxiter": 10**5, "maxfun": 10**6, "ftol": 1e-15, "gtol": 1e-9},
    )
    return -found.fun, found.x * sign


@pytest.mark.parametrize("C", [0.05, 0.5, 5.0])
@pytest.mark.parametrize("fit_intercept", [False, True])
def test_theorem_3_without_an_intercept_or_with_one_that_is_regularised(C: float, fit_intercept: bool) -> None:
    value, coefficients = box_dual(rbf_kernel(X, X, 0.5) + fit_intercept, 2 * C)
    ours = MultivariateSVC(
        "Accuracy", C=C, kernel="rbf", gamma=0.5, fit_intercept=fit_intercept, tol=1e-7, max_iter=5000, scaling="none"
    )
    ours.fit(X, Y)
    assert ours.objective_ == pytest.approx(value, rel=1e-5)
    wanted = (rbf_kernel(OTHERS, X, 0.5) + fit_intercept) @ coefficients
    np.testing.assert_allclose(ours.decision_function(OTHERS), wanted, atol=1e-2 * np.abs(wanted).max())


@pytest.mark.parametrize(
    ("svc", "kernel"),
    [
        (SVC(C=1.0, gamma=0.5), lambda X, Y: rbf_kernel(X, Y, 0.5)),
        (SVC(C=0.2, kernel="poly", degree=2, gamma=1.0, coef0=1.0), lambda X, Y: polynomial_kernel(X, Y, 2, 1.0, 1.0)),
    ],
    ids=["rbf", "poly"],
)
def test_theorem_3_with_an_intercept_that_costs_next_to_nothing(svc: SVC, kernel) -> None:
    """SVC's intercept is not regularised; a constant feature of 100 has a weight of a hundredth of it."""
    ours = MultivariateSVC(
        "Accuracy",
        C=svc.C / 2,
        kernel=lambda X, Y: kernel(X, Y) + 1e4,
        fit_intercept=False,
        tol=1e-7,
        max_iter=5000,
        scaling="none",
    )
    ours.fit(X, Y)
    wanted = svc.set_params(tol=1e-8).fit(X, Y).decision_function(OTHERS)
    np.testing.assert_allclose(ours.decision_function(OTHERS), wanted, atol=1e-2 * np.abs(wanted).max())
    np.testing.assert_array_equal(ours.predict(X), svc.predict(X))
