"""Writing ranking data in any format."""

from __future__ import annotations

from pathlib import Path

from ..errors import InputError
from ..io.files import PathLike
from ..ranking_data import RankingData
from .file_format import Format, format_of
from .letor.writer import write_letor
from .parquet.writer import write_parquet
from .tables.writer import write_rows


def write_ranking_data(path: PathLike, data: RankingData, format: Format | None = None) -> None:
    """Write ranking data in a format, by default that of the file's extension; LETOR text for other extensions.

    Tables have the columns label, qid, docno and weight, where present, and a column for each feature.
    """
    format = format or format_of(Path(path))
    if format.is_trec:
        raise InputError(f"{path} is a TREC file by its name, and ranking data has features; name it .csv, .parquet or .txt")
    if format is Format.parquet:
        write_parquet(path, data)
    elif format.is_table:
        write_rows(path, data, format)
    else:
        write_letor(path, data)
