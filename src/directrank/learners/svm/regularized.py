"""SVMs of rankings whose C is given, chosen, or followed along a path."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import clone

from ...arrays import Floats
from ...data import InputError
from ..core.checked_rows import flatten_grades
from ..core.monitoring import Monitor
from ..core.ranker import QueryWeight, Ranker
from ..core.scaling import Scaled, check_basis, check_scaling, scale
from ..core.shards import LocalShards, weighted_for_training
from ..core.task import make_task
from ..core.validation import check_int, check_positive
from .model_selection import SearchForC, Solver
from .solution import RegularizationPath, SolvedMixin, warn_unless_converged


class RegularizedSVM(SolvedMixin, Ranker):
    """An SVM with the parameters C, scaling, basis, tol, max_iter, Cs and cv; see `SVMRanker`."""

    C: float | str
    scaling: str
    basis: str
    tol: float
    max_iter: int
    Cs: Sequence[float] | Floats | None
    cv: int

    @property
    def selects_C_on_path(self) -> bool:
        """Whether C is to be selected and `path` gives the weights for each of its values."""
        return self.C == "auto"

    def path(
        self,
        X: Any,
        y: ArrayLike,
        qid: ArrayLike | None = None,
        Cs: Sequence[float] | Floats | None = None,
        *,
        query_weight: QueryWeight | None = None,
    ) -> RegularizationPath:
        """Models for several values of C, for little more than the price of the largest: they share their planes.

        The values are those that C="auto" tries, unless others are given, and the models those of fits with each C.
        """
        self._check_parameters(False)
        X = clone(self)._check_X(X, reset=True)  # the fitted state of this estimator stays as it is
        y = flatten_grades(y, type(self).__name__)
        task = make_task(X, y, qid, self._objective(), query_weight)
        self._warn_of_one_query(task, qid)
        training, monitor = weighted_for_training(LocalShards([task])), Monitor(self._title(), verbose=self.verbose)
        values = self._values_of_C(self.Cs if Cs is None else Cs)
        path = self._fit_path(self._solver(monitor), scale(training, self.scaling, self.basis), values, X.shape[1])
        if monitor.interrupted:
            raise KeyboardInterrupt
        for solution in path.solutions:
            warn_unless_converged(type(self).__name__, solution, self.tol)
        if any(solution.is_zero for solution in path.solutions):
            self._warn_of_zero()
        return path

    @abstractmethod
    def _fit_path(self, solver: Solver, scaled: Scaled, Cs: Floats | None, n_features: int) -> RegularizationPath:
        """Models for values of C, ascending; for the default ones without any."""

    @abstractmethod
    def _warn_of_zero(self) -> None:
        """Warn that w = 0 is the optimum."""

    def _check_parameters(self, has_validation: bool) -> None:
        if self.C != "auto":
            self._check_C(self.C, " or 'auto'")
        check_scaling(self.scaling)
        check_basis(self.basis, getattr(self, "kernel", "linear"))
        check_positive(self.tol, "tol")
        check_int(self.max_iter, "max_iter")
        check_int(self.cv, "cv", 2)
        self._values_of_C(self.Cs)

    def _check_C(self, C: Any, more: str = "") -> float:
        return check_positive(C, "C", f"a number above 0{more}")

    def _values_of_C(self, Cs: Sequence[float] | Floats | None) -> Floats | None:
        """Values of C to try, checked and sorted; None for the default ones."""
        if Cs is None:
            return None
        if np.ndim(Cs) != 1 or len(Cs) == 0:
            raise InputError(f"Cs must be a list of values of C to try, not {Cs!r}")
        return np.sort([self._check_C(C) for C in Cs])

    def _solver(self, monitor: Monitor) -> Solver:
        return Solver(self.tol, self.max_iter, monitor)

    def _search(self) -> SearchForC:
        return SearchForC(None if self.C == "auto" else float(self.C), self._values_of_C(self.Cs), self.cv)
