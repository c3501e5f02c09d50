"""Learners and their parameters as the command takes them."""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from ..data.errors import InputError
from ..learners.registry import LEARNERS, find_learner

if TYPE_CHECKING:
    from ..measures import SupportsEvaluate

#: The learners that rank within queries.
RANKERS = [name for name, entry in LEARNERS.items() if entry.learns_queries]

_WORDS = {"true": True, "false": False, "none": None}


def one_of(kind: str, names: Iterable[str]) -> Any:
    """The type of an option that is one of some names, as Typer takes it."""
    return StrEnum(kind, {name.replace("-", "_"): name for name in names})


def checked_learner(name: str) -> str:
    """The learner that is meant, by its own name; MODULE:CLASS as it is. The callback of an option."""
    return name if ":" in name else find_learner(name).name


def checked_ranker(name: str) -> str:
    """The same for learners that rank within queries."""
    found = checked_learner(name)
    if ":" not in found and found not in RANKERS:
        raise InputError(f"{found} takes all rows as one set and ranks no queries; there are {', '.join(RANKERS)}")
    return found


def learns_queries(name: str) -> bool:
    """Whether a learner ranks within queries; one's own does."""
    return ":" in name or find_learner(name).learns_queries


def make_learner(name: str, measure: SupportsEvaluate, settings: list[str]) -> Any:
    """A learner for a measure, with parameters given as ``name=value``; commas make a list."""
    given = parse_settings(settings)
    if ":" in name:
        from .own_learner import make_own

        return make_own(name, measure, given)
    try:
        learner = find_learner(name).make(measure, given)
    except InputError as error:
        raise InputError(f"--set: {error}" if given else str(error)) from error
    for parameter in {"init", "weak_ranker"} & {name for name, value in given.items() if value is not None}:
        example = f"{type(learner).__name__}({parameter}=RankSVM())"
        raise InputError(f"--set {parameter}: it is a ranker, which can be given in Python only, as {example}")
    return learner


def parse_settings(settings: list[str]) -> dict[str, Any]:
    """Parameters given as ``name=value``."""
    given: dict[str, Any] = {}
    for setting in settings:
        parameter, equals, value = setting.partition("=")
        if not equals:
            raise InputError(f"--set {setting}: write NAME=VALUE, such as C=10")
        given[parameter] = _value(value)
    return given


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
