"""Roles of a table's columns: label, query, document, weight, features; found by name and type, or given."""

from __future__ import annotations

import difflib
import json
import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from .errors import InputError

if TYPE_CHECKING:
    import pyarrow as pa

#: Usual names of the columns of each role, in order of preference. Case, spaces and hyphens do not matter.
LABEL_NAMES = ("label", "grade", "relevance", "rating", "judgment", "judgement", "rel", "click")
QUERY_NAMES = ("qid", "query_id", "queryid", "query", "topic")
DOCUMENT_NAMES = ("docno", "doc_id", "docid", "doc", "document_id", "document", "product_id", "item_id", "id")

#: Columns that describe a query or a document and are no features, even if they hold numbers.
_DESCRIPTIONS = ("title", "text", "url", "description", "body", "name", "query_text")

#: Index of a pandas frame: in Parquet, in CSV with and without a name.
_INDEX = re.compile(r"__index_level_\d+__|unnamed:_\d+|")

#: Value of a role whose column is found by its name.
AUTO = "auto"

#: Number of columns that messages list.
_N_SHOWN = 6


class ColumnNames(NamedTuple):
    """Columns of a table as the user names them.

    Attributes
    ----------
    label, qid, docno : str or None
        Columns of labels, queries and documents; "auto" for the column that has a usual name, None for no column.
    weight : str or None
        Column with the weight of each row's query.
    features : sequence of str or None
        Feature columns, in this order; by default all other columns of numbers.
    ignore : sequence of str
        Columns that are not features.
    categorical : sequence of str
        Feature columns whose values are categories.
    keep : sequence of str
        Columns to read beside all these, as they are.
    """

    label: str | None = AUTO
    qid: str | None = AUTO
    docno: str | None = AUTO
    weight: str | None = None
    features: Sequence[str] | None = None
    ignore: Sequence[str] = ()
    categorical: Sequence[str] = ()
    keep: Sequence[str] = ()

    def taken(self) -> set[str]:
        """Columns whose role is given."""
        named = [name for name in (self.label, self.qid, self.docno, self.weight) if name not in (None, AUTO)]
        return {*(name for name in named if name is not None), *self.categorical, *self.ignore, *(self.features or ())}


@dataclass(frozen=True)
class ColumnRoles:
    """Columns of a table by role.

    Attributes
    ----------
    label, qid, docno, weight : str or None
    features : list of str
        Numeric and categorical features.
    categorical : list of str
        The categorical ones among them.
    left_out : list of str
        Columns that are not read, except those in `ColumnNames.ignore`.
    numbers_left_out : list of str
        Columns of numbers among them, which are no features by their names.
    """

    label: str | None
    qid: str | None
    docno: str | None
    weight: str | None
    features: list[str]
    categorical: list[str] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)
    numbers_left_out: list[str] = field(default_factory=list)

    @property
    def others(self) -> list[str]:
        """Columns of label, query, document and weight."""
        return [name for name in (self.label, self.qid, self.docno, self.weight) if name is not None]

    @property
    def is_ours(self) -> bool:
        """Whether the columns are named as in tables that directrank writes, so that nothing was guessed."""
        named = (self.label in ("label", None), self.qid in ("qid", None), self.docno in ("docno", None))
        return all(named) and not self.left_out

    def name_of(self, column: int) -> str:
        """Name of a column of X, or of the labels for -1, as in `ValueInRowError`."""
        return str(self.label) if column < 0 else self.features[column]

    def as_names(self) -> ColumnNames:
        """Names that give another table the same roles."""
        return ColumnNames(self.label, self.qid, self.docno, self.weight, self.features, (), self.categorical)

    def __str__(self) -> str:
        """One line with the column of each role."""
        roles = {"label": self.label, "query": self.qid, "document": self.docno, "weight": self.weight}
        parts = [f"{role}: {shown(name)}" for role, name in roles.items() if name is not None]
        n = len(self.features)
        parts.append(f"{n:,} feature{'' if n == 1 else 's'}" + _suffix(" with categories in ", self.categorical))
        return ", ".join(parts) + _suffix("; left out: ", self.left_out)


def find_roles(schema: pa.Schema, names: ColumnNames) -> ColumnRoles:
    """Roles of the columns of a table.

    A column of text, dates or nested values is left out unless it is named. So is a column whose name is usual for a role
    whose column was not given: ``click`` beside ``rating`` may leak the label into the features.

    Raises
    ------
    InputError
        A column that is named does not exist, has two roles, or is not numeric.
    """
    columns = schema.names
    check_unique(columns)
    check_named(names, columns)
    chosen = None if names.features is None else list(names.features)
    taken = names.taken()
    roles = ((names.label, LABEL_NAMES), (names.qid, QUERY_NAMES), (names.docno, DOCUMENT_NAMES))
    label, qid, docno = (find_column(columns, given, usual, taken) for given, usual in roles)
    others = [name for name in (label, qid, docno, names.weight) if name is not None]
    _check_one_role(others, [*(chosen or ()), *names.categorical, *names.ignore])
    if chosen is None:
        free = [name for name in columns if name not in (*others, *names.ignore)]
        reserved = {name for given, usual in roles if given in (AUTO, None) for name in usual}
        chosen = [name for name in free if name in names.categorical or _is_feature(schema, name, reserved)]
    chosen += [name for name in names.categorical if name not in chosen]
    for name in [name for name in chosen if name not in names.categorical]:
        check_numeric(schema, name)
    left_out = [name for name in columns if name not in {*others, *chosen, *names.ignore, *names.keep}]
    absent = {name for given, usual in roles if given is None for name in usual}
    guessed = [name for name in left_out if names.features is None and _normalised(name) not in absent]
    numbers = [name for name in guessed if is_numeric(schema.field(name).type)]
    return ColumnRoles(label, qid, docno, names.weight, chosen, list(names.categorical), left_out, numbers)


def find_column(columns: Sequence[str], given: str | None, usual: Sequence[str], taken: Collection[str] = ()) -> str | None:
    """Column of a role: the one given; for "auto" the first with a usual name that is not taken by another role."""
    if given is None:
        return None
    if given != AUTO or given in columns:
        check_columns_exist([given], columns)
        return given
    free = {_normalised(name): name for name in reversed(columns) if name not in taken}
    return next((free[name] for name in usual if name in free), None)


def check_columns_exist(wanted: Sequence[str], columns: Sequence[str]) -> None:
    """Raise an `InputError` that names the columns that do not exist, and those that may be meant."""
    missing = [name for name in wanted if name not in columns]
    if not missing:
        return
    others = [name for name in columns if name not in wanted]
    near = difflib.get_close_matches(missing[0], others, 1)
    advice = f"did you mean {near[0]!r}?" if near else f"the {'other ' * (len(wanted) > 1)}columns are {listed(others)}"
    if len(missing) == 1:
        raise InputError(f"there is no column {missing[0]!r}; {advice}")
    raise InputError(f"there are no columns {listed([repr(name) for name in missing])}; {advice}")


def check_numeric(schema: pa.Schema, name: str) -> None:
    """Raise an `InputError` for a column that holds no numbers; one without any value holds missing numbers."""
    kind = schema.field(name).type
    if str(kind) != "null" and not is_numeric(kind):
        advice = "leave it out, or name it as categorical" if is_text(kind) else "leave it out"
        raise InputError(f"column {name!r} holds {kind}, not numbers; {advice}")


def is_name_or_text(column: str) -> bool:
    """Whether a column has the usual name of one that identifies or describes a query or a document."""
    return _normalised(column) in (*QUERY_NAMES, *DOCUMENT_NAMES, *_DESCRIPTIONS)


def is_numeric(kind: Any) -> bool:
    """Whether an Arrow type holds numbers or truth values."""
    import pyarrow as pa

    tests = (pa.types.is_integer, pa.types.is_floating, pa.types.is_boolean, pa.types.is_decimal)
    return any(test(kind) for test in tests)


def is_text(kind: Any) -> bool:
    """Whether an Arrow type holds text, or categories of text."""
    return str(getattr(kind, "value_type", kind)) in ("string", "large_string", "string_view")


def listed(names: Sequence[str]) -> str:
    """The first few columns, for a message."""
    more = f" and {len(names) - _N_SHOWN} more" if len(names) > _N_SHOWN else ""
    return ", ".join(shown(name) for name in names[:_N_SHOWN]) + more


def shown(name: str) -> str:
    """The name of a column in one line of a message."""
    return (name if name.isprintable() else repr(name)) or "(no name)"


def _suffix(words: str, names: Sequence[str]) -> str:
    return words + listed(names) if names else ""


def _is_feature(schema: pa.Schema, name: str, reserved: Collection[str]) -> bool:
    """Whether a column that nobody named is a feature; `reserved` are names of other roles."""
    known, kind = _normalised(name), schema.field(name).type
    is_index = _INDEX.fullmatch(known) is not None or name in _pandas_index(schema)
    return known not in (*reserved, *_DESCRIPTIONS) and not is_index and (is_numeric(kind) or str(kind) == "null")


def _pandas_index(schema: pa.Schema) -> list[str]:
    """Columns with the index of a pandas frame, by pandas' metadata."""
    try:
        stored = json.loads((schema.metadata or {}).get(b"pandas", b"{}")).get("index_columns", [])
    except (ValueError, RecursionError, AttributeError):
        return []
    return [name for name in stored if isinstance(name, str)] if isinstance(stored, list) else []


def _normalised(name: str) -> str:
    return re.sub(r"[\s-]+", "_", name.strip().lower())


def check_unique(columns: Sequence[str]) -> None:
    """Raise an `InputError` if two columns have the same name."""
    if len(set(columns)) < len(columns):
        raise InputError(f"two columns are named {next(n for n in columns if columns.count(n) > 1)!r}; rename one of them")


def check_named(names: ColumnNames, columns: Sequence[str]) -> None:
    """Raise an `InputError` if a column that is named does not exist."""
    check_columns_exist([*(names.features or ()), *names.categorical, *names.ignore], columns)
    check_columns_exist([*([names.weight] if names.weight else ()), *names.keep], columns)


def _check_one_role(others: Sequence[str], features: Sequence[str]) -> None:
    for name in others:
        if name in features:
            raise InputError(
                f"the column {name!r} is not a feature: it holds the label, query, document or weight; leave it out"
            )
        if others.count(name) > 1:
            raise InputError(f"the column {name!r} has two roles; name another column for one of them")
