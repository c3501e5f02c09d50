"""What all learners share: `fit` as a template, predictions by the model, and the measure as their score."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from typing import Any, Self

import sklearn
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from ...arrays import Floats
from ...data import InputError
from ...matrix.selection import columns_of_wide
from ...measures import SupportsEvaluate, as_measure, name_of
from ...measures.name_parser import split_names
from ...models import Model, Provenance
from .eval_sets import TRAINING, EvalSet, as_eval_sets, name_of_set
from .fitted import Fitted
from .groups import qid_of, refuse_sizes
from .means import mean_measure, mean_over_all
from .progress import Callback, check_callbacks
from .rounds import Curves, finite_or_none
from .shards import LocalShards, Shards, weighted_for_training
from .task import Task, count_queries, make_task, rebind
from .warning import warn
from .watched import Values, Watched


class Ranker(Fitted, BaseEstimator):  # type: ignore[misc]
    """A learner of scores: ``fit(X, y, qid)``, ``predict(X)``, ``score(X, y, qid)``.

    scikit-learn's metadata routing hands `qid` on to `fit` and `score` without set-up.

    A subclass has `_train`, which turns shards into a model; `_check_parameters`; and `_objective`, the measure to bind if
    it is not `measure`.

    Attributes
    ----------
    model_ : Model
        What was learned, as a value: it can be saved, loaded and exported.
    n_queries_ : int
        How many queries it was fitted on.
    interrupted_ : bool
        Whether Ctrl-C ended the training, so that the model is the one so far.
    """

    __metadata_request__fit = {"qid": True, "query_weight": True}
    __metadata_request__score = {"qid": True}

    measure: str | type | SupportsEvaluate

    #: Whether the measure is the user's choice, and may be one of sets.
    _takes_one_set = True

    #: The curves of its history that are means over the queries it learns from.
    _of_learned_queries: tuple[str, ...] = (TRAINING,)

    #: A mean over all training queries is a constant, and so many times the mean over those that are learned from.
    _over_all: tuple[float, float] = (0.0, 1.0)

    #: The scores that those of the model are added to while a fit goes on.
    _init_score: ArrayLike | None = None

    #: The sets that are watched while a fit goes on.
    _watched: Watched | None = None

    #: What was watched, and is kept after it.
    _watched_values: Values = {}

    def fit(
        self,
        X: Any,
        y: ArrayLike,
        qid: ArrayLike | None = None,
        *,
        group: ArrayLike | None = None,
        query_weight: ArrayLike | None = None,
        eval_set: EvalSet | Sequence[EvalSet] | None = None,
        eval_measures: str | Sequence[str | type | SupportsEvaluate] | None = None,
        callbacks: Sequence[Callback] | None = None,
        **unknown: Any,
    ) -> Self:
        """Learn from graded documents.

        Parameters
        ----------
        X : array, CSR matrix or frame
            Dense or sparse, float32 or float64, in memory or mapped; it is not copied.
        y : array of grades
            Any non-negative numbers.
        qid : array of integers or strings, optional
            The query of each row, in any order; None means that all rows are one query.
        group : array of integers, optional
            Instead of qid, how many adjacent rows each query has.
        query_weight : array, optional
            A weight for each query, given to all its rows.
        eval_set : (X, y, qid) or a list of such, optional
            A validation set, by which the learner chooses what it leaves open: the best C, the best round. Of several, the
            first one chooses, and all are watched: see `evals_result_`.
        eval_measures : names or measures, optional
            Further measures by which the training queries and the validation sets are watched. They choose nothing.
        callbacks : sequence of callables, optional
            Called like the `callback` of the constructor, in this fit only. One that returns True ends the training.
        """
        _refuse_unknown(type(self).__name__, unknown)
        self._forget()
        sets, watched_by = as_eval_sets(eval_set), _measures_of(eval_measures)
        self._check_verbose()
        self._check_parameters(bool(sets))
        self._callbacks = check_callbacks(callbacks)
        try:
            training, held_out = self._tasks(X, y, qid, group, query_weight, sets)
            shards, validation = weighted_for_training(LocalShards([training])), held_out.get(name_of_set(0))
            if watched_by or sets:
                watched, measures = {TRAINING: training, **held_out}, [as_measure(self.measure), *watched_by]
                self._watched = Watched(watched, measures, each_round=bool(watched_by) or len(sets) > 1)
            return self._fit(shards, None if validation is None else LocalShards([validation]))
        finally:
            self._callbacks, self._watched = (), None

    def _tasks(
        self,
        X: Any,
        y: ArrayLike,
        qid: ArrayLike | None,
        group: ArrayLike | None,
        query_weight: ArrayLike | None,
        sets: list[EvalSet],
    ) -> tuple[Task, dict[str, Task]]:
        """What there is to learn from, and the validation sets by name."""
        X = self._check_X(X, y, reset=True)
        self._columns = columns_of_wide(X)
        qid = qid_of(qid, group, X.shape[0])
        training = self._started(make_task(self._seen(X), y, qid, self._objective(), query_weight), self._init_score)
        self._warn_of_one_query(training, qid)
        names = [name_of_set(number) for number in range(len(sets))]
        held_out = {name: self._validation_task(given, name) for name, given in zip(names, sets, strict=True)}
        if training.n_queries > 1 and any(given[2] is None for given in sets):
            warn("eval_set has no qid, so all its rows are taken as one query; give it as (X, y, qid)", UserWarning)
        return training, held_out

    def fit_shards(self, training: Shards, validation: Shards | None = None) -> Self:
        """Learn from shards: `fit` for rows that may live anywhere.

        Parameters
        ----------
        training, validation : Shards
            Whatever measure their tasks are bound to, they are bound to this learner's.
        """
        self._forget()
        self._check_verbose()
        self._check_parameters(validation is not None)
        self._take_features_of(training)
        held_out = None if validation is None else validation.map(rebind, as_measure(self.measure))
        return self._fit(weighted_for_training(training.map(rebind, self._objective())), held_out)

    def _fit(self, training: Shards, validation: Shards | None) -> Self:
        """Learn from shards whose weights are those of training."""
        self.n_queries_ = int(training.total(count_queries))
        with self._training():
            model = self._train(training, validation)
        if TRAINING in self._history():
            self._over_all = mean_over_all(training, as_measure(self.measure))
        if self._watched is not None:
            self._see_last(self._watched, model)
        self._keep_model(model)
        return self

    @property
    def evals_result_(self) -> Values:
        """The values of measures, by the name of the set and that of the measure; one after each round.

        ``evals_result_["validation"]["nDCG@10"]``: the sets are "training", "validation", and further ones "validation_2"
        and so on; all queries count, as in `score`. With `eval_measures` or several
        validation sets, all of them are there; else what the learner takes down anyway. A learner without rounds, such as
        an SVM, has one value of each: that of its model.
        """
        check_is_fitted(self, "model_")
        if self._watched_values:
            return self._watched_values
        measure, history = name_of(as_measure(self.measure)), self._curves()
        taken_down = {name: history[name] for name in (TRAINING, name_of_set(0)) if name in history}
        return {
            name: {measure: [float("nan") if value is None else value for value in values]}
            for name, values in taken_down.items()
        }

    def predict(self, X: Any) -> Floats:
        """A score for each row; higher is better."""
        X = self._rows_to_score(X)
        return self.model_.scores(X)

    def score(
        self,
        X: Any,
        y: ArrayLike,
        qid: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
        *,
        measure: str | type | SupportsEvaluate | None = None,
    ) -> float:
        """The mean of the measure over the queries.

        Parameters
        ----------
        X, y, qid
            As in `fit`.
        sample_weight : array, optional
            A query has the mean weight of its rows.
        measure : name or measure, optional
            Another one than that of the learner.
        """
        if qid is None and getattr(self, "n_queries_", 1) > 1:
            warn(
                f"{type(self).__name__} was fitted on {self.n_queries_:,} queries and is scored without qid, with all rows "
                "as one query; pass qid (GridSearchCV and cross-validation hand it on within `with directrank.routing():`)",
                UserWarning,
            )
        chosen = as_measure(self.measure if measure is None else measure)
        return mean_measure(chosen, y, self.predict(X), qid, sample_weight)

    @abstractmethod
    def _train(self, training: Shards, validation: Shards | None) -> Model:
        """Learn from tasks whose weights add up to 1."""

    def _check_parameters(self, has_validation: bool) -> None:
        """Refuse parameters that make no sense."""

    def refit_params(self) -> dict[str, Any]:
        """Parameters with which a training without `eval_set` ends where this one was best; none if it ends there anyway."""
        return {}

    @property
    def expects_qid(self) -> bool:
        """Whether rows without qid are probably a mistake; with a measure of sets, such as AUC, all may well be one."""
        return not (self._takes_one_set and getattr(as_measure(self.measure), "setwise", False))

    def _warn_of_one_query(self, task: Task, qid: ArrayLike | None) -> None:
        """Say so where there is no qid, unless the measure was chosen as that of one set."""
        if qid is None and task.n_documents > 1 and self.expects_qid:
            warn(
                f"no qid: all {task.n_documents:,} rows are taken as one query; pass qid, or zeros where they are one query "
                "(GridSearchCV and cross-validation hand it on within `with directrank.routing():`)",
                UserWarning,
            )

    def _validation_task(self, given: EvalSet, name: str) -> Task:
        try:
            X = self._seen(self._check_X(given[0], reset=False))
            refuse_sizes(given[2], X.shape[0], "it")
            return self._started(make_task(X, *given[1:3], as_measure(self.measure)), *given[3:])
        except ValueError as error:  # scikit-learn's have several lines, and may show the array
            where = "eval_set" if name == name_of_set(0) else f"eval_set ({name})"
            raise InputError(f"{where}: {str(error).splitlines()[0].rstrip(':')}") from error

    def _started(self, task: Task, init_score: ArrayLike | None = None) -> Task:
        """The task of a set whose rows may have scores to start from."""
        if init_score is not None:
            raise InputError(f"{type(self).__name__} takes no init_score; give an eval_set as (X, y, qid)")
        return task

    def _see(self, make_model: Callable[..., Model], *parts: Any) -> None:
        """Where sets are watched each round, take down what the model so far, made of its parts, reaches on them."""
        if self._watched is not None and self._watched.each_round:
            self._watched.see(make_model(*parts))

    def _see_last(self, watched: Watched, model: Model) -> None:
        """Keep what was taken down; where nothing was, neither here nor by the learner, what the model reaches."""
        if watched.n_rounds == 0 and (watched.each_round or name_of_set(0) not in self._history()):
            watched.see(model)
        if watched.n_rounds:
            self._watched_values = watched.values

    def _curves(self) -> Curves:
        """The course of the training, with means over all queries also of the training set."""
        constant, share = self._over_all
        return {
            name: [None if value is None else constant + share * value for value in values]
            if name in self._of_learned_queries
            else values
            for name, values in self._history().items()
        }

    def _provenance(self) -> Provenance:
        """With the curves of what was watched round after round."""
        known = super()._provenance()
        n_rounds = max(map(len, known.history.values()), default=0)
        watched = {
            f"{name} {measure}": [finite_or_none(value) for value in values]
            for name, of_measures in self._watched_values.items()
            for measure, values in of_measures.items()
            if len(values) == n_rounds and not (measure == name_of(as_measure(self.measure)) and name in known.history)
        }
        return replace(known, history=known.history | watched)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.target_tags.positive_only = True
        tags.input_tags.sparse = True
        tags.input_tags.allow_nan = self._allows_missing
        return tags


class LinearRanker(Ranker):
    """A ranker whose scores are X w.

    Attributes
    ----------
    coef_ : array
        w.
    """

    @property
    def coef_(self) -> Floats:
        return self._weights()


def routing() -> AbstractContextManager[None]:
    """Turn scikit-learn's metadata routing on, so that `qid` reaches fits, scores and splits: ``with routing(): ...``.

    Without it, scikit-learn can hand `qid` on to `fit` but not to `score`.
    """
    return sklearn.config_context(enable_metadata_routing=True)  # type: ignore[no-any-return]


def _measures_of(given: Any) -> list[SupportsEvaluate]:
    """Measures of a list, or of one name, which may have commas."""
    several = split_names(given) if isinstance(given, str) else [] if given is None else given
    return [as_measure(measure) for measure in several]


def _refuse_unknown(who: str, given: dict[str, Any]) -> None:
    """Refuse what `fit` does not take, and say what it does."""
    if "sample_weight" in given:
        raise InputError(
            f"{who} has no sample_weight: a measure of rankings weighs queries, not single rows; pass query_weight, "
            "which is for each row the weight of its query"
        )
    for name in given:
        raise TypeError(f"{who}.fit() got an unexpected keyword argument {name!r}")
