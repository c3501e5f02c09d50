"""Fit clones of any estimator on ranking data, and predict with them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import nullcontext
from inspect import signature
from typing import Any

import numpy as np
from sklearn.base import clone

from ..arrays import Floats
from ..data import InputError, RankingData
from ..data.splits import FoldRows
from ..learners.core.ranker import routing
from ..learners.core.validation import accepts, routes_metadata
from .feature_errors import feature_error

#: Callback that takes a `Progress` after each round; True ends the training with the model so far.
OnStep = Callable[[Any], Any]


def fit_clone(learner: Any, data: RankingData, validation: RankingData | None = None, on_step: OnStep | None = None) -> Any:
    """Fit a clone of a learner.

    Parameters
    ----------
    learner : estimator
        Not modified. A pipeline, or another meta-estimator of scikit-learn, routes qid to the estimators that request it.
    validation : RankingData, optional
        Passed as `eval_set` to learners that take one.
    on_step : callable, optional
        Passed to learners whose `fit` takes callbacks.
    """
    estimator, known = clone(learner, safe=False), signature(learner.fit).parameters
    options: dict[str, Any] = {"qid": data.qid} if accepts(learner, "fit", "qid") else {}
    if not options:
        _check_qid_is_routed(learner)
    if validation is not None and accepts_validation(learner):
        options["eval_set"] = (validation.features, validation.y, validation.qid)
    if data.weight is not None:
        if not accepts(learner, "fit", "query_weight"):
            raise InputError(f"{type(learner).__name__} takes no weights of queries; leave the weights out")
        options["query_weight"] = data.weight
    if on_step is not None and "callbacks" in known:
        options["callbacks"] = [on_step]
    with routing() if routes_metadata(learner) else nullcontext():
        estimator.fit(data.features, data.y, **options)
    return estimator


def fit_on_fold(learner: Any, data: RankingData, rows: FoldRows, on_step: OnStep | None = None) -> Any:
    """Fit a clone of a learner on the rows of a fold that are not held out.

    The validation rows are its `eval_set`; a learner without `eval_set` is trained on them too.
    """
    try:
        if accepts_validation(learner):
            return fit_clone(learner, data.select(rows.train), data.select(rows.validation), on_step)
        return fit_clone(learner, data.select(np.union1d(rows.train, rows.validation)), None, on_step)
    except ValueError as error:
        located = feature_error(error, data)  # the row of a fold is another one in the data
        if located is None:
            raise
        raise located from error


def predict_scores(estimator: Any, data: RankingData) -> Floats:
    """Scores of a fitted estimator, which gets qid if its `predict` takes it."""
    options = {"qid": data.qid} if accepts(estimator, "predict", "qid") else {}
    with routing() if routes_metadata(estimator) else nullcontext():
        return np.asarray(estimator.predict(data.features, **options))


def accepts_validation(learner: Any) -> bool:
    """Whether a learner's `fit` uses a validation set: its `takes_eval_set`, or its signature."""
    return bool(getattr(learner, "takes_eval_set", "eval_set" in signature(learner.fit).parameters))


def prepare_refit(learner: Any, estimators: Sequence[Any]) -> Any:
    """A learner for a refit on all queries, without a validation set.

    Parameters that need a validation set, such as the number of rounds, are the medians over the fitted estimators.
    """
    found: list[dict[str, Any]] = [getattr(each, "refit_params", dict)() for each in estimators]
    chosen = {name: _median([parameters[name] for parameters in found]) for name in found[0]}
    return clone(learner, safe=False).set_params(**chosen) if chosen else learner


def with_parameters(learner: Any, parameters: dict[str, Any]) -> Any:
    """A clone of a learner with other parameters."""
    try:
        return clone(learner, safe=False).set_params(**parameters)
    except ValueError as error:
        raise InputError(f"{type(learner).__name__}: {str(error).splitlines()[0]}") from error


def _median(values: list[Any]) -> Any:
    return int(np.median(values)) if all(isinstance(value, int) for value in values) else values[0]


def _check_qid_is_routed(learner: Any) -> None:
    """Raise an error if a meta-estimator that takes no qid holds an estimator that does."""
    for part in _sub_estimators(learner):
        if "qid" in signature(part.fit).parameters:
            outer, inner = type(learner).__name__, type(part).__name__
            advice = (
                f"call set_fit_request(qid=True) on {inner}" if routes_metadata(learner) else f"use {inner} without {outer}"
            )
            raise InputError(f"{outer} does not pass qid to its {inner}, which would take all rows as one query; {advice}")


def _sub_estimators(learner: Any) -> list[Any]:
    known: dict[str, Any] = getattr(learner, "get_params", dict)()
    return [part for part in known.values() if hasattr(part, "fit") and not isinstance(part, type)]
