"""Checks of parameters: what is wrong is said in one sentence that names the parameter."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...arrays import Floats
from ...data import InputError

#: Sums of features with larger values may be beyond what a float holds.
LARGEST_VALUE = 1e300


def check_positive(value: Any, name: str, wanted: str = "a number above 0") -> float:
    if not (is_number(value) and 0 < value < np.inf):
        raise InputError(f"{name} must be {wanted}, not {value!r}")
    return float(value)


def check_non_negative(value: Any, name: str, wanted: str = "a number of at least 0") -> float:
    if not (is_number(value) and 0 <= value < np.inf):
        raise InputError(f"{name} must be {wanted}, not {value!r}")
    return float(value)


def check_int(value: Any, name: str, least: int = 1) -> int:
    if not (isinstance(value, (int, np.integer)) and not isinstance(value, bool) and value >= least):
        raise InputError(f"{name} must be an integer of at least {least}, not {value!r}")
    return int(value)


def check_bool(value: Any, name: str) -> bool:
    if not isinstance(value, (bool, np.bool_)):
        raise InputError(f"{name} must be True or False, not {value!r}")
    return bool(value)


def check_choice(value: Any, name: str, choices: tuple[str, ...]) -> str:
    if value not in choices:
        raise InputError(f"{name} must be {' or '.join(map(repr, choices))}, not {value!r}")
    return str(value)


def check_summable(column: Floats) -> Floats:
    """A feature, if sums of many such are finite."""
    if np.max(np.abs(column), initial=0.0) > LARGEST_VALUE:
        raise InputError(f"X has values above {LARGEST_VALUE:g}, too large to be summed; scale the features")
    return column


def is_number(value: Any) -> bool:
    return isinstance(value, (int, float, np.number)) and not isinstance(value, (bool, np.bool_))
