"""Features from links: against networkx, and against plain sums."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, strategies as st
from hypothesis.extra.numpy import arrays
from scipy import sparse

from directrank import InputError
from directrank.retrieval import host_level_pagerank, pagerank, propagate

links = st.integers(1, 7).flatmap(lambda n: arrays(np.int64, (n, n), elements=st.integers(0, 2)))


@given(matrix=links, damping=st.sampled_from([0.0, 0.5, 0.85]), data=st.data())
def test_pagerank_is_that_of_networkx(matrix, damping: float, data) -> None:
    networkx = pytest.importorskip("networkx")
    n = matrix.shape[0]
    jump = data.draw(st.lists(st.integers(1, 5), min_size=n, max_size=n))
    graph = networkx.from_numpy_array(matrix, create_using=networkx.DiGraph)
    theirs = networkx.pagerank(graph, damping, personalization=dict(enumerate(jump)), tol=1e-12, max_iter=1000)
    np.testing.assert_allclose(pagerank(sparse.csr_array(matrix), damping, jump=jump), list(theirs.values()), atol=1e-8)
    np.testing.assert_allclose(pagerank(matrix, damping).sum(), 1)


URLS = [
    "a.org",
    "http://a.org/x/",
    "a.org/x/y.html",
    "A.org:80/x/z/w.html",
    "http://b.org/index.html",
    "b.org/n.html",
    "c.org/q?r=1",
]


def plain_host_level_pagerank(matrix: np.ndarray, urls: list[str], theta: float, alpha: float, gamma: float) -> list[float]:
    """By the formulas, over the trees that a reader sees in URLS."""
    above = {
        "a.org": None,
        "http://a.org/x/": "a.org",
        "a.org/x/y.html": "http://a.org/x/",
        "b.org/n.html": "http://b.org/index.html",
    }
    above["A.org:80/x/z/w.html"] = "http://a.org/x/"
    host = [url.lower().removeprefix("http://")[0] for url in urls]
    n, present = len(urls), sorted(set(host))
    between = [
        [sum(matrix[i, j] for i in range(n) for j in range(n) if (host[i], host[j]) == (g, h)) for h in present]
        for g in present
    ]
    of_host = dict(zip(present, pagerank(between), strict=True))

    def share(values: list[float], p: int) -> float:
        total = sum(values[q] for q in range(n) if host[q] == host[p])
        return values[p] / total if total else 0.0

    o = [float(sum(matrix[q, p] for q in range(n) if host[q] != host[p])) for p in range(n)]
    i = [float(sum(matrix[q, p] for q in range(n) if host[q] == host[p])) for p in range(n)]
    x = [float(url in ("a.org", "http://a.org/x/", "http://b.org/index.html")) for url in urls]
    w = [alpha * (theta * share(o, p) + (1 - theta) * share(i, p)) + (1 - alpha) * share(x, p) for p in range(n)]
    for h in present:
        pages = [p for p in range(n) if host[p] == h]
        total = sum(w[p] for p in pages)
        for p in pages:
            w[p] = w[p] / total if total else 1 / len(pages)

    def heat(p: int) -> float:
        parent = above.get(urls[p])
        while parent is not None and parent not in urls:
            parent = above.get(parent)
        return w[p] + (gamma * heat(urls.index(parent)) if parent is not None else 0.0)

    heats = [heat(p) for p in range(n)]
    return [of_host[host[p]] * share(heats, p) for p in range(n)]


@given(
    data=st.data(),
    theta=st.sampled_from([0.0, 0.6, 1.0]),
    alpha=st.sampled_from([0.0, 0.6, 1.0]),
    gamma=st.sampled_from([0.0, 0.5, 1.0]),
)
def test_host_level_pagerank_is_its_formula(data, theta: float, alpha: float, gamma: float) -> None:
    urls = data.draw(st.lists(st.sampled_from(URLS), min_size=1, unique=True))
    matrix = data.draw(arrays(np.int64, (len(urls), len(urls)), elements=st.integers(0, 2)))
    ranks = host_level_pagerank(sparse.csr_array(matrix), urls, theta=theta, alpha=alpha, gamma=gamma)
    np.testing.assert_allclose(ranks, plain_host_level_pagerank(matrix, urls, theta, alpha, gamma), atol=1e-9)
    np.testing.assert_allclose(ranks.sum(), 1)


def test_a_new_page_without_links_has_a_part_of_its_host() -> None:
    links = [[0, 1, 0], [1, 0, 0], [0, 0, 0]]
    ranks = host_level_pagerank(links, ["a.org", "b.org", "a.org/new.html"])
    assert 0 < ranks[2] < ranks[0] and pagerank(links)[2] < ranks[2]


@pytest.mark.parametrize("how", ["weighted in", "weighted out", "uniform out"])
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
    counts = np.column_stack([s, 2 * s, np.arange(n)])
    weighted = propagate(matrix, counts, how, alpha, rounds=rounds, weights=s)
    np.testing.assert_allclose(weighted[:, 0], h, atol=1e-12)
    np.testing.assert_allclose(weighted[:, 1], 2 * h, atol=1e-12)
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
        (
            lambda: host_level_pagerank([[0, 1], [1, 0]], ["x"]),
            "urls must have one value for each of the 2 documents, but has 1",
        ),
        (lambda: host_level_pagerank([[0, 1], [1, 0]], ["x", "y"], gamma=2), "gamma must be from 0 to 1, not 2"),
        (lambda: propagate([[0, 1], [1, 0]], [1, 1], weights=[[1], [1]]), "weights must be finite and non-negative, with 2"),
        (lambda: propagate([[0, 1], [1, 0]], [1, -1]), "scores must be finite and non-negative"),
        (lambda: propagate([[0, 1], [1, 0]], [1, 1], "up"), "how must be 'weighted in'"),
        (lambda: propagate([[0, 1], [1, 0]], [1, 1], alpha=2), "alpha must be from 0 to 1"),
    ],
)
def test_errors(job, message: str) -> None:
    with pytest.raises(InputError, match=message):
        job()
