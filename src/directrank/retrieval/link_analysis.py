"""Link analysis: PageRank of documents and hosts, and propagation along links.

Links are a sparse matrix: if document i links to document j, row i has the weight of the link in column j.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse

from ..arrays import Floats
from ..data import InputError
from .sitemaps import Sitemap, sitemap

Propagation = Literal["weighted in", "weighted out", "uniform out"]
PROPAGATIONS: tuple[Propagation, ...] = get_args(Propagation)


def pagerank(
    links: Any, damping: float = 0.85, *, jump: ArrayLike | None = None, tol: float = 1e-10, max_rounds: int = 1000
) -> Floats:
    r"""PageRank (Page et al. 1998): the stationary distribution of a random surfer.

    .. math:: p_j = d \left(\sum_{i \to j} \frac{l_{ij}}{\sum_k l_{ik}}\, p_i + v_j \sum_{i\ \text{without links}} p_i\right)
              + (1 - d)\, v_j

    Parameters
    ----------
    links : sparse matrix or array
        Non-negative weights.
    damping : float
        d, the probability of following a link, at least 0 and below 1.
    jump : array, optional
        v, the distribution of random jumps, up to a factor; uniform by default.
    tol : float
        Stop when the changes of all values sum to at most this.
    max_rounds : int
        Maximum number of iterations.

    Returns
    -------
    array
        Probabilities, which sum to 1.

    Examples
    --------
    >>> pagerank([[0, 1, 1], [0, 0, 1], [1, 0, 0]]).round(3).tolist()
    [0.388, 0.215, 0.397]
    """
    matrix = _links(links)
    if not 0 <= damping < 1:
        raise InputError(f"damping must be at least 0 and below 1, not {damping!r}")
    v = _distribution(np.ones(matrix.shape[0]) if jump is None else jump, matrix.shape[0], "jump")
    followed, ends = _rows_sum_to_1(matrix).T.tocsr(), matrix.sum(axis=1) == 0
    rank = v
    for _ in range(max_rounds):
        before, rank = rank, damping * (followed @ rank + v * rank[ends].sum()) + (1 - damping) * v
        rank /= rank.sum()
        if np.abs(rank - before).sum() <= tol:
            return rank
    raise InputError(f"PageRank did not converge in {max_rounds} rounds; increase max_rounds or tol")


def host_level_pagerank(
    links: Any, urls: Sequence[str], damping: float = 0.85, *, theta: float = 0.6, alpha: float = 0.6, gamma: float = 0.5
) -> Floats:
    r"""PageRank of hosts, distributed among their pages along the tree of their URLs.

    The weight of a link between two hosts is that of all links between their pages; a host may link to itself. Within a
    host, the weight of a page is

    .. math:: w(p) = \alpha\left(\theta \frac{o(p)}{\sum_q o(q)} + (1 - \theta) \frac{i(p)}{\sum_q i(q)}\right)
              + (1 - \alpha) \frac{x(p)}{\sum_q x(q)}

    with the links o(p) to it from other hosts and i(p) from its own, and x(p) = 1 for an index page, else 0. Heat flows down
    the tree: a page with parent p' has :math:`h(p) = w(p) + \gamma\, h(p')`, so that pages without links get a share too;
    the host's PageRank is distributed in proportion to h. If all weights of a host are 0, its pages have equal ones.

    It is modelled on HostRank (Xue et al. 2005), with its hosts, its URL trees weighted by external and internal links, its
    dissipation of heat, and its values of theta and alpha. The combination and gamma are our own: the paper was not
    available, so values need not equal those of HostRank.

    Parameters
    ----------
    links : sparse matrix or array
    urls : sequence of str
        The URL of each document, with or without http://.
    damping : float
    theta, alpha, gamma : float
        From 0 to 1.
    """
    matrix = _links(links)
    n = matrix.shape[0]
    if len(urls) != n:
        raise InputError(f"urls must have one value for each of the {n} documents, but has {len(urls)}")
    for name, value in {"theta": theta, "alpha": alpha, "gamma": gamma}.items():
        if not 0 <= value <= 1:
            raise InputError(f"{name} must be from 0 to 1, not {value!r}")
    site = sitemap(urls)
    member = sparse.csr_array((np.ones(n), (site.host, np.arange(n))), shape=(site.n_hosts, n))
    heat = _heat(_page_weights(matrix, site, theta, alpha), site, gamma)
    return pagerank(member @ matrix @ member.T, damping)[site.host] * _shares(heat, site)


def propagate(
    links: Any,
    scores: ArrayLike,
    how: Propagation = "weighted in",
    alpha: float = 0.5,
    *,
    rounds: int = 10,
    weights: ArrayLike | None = None,
) -> Floats:
    r"""Propagate scores or term counts along links.

    .. math:: h_{k+1}(p) = \alpha\, s(p) + (1 - \alpha) \sum_q \omega(q, p)\, h_k(q), \qquad h_0 = s

    where q runs over the documents that link to p, with :math:`\omega` proportional to the weight of q ("weighted in"); or
    over those that p links to, with :math:`\omega` proportional to the weight of q ("weighted out") or uniform ("uniform
    out"). In all cases it is also proportional to the weight of the link, and sums to 1 over q. A document without such
    neighbours gets :math:`\alpha\, s(p)`. It is modelled on the propagation of Shakery & Zhai (2003) and Qin et al. (2005);
    these papers were not available, so details may differ from theirs.

    Parameters
    ----------
    links : sparse matrix or array
    scores : array of n, or of n x columns
        Non-negative scores of all documents for a query, 0 for documents that were not retrieved; or their term counts.
    how : {"weighted in", "weighted out", "uniform out"}
    alpha : float
        The weight of a document's own score, from 0 to 1.
    rounds : int
        Number of iterations.
    weights : array of n, optional
        Weights of the documents, the scores by default. For term counts, pass the scores of the query.
    """
    matrix = _links(links)
    s = _non_negative(scores, matrix.shape[0], "scores")
    if not (isinstance(rounds, (int, np.integer)) and rounds >= 0):
        raise InputError(f"rounds must be an integer, at least 0, not {rounds!r}")
    if not 0 <= alpha <= 1:
        raise InputError(f"alpha must be from 0 to 1, not {alpha!r}")
    if how not in PROPAGATIONS:
        raise InputError(f"how must be 'weighted in', 'weighted out' or 'uniform out', not {how!r}")
    near = matrix.T.tocsr() if how == "weighted in" else matrix
    weight = (
        s if weights is None else _non_negative(weights, matrix.shape[0], "weights").reshape((-1,) + (1,) * (s.ndim - 1))
    )
    if how == "uniform out":
        weight = np.ones(weight.shape)
    total = np.broadcast_to(near @ weight, s.shape)
    h = s
    for _ in range(rounds):
        moved = np.divide(near @ (weight * h), total, out=np.zeros(s.shape), where=total > 0)
        h = alpha * s + (1 - alpha) * moved
    return h


def _page_weights(matrix: Any, site: Sitemap, theta: float, alpha: float) -> Floats:
    """Weights of pages, normalised within their host."""
    links, n = matrix.tocoo(), matrix.shape[0]
    is_inside = site.host[links.row] == site.host[links.col]
    outside = np.bincount(links.col, np.where(is_inside, 0.0, links.data), n).astype(np.float64)
    inside = np.bincount(links.col, np.where(is_inside, links.data, 0.0), n).astype(np.float64)
    linked = theta * _shares(outside, site) + (1 - theta) * _shares(inside, site)
    weight = alpha * linked + (1 - alpha) * _shares(site.is_index.astype(np.float64), site)
    weight[np.bincount(site.host, weight)[site.host] == 0] = 1.0
    return _shares(weight, site)


def _heat(weight: Floats, site: Sitemap, gamma: float) -> Floats:
    """Weights, plus the heat that flows down from each page's parent."""
    heat = weight.copy()
    for level in range(1, int(site.level.max(initial=0)) + 1):
        pages = np.flatnonzero((site.level == level) & (site.parent >= 0))
        heat[pages] += gamma * heat[site.parent[pages]]
    return heat


def _shares(values: Floats, site: Sitemap) -> Floats:
    """Values as fractions of the sum over their host; 0 where that is 0."""
    sums = np.bincount(site.host, values, site.n_hosts)[site.host]
    return np.divide(values, sums, out=np.zeros(values.size), where=sums > 0)


def _non_negative(values: ArrayLike, n: int, name: str) -> Floats:
    array = np.asarray(values, np.float64)
    wanted = (1, 2) if name == "scores" else (1,)
    if array.ndim not in wanted or array.shape[0] != n or not np.all(np.isfinite(array) & (array >= 0)):
        raise InputError(f"{name} must be finite and non-negative, with {n} rows, one for each document")
    return array


def _links(links: Any) -> Any:
    matrix = sparse.csr_array(links, dtype=np.float64)
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1] or matrix.shape[0] == 0:
        raise InputError(f"links must be a square matrix with a row and a column for each document, not {matrix.shape}")
    if not np.all(np.isfinite(matrix.data) & (matrix.data >= 0)):
        raise InputError("the weights of links must be finite and non-negative")
    return matrix


def _distribution(values: ArrayLike, n: int, name: str) -> Floats:
    weights = np.asarray(values, np.float64)
    if weights.shape != (n,) or not np.all(np.isfinite(weights) & (weights >= 0)) or weights.sum() == 0:
        raise InputError(f"{name} must have one non-negative number for each of the {n} documents, not all 0")
    return weights / weights.sum()


def _rows_sum_to_1(matrix: Any) -> Any:
    sums = matrix.sum(axis=1)
    return sparse.diags_array(np.divide(1.0, sums, out=np.zeros(sums.size), where=sums > 0)) @ matrix
