"""Arrays of strings of any length, and numbering equal values."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
from numpy.typing import NDArray

#: Variable-width strings: with a fixed-width dtype, one long comment in a file would widen every row.
STRING = np.dtypes.StringDType()

_INTEGER = re.compile(r"0|-?[1-9][0-9]{0,17}")


def factorize(values: NDArray[Any]) -> tuple[NDArray[np.int64], NDArray[Any]]:
    """Number the distinct values in order of first appearance: the number of each value, and the distinct values."""
    listed = values.tolist()
    distinct = list(dict.fromkeys(listed))
    numbers = dict(zip(distinct, range(len(distinct)), strict=True))
    return np.fromiter(map(numbers.__getitem__, listed), np.int64, values.size), np.array(distinct, dtype=values.dtype)


def is_text(string: str) -> bool:
    """Whether a string can be written as UTF-8: it has no half of a surrogate pair."""
    try:
        string.encode()
    except UnicodeEncodeError:
        return False
    return True


def is_integer(text: str) -> bool:
    """Whether a string is an integer in canonical form (no +, no leading zeros), so that converting it loses nothing."""
    return _INTEGER.fullmatch(text) is not None
