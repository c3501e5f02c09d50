"""Fields of model files: reading them from JSON with checks that name the field, and writing them."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np

from ..arrays import Floats, Ints
from ..data.strings import is_text
from .errors import ModelError

#: Maximum nesting of JSON, checked before anything recurses into it.
MAX_NESTING = 32

#: Checks and converts the JSON content of a field, given its name for the error message.
FieldReader = Callable[[str, Any], Any]


def check_content(content: Any, depth: int = 0) -> None:
    """Check that parsed JSON is not nested too deeply and that all its text is valid Unicode."""
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
    """The content of a field, checked to exist."""
    if not isinstance(content, dict):
        raise ModelError(f"there must be an object with the field {name!r}, not {_kind(content)}")
    if name not in content:
        raise ModelError(f"it lacks the field {name!r}")
    return content[name]


def read_fields(content: Any, names: Iterable[str], readers: Mapping[str, FieldReader]) -> dict[str, Any]:
    """Fields of a JSON object, each by its reader; a field without one is an array of numbers."""
    return {name: readers.get(name, numbers)(name, field_of(content, name)) for name in names}


def as_json(value: Any) -> Any:
    """A field's value as JSON: arrays and tuples as lists, models and their parts as objects."""
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, (list, tuple)):
        return [as_json(part) for part in value]
    return value.to_dict() if hasattr(value, "to_dict") else value


def list_of(read: FieldReader) -> FieldReader:
    """Reader of a list whose items `read` reads."""

    def read_list(name: str, value: Any) -> list[Any]:
        return [read(name, item) for item in as_list(name, value)]

    return read_list


def as_list(name: str, value: Any) -> list[Any]:
    """A list, checked."""
    if not isinstance(value, list):
        raise ModelError(f"its {name} must be a list")
    return value


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


def integers(name: str, values: Any) -> Any:
    """A list of integers as an int64 array."""
    return numbers(name, values, np.int64)


def number(name: str, value: Any, finite: bool = True) -> float:
    """A number within the range of float64."""
    try:
        if type(value) in (int, float) and (math.isfinite(float(value)) or not finite):
            return float(value)
    except OverflowError:
        pass
    raise ModelError(f"its {name} must be a {'finite ' if finite else ''}number")


def integer(name: str, value: Any, least: int) -> int:
    """An integer of at least `least`, within the range of int64."""
    if type(value) is not int or not least <= value < 2**63:
        raise ModelError(f"its {name} must be an integer of at least {least}")
    return value


def string(name: str, value: Any) -> str:
    """A string."""
    if not isinstance(value, str):
        raise ModelError(f"its {name} must be text")
    return value


def positive_integer(name: str, value: Any) -> int:
    """An integer of at least 1."""
    return integer(name, value, 1)


def names(field: str, value: Any) -> tuple[str, ...]:
    """A list of strings."""
    if not (isinstance(value, list) and all(isinstance(name, str) for name in value)):
        raise ModelError(f"its {field} must be a list of names")
    return tuple(value)


def check_sizes(of: str, size: int, **arrays: Floats) -> None:
    """Check that arrays have `size` entries; `of` names the items they belong to, as in "one for each stump"."""
    for name, values in arrays.items():
        if np.shape(values) != (size,):
            raise ModelError(f"its {name} must have {size} numbers, one for each {of}, and has {np.size(values)}")


def check_columns(name: str, columns: Ints, width: int) -> None:
    """Check that columns are ascending and within a width."""
    if columns.size and not (columns[0] >= 0 and columns[-1] < width and np.all(np.diff(columns) > 0)):
        raise ModelError(f"its {name} must be ascending integers from 0 to {width - 1}")


def _kind(value: Any) -> str:
    kinds = {dict: "an object", list: "a list", str: "text", bool: "true or false", type(None): "null"}
    return kinds.get(type(value), "a number")
