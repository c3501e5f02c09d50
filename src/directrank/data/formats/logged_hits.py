"""What a search engine logs of a document that it returned, and collecting it into a matrix of features."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..bytes.files import half_of_memory
from ..errors import InputError
from ..strings import is_text

NAN = float("nan")


class LoggedHit(NamedTuple):
    """A document that was returned for a query, and its features; NaN marks one without a value."""

    qid: str
    docno: str
    names: tuple[str, ...]
    values: Sequence[float]


class HitCollector:
    """Hits one after another, each with whatever features it has; features are united by name, by first appearance."""

    def __init__(self) -> None:
        self.columns: dict[str, int] = {}
        self.rows: dict[tuple[str, str], int] = {}
        self._layouts: dict[tuple[str, ...], array[int]] = {}
        self._where: list[str] = []
        self._ends = array("q", [0])
        self._column = array("q")
        self._value = array("d")
        self.without_features: list[str] = []

    def add(self, hit: LoggedHit, where: str) -> None:
        """Add a hit; one that is there already must have the same features."""
        layout = self._layout(hit, where)
        first = self.rows.setdefault((hit.qid, hit.docno), len(self.rows))
        if first < len(self._where):
            self._refuse_other_features(hit, first, where)
            return
        try:
            self._value.extend(hit.values)
        except OverflowError:
            raise InputError(f"{_place(hit, where)} has a feature beyond any float; remove it") from None
        self._column.extend(layout)
        self._ends.append(len(self._column))
        self._where.append(where)
        if not layout:
            self.without_features.append(_place(hit, where))

    def matrix(self, absent: float) -> NDArray[np.float32]:
        """A row for each hit, in single precision as in the engine; `absent` is the value of features that a hit lacks."""
        n_rows, n_features = len(self.rows), len(self.columns)
        if 4 * n_rows * n_features > half_of_memory():
            raise InputError(
                f"{self._where[0]}: {n_rows:,} documents of {n_features:,} features in all do not fit into memory"
            )
        X = np.full((n_rows, n_features), absent, np.float32)
        rows = np.repeat(np.arange(n_rows), np.diff(self._ends))
        with np.errstate(over="ignore"):
            X[rows, np.array(self._column, np.int64)] = np.array(self._value)
        if np.isinf(X).any():
            row, column = np.argwhere(np.isinf(X))[0].tolist()
            qid, docno = list(self.rows)[row]
            raise InputError(
                f"{self._where[row]}: {named(docno, qid)} has a feature that is infinite or beyond single precision, "
                f"{list(self.columns)[column]!r}; change how the engine computes it"
            )
        return X

    def _layout(self, hit: LoggedHit, where: str) -> array[int]:
        """The columns of its features."""
        try:
            return self._layouts[hit.names]
        except (KeyError, TypeError):  # a name that cannot be hashed is no string either
            pass
        for name in hit.names:
            if not isinstance(name, str) or not name or not is_text(name):
                raise InputError(f"{_place(hit, where)} has a feature named {shortened(name)}; a name must be a text")
        if len(set(hit.names)) < len(hit.names):
            repeated = next(name for name in hit.names if hit.names.count(name) > 1)
            raise InputError(f"{_place(hit, where)} has two features named {repeated!r}; every name must be unique")
        layout = array("q", [self.columns.setdefault(name, len(self.columns)) for name in hit.names])
        self._layouts[hit.names] = layout
        return layout

    def _refuse_other_features(self, hit: LoggedHit, first: int, where: str) -> None:
        part = slice(*self._ends[first : first + 2])
        before = dict(zip(self._column[part], map(_or_none, self._value[part]), strict=True))
        now = dict(zip(self._layouts[hit.names], map(_or_none, hit.values), strict=True))
        if before != now:
            raise InputError(f"{_place(hit, where)} has other features than at {self._where[first]}; keep one of the two")


def as_id(value: Any, what: str, where: str) -> str:
    """The id of a query or a document: a text or an integer."""
    if type(value) is int:
        return str(value)
    if not isinstance(value, str) or not value:
        raise InputError(f"{where}: {what} must be a text or an integer, not {shortened(value)}")
    if not value.isascii() and not is_text(value):
        raise InputError(f"{where}: {what} has half of a surrogate pair, such as \\ud800; write whole characters")
    return value


def within(thing: Any, *keys: str) -> Any:
    """What is in an object of objects under these keys, one after another; None where there is no such thing."""
    for key in keys:
        thing = thing.get(key) if isinstance(thing, dict) else None
    return thing


def named(docno: str, qid: str) -> str:
    """A document as it may stand in a message."""
    return f"document {_shown(docno)} of query {_shown(qid)}"


def shortened(value: Any) -> str:
    """A value as it may stand in a message."""
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."


def _place(hit: LoggedHit, where: str) -> str:
    return f"{where}: {named(hit.docno, hit.qid)}"


def _shown(name: str) -> str:
    return name if name.isprintable() else repr(name)


def _or_none(value: float) -> float | None:
    return value if value == value else None
