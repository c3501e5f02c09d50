"""The pairwise Ranking SVM."""

from __future__ import annotations

from collections.abc import Sequence

from ...arrays import Floats
from ...measures import AUC
from ...models import Model
from ..core.monitoring import TrainingMonitor
from ..core.scaling import Scaled
from ..core.shards import Shards
from ..search_space import AlongPath
from .model_selection import PAIRWISE_SCALE, Solver, fit_convex, fit_path, over_all_pairs
from .regularized import RegularizedSVM
from .scaling_choice import scale_by_validation
from .solution import RegularizationPath, warn_of_zero


class RankSVM(RegularizedSVM):
    r"""The Ranking SVM (Herbrich et al. 2000; Joachims 2002) over all pairs of unequal grade of each query.

    .. math:: \min_w\ \tfrac12 |w|^2 + \tfrac{C}{m} \sum_{l_i > l_j} \max(0,\ 1 - w^T (x_i - x_j))

    over the m pairs of all queries. It is the structural SVM of `AUC` with each query weighted by its pairs: that one has
    hinges max(0, 1 - 2 w^T (x_i - x_j)), so its solution for C/4 is half of this one. A step takes O(n log n), not O(m).

    Parameters
    ----------
    C, scaling, basis, tol, max_iter, Cs, cv, verbose
        See `SVMRanker`, with the convex bound.

    Attributes
    ----------
    coef_ : array
        w.
    slack_ : float
        Mean hinge over all pairs.
    gap_, objective_, n_iter_, iteration_bound_, history_, C_
        See `SVMRanker`.

    Examples
    --------
    >>> from directrank.datasets import make_ranking
    >>> data = make_ranking(50, random_state=0)
    >>> model = RankSVM(C=1).fit(data.X, data.y, data.qid)
    >>> bool(model.score(data.X, data.y, data.qid) > 0.5)
    True
    """

    measure = AUC()
    _takes_one_set = False

    search_space = {"C": AlongPath()}

    def __init__(
        self,
        *,
        C: float | str = "auto",
        scaling: str = "auto",
        basis: str = "linear",
        tol: float = 1e-3,
        max_iter: int = 1000,
        Cs: Sequence[float] | Floats | None = None,
        cv: int = 5,
        verbose: int = 0,
    ) -> None:
        self.C = C
        self.scaling = scaling
        self.basis = basis
        self.tol = tol
        self.max_iter = max_iter
        self.Cs = Cs
        self.cv = cv
        self.verbose = verbose

    def _fit_path(self, solver: Solver, scaled: Scaled, Cs: Floats | None, n_features: int) -> RegularizationPath:
        solutions = fit_path(solver, over_all_pairs(scaled.training), Cs, "convex", PAIRWISE_SCALE)
        return RegularizationPath.of(solutions, scaled.coef, scaled.model)

    def _train(self, training: Shards, validation: Shards | None, monitor: TrainingMonitor) -> Model:
        scaled = scale_by_validation(training, validation, self.scaling, self.basis)
        pairs, validation = over_all_pairs(scaled.training), None if validation is None else scaled.held_out(validation)
        solution = fit_convex(self._solver(monitor), pairs, validation, self._search(), PAIRWISE_SCALE)
        self._keep_solution(solution, self.tol, monitor)
        if solution.is_zero:
            self._warn_of_zero()
        return scaled.model(solution.coef)

    def _warn_of_zero(self) -> None:
        warn_of_zero(type(self).__name__, "AUC", "features do not tell grades apart within queries")
