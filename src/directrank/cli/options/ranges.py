"""The ranges of parameters to try, as ``--space`` gives them."""

from __future__ import annotations

from typing import Any

from ...data import InputError
from ...learners.search_space import AlongPath, Between, OneOf
from .learners import parse_settings

_RANGE = "write NAME=LOW..HIGH, NAME=log:LOW..HIGH, or NAME=A,B,C"


def ranges_of(learner: Any, given: list[str], fixed: dict[str, Any]) -> dict[str, Between | OneOf | AlongPath]:
    """What to try: what was given, or what the learner finds worth trying, but for what is fixed."""
    own = getattr(learner, "search_space", {})
    if not given:
        left = {name: values for name, values in own.items() if name not in fixed}
        if own and not left:
            raise InputError(f"--set fixes {', '.join(own)}, and nothing else is worth trying; say what to try with --space")
        return left
    ranges: dict[str, Between | OneOf | AlongPath] = {}
    for text in given:
        name, equals, values = text.partition("=")
        if not equals or not values:
            raise InputError(f"--space {text}: {_RANGE}")
        if name in fixed:
            raise InputError(f"--space {name} and --set {name}: a parameter is tried or fixed; give one of the two")
        try:
            ranges[name] = _range(values, own.get(name), learner.get_params().get(name))
        except InputError as error:
            raise InputError(f"--space {text}: {error}") from error
    return ranges


def _range(text: str, own: Any = None, now: Any = None) -> Between | OneOf:
    """What a range says; whether one above 0 is logarithmic, and whether 0..1 has fractions, the learner's own may say.

    Of fractions so may the value that the parameter has now.
    """
    low, dots, high = text.removeprefix("log:").partition("..")
    if not dots:
        values = parse_settings([f"values={text}"])["values"]
        return OneOf(tuple(values) if isinstance(values, list) else (values,))
    is_fraction = isinstance(now, float) or (isinstance(own, Between) and not own.whole)
    ends = [float(_number(end)) if is_fraction else _number(end) for end in (low, high)]
    return Between(ends[0], ends[1], log=text.startswith("log:") or (ends[0] > 0 and getattr(own, "log", False)))


def _number(text: str) -> float:
    """A number, whole if it is written so."""
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    raise InputError(_RANGE)
