"""Reading click logs from tables: CSV, TSV, JSON lines, Parquet and Arrow; one file, several, or a folder."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from ..data import InputError
from ..data.column_roles import (
    AUTO,
    DOCUMENT_NAMES,
    QUERY_NAMES,
    ColumnNames,
    check_columns_exist,
    check_unique,
    find_column,
    listed,
)
from ..data.formats.file_format import Format, format_of_content, known_format
from ..data.formats.parquet.footer import check_footer
from ..data.formats.ranking_files import listed_files
from ..data.formats.tables.delimited import check_numbers, read_header, row_line
from ..data.formats.tables.reader import TableFile
from ..data.io.files import Bytes, PathLike, is_stream, read_bytes, several
from .click_log import ClickLog
from .log_columns import LogRowError

if TYPE_CHECKING:
    import pyarrow as pa

#: Usual names of the columns of each role, in order of preference.
SESSION_NAMES = ("session", "session_id", "impression_id", "search_id")
RANK_NAMES = ("rank", "position", "pos")
CLICK_NAMES = ("click", "clicked", "clicks")
RANKER_NAMES = ("ranker", "variant", "bucket", "model")

#: Number of bytes that show the format of a file.
_START = 2**16


class LogNames(NamedTuple):
    """Columns of a click log; "auto" for a column that has a usual name, None for no ranker."""

    session: str | None = AUTO
    query: str | None = AUTO
    document: str | None = AUTO
    rank: str | None = AUTO
    click: str | None = AUTO
    ranker: str | None = None

    def found_in(self, columns: Sequence[str]) -> LogNames:
        """The names of the columns in a table."""
        check_unique(columns)
        taken = [name for name in self if name not in (None, AUTO)]
        check_columns_exist([name for name in taken if name is not None], columns)
        usual = (SESSION_NAMES, QUERY_NAMES, DOCUMENT_NAMES, RANK_NAMES, CLICK_NAMES, RANKER_NAMES)
        names = LogNames(*(find_column(columns, name, known, taken) for name, known in zip(self, usual, strict=True)))
        for role, given, name, known in zip(self._fields, self, names, usual, strict=True):
            if name is None and given is not None:
                what = f"no column is named {', '.join(known)}"
                raise InputError(f"{what}; name the column of the {role}, one of {listed(columns)}")
        twice = next((name for name in names if name is not None and names.count(name) > 1), None)
        if twice is not None:
            raise InputError(f"the column {twice!r} has two roles; name another column for one of them")
        return names

    @property
    def columns(self) -> list[str]:
        """The columns to read."""
        return [name for name in self if name is not None]

    def __str__(self) -> str:
        roles = zip(self._fields, self, strict=True)
        return "columns: " + ", ".join(f"{role} {name}" for role, name in roles if name is not None)


def read_click_log(
    path: PathLike | Sequence[PathLike],
    *,
    session: str = AUTO,
    query: str = AUTO,
    document: str = AUTO,
    rank: str = AUTO,
    click: str = AUTO,
    ranker: str | None = None,
) -> ClickLog:
    """Read a click log from a table with a row for each impression, in any order.

    Parameters
    ----------
    path : path, or several
        CSV, TSV, JSON lines (these also as .gz or .zst), Parquet or Arrow files, or folders of them, all with the same
        columns. Rows of a session may be in several files.
    session, query, document, rank, click : str
        Columns; "auto" for one with a usual name. A session with several queries counts as one session for each; ranks are
        counted from 1 or 0. The click may be any reward, a number of at least 0, such as ``click="dwell_ms"``.
    ranker : str, optional
        Column with the ranker, or variant of an experiment, that produced the ranking; "auto" for one with a usual name.

    Notes
    -----
    As in `RankingData.read`, documents are text, and queries of CSV and TSV are integers if all of them are written as such.

    Raises
    ------
    InputError
        A column is missing, or a row is wrong; the error names the file, the line and the session.
    """
    paths = [file for given in several(path) for file in listed_files(given)]
    names = LogNames(session, query, document, rank, click, ranker)
    first = _LogFile.read(paths[0], names)
    files = [first, *(_LogFile.read(file, first.names) for file in paths[1:])]
    sizes = [file.n_rows for file in files]
    sources, columns = [file.source for file in files], first.all_columns
    found = first.names
    roles = zip(found._fields, found, strict=True)
    arrays: list[Any] = [None if name is None else _joined(files, role, name) for role, name in roles]
    del files, first  # only their columns stay
    try:
        log = ClickLog.from_arrays(*arrays)
    except LogRowError as error:
        raise InputError(f"{_place(sources, sizes, error.row)}: {error.problem}") from error
    except InputError as error:
        raise InputError(f"{_shown(paths)}: {error}") from error
    except UnicodeDecodeError as error:
        raise InputError(f"{_shown(paths)}: a text is not UTF-8 ({error.reason}); convert the file first") from error
    return replace(log, notes=(str(found), *_ranker_note(found, columns), *log.notes))


class _Source(NamedTuple):
    """Where rows come from; the text is read again for a message, so that it need not be kept."""

    path: PathLike
    format: Format
    delimiter: str | None

    def place(self, row: int, n_rows: int) -> str:
        """File and line of a row; only the row of formats without lines, and of pipes."""
        if not is_stream(self.path):
            if self.delimiter is not None:
                return f"{self.path}:{row_line(read_bytes(self.path), self.delimiter, row)}"
            if self.format is Format.jsonl:
                lines = [i for i, line in enumerate(read_bytes(self.path).tobytes().split(b"\n"), 1) if line.strip()]
                if len(lines) == n_rows:
                    return f"{self.path}:{lines[row]}"
        return f"{self.path}: row {row + 1:,}"


class _LogFile(NamedTuple):
    """Columns of one file."""

    source: _Source
    names: LogNames
    table: pa.Table
    all_columns: Sequence[str]

    @property
    def n_rows(self) -> int:
        return int(self.table.num_rows)

    @classmethod
    def read(cls, path: PathLike, names: LogNames) -> _LogFile:
        text = read_bytes(path)
        format = known_format(Path(path)) or format_of_content(text[:_START].tobytes())
        if not format.is_table:
            raise InputError(f"{path}: a click log is a table with named columns, as CSV, TSV, JSON lines, Parquet or Arrow")
        if format in (Format.csv, Format.tsv):
            return _read_delimited(path, text, format, names)
        if format is Format.parquet:
            return _read_parquet(path, text, names)
        table = TableFile.parse(path, text, format, ColumnNames()).table
        found = _found(path, names, table.column_names)
        return cls(_Source(path, format, None), found, table.select(found.columns), table.column_names)


def _read_delimited(path: PathLike, text: Bytes, format: Format, names: LogNames) -> _LogFile:
    header, delimiter = read_header(path, text, "\t" if format is Format.tsv else None)
    found = _found(path, names, header)
    texts = [name for name in (found.session, found.ranker) if name is not None]
    numbers = [name for name in (found.rank, found.click) if name is not None]
    roles = ColumnNames(None, found.query, found.document, features=[], categorical=texts, keep=numbers)
    table = TableFile.parse(path, text, format, roles).table
    check_numbers(path, text, delimiter, table, numbers)
    return _LogFile(_Source(path, format, delimiter), found, table, header)


def _read_parquet(path: PathLike, text: Bytes, names: LogNames) -> _LogFile:
    """Read the columns of the log only: the file may have many others."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        file = pa.BufferReader(pa.py_buffer(text))
        check_footer(file)
        parquet = pq.ParquetFile(file, page_checksum_verification=True)
        columns = parquet.schema_arrow.names
        found = names.found_in(columns)
        return _LogFile(_Source(path, Format.parquet, None), found, parquet.read(found.columns), columns)
    except InputError as error:
        raise InputError(f"{path}: {error}") from error
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path}: not a Parquet file, or an incomplete one ({' '.join(str(error).split())})") from error


def _found(path: PathLike, names: LogNames, columns: Sequence[str]) -> LogNames:
    try:
        return names.found_in(columns)
    except InputError as error:
        raise InputError(f"{path}: {error}") from error


def _joined(files: Sequence[_LogFile], role: str, name: str) -> Any:
    """A column of all files. Documents are text; so are other identifiers if they are text in some file."""
    import pyarrow as pa

    columns = [file.table[name] for file in files]
    kinds = {column.type for column in columns}
    is_number = role in ("rank", "click")
    if len(kinds) > 1 or (role == "document" and pa.types.is_integer(columns[0].type)):
        kind = pa.float64() if is_number else pa.large_string()
        try:
            columns = [column.cast(kind) for column in columns]
        except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as error:
            found = " and ".join(sorted(map(str, kinds)))
            what = "numbers" if is_number else "text or integers"
            where = _shown([file.source.path for file in files])
            raise InputError(f"{where}: the column {name!r} holds {found}, not only {what}; correct it") from error
    return pa.chunked_array([chunk for column in columns for chunk in column.chunks], columns[0].type)


def _place(sources: Sequence[_Source], sizes: Sequence[int], row: int) -> str:
    """Place of a row of all files."""
    for source, size in zip(sources, sizes, strict=True):
        if row < size:
            return source.place(row, size)
        row -= size
    raise IndexError(row)


def _shown(paths: Sequence[PathLike]) -> str:
    return str(paths[0]) + (f" and {len(paths) - 1} more" if len(paths) > 1 else "")


def _ranker_note(names: LogNames, columns: Sequence[str]) -> list[str]:
    """A note on a column that may name rankers and was not read."""
    column = find_column(columns, AUTO, RANKER_NAMES, names.columns) if names.ranker is None else None
    said = f"column {column} was not read; give it as the ranker if it names the ranker of the page"
    return [] if column is None else [said]
