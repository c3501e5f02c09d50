"""Formats of files of rows, by file name or by content. Imported by the command's help, so without NumPy."""

from __future__ import annotations

import re
from enum import StrEnum
from pathlib import Path

from ..errors import InputError

#: Extensions of compressed files.
COMPRESSED = (".gz", ".zst")


class Format(StrEnum):
    letor = "letor"
    csv = "csv"
    tsv = "tsv"
    jsonl = "jsonl"
    parquet = "parquet"
    arrow = "arrow"
    run = "run"
    qrels = "qrels"

    @property
    def is_table(self) -> bool:
        """Whether rows have named columns."""
        return self in _TABLES

    @property
    def is_trec(self) -> bool:
        return self in (Format.run, Format.qrels)


_TABLES = (Format.csv, Format.tsv, Format.jsonl, Format.parquet, Format.arrow)

_EXTENSIONS = {
    ".csv": Format.csv,
    ".tsv": Format.tsv,
    ".tab": Format.tsv,
    ".jsonl": Format.jsonl,
    ".ndjson": Format.jsonl,
    ".json": Format.jsonl,
    ".parquet": Format.parquet,
    ".pq": Format.parquet,
    ".arrow": Format.arrow,
    ".feather": Format.arrow,
    ".ipc": Format.arrow,
    ".run": Format.run,
    ".qrels": Format.qrels,
    ".letor": Format.letor,
    ".svm": Format.letor,
}

#: Start of files that are known by their first bytes.
_MAGIC = {b"PAR1": Format.parquet, b"ARROW1": Format.arrow}

_JSON_START = re.compile(rb"\s*(?:\{|\[\s*\{)")

#: Start of a line of LETOR text after its grade.
_LETOR_PAIR = re.compile(rb"(?:^|\s)(?:qid|\d+):\S")


def known_format(path: Path) -> Format | None:
    """Format by the extension of a file name, also before .gz and .zst; None for other extensions, such as .txt."""
    name = path.name.lower()
    extension = Path(without_compression(name)).suffix
    format = _EXTENSIONS.get(extension)
    if format in (Format.parquet, Format.arrow) and name.endswith(COMPRESSED):
        raise InputError(f"{path}: {format.capitalize()} files are compressed already; name it {extension}")
    return format


def format_of(path: Path) -> Format:
    """Format by the extension of a file name; LETOR text for other extensions."""
    return known_format(path) or Format.letor


def without_compression(name: str) -> str:
    """A file name without .gz or .zst."""
    return next((name.removesuffix(ending) for ending in COMPRESSED if name.endswith(ending)), name)


def format_of_content(start: bytes) -> Format:
    """Format by the first bytes of a file, decompressed; LETOR text unless they show another format."""
    for magic, format in _MAGIC.items():
        if start.startswith(magic):
            return format
    if _JSON_START.match(start):
        return Format.jsonl
    lines = [line for line in start.splitlines() if line.strip() and not line.startswith(b"#")]
    if not lines or _LETOR_PAIR.search(lines[0].partition(b"#")[0]):
        return Format.letor
    return Format.tsv if _has_names(lines[0], b"\t") else Format.csv if _has_names(lines[0], b",;") else Format.letor


def _has_names(line: bytes, delimiters: bytes) -> bool:
    """Whether a line is divided by a delimiter into at least two cells, none of which is a number."""
    cells = [cell.strip(b" \"'\r") for cell in re.split(b"[" + delimiters + b"]", line)]
    return len(cells) > 1 and not any(re.fullmatch(rb"[-+.\d].*", cell) for cell in cells)
