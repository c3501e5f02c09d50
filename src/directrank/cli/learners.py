"""Learners and their parameters as the command takes them."""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from ..data import InputError
from ..learners import LEARNERS
from ..measures import Measure

#: The learners that rank within queries.
RANKERS = [name for name, entry in LEARNERS.items() if entry.learns_queries]


def one_of(kind: str, names: Iterable[str]) -> Any:
    """The type of an option that is one of some names, as Typer takes it."""
    return StrEnum(kind, {name.replace("-", "_"): name for name in names})


if TYPE_CHECKING:
    LearnerName = str
    RankerName = str
else:
    LearnerName, RankerName = one_of("LearnerName", LEARNERS), one_of("RankerName", RANKERS)

_WORDS = {"true": True, "false": False, "none": None}


def make_learner(name: str, measure: Measure, settings: list[str]) -> Any:
    """A learner for a measure, with parameters given as ``name=value``; commas make a list."""
    given: dict[str, Any] = {}
    for setting in settings:
        parameter, equals, value = setting.partition("=")
        if not equals:
            raise InputError(f"--set {setting}: write NAME=VALUE, such as C=10")
        given[parameter] = _value(value)
    try:
        learner = LEARNERS[name].make(measure, given)
    except InputError as error:
        raise InputError(f"--set: {error}") from error
    for parameter in {"init", "weak_ranker"} & {name for name, value in given.items() if value is not None}:
        example = f"{type(learner).__name__}({parameter}=RankSVM())"
        raise InputError(f"--set {parameter}: it is a ranker, which can be given in Python only, as {example}")
    return learner


def _value(text: str) -> Any:
    """A number, True, False, None, text, or a list of such where there are commas."""
    if "," in text:
        return [_value(part) for part in text.split(",")]
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return _WORDS.get(text.lower(), text)
