"""Learners and their parameters, as ``--learner`` and ``--set`` give them."""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from ...data.errors import InputError
from ...learners.registry import LEARNERS, find_learner

if TYPE_CHECKING:
    from ...measures import SupportsEvaluate

#: Learners that rank within queries.
RANKERS = [name for name, entry in LEARNERS.items() if entry.learns_queries]

_WORDS = {"true": True, "false": False, "none": None}


def choice_type(kind: str, names: Iterable[str]) -> Any:
    """Typer's type of an option that takes one of some names."""
    return StrEnum(kind, {name.replace("-", "_"): name for name in names})


def checked_learner(name: str) -> str:
    """Callback of ``--learner``: the canonical name of a learner; MODULE:CLASS is returned unchanged."""
    return name if ":" in name else find_learner(name).name


def checked_ranker(name: str) -> str:
    """Callback of ``--learner`` in commands that need a learner that ranks within queries."""
    found = checked_learner(name)
    if ":" not in found and found not in RANKERS:
        raise InputError(f"{found} takes all rows as one set and ranks no queries; choose one of {', '.join(RANKERS)}")
    return found


def learns_queries(name: str) -> bool:
    """Whether a learner ranks within queries; custom learners do."""
    return ":" in name or find_learner(name).learns_queries


def make_learner(name: str, measure: SupportsEvaluate, settings: list[str]) -> Any:
    """Make a learner for a measure, with parameters given as ``name=value``."""
    parameters = parse_settings(settings)
    if ":" in name:
        from .custom_learner import make_custom_learner

        return make_custom_learner(name, measure, parameters)
    found = find_learner(name)
    try:
        learner = found.make(measure, parameters)
    except InputError as error:
        raise InputError(f"--set: {error}" if parameters else str(error)) from error
    by_default = found.new().get_params(deep=False)
    rankers = {"init", "weak_ranker"} & {name for name, value in parameters.items() if value is not None}
    for parameter in {name for name in rankers if parameters[name] != by_default[name]}:  # not init=auto
        example = f"{type(learner).__name__}({parameter}=RankSVM())"
        advice = f"it is a ranker, which can be given in Python only, as {example}"
        raise InputError(f"--set {parameter}: {advice}{_instead(name) if parameter == 'init' else ''}")
    return learner


def _instead(name: str) -> str:
    """Advice to use the learners that start from another."""
    found = find_learner(name)
    starting = [each.name for each in LEARNERS.values() if each.init and each.class_name == found.class_name]
    return f", or by --learner {' or '.join(starting)}" if starting else ""


def parse_settings(settings: list[str]) -> dict[str, Any]:
    """Parse parameters given as ``name=value``; a value with commas is a list."""
    parameters: dict[str, Any] = {}
    for setting in settings:
        parameter, equals, value = setting.partition("=")
        if not equals:
            raise InputError(f"--set {setting}: write NAME=VALUE, such as C=10")
        if parameter in parameters:
            raise InputError(f"--set {setting}: {parameter} is set twice; set it once")
        parameters[parameter] = parse_value(value)
    return parameters


def parse_value(text: str) -> Any:
    """Parse a number, True, False, None, text, or a comma-separated list of these."""
    if "," in text:
        return [parse_value(part) for part in text.split(",")]
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return _WORDS.get(text.lower(), text)
