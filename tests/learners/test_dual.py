"""The small dual problem, against conditions of optimality."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from directrank.learners.svm.dual import solve_dual


@given(st.integers(1, 25), st.integers(1, 8), st.floats(1e-3, 1e4), st.integers(0, 10**6), st.booleans())
def test_ends_at_the_optimum(k: int, d: int, total: float, seed: int, from_zero: bool) -> None:
    random = np.random.default_rng(seed)
    planes, offsets = random.standard_normal((k, d)) * 10.0 ** random.integers(-2, 2), random.random(k)
    planes[k // 2] = planes[0]
    start = np.zeros(k) if from_zero else random.dirichlet(np.ones(k)) * total
    alpha = solve_dual(planes @ planes.T, offsets, total, start)
    assert np.all(alpha >= 0) and alpha.sum() <= total * (1 + 1e-9)
    slope = offsets - planes @ (planes.T @ alpha)
    # Frank-Wolfe gap: how much more any feasible point could promise.
    gap = total * max(slope.max(), 0.0) - slope @ alpha
    value = offsets @ alpha - 0.5 * np.sum((planes.T @ alpha) ** 2)
    # Planes that are equal are told apart by a term of 1e-12 of their size, which moves the optimum by so much.
    ridge = 1e-12 * np.mean(np.sum(planes**2, axis=1)) * total**2
    assert gap <= 1e-6 * max(1.0, abs(value), total * np.abs(slope).max()) + 4 * ridge
