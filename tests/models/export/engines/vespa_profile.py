"""Vespa's rank profiles, as far as exports use them."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from .rows import Row
from .strict import Refused
from .vespa_expression import vespa_expression

_NAME = r"[A-Za-z_][A-Za-z0-9_]*"
_FUNCTION = re.compile(rf"\s*function ({_NAME})\(\) \{{\s*expression \{{([^{{}}]*)\}}\s*\}}")
_PROFILE = re.compile(
    rf"rank-profile ({_NAME}) inherits ({_NAME}) \{{((?:{_FUNCTION.pattern})*)\s*"
    r"first-phase \{\s*expression: ([^\n{}]*)\n\s*\}\s*\}\n"
)


def vespa_profile(text: str, rows: Sequence[Row]) -> np.ndarray:
    """Scores of a profile's first phase, a sum of its functions, each an expression in braces (SchemaParser.jj).

    The braces of an expression are not part of it, whatever stands between them.
    """
    match = _PROFILE.fullmatch(text)
    if match is None:
        raise Refused("this is not one rank profile of functions and a first phase")
    functions = {name: vespa_expression(body, rows) for name, body in _FUNCTION.findall(match[3])}
    used = match[match.lastindex or 0].split(" + ")
    if sorted(used) != sorted(functions):
        raise Refused(f"the first phase adds {used}, and the functions are {sorted(functions)}")
    return np.sum([functions[name] for name in used], axis=0)
