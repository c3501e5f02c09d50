"""Which format a file is in, told by its name."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path

from ..data import RankingData, read_letor, read_parquet
from .output import working


class Format(StrEnum):
    letor = "letor"
    parquet = "parquet"
    run = "run"
    qrels = "qrels"


def format_of(path: Path) -> Format:
    """By the ending: .parquet, .run or .qrels, with or without .gz; anything else is LETOR text."""
    ending = Path(path.name.removesuffix(".gz")).suffix.removeprefix(".").lower()
    return Format(ending) if ending in [known.value for known in Format] else Format.letor


def read_data(path: Path) -> RankingData:
    with working(f"Reading {path}"):
        return read_parquet(path) if format_of(path) is Format.parquet else read_letor(path)
