"""CSV and TSV text as Arrow tables."""

from __future__ import annotations

import csv
import io
import re
import warnings
from collections.abc import Sequence
from typing import TYPE_CHECKING

from ...arrow_columns import with_integer_ids
from ...column_roles import (
    DOCUMENT_NAMES,
    LABEL_NAMES,
    QUERY_NAMES,
    ColumnNames,
    check_named,
    check_unique,
    find_column,
    is_text,
    listed,
)
from ...errors import InputError, InputWarning
from ...io.files import Bytes, PathLike
from ...parsing.lines import check_utf8, line_number

if TYPE_CHECKING:
    import pyarrow as pa

_QUOTE = re.compile(b'"')

#: Delimiters of CSV files, by preference where they divide the header into as many cells.
_DELIMITERS = ",;\t|"

#: Cells that hold no value, beside those that pyarrow knows.
_NO_VALUE = ("None", "none", "NONE", "?", "\\N", "-")

#: Maximum number of bytes that pyarrow parses at a time, in which a row must end.
_LARGEST_BLOCK = 2**31 - 1

#: Number of bytes in which the header must end.
_LONGEST_HEADER = 2**20

#: Cells that hold a number; a column of text with few other cells is a column of numbers with mistakes.
_NUMBER = r"^\s*[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?\s*$"
_MAX_SHARE_OF_TEXT = 0.1

#: Cells that hold a number with a decimal comma, as many spreadsheets write them.
_COMMA_NUMBER = r"^\s*[-+]?\d+(,\d+)?([eE][-+]?\d+)?\s*$"

_ROW = re.compile(r"Row #(\d+): (.*)")


def parse_delimited(path: PathLike, text: Bytes, names: ColumnNames, header: Sequence[str], delimiter: str) -> pa.Table:
    """Parse CSV or TSV text whose first line names the columns.

    Query and document ids are text, so that 007 keeps its zeros; the types of other columns are inferred from all their
    values.

    Parameters
    ----------
    path : path
        Name of the file in messages.
    text : bytes
    names : ColumnNames
        Only the columns of these roles are parsed if all features are named.
    header : sequence of str
        Names of the columns; see `read_header`.
    delimiter : str
    """
    import pyarrow as pa
    import pyarrow.csv

    try:
        check_named(names, header)
        ids = _id_columns(header, names)
        wanted = _wanted(header, names, ids)
    except InputError as error:
        raise InputError(f"{path}: {error}") from error
    parse = pa.csv.ParseOptions(delimiter=delimiter, newlines_in_values=_QUOTE.search(text.data) is not None)
    convert = pa.csv.ConvertOptions(
        column_types=dict.fromkeys(ids, pa.string()),
        null_values=[*pa.csv.ConvertOptions().null_values, *_NO_VALUE],
        include_columns=wanted,
    )
    table = _read(path, text, parse, convert)
    if delimiter != "," and (commas := _with_decimal_commas(table, [*ids, *names.ignore], convert.null_values)):
        convert.decimal_point = ","
        table = _with_all_numbers(path, table, _read(path, text, parse, convert), commas)
    return _with_ids(table, ids, find_column(header, names.qid, QUERY_NAMES, names.taken()))


def _read(path: PathLike, text: Bytes, parse: pa.csv.ParseOptions, convert: pa.csv.ConvertOptions) -> pa.Table:
    import pyarrow as pa

    try:
        return _read_blocks(text, parse, convert)
    except (pa.ArrowException, UnicodeDecodeError, OSError) as error:
        raise _located(path, text, parse, error) from error


def _read_blocks(
    text: Bytes, parse: pa.csv.ParseOptions, convert: pa.csv.ConvertOptions | None = None, *, use_threads: bool = True
) -> pa.Table:
    """Parse in blocks of pyarrow's default size; in the largest ones if a row does not fit into a block."""
    import pyarrow as pa
    import pyarrow.csv

    source, options = pa.py_buffer(text), pa.csv.ReadOptions(use_threads=use_threads)
    try:
        return pa.csv.read_csv(pa.BufferReader(source), options, parse, convert)
    except pa.ArrowInvalid as error:
        if "straddling" not in str(error):
            raise
    options.block_size = _LARGEST_BLOCK
    return pa.csv.read_csv(pa.BufferReader(source), options, parse, convert)


def _with_ids(table: pa.Table, ids: Sequence[str], qid: str | None) -> pa.Table:
    """The table with ids that are texts such as null, which may be a query; only an empty cell is none."""
    import pyarrow.compute as pc

    for name in ids:
        texts = pc.if_else(pc.equal(table[name], ""), None, table[name])
        table = table.set_column(table.schema.get_field_index(name), name, texts)
    return table if qid is None else with_integer_ids(table, qid)


def _with_decimal_commas(table: pa.Table, others: Sequence[str], missing: Sequence[str]) -> list[str]:
    """Columns of numbers such as 1,5; `missing` are cells without a value."""
    import pyarrow as pa
    import pyarrow.compute as pc

    def are_numbers(cells: pa.ChunkedArray) -> bool:
        is_number = pc.match_substring_regex(cells, _COMMA_NUMBER)
        return bool(pc.all(pc.or_(is_number, pc.is_in(cells, value_set=pa.array(missing)))).as_py())

    texts = [name for name in table.column_names if name not in others and is_text(table[name].type)]
    return [name for name in texts if are_numbers(table[name])]


def _with_all_numbers(path: PathLike, points: pa.Table, commas: pa.Table, columns: Sequence[str]) -> pa.Table:
    """The table that was read with decimal commas, if it has all numbers of the one read with decimal points."""
    lost = [name for name in points.column_names if is_text(commas[name].type) and not is_text(points[name].type)]
    if lost:
        raise InputError(
            f"{path}: numbers have decimal commas in column {columns[0]!r} and points in {lost[0]!r}; write one"
        )
    warnings.warn(
        f"{path}: numbers with decimal commas, such as 1,5 for 1.5, in {listed(columns)}", InputWarning, stacklevel=3
    )
    return commas


def read_header(path: PathLike, text: Bytes, delimiter: str | None = None) -> tuple[list[str], str]:
    """Names of the columns, and the delimiter: by default the one that divides them into most cells."""
    start = text[:_LONGEST_HEADER].tobytes()
    try:
        lines = start.decode("utf-8", "strict" if text.size <= _LONGEST_HEADER else "ignore")
    except UnicodeDecodeError as error:
        raise _not_utf8(path, text, error.start) from error
    lines = lines.lstrip("\r\n")
    if not lines.strip():
        raise InputError(f"{path}: the file is empty; its first line must name the columns")
    try:
        rows = {each: next(csv.reader(io.StringIO(lines, newline=""), delimiter=each)) for each in delimiter or _DELIMITERS}
    except csv.Error as error:
        raise InputError(
            f"{path}:1: the names of the columns do not end ({error}); check for a quote that is not closed"
        ) from error
    found = max(rows, key=lambda each: len(rows[each]))
    names = rows[found]
    try:
        check_unique(names)
    except InputError as error:
        raise InputError(f"{path}:1: {error}") from error
    if all(re.fullmatch(r"\s*[-+]?[.\d][\d.eE+-]*\s*", name) for name in names):
        raise InputError(
            f"{path}:1: the first line must name the columns, and it holds numbers; add a line such as query,docid"
        )
    return names, found


def row_line(text: Bytes, delimiter: str, row: int) -> int:
    """Line of the file on which a row starts; rows of several lines and blank lines are counted."""
    lines = io.StringIO(text.tobytes().decode("utf-8", "replace"), newline="")
    reader, before = csv.reader(lines, delimiter=delimiter), 0
    found = -1
    for cells in reader:
        if cells:
            if found == row:
                return before + 1
            found += 1
        before = reader.line_num
    return before


def _id_columns(header: Sequence[str], names: ColumnNames) -> list[str]:
    """Columns of queries and documents."""
    taken = names.taken()
    found = (
        find_column(header, given, usual, taken)
        for given, usual in ((names.qid, QUERY_NAMES), (names.docno, DOCUMENT_NAMES))
    )
    return [*(name for name in found if name is not None), *(name for name in names.categorical if name in header)]


def _wanted(header: Sequence[str], names: ColumnNames, ids: list[str]) -> list[str] | None:
    """Columns to parse; None for all of them."""
    if names.features is None or len(set(header)) < len(header):
        return None
    label = find_column(header, names.label, LABEL_NAMES, {*names.features, *ids})
    wanted = {*ids, *names.features, *names.keep, label, names.weight}
    return [name for name in header if name in wanted]


def _located(path: PathLike, text: Bytes, parse: pa.csv.ParseOptions, error: Exception) -> InputError:
    """Error that names the line, which pyarrow knows if it parses with one thread."""
    import pyarrow as pa

    try:
        _read_blocks(text, parse, use_threads=False)
    except pa.ArrowException as again:
        error = again
    said = " ".join(str(error).split()).removeprefix("CSV parse error: ")
    found = _ROW.fullmatch(said)
    if found is not None:
        line = row_line(text, parse.delimiter, int(found[1]) - 2)
        what = found[2].partition(": ")[0].replace("Expected", "expected").replace(", got", ", found")
        return InputError(f"{path}:{line}: {what}; check for a delimiter within a cell, which needs quotes")
    try:
        check_utf8(path, text)
    except InputError as wrong:
        return wrong
    return InputError(f"{path}: the file cannot be read as CSV ({said})")


def _not_utf8(path: PathLike, text: Bytes, at: int) -> InputError:
    return InputError(f"{path}:{line_number(text, at)}: this line is not UTF-8 text; convert the file first")


def check_numbers(path: PathLike, text: Bytes, delimiter: str, table: pa.Table, columns: Sequence[str]) -> None:
    """Raise an `InputError`, with its line, for the first text in a column that otherwise holds numbers."""
    import pyarrow as pa
    import pyarrow.compute as pc

    for name in columns:
        if not is_text(table[name].type):
            continue
        is_number = pc.fill_null(pc.match_substring_regex(table[name], _NUMBER), True)
        n_texts = table.num_rows - (pc.sum(pc.cast(is_number, pa.int64())).as_py() or 0)
        if 0 < n_texts <= _MAX_SHARE_OF_TEXT * table.num_rows:
            row = pc.index(is_number, False).as_py()
            value, line = table[name][row].as_py(), row_line(text, delimiter, row)
            advice = f"correct the cell, or leave the column out (ignore, --ignore {name})"
            raise InputError(f"{path}:{line}: column {name!r} holds numbers, but {value[:40]!r} here; {advice}")
