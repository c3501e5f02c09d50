"""The pairwise Ranking SVM."""

from __future__ import annotations

from ...measures import AUC
from ..core.shards import Shards
from ..search_space import AlongPath
from .all_pairs import STRETCH, weight_by_pairs
from .ranker import LinearSVM, SVMRanker


class RankSVM(SVMRanker):
    r"""The Ranking SVM (Herbrich et al. 2000; Joachims 2002) over all pairs of unequal grade of each query.

    .. math:: \min_w\ \tfrac12 |w|^2 + \tfrac{C}{m} \sum_{l_i > l_j} \max(0,\ 1 - w^T (x_i - x_j))

    over the m pairs of all queries. It is the structural SVM of `AUC` with each query weighted by its pairs: that one has
    hinges max(0, 1 - 2 w^T (x_i - x_j)), so its solution for C/4 is half of this one. A step takes O(n log n), not O(m).

    Parameters and attributes are those of `SVMRanker`, but for the kernel; `measure` is AUC, and the bound is the convex
    one. The slack is the mean hinge over all pairs.
    """

    measure = AUC()
    bound = "convex"
    kernel, gamma, degree, coef0 = "linear", "scale", 3, 0.0
    _advice = "features do not tell grades apart within queries"
    _stretch = STRETCH
    _takes_one_set = False

    search_space = {"C": AlongPath()}

    __init__ = LinearSVM.__init__

    def _weighted(self, training: Shards) -> Shards:
        return training.map(weight_by_pairs)
