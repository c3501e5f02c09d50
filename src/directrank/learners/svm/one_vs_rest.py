"""One ROC-area SVM for each grade: the baseline of Welleck (2015)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from ...measures import AUC, MAUC
from ..base import EvalSet, LinearRanker, grades_differ, query_weights
from .cutting_plane import Iteration
from .ranker import SVMRanker


class OneVsRestSVM(LinearRanker):
    r"""For each grade c an SVM that optimises the ROC area of c against all other grades; a document scores sum_c c f_c(x).

    It is the baseline for several grades of Welleck (2015, section 5). With ``qid`` the areas are those of each query,
    with ``qid=None`` those of the whole set, as SVM-perf has them. Grade 0 would count 0 times, so it has no SVM. The sum is
    itself linear: `coef_` has its weights.

    Parameters
    ----------
    C : float or "auto"
        As in `SVMRanker`: one number for all grades, or for each the best of `Cs` by its own ROC area (without an
        `eval_set`, a grade that one query has takes the median of those before it).
    tol, max_iter, Cs, cv, callback
        As in `SVMRanker`.

    Attributes
    ----------
    coef_ : array
    grades_ : array
        The grades above 0 that there are in queries to learn from.
    estimators_ : list of SVMRanker
        The SVM of each of them.
    """

    measure = MAUC()

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

    def fit(
        self,
        X: Any,
        y: ArrayLike,
        qid: ArrayLike | None = None,
        *,
        query_weight: ArrayLike | None = None,
        eval_set: EvalSet | None = None,
    ) -> Self:
        """Learn from graded documents; see `SVMRanker.fit`."""
        data = self._checked(X, y, qid)
        queries = data.by_query()
        grades = queries.to_query_order(data.y)
        weights = query_weights(queries, query_weight, grades_differ(grades, queries.offsets)) > 0
        taught = np.repeat(weights, np.diff(queries.offsets))
        self.grades_ = np.unique(grades[taught & (grades > 0)])
        self.estimators_: list[SVMRanker] = []
        for grade in self.grades_:
            n_queries = np.sum(np.add.reduceat((grades == grade) & taught, queries.offsets[:-1], dtype=np.int64) > 0)
            svm = SVMRanker(AUC(grade=float(grade)), **self.get_params())
            if self.C == "auto" and eval_set is None and n_queries < 2:  # too few to make folds of
                svm.set_params(C=float(np.median([fitted.C_ for fitted in self.estimators_] or [1.0])))
            svm.fit(data.X, data.y, data.qid, query_weight=query_weight, eval_set=eval_set)
            self.estimators_.append(svm)
            if svm._interrupted:
                self.grades_ = self.grades_[: len(self.estimators_)]
                break
        self.coef_ = np.sum([c * svm.coef_ for c, svm in zip(self.grades_, self.estimators_, strict=True)], axis=0)
        return self
