"""Ranges of parameters to search, as ``--space`` gives them."""

from __future__ import annotations

from typing import Any

from ...data import InputError
from ...learners.search_space import AlongPath, Between, OneOf
from .learners import parse_value

_SYNTAX = "write NAME=LOW..HIGH, NAME=log:LOW..HIGH, or NAME=A,B,C"


def search_ranges(learner: Any, given: list[str], fixed: dict[str, Any]) -> dict[str, Between | OneOf | AlongPath]:
    """Ranges to search: those given, or else the learner's own search space without the fixed parameters."""
    own = getattr(learner, "search_space", {})
    if not given:
        left = {name: values for name, values in own.items() if name not in fixed}
        if own and not left:
            raise InputError(f"--set fixes {', '.join(own)}, which is all that is searched by default; add --space")
        return left
    ranges: dict[str, Between | OneOf | AlongPath] = {}
    for text in given:
        name, equals, values = text.partition("=")
        if not equals or not values:
            raise InputError(f"--space {text}: {_SYNTAX}")
        if name in ranges:
            raise InputError(f"--space {text}: {name} is given twice; give one range, or its values as {name}=A,B,C")
        if name in fixed:
            raise InputError(
                f"--space {name} and --set {name}: a parameter is either searched or fixed; give one of the two"
            )
        try:
            ranges[name] = _parse_range(values, own.get(name), learner.get_params().get(name))
        except InputError as error:
            raise InputError(f"--space {text}: {error}") from error
    return ranges


def _parse_range(text: str, own: Any = None, current: Any = None) -> Between | OneOf:
    """Parse a range.

    It is logarithmic if it says so, or if it is above 0 and the learner's own range is. Integer bounds allow fractions if
    the learner's own range has them, or if the parameter's current value is a float.
    """
    low, dots, high = text.removeprefix("log:").partition("..")
    if not dots:
        values = parse_value(text)
        return OneOf(tuple(values) if isinstance(values, list) else (values,))
    is_fraction = isinstance(current, float) or (isinstance(own, Between) and not own.whole)
    ends = [float(_number(end)) if is_fraction else _number(end) for end in (low, high)]
    return Between(ends[0], ends[1], log=text.startswith("log:") or (ends[0] > 0 and getattr(own, "log", False)))


def _number(text: str) -> float:
    """Parse an integer if it is written as one, or else a float."""
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    raise InputError(_SYNTAX)
