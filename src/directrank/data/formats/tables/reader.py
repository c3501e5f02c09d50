"""Tables whose columns have names: CSV, TSV, JSON lines and Arrow."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from ...arrow_columns import MissingValueError, columns_of
from ...column_roles import ColumnNames, ColumnRoles, find_roles, is_name_or_text
from ...errors import InputError, ValueInRowError
from ...io.files import Bytes, PathLike
from ...ranking_data import RankingData
from ..file_format import Format
from .delimited import check_numbers, parse_delimited, read_header, row_line
from .json_lines import parse_json

if TYPE_CHECKING:
    import pyarrow as pa


class TableFile(NamedTuple):
    """A table that was read from a file.

    Attributes
    ----------
    path : path
        Name of the file in messages.
    text : bytes
    table : pyarrow.Table
    delimiter : str or None
        Delimiter of CSV and TSV.
    not_parsed : list of str
        Columns of the file that are not in the table.
    """

    path: PathLike
    text: Bytes
    table: pa.Table
    delimiter: str | None
    not_parsed: Sequence[str] = ()

    @classmethod
    def parse(cls, path: PathLike, text: Bytes, format: Format, names: ColumnNames) -> TableFile:
        """Parse the content of a file."""
        if format in (Format.csv, Format.tsv):
            header, delimiter = read_header(path, text, "\t" if format is Format.tsv else None)
            table = parse_delimited(path, text, names, header, delimiter)
            return cls(path, text, table, delimiter, [name for name in header if name not in table.column_names])
        parse = parse_json if format is Format.jsonl else _parse_arrow
        return cls(path, text, parse(path, text), None)

    def place(self, row: int) -> str:
        """Place of a row for a message: the file and, for text, the line."""
        if self.delimiter is not None:
            return f"{self.path}:{row_line(self.text, self.delimiter, row)}"
        return f"{self.path}: row {row + 1:,}"

    def roles(self, names: ColumnNames) -> ColumnRoles:
        """Roles of the columns."""
        if self.delimiter is not None:
            check_numbers(self.path, self.text, self.delimiter, self.table, self._expected_numbers(names))
        try:
            roles = find_roles(self.table.schema, names)
        except InputError as error:
            raise InputError(f"{self.path}: {error}") from error
        return replace(roles, left_out=[*roles.left_out, *(n for n in self.not_parsed if n not in names.ignore)])

    def _expected_numbers(self, names: ColumnNames) -> list[str]:
        """Columns that hold labels or features, unless they hold text: not ids, texts and categories."""
        others = {*names.ignore, *names.categorical, *names.keep, names.qid, names.docno}
        named = {*(names.features or ()), names.label, names.weight}
        columns = [name for name in self.table.column_names if name not in others]
        return [name for name in columns if name in named or (names.features is None and not is_name_or_text(name))]

    def ranking_data(self, roles: ColumnRoles) -> RankingData:
        """The rows as ranking data."""
        try:
            return RankingData(**columns_of(self.table, roles)._asdict())
        except MissingValueError as error:
            raise InputError(f"{self.place(error.row)}: there is no {error.column!r} in this row; fill it in") from error
        except ValueInRowError as error:
            place, name = self.place(error.row), roles.name_of(error.column)
            raise InputError(f"{place}: column {name!r} holds {error.advice}") from error
        except InputError as error:
            raise type(error)(f"{self.path}: {error}") from error
        except UnicodeDecodeError as error:
            raise InputError(f"{self.path}: a text is not UTF-8 ({error.reason}); convert the file first") from error


def _parse_arrow(path: PathLike, text: Bytes) -> pa.Table:
    """Parse Arrow's file format (Feather) or its stream format."""
    import pyarrow as pa

    buffer = pa.py_buffer(text)
    try:
        try:
            table = pa.ipc.open_file(buffer).read_all()
        except pa.ArrowInvalid:
            table = pa.ipc.open_stream(buffer).read_all()
        table.validate(full=True)  # or values are read where a damaged file says that they are
        return table
    except (pa.ArrowException, OSError, ValueError) as error:
        raise InputError(f"{path}: not an Arrow file, or an incomplete one ({' '.join(str(error).split())})") from error
