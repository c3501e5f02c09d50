"""CSV and TSV text as Arrow tables."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from ...arrow_columns import with_integer_ids
from ...column_roles import DOCUMENT_NAMES, LABEL_NAMES, QUERY_NAMES, ColumnNames, check_unique, find_column, is_text
from ...errors import InputError
from ...io.files import Bytes, PathLike
from ...parsing.lines import check_utf8, line_number

if TYPE_CHECKING:
    import pyarrow as pa

_QUOTE, _NEWLINE = 34, 10

#: Delimiters of CSV files, by preference where they divide the header into as many cells.
_DELIMITERS = ",;\t|"

#: Cells that hold no value, beside those that pyarrow knows.
_NO_VALUE = ("None", "none", "NONE", "?", "\\N", "-")

#: Number of bytes in which the header must end.
_LONGEST_HEADER = 2**20

#: Cells that hold a number; a column of text with few other cells is a column of numbers with mistakes.
_NUMBER = r"^\s*[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?\s*$"
_MAX_SHARE_OF_TEXT = 0.1

_ROW = re.compile(r"Row #(\d+): (.*)")


def parse_delimited(path: PathLike, text: Bytes, names: ColumnNames, delimiter: str | None = None) -> pa.Table:
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
    delimiter : str, optional
        By default the one that divides the header into most cells.
    """
    import pyarrow as pa
    import pyarrow.compute
    import pyarrow.csv

    header, delimiter = read_header(path, text, delimiter)
    ids = _id_columns(header, names)
    parse = pa.csv.ParseOptions(delimiter=delimiter, newlines_in_values=bool(np.any(text == _QUOTE)))
    convert = pa.csv.ConvertOptions(
        column_types=dict.fromkeys(ids, pa.string()),
        null_values=[*pa.csv.ConvertOptions().null_values, *_NO_VALUE],
        include_columns=_wanted(header, names, ids),
    )
    try:
        table = pa.csv.read_csv(pa.BufferReader(pa.py_buffer(text)), parse_options=parse, convert_options=convert)
    except (pa.ArrowException, UnicodeDecodeError, OSError) as error:
        raise _located(path, text, parse, error) from error
    for name in ids:  # a text such as null may be a query; only an empty cell is none
        texts = pa.compute.if_else(pa.compute.equal(table[name], ""), None, table[name])
        table = table.set_column(table.schema.get_field_index(name), name, texts)
    qid = find_column(header, names.qid, QUERY_NAMES, names.taken())
    return table if qid is None else with_integer_ids(table, qid)


def read_header(path: PathLike, text: Bytes, delimiter: str | None = None) -> tuple[list[str], str]:
    """Names of the columns, and the delimiter."""
    start = text[:_LONGEST_HEADER].tobytes()
    try:
        lines = start.decode("utf-8", "strict" if text.size <= _LONGEST_HEADER else "ignore")
    except UnicodeDecodeError as error:
        raise _not_utf8(path, text, error.start) from error
    lines = lines.lstrip("\r\n")
    if not lines.strip():
        raise InputError(f"{path}: the file is empty; its first line must name the columns")
    rows = {each: next(csv.reader(io.StringIO(lines, newline=""), delimiter=each)) for each in delimiter or _DELIMITERS}
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
    import pyarrow.csv

    try:
        pa.csv.read_csv(
            pa.BufferReader(pa.py_buffer(text)), parse_options=parse, read_options=pa.csv.ReadOptions(use_threads=False)
        )
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
        n_texts = table.num_rows - pc.sum(pc.cast(is_number, pa.int64())).as_py()
        if 0 < n_texts <= _MAX_SHARE_OF_TEXT * table.num_rows:
            row = pc.index(is_number, False).as_py()
            value, line = table[name][row].as_py(), row_line(text, delimiter, row)
            advice = f"correct the cell, or leave the column out (ignore, --ignore {name})"
            raise InputError(f"{path}:{line}: column {name!r} holds numbers, but {value[:40]!r} here; {advice}")
