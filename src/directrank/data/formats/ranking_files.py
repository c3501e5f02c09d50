"""Reading ranking data from files of any format: tables and LETOR text; one file, several, or a folder."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from ..column_roles import ColumnNames, ColumnRoles
from ..concatenation import concatenate
from ..errors import InputError
from ..io.files import PathLike, is_stream, read_bytes, several
from ..ranking_data import RankingData
from .file_format import Format, format_of_content, known_format
from .letor.reader import parse_letor
from .parquet.reader import read_parquet_columns
from .parquet.shard_set import check_shard_set
from .tables.reader import TableFile

if TYPE_CHECKING:
    import pyarrow as pa

#: Number of bytes by which the format of a file is recognised.
_START = 2**16


class RankingFiles(NamedTuple):
    """Ranking data, and the roles of the columns if it comes from tables.

    Attributes
    ----------
    data : RankingData
    roles : ColumnRoles or None
    kept : pyarrow.Table or None
        The columns of `ColumnNames.keep`, if there are any.
    """

    data: RankingData
    roles: ColumnRoles | None
    kept: pa.Table | None


def read_ranking_files(
    files: PathLike | Sequence[PathLike],
    names: ColumnNames | None = None,
    *,
    n_features: int | None = None,
    max_size: int | None = None,
) -> RankingFiles:
    """Read ranking data from one or more files, or folders of files.

    Parameters
    ----------
    files : path, or several
        All with the same features. The format goes by the extension, else by the content.
    names : ColumnNames, optional
        Columns of tables by role.
    n_features : int, optional
        Number of features of LETOR text, whose lines may omit the last ones.
    max_size : int, optional
        Maximum number of bytes to read from a file, after decompression.
    """
    wanted = names or ColumnNames()
    paths = [path for given in several(files) for path in listed_files(given)]
    parts = [_read(paths[0], wanted, n_features, max_size)]
    roles = parts[0].roles
    own = wanted if roles is None else roles.as_names()._replace(keep=wanted.keep)
    parts += [_read(path, own, n_features, max_size) for path in paths[1:]]
    return RankingFiles(concatenate([part.data for part in parts], paths), roles, _joined([part.kept for part in parts]))


def listed_files(path: PathLike) -> list[PathLike]:
    """The file, or the files of a folder in the order of their names, without hidden ones."""
    if not os.path.isdir(path):
        return [path]
    names = sorted(entry.name for entry in os.scandir(path) if entry.is_file() and entry.name[0] not in "._")
    found = [Path(path, name) for name in names if _holds_rows(Path(name))]
    if not found:
        raise InputError(f"{path}: no file in this folder has rows; name files such as .csv, .parquet or .txt")
    check_shard_set(os.fspath(path), [os.fspath(file) for file in found if file.suffix == ".parquet"], _opened)
    return list(found)


def _opened(path: str) -> Any:
    return open(path, "rb")


def _holds_rows(name: Path) -> bool:
    format = known_format(name)
    return name.name.removesuffix(".gz").endswith(".txt") if format is None else not format.is_trec


def _read(path: PathLike, names: ColumnNames, n_features: int | None, max_size: int | None) -> RankingFiles:
    """Read one file."""
    format = known_format(Path(path))
    if format is not None and format.is_trec:
        raise InputError(f"{path} is a TREC file by its name, not ranking data; join runs with judgments first")
    if format is Format.parquet and not is_stream(path):
        data, roles, _, kept = read_parquet_columns(path, names, max_size)
        return RankingFiles(data, roles, kept)
    text = read_bytes(path, max_size)
    format = format or format_of_content(text[:_START].tobytes())
    if format is Format.letor:
        if names.keep:
            raise InputError(f"{path} is LETOR text, which has no columns to keep besides the features; leave them out")
        return RankingFiles(parse_letor(path, text, n_features=n_features, max_size=max_size), None, None)
    if format is Format.parquet:
        data, roles, _, kept = read_parquet_columns(path, names, max_size, content=text)
        return RankingFiles(data, roles, kept)
    table = TableFile.parse(path, text, format, names)
    roles = table.roles(names)
    return RankingFiles(table.ranking_data(roles), roles, table.table.select(names.keep) if names.keep else None)


def _joined(tables: Sequence[pa.Table | None]) -> pa.Table | None:
    """Tables one after another."""
    import pyarrow as pa

    if tables[0] is None:
        return None
    return pa.concat_tables(tables, promote_options="permissive")
