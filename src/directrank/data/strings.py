"""Strings of any length in an array, and the numbering of what is equal."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
from numpy.typing import NDArray

#: Variable-width strings: one long comment in a file must not widen every row, as a fixed-width dtype would.
STRING = np.dtypes.StringDType()

_WHOLE = re.compile(r"0|-?[1-9][0-9]{0,17}")


def factorize(values: NDArray[Any]) -> tuple[NDArray[np.int64], NDArray[Any]]:
    """Number equal values alike, in order of first appearance; the numbers and the different values."""
    numbers: dict[Any, int] = {}
    codes = np.fromiter((numbers.setdefault(v, len(numbers)) for v in values.tolist()), np.int64, values.size)
    return codes, np.array(list(numbers), dtype=values.dtype)


def looks_whole(text: str) -> bool:
    """Whether a string is exactly how a whole number is printed, so that reading it as one loses nothing."""
    return _WHOLE.fullmatch(text) is not None
