"""Columns of a click log, checked: identifiers as codes, ranks and clicks as numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..arrays import Floats, Ints
from ..data import InputError
from ..data.arrow_columns import numbers_of
from ..data.checked_arrays import as_array
from ..data.column_roles import is_numeric, is_text as is_text_type
from ..data.strings import is_text

if TYPE_CHECKING:
    import pyarrow as pa

#: Largest rank: far beyond any result page, so that a column of times is not taken for ranks.
MAX_RANK = 1_000_000

#: The first integer that a neighbour may have been rounded to in double precision.
_FIRST_INEXACT = 2.0**53

#: Number of Python objects that are converted at a time.
_BLOCK = 2**18


class LogRowError(InputError):
    """A row that is not allowed; readers of files name its file and line instead.

    Attributes
    ----------
    row : int
        Row, from 0.
    problem : str
        What is wrong with it, and what to do.
    """

    def __init__(self, row: int, problem: str) -> None:
        super().__init__(f"row {row} (counted from 0): {problem}")
        self.row, self.problem = row, problem


class Identifiers(NamedTuple):
    """A column of identifiers.

    Attributes
    ----------
    codes : int64 array
        Number of the value of each row, by first appearance.
    values : object array
        The distinct values: all str, or all int.
    """

    codes: Ints
    values: NDArray[Any]


class LogColumns(NamedTuple):
    """Columns with a row for each impression, in any order.

    Attributes
    ----------
    session, query, docno : Identifiers
    rank : int64 array
        From 1.
    click : float64 array
    ranker : Identifiers or None
    notes : list of str
        What was assumed.
    """

    session: Identifiers
    query: Identifiers
    docno: Identifiers
    rank: Ints
    click: Floats
    ranker: Identifiers | None
    notes: list[str]

    @classmethod
    def of(cls, session: Any, query: Any, docno: Any, rank: Any, click: Any, ranker: Any) -> LogColumns:
        """Convert and check columns, each an array or an Arrow column."""
        _check_lengths({"session": session, "query": query, "docno": docno, "rank": rank, "click": click, "ranker": ranker})
        sessions = identifiers(session, "session")
        clicks = _clicks(numbers(click, "click"), sessions)
        ranks = _ranks(numbers(rank, "rank"), clicks, sessions)
        notes = []
        if ranks.min() == 0:
            ranks += 1
            notes.append("ranks were counted from 0")
        if np.all(clicks > 0):
            raise InputError(
                "the log has clicks only: without the documents that were shown and not clicked, nothing tells position "
                "from relevance; log every result shown"
            )
        names = None if ranker is None else identifiers(ranker, "ranker")
        return cls(sessions, identifiers(query, "query"), identifiers(docno, "document"), ranks, clicks, names, notes)

    def fail(self, row: int, problem: str) -> NoReturn:
        """Raise the error of a row, naming its session."""
        raise _row_error(row, self.session, problem)


def numbered(keys: Ints) -> tuple[Ints, Ints]:
    """Number of each key by first appearance, and the distinct keys."""
    import pyarrow as pa

    encoded = pa.array(keys).dictionary_encode()
    return _codes(encoded), np.from_dlpack(encoded.dictionary).astype(np.int64, copy=False)


def identifiers(column: Any, name: str) -> Identifiers:
    """A column of str or int as codes."""
    import pyarrow as pa
    import pyarrow.compute as pc

    arrow = column if isinstance(column, (pa.Array, pa.ChunkedArray)) else _as_arrow(column, name)
    arrow = pa.chunked_array([arrow]) if isinstance(arrow, pa.Array) else arrow
    if arrow.null_count:
        row = pc.index(arrow.is_null(), True).as_py()
        raise LogRowError(row, f"there is no {name}; fill it in, or remove the row")
    if pa.types.is_dictionary(arrow.type):
        return _of_dictionary(arrow, name)
    if pa.types.is_floating(arrow.type):
        arrow = _whole(arrow, name)
    if not (is_text_type(arrow.type) or pa.types.is_integer(arrow.type)):
        raise InputError(f"{name} holds {arrow.type}, not text or integers; pass identifiers")
    encoded = pc.dictionary_encode(arrow).combine_chunks()
    encoded = encoded.chunk(0) if isinstance(encoded, pa.ChunkedArray) else encoded
    values = np.empty(len(encoded.dictionary), object)
    values[:] = encoded.dictionary.to_pylist()
    return Identifiers(_codes(encoded), values)


def _of_dictionary(column: Any, name: str) -> Identifiers:
    """A dictionary column, whose dictionary may have values that are not used, or are there twice."""
    import pyarrow as pa

    if any(chunk.dictionary.null_count for chunk in column.chunks):
        return identifiers(column.cast(column.type.value_type), name)
    encoded = column.unify_dictionaries().combine_chunks()
    encoded = encoded.chunk(0) if isinstance(encoded, pa.ChunkedArray) else encoded
    codes, used = numbered(_codes(encoded))
    values = identifiers(encoded.dictionary.take(pa.array(used)), name)
    return Identifiers(values.codes[codes], values.values)


def numbers(column: Any, name: str) -> Floats:
    """A column of numbers, NaN where one is missing."""
    import pyarrow as pa

    if isinstance(column, pa.Array):
        column = pa.chunked_array([column])
    if isinstance(column, pa.ChunkedArray):
        if not (is_numeric(column.type) or pa.types.is_null(column.type)):
            example = next((f" ({value!r})" for value in column.slice(0, 1).to_pylist()), "")
            raise InputError(f"{name} holds {column.type}{example}, not numbers; name another column")
        return np.concatenate([numbers_of(chunk) for chunk in column.chunks] or [np.empty(0)]).astype(np.float64, copy=False)
    values: NDArray[Any] = as_array(column, name)
    if values.ndim != 1:
        raise InputError(f"{name} has {values.ndim} dimensions; it must have one value for each impression")
    if isinstance(column, np.ma.MaskedArray):
        values = np.where(np.ma.getmaskarray(column), np.nan, values)
    if values.dtype.kind == "O":
        values = np.array([None if _is_missing(value) else value for value in values.tolist()], object)
    if values.dtype.kind not in "biufOUT":
        raise InputError(f"{name} holds {values.dtype}, not numbers; pass numbers")
    try:
        return values.astype(np.float64, copy=False)
    except (TypeError, ValueError) as error:
        raise InputError(f"{name} must hold numbers: {error}") from error


def _check_lengths(columns: dict[str, Any]) -> None:
    try:
        sizes = {name: len(column) for name, column in columns.items() if column is not None}
    except TypeError as error:
        raise InputError(
            "session, query, docno, rank and click must be arrays with one value for each impression"
        ) from error
    n_rows = sizes["session"]
    other = next((name for name, size in sizes.items() if size != n_rows), None)
    if other is not None:
        raise InputError(f"session has {n_rows:,} rows and {other} has {sizes[other]:,}; pass columns of one length")
    if n_rows == 0:
        raise InputError("the log is empty; it needs a row for each document that was shown")


def _clicks(clicks: Floats, sessions: Identifiers) -> Floats:
    wrong = ~((clicks >= 0) & (clicks < np.inf))
    if wrong.any():
        row = int(np.argmax(wrong))
        value = clicks[row]
        if np.isnan(value):
            problem = "there is no click; write 0 for a document that was shown and not clicked"
        else:
            problem = f"click is {value:g}; a click or another reward is a finite number of at least 0"
        raise _row_error(row, sessions, problem)
    return clicks


def _ranks(ranks: Floats, clicks: Floats, sessions: Identifiers) -> Ints:
    with np.errstate(invalid="ignore"):
        wrong = ~((ranks >= 0) & (ranks <= MAX_RANK) & (ranks == np.floor(ranks)))
    if not wrong.any():
        return ranks.astype(np.int64)
    row = int(np.argmax(wrong))
    rank = ranks[row]
    if np.isnan(rank) and clicks[row] > 0:
        problem = "a click on a document that was not shown at any rank; log the rank where it was shown, or remove the row"
    elif np.isnan(rank):
        problem = "there is no rank; log the rank where the document was shown, or remove the row"
    elif rank > MAX_RANK:
        problem = f"rank is {rank:,.0f}, more than any result page has; name the column of ranks"
    else:
        problem = f"rank is {rank:g}; ranks are the integers from 1, or from 0"
    raise _row_error(row, sessions, problem)


def _row_error(row: int, sessions: Identifiers, problem: str) -> LogRowError:
    return LogRowError(row, f"session {sessions.values[sessions.codes[row]]}: {problem}")


def _codes(encoded: pa.DictionaryArray) -> Ints:
    return np.from_dlpack(encoded.indices).astype(np.int64)


def _as_arrow(column: ArrayLike, name: str) -> pa.ChunkedArray:
    """An array of identifiers as an Arrow column, missing ones as nulls."""
    import pyarrow as pa

    if isinstance(column, (list, tuple)) and not set(map(type, column)) <= {int, bool}:
        values = np.empty(len(column), object)
        values[:] = column
    else:
        values = as_array(column, name)
    if values.ndim != 1:
        raise InputError(f"{name} has {values.ndim} dimensions; it must have one value for each impression")
    if values.dtype.kind in "biuf":
        missing = np.isnan(values) if values.dtype.kind == "f" else None
        if isinstance(column, np.ma.MaskedArray):
            missing = np.ma.getmaskarray(column)
        return pa.chunked_array([pa.array(values, mask=missing)])
    if values.dtype.kind not in "OUT":
        raise InputError(f"{name} holds {values.dtype}, not text or integers; pass identifiers")
    starts = range(0, values.size, _BLOCK)
    blocks = [_text_or_integers(values[start : start + _BLOCK].tolist(), name, start) for start in starts]
    kinds = {block.type for block in blocks if not pa.types.is_null(block.type)}
    if len(kinds) > 1:
        raise InputError(f"{name} mixes text and integers; convert all of it to one of them")
    kind = next(iter(kinds), pa.null())
    return pa.chunked_array([block.cast(kind) for block in blocks], kind)


def _text_or_integers(values: list[Any], name: str, start: int) -> pa.Array:
    """Python objects as an Arrow array; `start` is the row of the first."""
    import pyarrow as pa

    kinds = set(map(type, values))
    if not all(issubclass(kind, str) for kind in kinds):
        values = [None if _is_missing(value) else value for value in values]
        kinds = set(map(type, values)) - {type(None)}
    if not kinds:
        return pa.nulls(len(values))
    try:
        if all(issubclass(kind, str) for kind in kinds):
            return pa.array(values, pa.large_string())
        if all(issubclass(kind, (int, np.integer)) and kind is not bool for kind in kinds):
            return pa.array(values, pa.int64())
    except UnicodeEncodeError as error:
        row = next(row for row, value in enumerate(values, start) if value is not None and not is_text(value))
        raise LogRowError(row, f"{name} has half of a surrogate pair, which is no text; correct it") from error
    except OverflowError as error:
        raise InputError(f"{name} has integers of 2^63 or more; pass them as text") from error
    found = " and ".join(sorted(kind.__name__ for kind in kinds))
    raise InputError(f"{name} holds {found}, not only text or only integers; convert all of it to one of them")


def _whole(column: Any, name: str) -> Any:
    """Identifiers that are integers in a column of floating-point numbers, as tables with missing values have."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if pc.all(pc.less(pc.abs(column), _FIRST_INEXACT)).as_py() and pc.all(pc.equal(pc.floor(column), column)).as_py():
        return column.cast(pa.int64())
    raise InputError(f"{name} holds fractions, or integers too large for a float; pass text or integers")


def _is_missing(value: Any) -> bool:
    """Whether a value is None, NaN, or pandas' NA, whose comparisons raise."""
    return value is None or type(value).__name__ in ("NAType", "NaTType") or (isinstance(value, float) and value != value)
