"""Writing tables: CSV, TSV, JSON lines, Parquet and Arrow."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import IO, TYPE_CHECKING

from ...io.files import PathLike, replacing
from ...ranking_data import RankingData
from ..file_format import Format
from ..parquet.writer import column_names, table_of

if TYPE_CHECKING:
    import pyarrow as pa

#: Number of rows that are converted at a time.
_BLOCK = 2**16


def write_rows(path: PathLike, data: RankingData, format: Format) -> None:
    """Write ranking data as a table: label, qid, docno, weight and a column for each feature (f1, f2, ... if unnamed)."""
    names = column_names(data)
    step = max(1, min(_BLOCK, 2**24 // data.n_features))
    blocks = (table_of(data, slice(start, start + step), names) for start in range(0, len(data), step))
    write_tables(path, blocks, format)


def write_table(path: PathLike, table: pa.Table, format: Format) -> None:
    """Write a table."""
    write_tables(path, iter([table]), format)


def write_tables(path: PathLike, blocks: Iterator[pa.Table], format: Format) -> None:
    """Write the blocks of a table, one after another."""
    writers = {Format.csv: _write_csv, Format.tsv: _write_csv, Format.jsonl: _write_json, Format.arrow: _write_arrow}
    write = writers.get(format, _write_parquet)
    with replacing(path) as file:
        write(file, blocks, format)


def _write_csv(file: IO[bytes], blocks: Iterator[pa.Table], format: Format) -> None:
    import pyarrow.csv

    delimiter = "\t" if format is Format.tsv else ","
    for number, block in enumerate(blocks):
        options = pyarrow.csv.WriteOptions(include_header=number == 0, delimiter=delimiter, quoting_style="needed")
        pyarrow.csv.write_csv(_without_nan(block), file, options)


def _write_json(file: IO[bytes], blocks: Iterator[pa.Table], format: Format) -> None:
    for block in blocks:
        rows = _without_nan(block).to_pylist()
        file.write("".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows).encode())


def _write_arrow(file: IO[bytes], blocks: Iterator[pa.Table], format: Format) -> None:
    import pyarrow as pa

    first = next(blocks)
    with pa.ipc.new_file(file, first.schema) as writer:
        for block in (first, *blocks):
            writer.write_table(block)


def _write_parquet(file: IO[bytes], blocks: Iterator[pa.Table], format: Format) -> None:
    import pyarrow.parquet

    first = next(blocks)
    with pyarrow.parquet.ParquetWriter(file, first.schema, write_page_checksum=True) as writer:
        for block in (first, *blocks):
            writer.write_table(block)


def _without_nan(table: pa.Table) -> pa.Table:
    """The table with null for NaN, which text has as an empty cell."""
    import pyarrow as pa
    import pyarrow.compute as pc

    for j, column in enumerate(table.columns):
        if pa.types.is_floating(column.type):
            is_nan = pc.is_nan(column)
            if pc.any(is_nan).as_py():
                table = table.set_column(j, table.column_names[j], pc.if_else(is_nan, None, column))
    return table
