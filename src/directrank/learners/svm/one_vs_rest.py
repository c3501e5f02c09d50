"""One ROC-area SVM for each grade: the baseline of Welleck (2015)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from ...arrays import Floats
from ...measures import AUC, MAUC, SupportsEvaluate
from ...measures.naming import plain_number
from ...models import LinearModel, Model, PipelineModel, SumOverGrades
from ...models.composite.steps import Step
from ..core.estimator import Curves
from ..core.monitoring import Progress, TrainingMonitor
from ..core.ranker import Ranker
from ..core.scaling import after_steps
from ..core.shards import Shards
from ..core.task import Task
from .scaling_choice import scale_by_validation
from .svm_ranker import SVMRanker


class OneVsRestSVM(Ranker):
    r"""For each grade c an SVM that optimises the ROC area of c against all other grades; a document scores sum_c c f_c(x).

    It is the baseline for several grades of Welleck (2015, section 5). With ``qid`` the areas are those of each query,
    with ``qid=None`` those of the whole set, as SVM-perf has them. Grade 0 would count 0 times, so it has no SVM. The sum is
    itself linear: `coef_` has its weights.

    Nor has a grade an SVM that a single query has, unless no other grade is left: of one document it would learn noise, and
    count it c times.

    Parameters
    ----------
    C : float or "auto"
        As in `SVMRanker`: one number for all grades, or for each grade the best of `Cs` by its own ROC area; a mid-range
        default where a single query has the grade, without an `eval_set`.
    scaling, basis, tol, max_iter, Cs, cv, verbose
        See `SVMRanker`.

    Attributes
    ----------
    coef_ : array
    grades_ : array
        Grades above 0 that several informative queries have; all that occur if there are none.
    estimators_ : list of SVMRanker
        SVM of each grade.
    history_ : list of Progress
        One entry for each iteration of one SVM after another, as in `SVMRanker`; `info` also has the `grade`.
    """

    measure = MAUC()
    takes_gains = False
    _takes_one_set = False
    _has_rounds = False

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

    def _check_parameters(self, has_validation: bool) -> None:
        self._svm(1.0)._check_parameters(has_validation)

    def _objective(self) -> SupportsEvaluate:
        return AUC()

    def _trained_for(self) -> SupportsEvaluate:
        return self.measure

    def _train(self, training: Shards, validation: Shards | None, monitor: TrainingMonitor) -> Model:
        grades = _grades_to_learn(training)
        scaled = scale_by_validation(training, validation, self.scaling, self.basis)
        training, validation = scaled.training, None if validation is None else scaled.held_out(validation)
        self.estimators_: list[SVMRanker] = []
        for grade in grades.tolist():
            svm, began = self._svm(grade).set_params(scaling="none", basis="linear"), monitor.seconds
            with monitor.interruptible():
                svm.fit_shards(training, validation, callbacks=[partial(_report, monitor, grade, began)], keep_partial=True)
            if hasattr(svm, "model_"):
                svm.set_params(scaling=self.scaling, basis=self.basis).model_ = scaled.model(svm.coef_)
                self.estimators_.append(svm)
                self._extend_history(svm, grade, began)
            if monitor.ended:
                break
        if not self.estimators_:
            raise KeyboardInterrupt
        self.grades_ = grades[: len(self.estimators_)]
        models = [svm.model_ for svm in self.estimators_]
        return after_steps(_steps(models[0]), SumOverGrades(self.grades_, [_linear(model) for model in models]))

    def _extend_history(self, svm: SVMRanker, grade: float, began: float) -> None:
        for step in svm.history_:
            number, seconds, info = len(self.history_) + 1, began + step.seconds, step.info | {"grade": grade}
            self.history_.append(replace(step, step=number, seconds=seconds, info=info))

    def _svm(self, grade: float) -> SVMRanker:
        return SVMRanker(AUC(grade=grade), bound="convex", **self.get_params() | {"verbose": 0})

    def _keep_model(self, model: Model) -> None:
        super()._keep_model(model)
        for svm in self.estimators_:
            svm._columns, svm.n_features_in_ = self._columns, self.n_features_in_
            svm._keep_model(svm.model_)

    def _curves(self) -> Curves:
        """Gap of each grade's SVM; None after its last iteration."""
        gaps: list[list[Any]] = [svm._curves().get("gap", []) for svm in self.estimators_]
        longest = max(map(len, gaps))
        names = [f"gap, grade {plain_number(grade)}" for grade in self.grades_.tolist()]
        return {name: gap + [None] * (longest - len(gap)) for name, gap in zip(names, gaps, strict=True)}


def _report(monitor: TrainingMonitor, grade: float, began: float, progress: Progress) -> bool:
    """Report an iteration of one grade's SVM, which began some seconds after the whole training."""
    return monitor.iteration(began + progress.seconds, progress.info | {"grade": grade})


def _steps(model: Model) -> list[Step]:
    """Steps before the linear model of a grade, the same for all grades."""
    return model.steps if isinstance(model, PipelineModel) else []


def _linear(model: Any) -> LinearModel:
    """Linear model of a grade, without names and provenance."""
    model = model.model if isinstance(model, PipelineModel) else model
    return LinearModel(model.coef, log_features=model.log_features, if_missing=model.if_missing)


def _grades_to_learn(training: Shards) -> Floats:
    """Grades above 0 that several informative queries have, ascending; all that occur if there are none."""
    grades, counts = np.unique(np.concatenate(training.each(_grades_of_queries)), return_counts=True)
    several = counts > 1
    return grades[several] if several.any() else grades


def _grades_of_queries(task: Task) -> Floats:
    """Grades above 0 of each informative query, once for each query."""
    grades, sizes = task.bound.grades, np.diff(task.queries.offsets)
    counted = (grades > 0) & np.repeat(task.weights > 0, sizes)
    query = np.repeat(np.arange(sizes.size), sizes)[counted]
    found: Floats = np.unique(np.column_stack((query, grades[counted])), axis=0)
    return found[:, 1]
