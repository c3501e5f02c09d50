"""Synthetic ranking data."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from ..data.errors import InputError
from ..data.ranking_data import RankingData


def make_ranking(
    n_queries: int = 200,
    documents: tuple[int, int] = (10, 120),
    *,
    n_informative: int = 6,
    n_redundant: int = 4,
    n_noise: int = 5,
    grades: tuple[float, ...] = (0.8, 0.13, 0.05, 0.02),
    noise: float = 1.0,
    random_state: Any = None,
) -> RankingData:
    """Generate queries of varying size with graded documents, and informative, redundant, noise and reversed features.

    The latent relevance of a document is a weighted sum of its informative features, plus an interaction that only a
    non-linear model can capture (the product of the first two), plus noise, plus an offset of its query: some queries have
    no relevant document. Every feature has an offset in each query too, so that its values are comparable only within a
    query.

    Parameters
    ----------
    n_queries : int
    documents : pair of int
        Minimum and maximum number of documents of a query; sizes are log-uniform between them.
    n_informative, n_redundant, n_noise : int
        Numbers of features that relevance depends on, of noisy mixtures of these, and of features independent of relevance.
        One more feature, ``reversed``, decreases with relevance.
    grades : tuple of float
        Fractions of the documents with grade 0, 1, 2, ...
    noise : float
        Standard deviation of the noise in the latent relevance; the part explained by features has standard deviation 1.
    random_state : int or RandomState, optional

    Examples
    --------
    >>> make_ranking(3, (5, 5), random_state=0)
    RankingData(3 queries, 15 documents, 16 features, dense float64)
    """
    if n_queries < 1 or not 1 <= documents[0] <= documents[1] or n_informative < 2 or min(n_redundant, n_noise) < 0:
        raise InputError(
            "make_ranking needs n_queries >= 1, 1 <= documents[0] <= documents[1], n_informative >= 2 and no negative count"
        )
    random = check_random_state(random_state)
    sizes = np.exp(random.uniform(np.log(documents[0]), np.log(documents[1] + 1), n_queries)).astype(int)
    qid = np.repeat(np.arange(1, n_queries + 1), np.clip(sizes, *documents))
    informative = random.standard_normal((qid.size, n_informative))
    weights = 1 / np.arange(1, n_informative + 1)
    explained = informative @ weights + 0.5 * informative[:, 0] * informative[:, 1]
    explained /= explained.std() or 1
    hidden = explained + noise * random.standard_normal(qid.size) + 0.7 * random.standard_normal(n_queries)[qid - 1]
    y = np.searchsorted(np.quantile(hidden, np.cumsum(grades)[:-1] / np.sum(grades)), hidden).astype(float)

    mixtures = informative @ random.uniform(0, 1, (n_informative, n_redundant))
    redundant = mixtures + random.standard_normal(mixtures.shape) * mixtures.std(axis=0)
    reversed_ = -explained + 1.5 * random.standard_normal(qid.size)
    X = np.column_stack((informative, redundant, random.standard_normal((qid.size, n_noise)), reversed_))
    X += 0.5 * random.standard_normal((n_queries, X.shape[1]))[qid - 1]  # the offset of each feature in each query
    names = [
        f"{kind}{i + 1}"
        for kind, n in (("good", n_informative), ("mixed", n_redundant), ("noise", n_noise))
        for i in range(n)
    ]
    return RankingData(X, y, qid, feature_names=[*names, "reversed"])
