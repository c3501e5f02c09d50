"""Logged hits of search engines, and their collection into a feature matrix."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ....arrays import Ints
from ...errors import InputError
from ...io.files import half_of_memory
from ...strings import is_text

NAN = float("nan")

#: Maximum number of cached layouts; usually there is one.
_MAX_LAYOUTS = 256


class LoggedHit(NamedTuple):
    """A returned document and its features; NaN is a feature without a value."""

    qid: str
    docno: str
    names: tuple[str, ...]
    values: Sequence[float]


class HitCollector:
    """Collects hits with varying features; columns are features by name, in order of first appearance."""

    def __init__(self) -> None:
        self.columns: dict[str, int] = {}
        self.rows: dict[tuple[str, str], int] = {}
        self._layouts: dict[tuple[str, ...], array[int]] = {}
        # A part holds the features that one hit added to a row. The parts of a row form a linked list, the last one first.
        self._last_part = array("q")
        self._before = array("q")
        self._row = array("q")
        self._where: list[str] = []
        self._ends = array("q", [0])
        self._column = array("q")
        self._value = array("d")

    def add(self, hit: LoggedHit, where: str) -> None:
        """Add a hit; a repeated hit adds features to its row, and must not change their values."""
        columns, values = self._layout(hit, where), hit.values
        row = self.rows.setdefault((hit.qid, hit.docno), len(self.rows))
        if row == len(self._last_part):
            self._last_part.append(-1)
        else:
            columns, values = self._new_features(hit, columns, row, where)
            if not columns:
                return
        try:
            self._value.extend(values)
        except OverflowError:
            raise InputError(f"{_place(hit, where)} has a feature value that overflows float64; remove it") from None
        self._column.extend(columns)
        self._ends.append(len(self._column))
        self._row.append(row)
        self._where.append(where)
        self._before.append(self._last_part[row])
        self._last_part[row] = len(self._row) - 1

    def counts(self) -> tuple[Ints, Ints]:
        """Number of features of each row, and number of NaN among them."""
        rows = self._row_of_each_value()
        nan = np.isnan(np.array(self._value))
        return np.bincount(rows, minlength=len(self.rows)), np.bincount(rows[nan], minlength=len(self.rows))

    def matrix(self, absent: float) -> NDArray[np.float32]:
        """A row for each document, in single precision as in the engine, with `absent` for features not logged."""
        n_rows, n_features = len(self.rows), len(self.columns)
        if 4 * n_rows * n_features > half_of_memory():
            raise InputError(
                f"{self._where[0]}: {n_rows:,} documents of {n_features:,} features in all do not fit into memory"
            )
        X = np.full((n_rows, n_features), absent, np.float32)
        with np.errstate(over="ignore"):
            X[self._row_of_each_value(), np.array(self._column, np.int64)] = np.array(self._value)
        if np.isinf(X).any():
            row, column = np.argwhere(np.isinf(X))[0].tolist()
            raise InputError(
                f"{self.place(row)} has a feature that is infinite or beyond single precision, "
                f"{list(self.columns)[column]!r}; change how the engine computes it"
            )
        return X

    def place(self, row: int) -> str:
        """A row for messages: its first location, document and query."""
        qid, docno = list(self.rows)[row]
        return f"{self._where[self._parts(row)[-1]]}: {named(docno, qid)}"

    def _row_of_each_value(self) -> Ints:
        return np.repeat(np.array(self._row, np.int64), np.diff(self._ends))

    def _parts(self, row: int) -> list[int]:
        """The parts of a row, the last one first."""
        parts, part = [], self._last_part[row]
        while part >= 0:
            parts.append(part)
            part = self._before[part]
        return parts

    def _layout(self, hit: LoggedHit, where: str) -> array[int]:
        """Columns of a hit's features."""
        try:
            return self._layouts[hit.names]
        except (KeyError, TypeError):  # unhashable names are not strings
            pass
        for name in hit.names:
            if not isinstance(name, str) or not name or not is_text(name):
                raise InputError(f"{_place(hit, where)} has a feature named {shortened(name)}; a name must be a text")
        if len(set(hit.names)) < len(hit.names):
            repeated = next(name for name in hit.names if hit.names.count(name) > 1)
            raise InputError(f"{_place(hit, where)} has two features named {repeated!r}; every name must be unique")
        layout = array("q", [self.columns.setdefault(name, len(self.columns)) for name in hit.names])
        if len(self._layouts) == _MAX_LAYOUTS:  # every document might have its own features
            self._layouts.clear()
        self._layouts[hit.names] = layout
        return layout

    def _new_features(self, hit: LoggedHit, columns: array[int], row: int, where: str) -> tuple[array[int], Sequence[float]]:
        """The features of a hit that its row lacks; checks that the others have the same values."""
        known: dict[int, tuple[float, int]] = {}
        for part in self._parts(row):
            places = slice(*self._ends[part : part + 2])
            known.update(zip(self._column[places], [(value, part) for value in self._value[places]], strict=True))
        added: dict[int, float] = {}
        for name, column, value in zip(hit.names, columns, hit.values, strict=True):
            if column not in known:
                added[column] = value
                continue
            before, part = known[column]
            if before != value and not (before != before and value != value):  # two NaN are the same
                raise InputError(
                    f"{_place(hit, where)} has the feature {name!r} with the value {shortened(value)}, and "
                    f"{shortened(before)} at {self._where[part]}; keep one of the two"
                )
        return array("q", added), list(added.values())


def as_id(value: Any, what: str, where: str) -> str:
    """Id of a query or a document, from a string or an integer."""
    if type(value) is int:
        return str(value)
    if not isinstance(value, str) or not value:
        raise InputError(f"{where}: {what} must be a text or an integer, not {shortened(value)}")
    if not value.isascii() and not is_text(value):
        raise InputError(f"{where}: {what} has half of a surrogate pair, such as \\ud800; write whole characters")
    return value


def within(thing: Any, *keys: str) -> Any:
    """Value at a path of keys in nested objects; None if absent."""
    for key in keys:
        thing = thing.get(key) if isinstance(thing, dict) else None
    return thing


def named(docno: str, qid: str) -> str:
    """A document for messages."""
    return f"document {_shown(docno)} of query {_shown(qid)}"


def shortened(value: Any) -> str:
    """A value for messages."""
    try:
        text = repr(value)
    except (ValueError, RecursionError):  # an integer of thousands of digits, lists in lists in lists
        return f"a value too long to show ({type(value).__name__})"
    return text if len(text) <= 60 else text[:57] + "..."


def _place(hit: LoggedHit, where: str) -> str:
    return f"{where}: {named(hit.docno, hit.qid)}"


def _shown(name: str) -> str:
    return name if name.isprintable() else repr(name)
