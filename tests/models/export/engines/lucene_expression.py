"""Lucene's expressions, in which derived features are written."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from .strict import Refused

_TOKEN = re.compile(
    r"\s*(?:(?P<number>[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?)"
    r"|(?P<name>[A-Za-z_$][A-Za-z0-9_$]*(?:\.[A-Za-z_$][A-Za-z0-9_$]*)*)|(?P<sign>==|[-+*/()?:<>,])|(?P<end>\Z))"
)
_LEVELS = (("==",), ("<", ">"), ("+", "-"), ("*", "/"))
_FUNCTIONS: dict[str, Callable[[float], float]] = {"abs": abs, "ln": math.log}
_OPERATORS: dict[str, Callable[[Any, Any], Any]] = {
    "==": lambda a, b: float(a == b),
    "<": lambda a, b: float(a < b),
    ">": lambda a, b: float(a > b),
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "/": lambda a, b: a / b,
}


def lucene_expression(text: str, variables: Mapping[str, float]) -> np.float32:
    """Value of an expression, in double and then rounded to float, as scores are (Javascript.g4, JavascriptCompiler.java).

    Precedence is that of JavaScript; both branches of a condition are read, and one is computed.
    """
    tokens, place = [], 0
    while not tokens or tokens[-1] != "":
        match = _TOKEN.match(text, place)
        if match is None:
            raise Refused(f"{text[place:]!r} has no meaning in an expression")
        tokens.append(match[match.lastgroup or "end"])
        place = match.end()
    value, end = _condition(tokens, 0, variables)
    if tokens[end] != "":
        raise Refused(f"{tokens[end]!r} is not expected in the expression")
    return np.float32(value())


#: An expression that is read before it is computed.
_Later = Callable[[], float]


def _condition(tokens: list[str], place: int, variables: Mapping[str, float]) -> tuple[_Later, int]:
    test, place = _binary(tokens, place, variables, 0)
    if tokens[place] != "?":
        return test, place
    first, place = _condition(tokens, place + 1, variables)
    second, place = _condition(tokens, _expect(tokens, place, ":"), variables)
    return lambda: first() if test() else second(), place


def _binary(tokens: list[str], place: int, variables: Mapping[str, float], level: int) -> tuple[_Later, int]:
    if level == len(_LEVELS):
        return _operand(tokens, place, variables)
    left, place = _binary(tokens, place, variables, level + 1)
    while tokens[place] in _LEVELS[level]:
        operator = _OPERATORS[tokens[place]]
        right, place = _binary(tokens, place + 1, variables, level + 1)
        left = _applied(operator, left, right)
    return left, place


def _applied(operator: Callable[[Any, Any], Any], left: _Later, right: _Later) -> _Later:
    return lambda: operator(left(), right())


def _operand(tokens: list[str], place: int, variables: Mapping[str, float]) -> tuple[_Later, int]:
    token = tokens[place]
    if token == "(":
        value, place = _condition(tokens, place + 1, variables)
        return value, _expect(tokens, place, ")")
    if token[:1].isdigit():
        return lambda: float(token), place + 1
    if token and tokens[place + 1] == "(":
        if token not in _FUNCTIONS:
            raise Refused(f"there is no function {token!r}")
        argument, place = _condition(tokens, place + 2, variables)
        return lambda: _FUNCTIONS[token](argument()), _expect(tokens, place, ")")
    if token not in variables:
        raise Refused(f"the expression refers to the unknown feature {token!r}")
    return lambda: float(variables[token]), place + 1


def _expect(tokens: list[str], place: int, token: str) -> int:
    if tokens[place] != token:
        raise Refused(f"{token!r} is expected in the expression, not {tokens[place]!r}")
    return place + 1
