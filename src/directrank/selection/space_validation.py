"""Validation of search spaces before any training."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from inspect import signature
from typing import Any

import numpy as np

from ..data import InputError
from ..learners.search_space import AlongPath as AlongPath, Between as Between, OneOf as OneOf, SearchSpace
from .fit_and_predict import with_parameters

#: Number of values of C on a regularization path if only their range is given.
N_PATH_VALUES = 13


def validate_space(learner: Any, space: SearchSpace) -> SearchSpace:
    """Check a search space; values of a parameter with a regularization path become an `AlongPath`.

    A value is an error only if it is invalid with the other parameters as they are, at their defaults, and at both ends of
    their ranges: trials find out which values go together.
    """
    if not space:
        raise InputError(f"the search space of {type(learner).__name__} is empty; say which parameters to try")
    own = getattr(learner, "search_space", {})
    samples = {name: _sample(values) for name, values in space.items()}
    for name, values in samples.items():
        for value in values:
            error = parameter_error(with_parameters(learner, {name: value}))
            contexts = _contexts(learner, samples) if error else ()
            if error and all(parameter_error(with_parameters(learner, {**others, name: value})) for others in contexts):
                raise InputError(error)
    return {name: _as_path(values) if isinstance(own.get(name), AlongPath) else values for name, values in space.items()}


def parameter_error(learner: Any) -> str | None:
    """Why a learner's parameters are invalid, if they are; estimators of other libraries find out in `fit` only."""
    check = getattr(learner, "_check_parameters", None)
    try:
        if check is not None:
            check(True)
    except ValueError as error:
        return str(error)
    return None


def _contexts(learner: Any, samples: Mapping[str, Sequence[Any]]) -> Iterator[dict[str, Any]]:
    """Values of the other parameters: defaults, and both ends of their ranges."""
    known = signature(type(learner)).parameters.values()
    yield {each.name: each.default for each in known if each.default is not each.empty}
    for end in (0, -1):
        yield {name: values[end] for name, values in samples.items() if values}


def _sample(values: Between | OneOf | AlongPath) -> Sequence[Any]:
    """Values to check: both ends of a range, or all of a list."""
    if isinstance(values, Between):
        return (values.low, values.high)
    return values.values if isinstance(values, OneOf) else values.Cs or ()


def _as_path(values: Between | OneOf | AlongPath) -> AlongPath:
    if isinstance(values, AlongPath):
        return values
    if isinstance(values, OneOf):
        return AlongPath(values.values)
    spaced = np.geomspace if values.log else np.linspace
    return AlongPath(spaced(values.low, values.high, N_PATH_VALUES).tolist())
