"""Reading JSON and numbers as strictly as the strictest version of an engine."""

from __future__ import annotations

import json
import math
import re
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np


class Refused(ValueError):  # noqa: N818
    """The engine does not take this text."""


def read_json(text: object) -> Any:
    """Strict JSON: no NaN, no infinity, no key twice; numbers with a point or an exponent as Decimal."""
    if not isinstance(text, str):
        text = json.dumps(text, allow_nan=False)

    def no_constant(name: str) -> None:
        raise Refused(f"{name} is no JSON")

    def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        if len(dict(pairs)) < len(pairs):
            raise Refused("an object has a key twice")
        return dict(pairs)

    try:
        return json.loads(text, parse_float=Decimal, parse_constant=no_constant, object_pairs_hook=unique)
    except json.JSONDecodeError as error:
        raise Refused(f"this is no JSON: {error}") from error


def keys_of(value: object, what: str, required: set[str], optional: set[str] | None = None) -> dict[str, Any]:
    """The object, which has all of the required keys and none beside the optional ones."""
    if not isinstance(value, dict):
        raise Refused(f"{what} is an object")
    if not required <= set(value):
        raise Refused(f"{what} lacks {sorted(required - set(value))}")
    if not set(value) <= required | (optional or set()):
        raise Refused(f"{what} has unknown keys {sorted(set(value) - required - (optional or set()))}")
    return value


def array(value: object, what: str) -> list[Any]:
    if not isinstance(value, list):
        raise Refused(f"{what} is an array")
    return value


def string(value: object, what: str) -> str:
    if not isinstance(value, str):
        raise Refused(f"{what} is a string")
    return value


def integer(value: object, what: str) -> int:
    if not isinstance(value, int) or isinstance(value, bool):
        raise Refused(f"{what} is an integer")
    return value


def json_float64(value: object, what: str) -> float:
    if not isinstance(value, int | Decimal) or isinstance(value, bool):
        raise Refused(f"{what} is a number")
    if math.isinf(float(value)):
        raise Refused(f"{what} is beyond a double")
    return float(value)


def json_float32(value: object, what: str) -> np.float32:
    """The float of a JSON number, which must be the same directly and through a double: parsers differ in this."""
    with np.errstate(over="ignore"):
        through_double = np.float32(json_float64(value, what))
    if np.isinf(through_double):
        raise Refused(f"{what} is beyond a float")
    if nearest_float32(str(value)) != through_double:
        raise Refused(f"{what} is {value}, which rounds to one float directly and to another through a double")
    return through_double


def nearest_float32(number: str) -> np.float32:
    """The float32 nearest to a decimal number, ties to the even one, as Float.parseFloat has it."""
    with np.errstate(over="ignore", under="ignore"):
        guess = np.float32(float(number))
        near = (np.nextafter(guess, np.float32(-np.inf)), guess, np.nextafter(guess, np.float32(np.inf)))
    if not np.isfinite(guess):
        return guess
    finite = [candidate for candidate in near if np.isfinite(candidate)]
    return min(finite, key=lambda f: (abs(Fraction(float(f)) - Fraction(number)), int(f.view(np.int32)) & 1))


_JAVA_NUMBER = re.compile(r"\s*([+-]?(?:NaN|Infinity|(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?))[fFdD]?\s*")


def java_double(text: object, what: str) -> float:
    """Double.parseDouble."""
    return float(_java_number(text, what))


def java_float(text: object, what: str) -> np.float32:
    """Float.parseFloat, which rounds once."""
    number = _java_number(text, what)
    return nearest_float32(number) if math.isfinite(float(number)) else np.float32(number)


def _java_number(text: object, what: str) -> str:
    """The number in a text; blanks around it and a suffix f or d are allowed, as are NaN and Infinity."""
    match = _JAVA_NUMBER.fullmatch(text) if isinstance(text, str) else None
    if match is None:
        raise Refused(f"{what} is {text!r}, which is no text of a number")
    return match[1]


def java_int(text: str) -> int:
    if not re.fullmatch(r"[+-]?[0-9]+", text):
        raise Refused(f"{text!r} is no integer")
    return int(text)
