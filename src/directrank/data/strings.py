"""Arrays of strings of any length, and numbering equal values."""

from __future__ import annotations

import itertools
import re
from collections import defaultdict
from typing import Any

import numpy as np
from numpy.typing import NDArray

#: Variable-width strings: with a fixed-width dtype, one long comment in a file would widen every row.
STRING = np.dtypes.StringDType()

_INTEGER = re.compile(r"0|-?[1-9][0-9]{0,17}")


class Numbering:
    """Distinct values, numbered by first appearance.

    Attributes
    ----------
    numbers : dict
        From each value to its number.
    """

    def __init__(self) -> None:
        self.numbers: defaultdict[Any, int] = defaultdict()

    def __len__(self) -> int:
        return len(self.numbers)

    def number(self, values: list[Any]) -> NDArray[np.int64]:
        """The number of each value; those not seen before get the next ones."""
        self.numbers.default_factory = itertools.count(len(self.numbers)).__next__  # one look-up each, in C
        numbered = np.fromiter(map(self.numbers.__getitem__, values), np.int64, len(values))
        self.numbers.default_factory = None
        return numbered


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
