"""A small file of means, by set, contestant, seed and measure, which outlives the values of the queries."""

from __future__ import annotations

import csv
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from . import MEASURES

#: Columns of figures: the measures, and CPU seconds of training on all folds.
FIGURES = [*MEASURES, "seconds"]


class Key(NamedTuple):
    """What a line is about."""

    set: str
    contestant: str
    seed: int


#: Figures by key.
Record = dict[Key, dict[str, float]]


def read_record(path: Path) -> Record:
    """Read a record; an empty one if there is no such file."""
    if not path.exists():
        return {}
    with path.open(newline="") as file:
        return {
            Key(line["set"], line["contestant"], int(line["seed"])): {name: float(line[name]) for name in FIGURES}
            for line in csv.DictReader(file)
        }


def write_record(path: Path, record: Mapping[Key, Mapping[str, float]]) -> None:
    """Write a record, in the order of its keys."""
    with path.open("w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow([*Key._fields, *FIGURES])
        for key, figures in sorted(record.items()):
            measured = (f"{figures[measure]:.5f}" for measure in MEASURES)
            writer.writerow([*key, *measured, f"{figures['seconds']:.1f}"])
