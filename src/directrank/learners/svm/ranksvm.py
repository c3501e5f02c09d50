"""The pairwise Ranking SVM."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from ...arrays import Floats
from ...measures import AUC
from .cutting_plane import Iteration
from .ranker import SVMRanker


class RankSVM(SVMRanker):
    r"""The Ranking SVM (Herbrich et al. 2000; Joachims 2002) over all pairs of unequal grade of each query.

    .. math:: \min_w\ \tfrac12 |w|^2 + \tfrac{C}{m} \sum_{l_i > l_j} \max(0,\ 1 - w^T (x_i - x_j))

    over the m pairs of all queries. It is the structural SVM of `AUC` with each query weighted by its pairs: that one has
    hinges max(0, 1 - 2 w^T (x_i - x_j)), so its solution for C/4 is half of this one. A step takes O(n log n), not O(m).

    Parameters and attributes are those of `SVMRanker`; `measure` is AUC. The slack is the mean hinge over all pairs.
    """

    measure = AUC()
    _stretch = 2.0

    def __init__(
        self,
        C: float | str = 1.0,
        *,
        tol: float = 1e-3,
        max_iter: int = 1000,
        Cs: Sequence[float] | None = None,
        cv: int = 5,
        callback: Callable[[int, Iteration], None] | None = None,
    ) -> None:
        self.C = C
        self.tol = tol
        self.max_iter = max_iter
        self.Cs = Cs
        self.cv = cv
        self.callback = callback

    def _importance(self, grades: Floats, offsets: NDArray[np.int64]) -> Floats:
        return self.measure.pairs(grades, offsets).astype(np.float64)
