"""Feature stores of Solr's Learning to Rank module, as far as exports write them: queries, and functions of a query."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from .rows import ZERO, Row
from .strict import Refused, array, keys_of, read_json

_FILLED_IN = re.compile(r"\{!raw (?P<name>[0-9a-f]*)\}\$\{query\}")
_FUNCTION = re.compile(r"\{!func x='(?P<query>[^']*)'\}(?P<function>[^ ]*)", re.DOTALL)
_CALL = re.compile(r"(?P<name>[a-z]+)\(|(?P<number>[0-9.]+)|(?P<query>\$x)")

#: Functions of floats, computed in float but for ln, which is computed in double (ValueSourceParser.java).
_OF_FLOATS: dict[str, Any] = {
    "sum": lambda a, b: a + b,
    "product": lambda a, b: a * b,
    "sub": lambda a, b: a - b,
    "div": lambda a, b: a / b,
    "ln": lambda a: np.float32(np.log(np.float64(a))),
    "eq": lambda a, b: a == b,
}


def solr_features(body: str | Sequence[Any], rows: Sequence[Row]) -> list[dict[str, Any]]:
    """The features of rows from the body of `schema/feature-store`, whose queries were `filled_in`.

    A feature whose query does not match is missing. A function of a query matches every document; the query is 0 in it where
    it does not match (QueryValueSource.java), and a negative result or NaN becomes 0 (FunctionQuery.java).
    """
    scored: list[dict[str, Any]] = [{} for _ in rows]
    for feature in array(read_json(body), "the store"):  # type: ignore[arg-type]
        feature = keys_of(feature, "a feature", {"name", "class", "params"}, {"store"})
        if feature["class"] != "org.apache.solr.ltr.feature.SolrFeature":
            raise Refused(f"there is no class {feature['class']!r}")
        query = keys_of(feature["params"], "params", {"q"}, {"defaultValue"})["q"]
        for values, row in zip(scored, rows, strict=True):
            values[feature["name"]] = _score(query, row)
    return scored


def _score(text: str, row: Row) -> Any:
    match = _FUNCTION.fullmatch(text)
    if match is None:
        return _query(text, row)
    value, end = _value(match["function"], 0, _query(match["query"], row))
    if end != len(match["function"]):
        raise Refused(f"{match['function'][end:]!r} follows the function")
    return np.float32(value) if value > 0 else ZERO


def _query(text: str, row: Row) -> Any:
    """The score of a query, None where it does not match."""
    match = _FILLED_IN.fullmatch(text)
    if match is None:
        raise Refused(f"{text!r} is not a query that was filled in")
    value = row[bytes.fromhex(match["name"]).decode()]
    return None if value is None or np.isnan(value) else value


def _value(text: str, place: int, query: Any) -> tuple[Any, int]:
    """The value of the function that starts at a place, and the place after it."""
    match = _CALL.match(text, place)
    if match is None:
        raise Refused(f"{text[place:]!r} is no function")
    if match["number"]:
        return np.float32(match["number"]), match.end()
    if match["query"]:
        return query, match.end()
    arguments, place = [], match.end() - 1
    while text[place] != ")":
        value, place = _value(text, place + 1, query)
        arguments.append(value)
    name = match["name"]
    if name == "query":
        return (ZERO if query is None else np.float32(query)), place + 1
    if name == "exists":
        return query is not None, place + 1
    if name == "if":
        test, yes, no = arguments
        return (yes if test else no), place + 1
    with np.errstate(invalid="ignore", divide="ignore"):
        return _OF_FLOATS[name](*arguments), place + 1


def filled_in(body: str, source_of: Mapping[str, str]) -> list[Any]:
    """A feature store with ``{!raw NAME}`` for each query: NAME is that of the feature or its source, in hexadecimal."""
    features = array(read_json(body), "the store")
    for feature in features:
        name = source_of.get(feature["name"], feature["name"]).encode().hex()
        feature["params"]["q"] = re.sub(r"\{!FILL_IN[^}]*\}", f"{{!raw {name}}}", feature["params"]["q"])
    return features
