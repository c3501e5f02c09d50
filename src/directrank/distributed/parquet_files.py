"""Parquet files as workers read them: a file is a shard."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..data import InputError
from ..data.column_roles import ColumnNames, ColumnRoles, find_roles
from ..data.formats.parquet.footer import check_footer
from ..data.formats.parquet.reader import read_parquet_file
from .parquet_listing import opened, stamp_of
from .shard import Shard


class Columns(NamedTuple):
    """Column names of a table.

    Attributes
    ----------
    label, qid, docno : str
    features : list of str, or None
        None for all columns that have no other use.
    extra : list of str
        Columns of numbers to keep beside the features.
    """

    label: str
    qid: str
    docno: str
    features: list[str] | None
    extra: list[str]

    @property
    def others(self) -> list[str]:
        """Columns that are no features."""
        return [self.label, self.qid, self.docno, *self.extra]

    def check(self) -> None:
        """Raise if a column is named for two uses."""
        named = [*self.others, *(self.features or [])]
        twice = next((name for name in named if named.count(name) > 1), None)
        if twice is not None:
            raise InputError(f"the column {twice!r} is named for two uses; name it once")


def read_shard(file: str, stamp: str, columns: Columns, expected: list[str], max_size: int | None) -> Shard | None:
    """Read a file as a shard, with its features in an expected order; None if it has no rows.

    It may be read again after a worker has died, and must be the same then.
    """
    with opened(file) as content:
        if stamp_of(file) != stamp:
            raise InputError(f"{file} has changed since it was listed; read the data anew")
        table = _metadata(content, file)
        if table.num_rows == 0:
            return None
        names = _roles(table, file, columns).as_names()
        data = read_parquet_file(content, file, names, max_size=max_size)
        kept = names._replace(features=columns.extra)
        extra = read_parquet_file(content, file, kept, max_size=max_size).X if columns.extra else None
    try:
        data = data.with_features(expected)
    except InputError as error:
        raise InputError(f"{file}: {error}") from error
    return Shard(file, data, {name: extra[:, j].astype(np.float64) for j, name in enumerate(columns.extra)})  # type: ignore[index]


def column_roles(file: str, columns: Columns) -> ColumnRoles:
    """Roles of the columns of a file."""
    with opened(file) as content:
        return _roles(_metadata(content, file), file, columns)


def _roles(metadata: Any, file: str, columns: Columns) -> ColumnRoles:
    schema = metadata.schema.to_arrow_schema()
    qid, docno = (name if name in schema.names else None for name in (columns.qid, columns.docno))
    extra = [name for name in columns.extra if name in schema.names]
    try:
        return find_roles(schema, ColumnNames(columns.label, qid, docno, None, columns.features, extra))
    except InputError as error:
        raise InputError(f"{file}: {error}") from error


def _metadata(content: Any, file: str) -> Any:
    """Metadata of an open Parquet file."""
    import pyarrow
    import pyarrow.parquet

    try:
        check_footer(content)
        return pyarrow.parquet.read_metadata(content)
    except InputError as error:
        raise InputError(f"{file}: {error}") from error
    except (pyarrow.ArrowException, ArithmeticError, UnicodeDecodeError) as error:
        raise InputError(f"{file}: not a Parquet file, or an incomplete one ({' '.join(str(error).split())})") from error
