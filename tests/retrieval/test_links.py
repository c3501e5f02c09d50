"""Features from links: against networkx, and against plain sums."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import sparse

from directrank import InputError
from directrank.retrieval import hostrank, pagerank, propagate

links = st.integers(1, 7).flatmap(lambda n: arrays(np.int64, (n, n), elements=st.integers(0, 2)))


@settings(max_examples=60)
@given(matrix=links, damping=st.sampled_from([0.0, 0.5, 0.85]), data=st.data())
def test_pagerank_is_that_of_networkx(matrix, damping: float, data) -> None:
    networkx = pytest.importorskip("networkx")
    n = matrix.shape[0]
    jump = data.draw(st.lists(st.integers(1, 5), min_size=n, max_size=n))
    graph = networkx.from_numpy_array(matrix, create_using=networkx.DiGraph)
    theirs = networkx.pagerank(graph, damping, personalization=dict(enumerate(jump)), tol=1e-12, max_iter=1000)
    np.testing.assert_allclose(pagerank(sparse.csr_array(matrix), damping, jump=jump), list(theirs.values()), atol=1e-8)
    np.testing.assert_allclose(pagerank(matrix, damping).sum(), 1)


def test_hostrank_is_pagerank_of_hosts_shared_out() -> None:
    matrix = np.array([[0, 1, 1, 0], [0, 0, 1, 1], [1, 0, 0, 0], [0, 0, 0, 0]])
    hosts = ["x.org", "x.org", "y.org", "y.org"]
    between = [[1, 3], [1, 0]]
    of_hosts = pagerank(between)
    ranks = hostrank(matrix, hosts)
    np.testing.assert_allclose([ranks[:2].sum(), ranks[2:].sum()], of_hosts)
    np.testing.assert_allclose(
        ranks, of_hosts[[0, 0, 1, 1]] * np.array([2 / 4, 2 / 4, 3 / 5, 2 / 5])
    )  # one more than in-links
    np.testing.assert_allclose(hostrank(matrix, hosts, weights=[1, 3, 1, 1])[:2], of_hosts[0] * np.array([0.25, 0.75]))


@pytest.mark.parametrize("how", ["weighted in", "weighted out", "uniform out"])
@settings(max_examples=30)
@given(matrix=links, alpha=st.sampled_from([0.0, 0.3, 1.0]), rounds=st.integers(0, 3), data=st.data())
def test_propagation_is_its_plain_sum(how, matrix, alpha: float, rounds: int, data) -> None:
    n = matrix.shape[0]
    s = np.array(data.draw(st.lists(st.integers(0, 5), min_size=n, max_size=n)), float)
    h = s.copy()
    for _ in range(rounds):
        new = np.zeros(n)
        for p in range(n):
            weight = {}
            for q in range(n):
                link = matrix[q, p] if how == "weighted in" else matrix[p, q]
                weight[q] = link * (1 if how == "uniform out" else s[q])
            total = sum(weight.values())
            moved = sum(weight[q] * h[q] for q in weight) / total if total else 0.0
            new[p] = alpha * s[p] + (1 - alpha) * moved
        h = new
    np.testing.assert_allclose(propagate(matrix, s, how, alpha, rounds=rounds), h, atol=1e-12)
    both = propagate(sparse.csr_array(matrix), np.column_stack([s, s]), how, alpha, rounds=rounds)
    np.testing.assert_allclose(both, np.column_stack([h, h]), atol=1e-12)


@pytest.mark.parametrize(
    ("job", "message"),
    [
        (lambda: pagerank(np.ones((2, 3))), "links must be a square matrix"),
        (lambda: pagerank([[0, -1], [0, 0]]), "weights of links must be finite and non-negative"),
        (lambda: pagerank([[0, 1], [1, 0]], damping=1), "damping must be at least 0 and below 1, not 1"),
        (
            lambda: pagerank([[0, 1], [1, 0]], jump=[0, 0]),
            "jump must have one non-negative number for each of the 2 documents",
        ),
        (lambda: pagerank([[0, 1], [0, 0]], max_rounds=1), "did not converge in 1 rounds"),
        (lambda: hostrank([[0, 1], [1, 0]], ["x"]), "hosts must have one value for each of the 2 documents"),
        (lambda: hostrank([[0, 1], [1, 0]], ["x", "y"], weights=[1, 0]), "weights must be finite and above 0"),
        (lambda: propagate([[0, 1], [1, 0]], [1, -1]), "scores must be finite and non-negative"),
        (lambda: propagate([[0, 1], [1, 0]], [1, 1], "up"), "how must be 'weighted in'"),
        (lambda: propagate([[0, 1], [1, 0]], [1, 1], alpha=2), "alpha must be from 0 to 1"),
    ],
)
def test_errors(job, message: str) -> None:
    with pytest.raises(InputError, match=message):
        job()
