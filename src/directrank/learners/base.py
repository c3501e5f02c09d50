"""What all learners share: `fit` as a template, predictions by the model, and the measure as their score."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from typing import Any, Self

import numpy as np
import sklearn
from numpy.typing import ArrayLike
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted, validate_data

from ..arrays import Floats, Ints
from ..data import InputError
from ..data.frames import check_numeric
from ..data.ranking_data import as_grades, as_qid, as_scores, group_rows
from ..matrix.frames import in_order_of
from ..matrix.selection import columns_of_wide, select_columns
from ..measures import Evaluates, as_measure, bind, name_of, qualified_name_of
from ..models import Model, Provenance, SelectedFeatures
from ..version import __version__
from .checks import check_int
from .eval_sets import TRAINING, EvalSet, as_eval_sets, name_of_set
from .groups import qid_of, refuse_sizes
from .interruption import watching
from .progress import Callback, check_callbacks, line_of, tell
from .rounds import Curves, finite_or_none
from .search_space import SearchSpace
from .shards import Here, Shards, weighted_for_training
from .task import Task, count_queries, itself, make_task, rebind
from .warning import warn
from .watched import Values, Watched


class Fitted:
    """What estimators share that keep what they learned as `model_`."""

    model_: Model

    #: Whether NaN in X is a missing value rather than an error.
    _allows_missing = False

    #: Whether the rows of all shards are one set to it, whatever queries they are of.
    joins_shards = False

    #: The columns of a wide sparse X that training sees, those with entries; None where it sees all.
    _columns: Ints | None = None

    @property
    def search_space(self) -> SearchSpace:
        """The values of its parameters that are worth trying, where it does not choose them itself."""
        return {}

    #: How many rounds the training takes, where that is known before it ends.
    most_rounds_: int | None = None

    #: Who else hears of the rounds of the fit that goes on.
    _callbacks: Sequence[Callback] = ()

    @property
    def _listener(self) -> Callback | None:
        """Who is told of the rounds while it trains; None if nobody hears of them."""
        heard = self.verbose > 0 or self.callback is not None or self._callbacks  # type: ignore[attr-defined]
        return self._tell if heard else None

    def _check_verbose(self) -> None:
        check_int(self.verbose, "verbose", -1)  # type: ignore[attr-defined]

    def _tell(self, number: int, step: Any) -> None:
        """Say what a round has reached: print it, and call back."""
        if self.verbose > 0 and number % self.verbose == 0:  # type: ignore[attr-defined]
            who = f"{type(self).__name__}({name_of(as_measure(self.measure))})"  # type: ignore[attr-defined]
            print(line_of(who, number, self.most_rounds_, step), flush=True)
        own = self.callback  # type: ignore[attr-defined]
        tell([*([] if own is None else [own]), *self._callbacks], number, step)

    def _take_features_of(self, shards: Shards) -> None:
        """Have the features of shards for those of X."""
        self.n_features_in_ = shards.n_features
        if shards.feature_names is not None:
            self.feature_names_in_: Any = np.array(shards.feature_names, object)

    def _forget(self) -> None:
        """Drop what an earlier fit left: should this one fail, nothing stale is there to predict with."""
        for name in ("model_", "feature_names_in_", "_columns", "most_rounds_", "_watched_values"):
            vars(self).pop(name, None)

    def _keep_model(self, model: Model) -> None:
        """Take over what was learned, with the names of the features and where it comes from."""
        names = getattr(self, "feature_names_in_", None)
        if self._columns is not None:
            model = SelectedFeatures(model, self._columns, self.n_features_in_)  # type: ignore[attr-defined]
        self.model_ = replace(
            model,
            feature_names=None if names is None else tuple(map(str, names)),
            provenance=self._provenance(),
        )

    def _provenance(self) -> Provenance:
        trained_for = qualified_name_of(self._trained_for())
        return Provenance(
            type(self).__name__, _parameters_of(self), trained_for, __version__, self._facts(), self._history()
        )

    def _objective(self) -> Evaluates:
        """The measure to bind to the training queries."""
        return as_measure(self.measure)  # type: ignore[attr-defined]

    def _trained_for(self) -> Evaluates:
        """The measure that the provenance names."""
        return self._objective()

    def _facts(self) -> dict[str, float]:
        """What is worth knowing about the training, as numbers with a name."""
        return {}

    def _history(self) -> Curves:
        """The course of the training; see `curves`."""
        return {}

    def _check_X(self, X: Any, y: Any = "no_validation", *, reset: bool) -> Any:
        """X as dense rows or canonical CSR; a frame's columns in the order of the training frame's."""
        if not reset:
            X = in_order_of(getattr(self, "feature_names_in_", None), X)
        check_numeric(X)
        missing = "allow-nan" if self._allows_missing else True
        with np.errstate(invalid="ignore"):  # the sum by which scikit-learn looks for NaN may itself be one
            checked = validate_data(
                self,
                X,
                y,
                reset=reset,
                accept_sparse="csr",
                dtype=[np.float64, np.float32],
                order="C",
                ensure_all_finite=missing,
                **({} if isinstance(y, str) else {"y_numeric": True, "estimator": self}),
            )
        return canonical(checked[0] if isinstance(checked, tuple) else checked)

    def _seen(self, X: Any) -> Any:
        """What training sees of a checked X."""
        return X if self._columns is None else select_columns(X, self._columns)

    def _as_given(self, feature: int) -> int:
        """The column of X that a feature of the training is."""
        return feature if self._columns is None else int(self._columns[feature])

    def _as_seen(self, columns: Ints) -> Ints:
        """The features of the training that columns of X are."""
        return columns if self._columns is None else np.searchsorted(self._columns, columns)

    def _weights(self) -> Floats:
        """Those of a linear model; an AttributeError, which `hasattr` asks for, where the model is another one."""
        check_is_fitted(self, "model_")
        weights = getattr(self.model_, "coef", None)
        if weights is None:
            name = type(self).__name__
            raise AttributeError(f"this {name} has no coef_, for its model is not a weighted sum of features; see model_")
        return weights  # type: ignore[no-any-return]

    def _rows_to_score(self, X: Any) -> Any:
        check_is_fitted(self, "model_")
        return self._check_X(X, reset=False)


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

    measure: str | type | Evaluates

    #: Whether the measure is the user's choice, and may be one of sets.
    _takes_one_set = True

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
        eval_measures: Sequence[str | type | Evaluates] | None = None,
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
        eval_measures : sequence of names or measures, optional
            Further measures by which the training queries and the validation sets are watched. They choose nothing.
        callbacks : sequence of callables, optional
            Called like the `callback` of the constructor, in this fit only. One that returns True ends the training.
        """
        _refuse_unknown(type(self).__name__, unknown)
        self._forget()
        sets, watched_by = as_eval_sets(eval_set), [as_measure(measure) for measure in eval_measures or ()]
        self._check_verbose()
        self._check_parameters(bool(sets))
        self._callbacks = check_callbacks(callbacks)
        try:
            training, held_out = self._tasks(X, y, qid, group, query_weight, sets)
            shards, validation = weighted_for_training(Here([training])), held_out.get(name_of_set(0))
            if watched_by or len(sets) > 1:
                self._watched = Watched(
                    {TRAINING: shards.each(itself)[0], **held_out}, [as_measure(self.measure), *watched_by]
                )
            return self._fit(shards, None if validation is None else Here([validation]))
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
        if training.n_queries > 1 and any(given[2] is None for given in sets):
            warn("eval_set has no qid, so all its rows are taken as one query; give it as (X, y, qid)", UserWarning)
        names = [name_of_set(number) for number in range(len(sets))]
        return training, {name: self._validation_task(given, name) for name, given in zip(names, sets, strict=True)}

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
        with watching() as watch:
            model = self._train(training, validation)
        self.interrupted_ = watch.interrupted
        if self._watched is not None:
            if self._watched.n_rounds == 0:
                self._watched.see(model)
            self._watched_values = self._watched.values
        self._keep_model(model)
        return self

    @property
    def evals_result_(self) -> Values:
        """The values of measures, by the name of the set and that of the measure; one after each round.

        ``evals_result_["validation"]["nDCG@10"]``: the sets are "training" (of which only queries count that there is
        something to learn from), "validation", and further ones "validation_2" and so on. With `eval_measures` or several
        validation sets, all of them are there; else what the learner takes down anyway. A learner without rounds, such as
        an SVM, has one value: that of its model.
        """
        check_is_fitted(self, "model_")
        if self._watched_values:
            return self._watched_values
        measure, history = name_of(as_measure(self.measure)), self._history()
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
        measure: str | type | Evaluates | None = None,
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

    def without_eval_set(self) -> dict[str, Any]:
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
        """Take down what the model so far, made of its parts, reaches on the sets that are watched, if any are."""
        if self._watched is not None:
            self._watched.see(make_model(*parts))

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


def mean_measure(
    measure: Evaluates, y: ArrayLike, scores: ArrayLike, qid: ArrayLike | None, weights: ArrayLike | None = None
) -> float:
    """The mean of a measure over the queries."""
    grades = as_grades(y)
    queries = group_rows(None if qid is None else as_qid(qid, grades.size), grades.size)
    bound = bind(measure, queries.to_query_order(grades), queries.offsets)
    values = bound.evaluate(queries.to_query_order(as_scores(scores, grades.size)))
    if weights is None:
        return float(np.mean(values))
    totals = np.add.reduceat(queries.to_query_order(as_scores(weights, grades.size, "sample_weight")), queries.offsets[:-1])
    if not totals.sum() > 0:
        raise InputError("sample_weight has no weight above 0; there is nothing to average")
    return float(np.average(values, weights=totals / np.diff(queries.offsets)))


def canonical(X: Any) -> Any:
    """X, or a copy of a sparse X in which entries are in order and none is repeated."""
    if sparse.issparse(X) and not X.has_canonical_format:
        X = X.copy()
        X.sum_duplicates()
    return X


def routing() -> AbstractContextManager[None]:
    """Turn scikit-learn's metadata routing on, so that `qid` reaches fits, scores and splits: ``with routing(): ...``.

    Without it, scikit-learn can hand `qid` on to `fit` but not to `score`.
    """
    return sklearn.config_context(enable_metadata_routing=True)  # type: ignore[no-any-return]


def _refuse_unknown(who: str, given: dict[str, Any]) -> None:
    """Refuse what `fit` does not take, and say what it does."""
    if "sample_weight" in given:
        raise InputError(
            f"{who} has no sample_weight: a measure of rankings weighs queries, not single rows; pass query_weight, "
            "which is for each row the weight of its query"
        )
    for name in given:
        advice = "; LambdaMART has it" if name in ("init_model", "init_score") else ""
        raise TypeError(f"{who}.fit() got an unexpected keyword argument {name!r}{advice}")


def _parameters_of(estimator: Any) -> dict[str, Any]:
    """Those of an estimator for the provenance: without who hears of its rounds, its measure by name."""
    given = {name: value for name, value in estimator.get_params(deep=False).items() if name not in ("callback", "verbose")}
    parameters = {name: _plain(value) for name, value in given.items() if name != "measure"}
    if "measure" in given:
        parameters["measure"] = qualified_name_of(as_measure(given["measure"]))
    return parameters


def _plain(value: Any) -> Any:
    """A parameter as JSON has it, or as text."""
    if isinstance(value, BaseEstimator):
        parameters = ", ".join(f"{name}={part!r}" for name, part in sorted(_parameters_of(value).items()))
        return f"{type(value).__name__}({parameters})"
    if isinstance(value, (str, int, float, bool, type(None))):
        return value
    if isinstance(value, np.random.RandomState):
        return None  # it has moved on: the same model cannot be learned from it again
    if isinstance(value, np.generic):
        return value.item()
    if callable(value):
        return getattr(value, "__name__", str(value))
    if isinstance(value, Mapping):
        return {str(name): _plain(part) for name, part in value.items()}
    return [_plain(item) for item in value] if isinstance(value, Iterable) else str(value)
