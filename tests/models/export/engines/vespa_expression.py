"""The arithmetic part of Vespa's ranking expressions."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from .rows import NAN, Row, vector
from .strict import Refused


def vespa_expression(text: str, rows: Sequence[Row]) -> np.ndarray:
    """Values of a ranking expression: numbers, features, + - * /, comparisons, !, if, and functions, in double.

    The grammar is the common part of RankingExpressionParser.jj and function.cpp. A feature is a name, perhaps with
    arguments and outputs, and its whole text, without blanks, is the key in the row; it must be one of the rows' names.
    """
    known = {name for row in rows for name in row}
    tokens = list(_tokens(text))
    tree, end = _parse(tokens, 0, known)
    if tokens[end] != "":
        raise Refused(f"{tokens[end]!r} is not expected in the expression")
    return np.array([_value(tree, row) for row in rows], dtype=np.float64)


_TOKEN = re.compile(
    r"""(?:\s|\#[^\n\r]*)*(?:
    (?P<number>[0-9]+(?:\.[0-9]*)?(?:[eE][+-]?[0-9]+)?(?![A-Za-z0-9_@.]))
    |(?P<name>[A-Za-z_@][A-Za-z0-9_@$]*)
    |(?P<sign><=|>=|==|!=|[-+*/(),.!<>])
    |(?P<end>\Z))""",
    re.VERBOSE,
)
_FUNCTIONS: dict[str, Callable[[float], float]] = {
    "exp": lambda x: math.exp(x) if x < 700 else math.inf,
    "sigmoid": lambda x: 1 / (1 + math.exp(-x)) if x > -700 else 0.0,
    "fabs": abs,
    "log": lambda x: math.log(x) if x > 0 else math.nan,
    "isNan": lambda x: float(math.isnan(x)),
}
_RESERVED = """
    if in f abs acos asin atan ceil cos cosh elu exp fabs floor isNan log log10 relu round sigmoid sign sin sinh square sqrt
    tan tanh atan2 fmod ldexp pow map reduce join rename concat tensor range diag random l1_normalize l2_normalize matmul
    softmax xw_plus_b argmax argmin avg count prod sum max min
"""
_LEVELS = (("<", "<=", ">", ">=", "==", "!="), ("+", "-"), ("*", "/"))
_OPERATORS: dict[str, Callable[[float, float], float]] = {
    "<": lambda a, b: float(a < b),
    "<=": lambda a, b: float(a <= b),
    ">": lambda a, b: float(a > b),
    ">=": lambda a, b: float(a >= b),
    "==": lambda a, b: float(a == b),
    "!=": lambda a, b: float(a != b),
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "/": lambda a, b: a / b,
}


def _tokens(text: str) -> Iterator[str]:
    place = 0
    while True:
        match = _TOKEN.match(text, place)
        if match is None:
            raise Refused(f"{text[place : place + 20]!r} has no meaning in an expression")
        yield match[match.lastgroup or "end"]
        if match.lastgroup == "end":
            return
        place = match.end()


def _parse(tokens: list[str], place: int, known: set[str], level: int = 0) -> tuple[Any, int]:
    """The expression that starts at a token, as nested tuples, and the token after it; operators go left to right."""
    if level == len(_LEVELS):
        return _operand(tokens, place, known)
    tree, place = _parse(tokens, place, known, level + 1)
    while tokens[place] in _LEVELS[level]:
        operator = tokens[place]
        right, place = _parse(tokens, place + 1, known, level + 1)
        tree = (operator, tree, right)
    return tree, place


def _operand(tokens: list[str], place: int, known: set[str]) -> tuple[Any, int]:
    """A number, a feature, a call or something in brackets, after at most one ! and then at most one minus."""
    prefixes = []
    for sign in "!-":
        if tokens[place] == sign:
            prefixes.append(sign)
            place += 1
    token = tokens[place]
    if token == "(":
        tree, place = _parse(tokens, place + 1, known)
        place = _expect(tokens, place, ")")
    elif token == "if":
        parts, place = _arguments(tokens, place + 1, known, 3)
        tree = ("if", *parts)
    elif token in _FUNCTIONS and tokens[place + 1] == "(":
        parts, place = _arguments(tokens, place + 1, known, 1)
        tree = ("call", token, *parts)
    elif token[:1].isdigit():
        tree, place = ("number", float(token)), place + 1
    else:
        name, place = _feature(tokens, place)
        if name not in known:
            raise Refused(f"there is no feature {name!r}")
        tree = ("feature", name)
    for sign in reversed(prefixes):
        tree = (sign, tree)
    return tree, place


def _arguments(tokens: list[str], place: int, known: set[str], n: int) -> tuple[list[Any], int]:
    parts = []
    for i in range(n):
        place = _expect(tokens, place, "," if i else "(")
        part, place = _parse(tokens, place, known)
        parts.append(part)
    return parts, _expect(tokens, place, ")")


def _feature(tokens: list[str], place: int) -> tuple[str, int]:
    """A feature's text without blanks: name, (argument, ...), .output."""
    name = tokens[place]
    if not re.match(r"[A-Za-z_@]", name) or name in _RESERVED.split():
        raise Refused(f"{name!r} is no feature")
    place += 1
    if tokens[place] == "(":
        arguments: list[str] = []
        while not arguments or tokens[place] == ",":
            place += 1
            if tokens[place][:1].isdigit():
                argument, place = tokens[place], place + 1
            else:
                argument, place = _feature(tokens, place)
            arguments.append(argument)
        place = _expect(tokens, place, ")")
        name += f"({','.join(arguments)})"
    while tokens[place] == ".":
        name += "." + tokens[place + 1]
        place += 2
    return name, place


def _expect(tokens: list[str], place: int, token: str) -> int:
    if tokens[place] != token:
        raise Refused(f"{token!r} is expected in the expression, not {tokens[place]!r}")
    return place + 1


def _value(tree: Any, row: Row) -> float:
    kind = tree[0]
    while kind == "if":
        tree = tree[2] if _value(tree[1], row) else tree[3]
        kind = tree[0]
    if kind == "number":
        return float(tree[1])
    if kind == "feature":
        return float(vector(row, [tree[1]], NAN)[0])
    if kind == "call":
        return _FUNCTIONS[tree[1]](_value(tree[2], row))
    if len(tree) == 2:
        value = _value(tree[1], row)
        return -value if kind == "-" else float(not value)
    total = []
    while len(tree) == 3 and tree[0] == kind:
        total.append(_value(tree[2], row))
        tree = tree[1]
    value = _value(tree, row)
    for operand in reversed(total):
        value = _OPERATORS[kind](value, operand)
    return value
