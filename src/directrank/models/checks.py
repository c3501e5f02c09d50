"""Checks of what a model file says: its fields, numbers and lists, with errors that name the field."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..arrays import Floats
from ..data.strings import is_text

#: Deeper JSON than any model has is refused before anything descends it.
MAX_NESTING = 32


class ModelError(ValueError):
    """What was read is not a model, or not a complete one."""


def check_content(content: Any, depth: int = 0) -> None:
    """That what JSON gave is not too deep, and that all its text can be written again."""
    if isinstance(content, str):
        if not is_text(content):
            raise ModelError(f"it has text that is not Unicode, {content[:40]!a}")
    elif isinstance(content, (dict, list)):
        if depth == MAX_NESTING:
            raise ModelError(f"it is nested more than {MAX_NESTING} levels deep")
        parts = [*content.keys(), *content.values()] if isinstance(content, dict) else content
        if not set(map(type, parts)) <= {int, float}:
            for part in parts:
                check_content(part, depth + 1)


def field_of(content: Any, name: str) -> Any:
    """A field of what must be an object."""
    if not isinstance(content, dict):
        raise ModelError(f"there must be an object with the field {name!r}, not {_kind(content)}")
    if name not in content:
        raise ModelError(f"it lacks the field {name!r}")
    return content[name]


def numbers(name: str, values: Any, dtype: type = np.float64) -> Any:
    """A list of finite numbers as an array."""
    kinds = {int} if dtype is np.int64 else {int, float}
    wanted = "integers" if dtype is np.int64 else "numbers"
    if not isinstance(values, list):
        raise ModelError(f"its {name} must be a list of {wanted}, not {_kind(values)}")
    if not set(map(type, values)) <= kinds:
        raise ModelError(f"its {name} must be {wanted}")
    try:
        array: Any = np.array(values, dtype)
    except OverflowError as error:
        raise ModelError(f"its {name} has a number that is too large") from error
    if dtype is not np.int64 and not np.all(np.isfinite(array)):
        raise ModelError(f"its {name} must be finite numbers")
    return array


def number(name: str, value: Any, finite: bool = True) -> float:
    """A number that a float can hold."""
    try:
        if type(value) in (int, float) and (math.isfinite(float(value)) or not finite):
            return float(value)
    except OverflowError:
        pass
    raise ModelError(f"its {name} must be a {'finite ' if finite else ''}number")


def integer(name: str, value: Any, least: int) -> int:
    """An integer of at least so much that an int64 can hold."""
    if type(value) is not int or not least <= value < 2**63:
        raise ModelError(f"its {name} must be an integer of at least {least}")
    return value


def names(field: str, value: Any) -> tuple[str, ...]:
    """A list of strings."""
    if not (isinstance(value, list) and all(isinstance(name, str) for name in value)):
        raise ModelError(f"its {field} must be a list of names")
    return tuple(value)


def check_sizes(of: str, size: int, **arrays: Floats) -> None:
    """That arrays have one entry for each of what they are of."""
    for name, values in arrays.items():
        if np.shape(values) != (size,):
            raise ModelError(f"its {name} must have {size} numbers, one for each {of}, and has {np.size(values)}")


def _kind(value: Any) -> str:
    kinds = {dict: "an object", list: "a list", str: "text", bool: "true or false", type(None): "null"}
    return kinds.get(type(value), "a number")
