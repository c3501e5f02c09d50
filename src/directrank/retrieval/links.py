"""Features from links between documents (Xu & Li 2007, Table 4): PageRank, HostRank, and scores that follow links.

Links are a sparse matrix: row i has an entry in column j, its weight, where document i links to document j.
"""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse

from ..arrays import Floats
from ..data import InputError

Propagation = Literal["weighted in", "weighted out", "uniform out"]


def pagerank(
    links: Any, damping: float = 0.85, *, jump: ArrayLike | None = None, tol: float = 1e-10, max_rounds: int = 1000
) -> Floats:
    r"""PageRank (Page et al. 1998): how often a reader is at each document who follows links at random.

    .. math:: p_j = d \left(\sum_{i \to j} \frac{l_{ij}}{\sum_k l_{ik}}\, p_i + v_j \sum_{i\ \text{without links}} p_i\right)
              + (1 - d)\, v_j

    Parameters
    ----------
    links : sparse matrix or array
        Not negative.
    damping : float
        d, the share of steps that follow a link.
    jump : array, optional
        v, where the other steps lead, in proportion; anywhere alike by default.
    tol : float
        The sum of changes at which it ends.
    max_rounds : int

    Returns
    -------
    array
        Of sum 1.

    Examples
    --------
    >>> pagerank([[0, 1, 1], [0, 0, 1], [1, 0, 0]]).round(3).tolist()
    [0.388, 0.215, 0.397]
    """
    matrix = _links(links)
    if not 0 <= damping < 1:
        raise InputError(f"damping must be from 0 up to, but not, 1, and is {damping!r}")
    v = _shares(np.ones(matrix.shape[0]) if jump is None else jump, matrix.shape[0], "jump")
    followed, ends = _rows_sum_to_1(matrix).T.tocsr(), matrix.sum(axis=1) == 0
    rank = v
    for _ in range(max_rounds):
        before, rank = rank, damping * (followed @ rank + v * rank[ends].sum()) + (1 - damping) * v
        rank /= rank.sum()
        if np.abs(rank - before).sum() <= tol:
            return rank
    raise InputError(f"PageRank still changes after {max_rounds} rounds; take more, or a larger tol")


def hostrank(links: Any, hosts: ArrayLike, damping: float = 0.85, *, weights: ArrayLike | None = None) -> Floats:
    """HostRank (Xue et al. 2005): PageRank of hosts, shared out among their documents.

    Hosts link to one another with as much weight as the links between their documents have, those within a host included.

    Parameters
    ----------
    links : sparse matrix or array
    hosts : array
        The host of each document: names or numbers.
    damping : float
    weights : array, optional
        In what proportion documents share what their host has; by default one more than the links that lead to them. (The
        paper shares by a tree of URLs, which links do not have.)
    """
    matrix = _links(links)
    n = matrix.shape[0]
    names, host = np.unique(np.asarray(hosts), return_inverse=True)
    if host.shape != (n,):
        raise InputError(f"hosts must name the host of each of the {n} documents, and has the shape {host.shape}")
    member = sparse.csr_array((np.ones(n), (host, np.arange(n))), shape=(names.size, n))
    rank = pagerank(member @ matrix @ member.T, damping)
    share = np.asarray(1 + matrix.sum(axis=0) if weights is None else weights, np.float64)
    if share.shape != (n,) or not np.all(np.isfinite(share) & (share > 0)):
        raise InputError(f"weights must be a number above 0 for each of the {n} documents")
    return rank[host] * share / (member @ share)[host]


def propagate(
    links: Any, scores: ArrayLike, how: Propagation = "weighted in", alpha: float = 0.5, *, rounds: int = 10
) -> Floats:
    r"""Scores that follow links (Shakery & Zhai 2003, Qin et al. 2005).

    .. math:: h_{k+1}(p) = \alpha\, s(p) + (1 - \alpha) \sum_q \omega(q, p)\, h_k(q), \qquad h_0 = s

    where q are the documents that link to p, and :math:`\omega` is in proportion to s(q) ("weighted in"); or those that p
    links to, in proportion to s(q) ("weighted out") or all alike ("uniform out"). It is multiplied by the weight of the
    link, and its sum is 1. A document without such neighbours keeps :math:`\alpha\, s(p)`.

    Parameters
    ----------
    links : sparse matrix or array
    scores : array of n, or of n x queries
        Of all documents for a query, 0 where it has none. Not negative.
    how : {"weighted in", "weighted out", "uniform out"}
    alpha : float
        How much of its own score a document keeps.
    rounds : int
    """
    matrix = _links(links)
    s = np.asarray(scores, np.float64)
    if s.ndim not in (1, 2) or s.shape[0] != matrix.shape[0] or not np.all(np.isfinite(s) & (s >= 0)):
        raise InputError(f"scores must be finite, not negative and have {matrix.shape[0]} rows, one for each document")
    if not (isinstance(rounds, (int, np.integer)) and rounds >= 0):
        raise InputError(f"rounds must be a whole number from 0 up, not {rounds!r}")
    if not 0 <= alpha <= 1:
        raise InputError(f"alpha must be from 0 to 1, not {alpha!r}")
    if how not in ("weighted in", "weighted out", "uniform out"):
        raise InputError(f"how must be 'weighted in', 'weighted out' or 'uniform out', not {how!r}")
    near = matrix.T.tocsr() if how == "weighted in" else matrix
    weight = np.ones(s.shape) if how == "uniform out" else s
    total = near @ weight
    h = s
    for _ in range(rounds):
        moved = np.divide(near @ (weight * h), total, out=np.zeros(s.shape), where=total > 0)
        h = alpha * s + (1 - alpha) * moved
    return h


def _links(links: Any) -> Any:
    matrix = sparse.csr_array(links, dtype=np.float64)
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1] or matrix.shape[0] == 0:
        raise InputError(f"links must be a square matrix, a row and a column for each document, not {matrix.shape}")
    if not np.all(np.isfinite(matrix.data) & (matrix.data >= 0)):
        raise InputError("the weights of links must be finite and not negative")
    return matrix


def _shares(values: ArrayLike, n: int, name: str) -> Floats:
    shares = np.asarray(values, np.float64)
    if shares.shape != (n,) or not np.all(np.isfinite(shares) & (shares >= 0)) or shares.sum() == 0:
        raise InputError(f"{name} must be a number for each of the {n} documents, none negative and not all 0")
    return shares / shares.sum()


def _rows_sum_to_1(matrix: Any) -> Any:
    sums = matrix.sum(axis=1)
    return sparse.diags_array(np.divide(1.0, sums, out=np.zeros(sums.size), where=sums > 0)) @ matrix
