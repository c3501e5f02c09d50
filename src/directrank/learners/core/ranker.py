"""Base of all rankers: `fit` as a template, predictions by the model, and the measure as their score."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any, Self

import sklearn
from numpy.typing import ArrayLike

from ...arrays import Floats
from ...data import InputError
from ...matrix.selection import used_columns
from ...measures import SupportsEvaluate, as_measure, name_of
from ...measures.name_parser import split_names
from ...models import Model
from .checked_rows import flatten_grades
from .estimator import Estimator
from .eval_shards import as_eval_shards
from .monitoring import Callback, TrainingMonitor, check_callbacks
from .shards import LocalShards, Shards, mean_value, weighted_for_training
from .task import Task, check_grades_of, count_queries, has_init_score, make_task, mean_measure, rebind, value_of_model
from .validation import TRAINING, VALIDATION, EvalSet, as_eval_sets, check_qid_is_not_sizes, name_of_set, qid_from
from .warning import warn
from .watchlist import Evals, Watchlist

#: Weight of each query: one for each, in the order of their first rows; by qid; or one for each row.
QueryWeight = ArrayLike | Mapping[Any, float]


class Ranker(Estimator):
    """A learner of scores: ``fit(X, y, qid)``, ``predict(X)``, ``score(X, y, qid)``.

    scikit-learn's metadata routing passes `qid` on to `fit` and `score` without set-up.

    A subclass implements `_train`, which turns shards into a model; `_check_parameters`; and `_objective` if the measure to
    bind is not `measure`.

    Attributes
    ----------
    n_queries_ : int
        Number of training queries.
    evals_result_ : dict
        Values of measures by set and measure, one after each round: ``evals_result_["validation"]["nDCG@10"]``. The sets
        are "training", "validation", and further ones "validation_2" and so on; means are over all queries, as in `score`.
        With `eval_measures` or several validation sets all of them are there, else what the learner evaluates anyway. A
        learner without rounds, such as an SVM, has one value of each: that of its model.
    best_iteration_ : int
        Number of rounds in the model, for learners with rounds.
    best_score_ : float
        Value of the measure for the model on the first `eval_set`, or on the training queries without one.
    """

    __metadata_request__fit = {"qid": True, "query_weight": True}
    __metadata_request__predict = {"qid": True}
    # A Pipeline's `score` hands on sample_weight=None, and raises an error if no step knows it.
    __metadata_request__score = {"qid": True, "query_weight": True, "sample_weight": None}

    #: Whether the measure is the user's choice, and may be a set-wise one.
    _takes_one_set = True

    #: Whether it learns in rounds that are evaluated one by one.
    _has_rounds = True

    #: Whether rows may have initial scores, to which the model's scores are added.
    _takes_init_score = False

    #: Scores to which the model's scores are added during a fit.
    _init_score: ArrayLike | None = None

    def fit(
        self,
        X: Any,
        y: ArrayLike,
        qid: ArrayLike | None = None,
        *,
        group: ArrayLike | None = None,
        query_weight: QueryWeight | None = None,
        eval_set: EvalSet | Sequence[EvalSet] | None = None,
        eval_measures: str | type | SupportsEvaluate | Sequence[str | type | SupportsEvaluate] | None = None,
        callbacks: Sequence[Callback] | None = None,
        keep_partial: bool = False,
    ) -> Self:
        """Learn from graded documents.

        Parameters
        ----------
        X : array, CSR matrix or frame
            Dense or sparse, float32 or float64, in memory or mapped. NaN is a missing value.
        y : array of grades
            Any numbers of at least 0; estimated gains may be below 0 for measures that are sums over documents.
        qid : array of integers or strings, optional
            Query of each row, in any order; None means that all rows are one query.
        group : array of integers, optional
            Number of adjacent rows of each query, instead of `qid`.
        query_weight : array, or mapping or pandas Series by qid, optional
            Weight of each query: one for each query, in the order of their first rows; by qid; or one for each row.
        eval_set : (X, y, qid) or a list of such, optional
            Validation set, by which the learner chooses what it leaves open: the best C, the best round. Of several, the
            first one chooses, and all are evaluated: see `evals_result_`.
        eval_measures : measure, or sequence of measures or names, optional
            Further measures to evaluate on the training queries and the validation sets. They choose nothing.
        callbacks : sequence of callables, optional
            Functions that are called with a `Progress` after each round. One that returns True ends the training, and the
            model so far is kept.
        keep_partial : bool
            Whether to keep the model so far if Ctrl-C ends the training; `fit` raises KeyboardInterrupt in any case.
        """
        self._forget()
        sets, measures = as_eval_sets(eval_set), _as_measures(eval_measures)
        self._check_verbose()
        self._check_parameters(bool(sets))
        heard = check_callbacks(callbacks)
        training, held_out = self._tasks(X, y, qid, group, query_weight, sets)
        held_out_shards = {name: LocalShards([task]) for name, task in held_out.items()}
        return self._fit(LocalShards([training]), held_out_shards, measures, heard, keep_partial)

    def fit_shards(
        self,
        training: Shards,
        eval_set: Shards | Sequence[Shards] | None = None,
        *,
        eval_measures: str | type | SupportsEvaluate | Sequence[str | type | SupportsEvaluate] | None = None,
        callbacks: Sequence[Callback] | None = None,
        keep_partial: bool = False,
    ) -> Self:
        """Learn from shards: `fit` for rows that may live anywhere.

        Parameters
        ----------
        training : Shards
            Tasks with the weights of the queries. They are bound to this learner's measure, whatever they were bound to.
        eval_set : Shards or a list of such, optional
            Validation sets, as in `fit`. Features are matched by name where both sides have names.
        eval_measures, callbacks, keep_partial
            See `fit`.
        """
        self._forget()
        sets, measures = as_eval_shards(eval_set, training), _as_measures(eval_measures)
        self._check_verbose()
        self._check_parameters(bool(sets))
        heard = check_callbacks(callbacks)
        self._check_init_scores(training, sets)
        self._take_features_of(training)
        held_out = {name_of_set(i): shards.map(rebind, as_measure(self.measure)) for i, shards in enumerate(sets)}
        return self._fit(training.map(rebind, self._objective()), held_out, measures, heard, keep_partial)

    def _fit(
        self,
        given: Shards,
        held_out: Mapping[str, Shards],
        measures: list[SupportsEvaluate],
        callbacks: Sequence[Callback],
        keep_partial: bool,
    ) -> Self:
        """Learn from shards with the weights that the user gave, and validation sets by name."""
        measure, watchlist = as_measure(self.measure), None
        if measures or held_out:
            each_round = bool(measures) or len(held_out) > 1
            watchlist = Watchlist({TRAINING: given, **held_out}, [measure, *measures], each_round=each_round)
        training, validation = weighted_for_training(given), held_out.get(VALIDATION)
        monitor = TrainingMonitor(
            self._title(), measure, training, verbose=self.verbose, callbacks=callbacks, watchlist=watchlist
        )
        self.n_queries_ = int(training.total(count_queries))
        self.history_ = monitor.history
        try:
            with self._naming_large_columns(training):
                model = self._train(training, validation, monitor)
        except KeyboardInterrupt:  # there is no model so far
            self.interrupted_ = True
            raise
        self._set_results(model, monitor, training, validation)
        self._finish(model, monitor, keep_partial)
        return self

    def _tasks(
        self,
        X: Any,
        y: ArrayLike,
        qid: ArrayLike | None,
        group: ArrayLike | None,
        query_weight: QueryWeight | None,
        sets: list[EvalSet],
    ) -> tuple[Task, dict[str, Task]]:
        """Task to learn from, and validation tasks by name."""
        X, y = self._check_X(X, reset=True), flatten_grades(y, type(self).__name__)
        self._columns = used_columns(X)
        qid = qid_from(qid, group, X.shape[0])
        init_score = self._check_init_score(self._init_score, X.shape[0])
        training = make_task(self._training_columns(X), y, qid, self._objective(), query_weight, init_score)
        check_grades_of(training, as_measure(self.measure))
        self._warn_of_one_query(training, qid)
        names = [name_of_set(number) for number in range(len(sets))]
        held_out = {name: self._validation_task(given, name) for name, given in zip(names, sets, strict=True)}
        if training.n_queries > 1 and any(given[2] is None for given in sets):
            warn("eval_set has no qid, so all its rows are taken as one query; give it as (X, y, qid)", UserWarning)
        return training, held_out

    def _validation_task(self, given: EvalSet, name: str) -> Task:
        try:
            X = self._training_columns(self._check_X(given[0], reset=False))
            check_qid_is_not_sizes(given[2], X.shape[0], "it")
            init_score = self._check_init_score(given[3] if len(given) > 3 else None, X.shape[0])
            y = flatten_grades(given[1], type(self).__name__)
            return make_task(X, y, given[2], as_measure(self.measure), init_score=init_score)
        except ValueError as error:  # scikit-learn's have several lines, and may show the array
            where = "eval_set" if name == VALIDATION else f"eval_set ({name})"
            raise InputError(f"{where}: {str(error).splitlines()[0].rstrip(':')}") from error

    def _check_init_score(self, init_score: ArrayLike | None, n_rows: int) -> Floats | None:
        """Initial score of each row, for a learner that takes them."""
        if init_score is not None:
            raise InputError(f"{type(self).__name__} takes no init_score; give an eval_set as (X, y, qid)")
        return None

    def _check_init_scores(self, training: Shards, sets: list[Shards]) -> None:
        """Raise if shards have initial scores and the learner takes none, or if only some of them have."""
        given = [flag for shards in (training, *sets) for flag in shards.each(has_init_score)]
        if any(given) and not self._takes_init_score:
            raise InputError(f"{type(self).__name__} takes no init_score; give shards without it")
        if any(given) and not all(given):
            raise InputError("some shards have an init_score and others have none; give it for all, the eval_set included")

    def predict(self, X: Any, qid: ArrayLike | None = None) -> Floats:
        """Score of each row; higher is better.

        Parameters
        ----------
        X : array, CSR matrix or frame
        qid : array of integers or strings, optional
            Query of each row. Needed with ``scaling="query"``, unless the learner was fitted on one query; irrelevant
            otherwise.
        """
        return self._scores(X, qid)

    def score(
        self,
        X: Any,
        y: ArrayLike,
        qid: ArrayLike | None = None,
        *,
        query_weight: QueryWeight | None = None,
        measure: str | type | SupportsEvaluate | None = None,
    ) -> float:
        """Mean of the measure over the queries.

        Parameters
        ----------
        X, y, qid, query_weight
            As in `fit`.
        measure : name or measure, optional
            Another measure than the learner's.
        """
        if qid is None and getattr(self, "n_queries_", 1) > 1:
            warn(
                f"{type(self).__name__} was fitted on {self.n_queries_:,} queries and is scored without qid, with all rows "
                "as one query; pass qid (GridSearchCV and cross-validation hand it on within `with directrank.routing():`)",
                UserWarning,
            )
        chosen = as_measure(self.measure if measure is None else measure)
        return mean_measure(chosen, flatten_grades(y, type(self).__name__), self.predict(X, qid), qid, query_weight)

    @abstractmethod
    def _train(self, training: Shards, validation: Shards | None, monitor: TrainingMonitor) -> Model:
        """Learn from tasks whose weights add up to 1.

        After a Ctrl-C, within ``monitor.interruptible()``, or a callback that ends the training, it is the model so far; if
        there is no such model, a Ctrl-C leaves as KeyboardInterrupt.
        """

    def _check_parameters(self, has_validation: bool) -> None:
        """Raise an `InputError` for parameters that make no sense."""

    def refit_params(self) -> dict[str, Any]:
        """Parameters with which a fit without `eval_set` has as many rounds as this model; empty if it has anyway."""
        return {}

    @property
    def expects_qid(self) -> bool:
        """Whether rows without qid are probably a mistake: not for a set-wise measure, such as AUC."""
        return not (self._takes_one_set and getattr(as_measure(self.measure), "setwise", False))

    def _warn_of_one_query(self, task: Task, qid: ArrayLike | None) -> None:
        if qid is None and task.n_documents > 1 and self.expects_qid:
            warn(
                f"no qid: all {task.n_documents:,} rows are taken as one query; pass qid, or zeros where they are one query "
                "(GridSearchCV and cross-validation hand it on within `with directrank.routing():`)",
                UserWarning,
            )

    def _set_results(self, model: Model, monitor: TrainingMonitor, training: Shards, validation: Shards | None) -> None:
        """Set `evals_result_` and `best_score_`."""
        rounds = [step.evals for step in monitor.history if step.evals]
        watched = monitor.watchlist
        if watched is not None and (not rounds or (not watched.each_round and VALIDATION not in rounds[0])):
            rounds = [watched.evaluate(model)]
        self.evals_result_ = _by_set(rounds)
        if self._has_rounds:
            self.best_score_ = self._best_score(model, monitor, training, validation)

    def _best_score(self, model: Model, monitor: TrainingMonitor, training: Shards, validation: Shards | None) -> float:
        known = monitor.history[self._round_of_model - 1].evals if self._round_of_model else {}
        found = known.get(TRAINING if validation is None else VALIDATION)
        if found is not None:
            return found[name_of(as_measure(self.measure))]
        if validation is not None:
            return mean_value(validation, value_of_model, model)
        return mean_value(training.map(rebind, as_measure(self.measure)), value_of_model, model)

    @property
    def _round_of_model(self) -> int:
        """Number of the round whose values are those of the model; 0 if it is not known."""
        return int(getattr(self, "best_iteration_", 0))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.target_tags.positive_only = True
        tags.input_tags.sparse = True
        tags.input_tags.allow_nan = True
        return tags


def routing() -> AbstractContextManager[None]:
    """Turn scikit-learn's metadata routing on, so that `qid` reaches fits, scores and splits: ``with routing(): ...``.

    Without it, scikit-learn can hand `qid` on to `fit` but not to `score`.
    """
    return sklearn.config_context(enable_metadata_routing=True)  # type: ignore[no-any-return]


def _as_measures(given: Any) -> list[SupportsEvaluate]:
    """Measures from one measure, a sequence, or one string of names that are separated by commas."""
    if given is None:
        return []
    if isinstance(given, str):
        given = split_names(given)
    several = given if isinstance(given, Iterable) and not isinstance(given, type) else [given]
    return [as_measure(measure) for measure in several]


def _by_set(rounds: list[Evals]) -> dict[str, dict[str, list[float]]]:
    if not rounds:
        return {}
    return {name: {m: [evals[name][m] for evals in rounds] for m in values} for name, values in rounds[0].items()}
