"""Training a learner on some of the queries, whichever learner it is."""

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

#: Function that is called with a `Progress` after each round; True ends the training, with the model so far.
OnStep = Callable[[Any], Any]


def fitted(learner: Any, data: RankingData, validation: RankingData | None = None, on_step: OnStep | None = None) -> Any:
    """A clone of a learner, fitted; the learner itself stays as it is.

    Parameters
    ----------
    learner : estimator
        A pipeline, or another estimator of scikit-learn that holds others, hands qid on to those that ask for it.
    validation : RankingData, optional
        For a learner that takes one.
    on_step : callable, optional
        For a learner whose `fit` takes callbacks.
    """
    trained, known = clone(learner, safe=False), signature(learner.fit).parameters
    options: dict[str, Any] = {"qid": data.qid} if accepts(learner, "fit", "qid") else {}
    if not options:
        _refuse_lost_qid(learner)
    if validation is not None and takes_validation(learner):
        options["eval_set"] = (validation.X, validation.y, validation.qid)
    if on_step is not None and "callbacks" in known:
        options["callbacks"] = [on_step]
    with routing() if routes_metadata(learner) else nullcontext():
        trained.fit(data.X, data.y, **options)
    return trained


def fitted_on_fold(learner: Any, data: RankingData, rows: FoldRows, on_step: OnStep | None = None) -> Any:
    """A clone of a learner, fitted on what is not held out.

    The validation part is its `eval_set`, or, where it takes none, trained on too.
    """
    if takes_validation(learner):
        return fitted(learner, data.select(rows.train), data.select(rows.validation), on_step)
    return fitted(learner, data.select(np.union1d(rows.train, rows.validation)), None, on_step)


def scores_of(trained: Any, data: RankingData) -> Floats:
    """The scores that a fitted learner gives to rows, of which it hears the queries if it wants to."""
    options = {"qid": data.qid} if accepts(trained, "predict", "qid") else {}
    with routing() if routes_metadata(trained) else nullcontext():
        return np.asarray(trained.predict(data.X, **options))


def takes_validation(learner: Any) -> bool:
    """Whether a learner's `fit` has a use for a validation set: what it says as `takes_eval_set`, or its arguments."""
    return bool(getattr(learner, "takes_eval_set", "eval_set" in signature(learner.fit).parameters))


def settled(learner: Any, trained: Sequence[Any]) -> Any:
    """A learner for all queries at once, without a validation set.

    What validation sets chose in several trainings and a learner cannot choose without one, such as the number of
    rounds, is the median of what they chose.
    """
    found: list[dict[str, Any]] = [getattr(each, "refit_params", dict)() for each in trained]
    chosen = {name: _median([parameters[name] for parameters in found]) for name in found[0]}
    return clone(learner, safe=False).set_params(**chosen) if chosen else learner


def set_parameters(learner: Any, parameters: dict[str, Any]) -> Any:
    """A clone of a learner with other parameters."""
    try:
        return clone(learner, safe=False).set_params(**parameters)
    except ValueError as error:
        raise InputError(f"{type(learner).__name__}: {str(error).splitlines()[0]}") from error


def _median(values: list[Any]) -> Any:
    return int(np.median(values)) if all(isinstance(value, int) for value in values) else values[0]


def _refuse_lost_qid(learner: Any) -> None:
    """Refuse an estimator that takes no qid, and so keeps it from a part that would."""
    for part in _parts(learner):
        if "qid" in signature(part.fit).parameters:
            who, inner = type(learner).__name__, type(part).__name__
            advice = (
                f"call set_fit_request(qid=True) on {inner}" if routes_metadata(learner) else f"give {inner} without {who}"
            )
            raise InputError(f"{who} does not hand qid on to its {inner}, which would learn all rows as one query; {advice}")


def _parts(learner: Any) -> list[Any]:
    """The estimators that an estimator holds."""
    known: dict[str, Any] = getattr(learner, "get_params", dict)()
    return [part for part in known.values() if hasattr(part, "fit") and not isinstance(part, type)]
