"""One ROC-area SVM for each grade: the baseline of Welleck (2015)."""

from __future__ import annotations

from functools import reduce

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from ...arrays import Floats
from ...measures import AUC, MAUC, SupportsEvaluate
from ...measures.naming import plain_number
from ...models import LinearModel, Model, SumOverGrades
from ..core.interruption import Interruptible
from ..core.rounds import Curves, finite_or_none
from ..core.shards import Shards
from ..core.task import Task
from ..core.warning import warn
from .ranker import LinearSVM, SVMRanker


class OneVsRestSVM(LinearSVM):
    r"""For each grade c an SVM that optimises the ROC area of c against all other grades; a document scores sum_c c f_c(x).

    It is the baseline for several grades of Welleck (2015, section 5). With ``qid`` the areas are those of each query,
    with ``qid=None`` those of the whole set, as SVM-perf has them. Grade 0 would count 0 times, so it has no SVM. The sum is
    itself linear: `coef_` has its weights.

    Parameters
    ----------
    C : float or "auto"
        As in `SVMRanker`: one number for all grades, or for each the best of `Cs` by its own ROC area; a value of the
        middle for a grade that only one query has, without an `eval_set`.
    tol, max_iter, Cs, cv, verbose, callback
        See `LinearSVM`.

    Attributes
    ----------
    coef_ : array
    grades_ : array
        The grades above 0 that occur in informative queries.
    estimators_ : list of SVMRanker
        The SVM of each of them.
    """

    measure = MAUC()
    _takes_one_set = False

    def _objective(self) -> SupportsEvaluate:
        return AUC()

    def _trained_for(self) -> SupportsEvaluate:
        return self.measure

    def _train(self, training: Shards, validation: Shards | None) -> Model:
        self.grades_ = reduce(np.union1d, training.each(_grades_above_0))
        self.estimators_: list[SVMRanker] = []
        with Interruptible() as fitting:
            for grade in self.grades_:
                self.estimators_.append(self._fit_grade(float(grade), training, validation))
                if self.estimators_[-1].interrupted_:
                    raise KeyboardInterrupt
        if fitting.interrupted:
            self._keep_what_is_fitted()
        return SumOverGrades(self.grades_, [LinearModel(svm.coef_) for svm in self.estimators_])

    def _keep_model(self, model: Model) -> None:
        super()._keep_model(model)
        for svm in self.estimators_:
            svm._columns, svm.n_features_in_ = self._columns, self.n_features_in_
            svm._keep_model(svm.model_)

    def _history(self) -> Curves:
        """The gap of each grade's SVM, which has none after the iteration in which it ended."""
        gaps = [[finite_or_none(step.gap) for step in svm.history_] for svm in self.estimators_]
        longest = max(map(len, gaps))
        names = [f"gap, grade {plain_number(grade)}" for grade in self.grades_.tolist()]
        return {name: gap + [None] * (longest - len(gap)) for name, gap in zip(names, gaps, strict=True)}

    def _fit_grade(self, grade: float, training: Shards, validation: Shards | None) -> SVMRanker:
        heard = {"verbose": 0, "callback": self._listener}
        svm = SVMRanker(AUC(grade=grade), bound="convex", **self.get_params() | heard)
        return svm.fit_shards(training, validation).set_params(callback=None)  # type: ignore[no-any-return]

    def _keep_what_is_fitted(self) -> None:
        n_fitted, n_grades = len(self.estimators_), self.grades_.size
        if n_fitted == 0:
            raise KeyboardInterrupt
        self.grades_ = self.grades_[:n_fitted]
        warn(f"OneVsRestSVM was interrupted: it has SVMs for {n_fitted} of {n_grades} grades", ConvergenceWarning)


def _grades_above_0(task: Task) -> Floats:
    grades = task.bound.grades
    return np.unique(grades[(grades > 0) & np.repeat(task.weights > 0, np.diff(task.queries.offsets))])
