"""SQL that DuckDB, SQLite and PostgreSQL read: a view with a score for each row of a table of features."""

from __future__ import annotations

import re
import sqlite3
from collections import Counter
from contextlib import closing
from typing import Any

import numpy as np

from ...arrays import Floats
from ..errors import ModelError
from ..portable import Pieces, Portable, Term, WeightedSum
from .export_names import check_model_name, check_names
from .exported_model import Exported, as_parts_and_pieces, exported
from .notes import linear_notes, unnamed
from .plain_trees import PlainTree, plain_trees
from .threshold_rounding import exactly

#: Maximum nesting of CASE: SQLite's parser, before version 3.47, takes 20 levels.
NESTED = 14

#: SQLite refuses expressions nested deeper than 1,000.
MAX_DEPTH = 800

#: Number of terms of a bracketed block of a sum, for the same reason.
BLOCK = 200

_MANY_TERMS = (
    f"More than {BLOCK} terms are added in blocks: scores can differ in their last digits. A database takes seconds to plan "
    "hundreds of trees, and half a minute for a thousand; for models of that size another target is better."
)

#: The signed logarithm: x log(u) / (u - 1), where u is 1 + |x| as rounded, and two terms of its series for tiny x.
_LOGARITHM = (
    "CASE WHEN ABS({x}) < 1e-8 THEN {x} * (1e0 - ABS({x}) / 2e0) "
    "ELSE {x} * (LN(1e0 + ABS({x})) / (1e0 + ABS({x}) - 1e0)) END"
)

_NEEDS_LN = (
    "Logarithms need the function LN: DuckDB and PostgreSQL have it, and SQLite from 3.35 on if it was built with "
    "mathematical functions, as most are."
)

_LARGEST = "1.7976931348623157e+308"  # NaN is above it in DuckDB and PostgreSQL


def to_sql(model: Any, *, name: str = "model", store: str = "features", shift: bool = False) -> Exported:
    """Statements that make the view `name`: all columns of the table `store`, and ``score``.

    The columns of the table have the names of the features; NULL and NaN are missing values, and infinities, which
    `predict` refuses, have no defined score. All is in double precision, though SQLite before 3.47 can read a number one
    unit off in its last place.

    Parameters
    ----------
    model : Model, or a fitted learner
    name : str
        Name of the view.
    store : str
        Table or view with the features.
    shift : bool
        Whether to add a constant to the first tree so that no score is negative.
    """
    portable, (linear, trees), pieces = as_parts_and_pieces(model)
    table, view = _quoted(check_model_name(store)), _quoted(check_model_name(name))
    if table.casefold() == view.casefold():
        raise ModelError(f"the view cannot have the name of its table, {name!r}; give it another name (--name)")
    _check_names(list(portable.features.values()))
    columns = {column: f"{table}.{_quoted(name)}" for column, name in portable.features.items()}
    terms = [] if linear is None else _weighted(linear, columns)
    terms += [_piecewise(columns[part.column], part) for part in pieces]
    if trees is not None:
        plain = plain_trees(trees, exactly, max_depth=MAX_DEPTH, shift=shift and linear is None)
        terms += [_case(tree, columns) for tree in plain]
    many = _MANY_TERMS if trees is not None and len(terms) > BLOCK else None
    notes = (*linear_notes(linear, shift), _NEEDS_LN if linear is not None and np.any(linear.is_log) else None, many)
    select = f"SELECT {table}.*,\n  {_sum(terms)} AS score\nFROM {table};"
    script = f"BEGIN;\nDROP VIEW IF EXISTS {view};\nCREATE VIEW {view} AS\n{select}\nCOMMIT;\n"
    return exported(script, unnamed(portable), *notes)


def sql_scores(content: bytes, X: Any, portable: Portable) -> Floats:
    """Scores of an export by SQLite."""
    script = content.decode()
    view, table = (
        re.findall(pattern, script, re.MULTILINE)[-1] for pattern in (r'^CREATE VIEW (".*") AS$', r'^FROM (".*");$')
    )
    names = list(portable.features.values())
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.execute(f"CREATE TABLE {table} ({', '.join(f'{_quoted(name)} DOUBLE PRECISION' for name in names)})")
        marks = ", ".join("?" * len(names))
        used = X[:, list(portable.features)].astype(np.float64)
        connection.executemany(f"INSERT INTO {table} VALUES ({marks})", used.tolist())
        connection.executescript(script)
        try:
            rows = connection.execute(f"SELECT score FROM {view}").fetchall()
        except sqlite3.OperationalError as error:
            raise ModelError(f"SQLite cannot run the export ({error}); check it in another database") from error
    return np.array(rows, np.float64).reshape(-1)


def _check_names(names: list[str]) -> None:
    refused = "'score', which the view adds, and names of more than 63 bytes"
    check_names("SQL", names, r"(?!(?i:score)$).+", refused)
    check_names("SQL", [name for name in names if len(name.encode()) > 63], r"", refused)
    same = [name for name, count in Counter(name.casefold() for name in names).items() if count > 1]
    if same:
        raise ModelError(f"SQL takes two features for the same, {same[0]!r} but for its case; rename one")


def _weighted(model: WeightedSum, columns: dict[int, str]) -> list[str]:
    return [_literal(model.intercept), *(_term(columns[term.column], term) for term in model.terms)]


def _term(column: str, term: Term) -> str:
    """A term of a weighted sum."""
    if not (term.is_log or term.if_missing):
        return f"CASE WHEN {column} <= {_LARGEST} THEN {column} ELSE 0 END * {_literal(term.weight)}"
    value = _LOGARITHM.format(x=column) if term.is_log else column
    return f"CASE WHEN {column} <= {_LARGEST} THEN {value} * {_literal(term.weight)} ELSE {_literal(term.if_missing)} END"


def _piecewise(column: str, pieces: Pieces) -> str:
    """A piecewise-linear function of a column, as one CASE; 0 if it is missing."""
    knots, values, slopes = pieces.knots.tolist(), pieces.values.tolist(), pieces.slopes.tolist()
    inner = [
        f"WHEN {column} <= {_literal(end)} THEN {_literal(value)} + ({column} - {_literal(start)}) * {_literal(slope)}"
        for start, end, value, slope in zip(knots[:-1], knots[1:], values[:-1], slopes, strict=True)
    ]
    first = f"WHEN {column} <= {_literal(knots[0])} THEN {_literal(values[0])}"
    last = f"WHEN {column} <= {_LARGEST} THEN {_literal(values[-1])}"
    return f"CASE {' '.join([first, *inner, last])} ELSE 0e0 END"


def _case(tree: PlainTree, columns: dict[int, str]) -> str:
    nodes = tree.nodes()
    conditions = [_condition(columns[feature], threshold, missing) for feature, threshold, _, _, missing in nodes]
    values = [_literal(value) for value in tree.leaf_value.tolist()]
    sides = (tree.left.tolist(), tree.right.tolist())

    def nested(node: int, depth: int) -> str:
        if node < 0:
            return values[~node]
        if depth == NESTED:
            return _flat_case(node, sides, conditions, values)
        left, right = (nested(child, depth + 1) for child in nodes[node][2:4])
        return f"CASE WHEN {conditions[node]} THEN {left} ELSE {right} END"

    return f"CAST({nested(0 if nodes else ~0, 0)} AS DOUBLE PRECISION)"


def _flat_case(root: int, sides: tuple[list[int], list[int]], conditions: list[str], values: list[str]) -> str:
    """The subtree of a split as one CASE, with a WHEN for each leaf.

    Leaves are ordered from left to right. Rows that go left at a split match one of the leaves before its right subtree, so
    a leaf's condition contains only the splits that it is left of.
    """
    left, right = sides
    parts: list[str] = []
    waiting: list[tuple[int, tuple[str, ...]]] = [(root, ())]
    while waiting:
        node, left_of = waiting.pop()
        if node >= 0:
            waiting += [(right[node], left_of), (left[node], (*left_of, conditions[node]))]
        else:
            parts.append(f"WHEN {' AND '.join(left_of)} THEN {values[~node]}" if left_of else f"ELSE {values[~node]}")
    return f"CASE {' '.join(parts)} END"


def _condition(column: str, threshold: float, missing_left: bool) -> str:
    if missing_left:
        return f"({column} > {_literal(threshold)} AND {column} <= {_LARGEST}) IS NOT TRUE"
    return f"{column} <= {_literal(threshold)}"


def _sum(terms: list[str]) -> str:
    blocks = ["\n  + ".join(terms[first : first + BLOCK]) for first in range(0, len(terms), BLOCK)]
    return f"CAST({' + '.join(f'({block})' for block in blocks)} AS DOUBLE PRECISION)"


def _literal(number: float) -> str:
    """In brackets if negative, and with an exponent, without which DuckDB takes it for a decimal."""
    text = repr(number) if "e" in repr(number) else f"{number!r}e0"
    return f"({text})" if number < 0 else text


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
