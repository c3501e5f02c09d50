"""How well single features order documents by their grade, to find features that are the label in disguise."""

from __future__ import annotations

import numpy as np

from ..arrays import Floats, Ints
from ..core import levels as level_kernels, roc_area as kernels

#: Number of documents, of whole queries, on which features are judged.
MAX_DOCUMENTS = 200_000

#: Probability up to which features of random values may be found to be in the right order.
CHANCE = 0.001


class LabelOrder:
    """The grades of queries with documents of different grades, evenly drawn from all if there are many.

    Parameters
    ----------
    grades : array
        In query order.
    offsets : int64 array
    n_features : int
        Number of features to judge.

    Attributes
    ----------
    n_queries : int
        Number of queries.
    """

    def __init__(self, grades: Floats, offsets: Ints, n_features: int) -> None:
        _, n_levels = level_kernels.number(grades, offsets)
        sizes = np.diff(offsets)
        queries = np.flatnonzero(n_levels > 1)
        queries = queries[:: int(np.ceil(sizes[queries].sum() / MAX_DOCUMENTS)) or 1]
        sizes = sizes[queries]
        self.offsets = np.concatenate(([0], np.cumsum(sizes)))
        self.places = np.arange(self.offsets[-1]) + np.repeat(offsets[queries] - self.offsets[:-1], sizes)
        self.levels = level_kernels.number(grades[self.places], self.offsets)
        self.n_queries = queries.size
        self.pairs = kernels.count_pairs(*self.levels, self.offsets)
        # One order of the documents, or its reverse, is perfect for one of the features.
        self.is_conclusive = _log_orders(self.levels[0], self.offsets) > np.log(2 * n_features / CHANCE)

    def area(self, column: Floats) -> float:
        """Mean over the queries of the ROC area of the ranking by a feature, in query order; missing values are lowest.

        It is 0.5 if there are so few documents that some feature could be in the right order by chance.
        """
        if not self.is_conclusive:
            return 0.5
        scores = column[self.places]
        missing = np.isnan(scores)
        if missing.any():
            scores[missing] = np.nextafter(scores[~missing].min(initial=np.finfo(np.float64).max), -np.inf)
        return float(kernels.evaluate(scores, *self.levels, self.offsets, self.pairs).mean())


def _log_orders(level: Ints, offsets: Ints) -> float:
    """Logarithm of the product, over queries, of the multinomial coefficient of the numbers of documents of each grade."""
    from scipy.special import gammaln

    sizes = np.diff(offsets)
    query = np.repeat(np.arange(sizes.size), sizes)
    n_levels = int(level.max(initial=0)) + 1
    counts = np.unique(query * n_levels + level, return_counts=True)[1]
    return float(gammaln(sizes + 1.0).sum() - gammaln(counts + 1.0).sum())
