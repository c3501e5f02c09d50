"""Variable-width strings, and codes of distinct values."""

from __future__ import annotations

import itertools
import re
from collections import defaultdict
from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

#: Variable-width strings: with a fixed-width dtype, one long comment in a file would widen every row.
STRING = np.dtypes.StringDType()

_INTEGER = re.compile(r"0|-?[1-9][0-9]{0,17}")


class Numbering:
    """Codes of distinct values, by first appearance.

    Attributes
    ----------
    numbers : dict
        Code of each value.
    """

    def __init__(self) -> None:
        self.numbers: defaultdict[Any, int] = defaultdict()

    def __len__(self) -> int:
        return len(self.numbers)

    def number(self, values: list[Any]) -> NDArray[np.int64]:
        """Code of each value; new values get the next codes."""
        self.numbers.default_factory = itertools.count(len(self.numbers)).__next__  # one look-up each, in C
        numbered = np.fromiter(map(self.numbers.__getitem__, values), np.int64, len(values))
        self.numbers.default_factory = None
        return numbered


def is_in(strings: NDArray[Any], wanted: Iterable[str]) -> NDArray[np.bool_]:
    """Whether each string is one of those wanted. `np.isin` compares each with all of them."""
    known = set(wanted)
    return np.fromiter(map(known.__contains__, strings.tolist()), np.bool_, strings.size)


def is_text(string: str) -> bool:
    """Whether a string can be encoded as UTF-8: it has no lone surrogates."""
    try:
        string.encode()
    except UnicodeEncodeError:
        return False
    return True


def is_integer(text: str) -> bool:
    """Whether a string is an integer in canonical form (no +, no leading zeros), so that converting it loses nothing."""
    return _INTEGER.fullmatch(text) is not None
