"""Halves of the sets: settings may be chosen by the test values of one, and are reported on the other too."""

from __future__ import annotations

from enum import Enum

from .families import parse_name


class Half(Enum):
    """Half that a set belongs to."""

    DEVELOPMENT = "development"
    REPORTING = "reporting"


#: Collections of the development half.
DEVELOPMENT = {"OHSUMED", "TTI", "cranfield", "CATQI"}

#: Numbers of queries of the generated families in the development half.
DEVELOPMENT_SIZES = {20, 100, 500, 5_000}


def half_of(name: str) -> Half:
    """Half of a set, by its name; a set that is not named here is for reporting."""
    generated = parse_name(name)
    is_development = name in DEVELOPMENT if generated is None else generated[1] in DEVELOPMENT_SIZES
    return Half.DEVELOPMENT if is_development else Half.REPORTING
