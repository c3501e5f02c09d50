"""Features from links between documents (Xu & Li 2007, Table 4): PageRank, HostRank, and score propagation.

Links are a sparse matrix: if document i links to document j, row i has the weight of the link in column j.
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
    r"""PageRank (Page et al. 1998): the probability of finding a reader who follows links at random at each document.

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
        The iteration ends when the changes of all values add up to at most this.
    max_rounds : int
        The largest number of iterations.

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


def hostrank(links: Any, hosts: ArrayLike, damping: float = 0.85, *, weights: ArrayLike | None = None) -> Floats:
    """HostRank (Xue et al. 2005): the PageRank of hosts, divided among their documents.

    The weight of a link between two hosts is that of all links between their documents; a host may link to itself.

    Parameters
    ----------
    links : sparse matrix or array
    hosts : array
        The host of each document, as strings or numbers.
    damping : float
    weights : array, optional
        The proportions in which a host's value is divided among its documents; by default 1 plus the weight of the links
        to the document. (The paper divides along the tree of URLs, which a matrix of links does not contain.)
    """
    matrix = _links(links)
    n = matrix.shape[0]
    names, host = np.unique(np.asarray(hosts), return_inverse=True)
    if host.shape != (n,):
        raise InputError(f"hosts must have one value for each of the {n} documents, but has the shape {host.shape}")
    member = sparse.csr_array((np.ones(n), (host, np.arange(n))), shape=(names.size, n))
    rank = pagerank(member @ matrix @ member.T, damping)
    parts = np.asarray(1 + matrix.sum(axis=0) if weights is None else weights, np.float64)
    if parts.shape != (n,) or not np.all(np.isfinite(parts) & (parts > 0)):
        raise InputError(f"weights must be finite and above 0, one for each of the {n} documents")
    return rank[host] * parts / (member @ parts)[host]


def propagate(
    links: Any, scores: ArrayLike, how: Propagation = "weighted in", alpha: float = 0.5, *, rounds: int = 10
) -> Floats:
    r"""Scores propagated along links (Shakery & Zhai 2003, Qin et al. 2005).

    .. math:: h_{k+1}(p) = \alpha\, s(p) + (1 - \alpha) \sum_q \omega(q, p)\, h_k(q), \qquad h_0 = s

    where q runs over the documents that link to p, with :math:`\omega` proportional to s(q) ("weighted in"); or over those
    that p links to, with :math:`\omega` proportional to s(q) ("weighted out") or uniform ("uniform out"). In all cases it is
    also proportional to the weight of the link, and sums to 1 over q. A document without such neighbours gets
    :math:`\alpha\, s(p)`.

    Parameters
    ----------
    links : sparse matrix or array
    scores : array of n, or of n x queries
        The scores of all documents for a query, non-negative; 0 for documents that were not retrieved.
    how : {"weighted in", "weighted out", "uniform out"}
    alpha : float
        The weight of a document's own score, from 0 to 1.
    rounds : int
        The number of iterations.
    """
    matrix = _links(links)
    s = np.asarray(scores, np.float64)
    if s.ndim not in (1, 2) or s.shape[0] != matrix.shape[0] or not np.all(np.isfinite(s) & (s >= 0)):
        raise InputError(f"scores must be finite and non-negative, with {matrix.shape[0]} rows, one for each document")
    if not (isinstance(rounds, (int, np.integer)) and rounds >= 0):
        raise InputError(f"rounds must be an integer, at least 0, not {rounds!r}")
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
