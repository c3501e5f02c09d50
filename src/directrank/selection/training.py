"""Training a learner on some of the queries, whichever learner it is."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from inspect import signature
from typing import Any

import numpy as np
from sklearn.base import clone

from ..data import InputError, RankingData

#: Called with the number of a round or iteration and what it reached; True ends the training with the model so far.
OnStep = Callable[[int, Any], Any]


def takes_validation(learner: Any) -> bool:
    """Whether a learner's `fit` has a use for a validation set."""
    return "eval_set" in signature(learner.fit).parameters


def fitted(learner: Any, data: RankingData, validation: RankingData | None = None, on_step: OnStep | None = None) -> Any:
    """A clone of a learner, fitted; the learner itself stays as it is.

    Parameters
    ----------
    validation : RankingData, optional
        For a learner that takes one.
    on_step : callable, optional
        For a learner whose `fit` takes callbacks.

    Raises
    ------
    KeyboardInterrupt
        Where Ctrl-C ended the training: half a model must not pass for a whole one.
    """
    trained, known = clone(learner, safe=False), signature(learner.fit).parameters
    listening = _Listening(on_step)
    options: dict[str, Any] = {"qid": data.qid} if "qid" in known else {}
    if validation is not None and "eval_set" in known:
        options["eval_set"] = (validation.X, validation.y, validation.qid)
    if on_step is not None and "callbacks" in known:
        options["callbacks"] = [listening]
    trained.fit(data.X, data.y, **options)
    if getattr(trained, "interrupted_", False) and not listening.has_ended_it:
        raise KeyboardInterrupt
    return trained


def settled(learner: Any, trained: Sequence[Any]) -> Any:
    """A learner for all queries at once, without a validation set.

    What validation sets chose in several trainings and a learner cannot choose without one, such as the number of
    rounds, is the median of what they chose.
    """
    found: list[dict[str, Any]] = [getattr(each, "without_eval_set", dict)() for each in trained]
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


class _Listening:
    """A callback that remembers whether it ended the training."""

    def __init__(self, on_step: OnStep | None) -> None:
        self.on_step, self.has_ended_it = on_step, False

    def __call__(self, number: int, step: Any) -> bool:
        self.has_ended_it = self.on_step is not None and self.on_step(number, step) is True
        return self.has_ended_it
