"""``directrank describe``: print statistics of a data set, and warnings."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import NamedTuple

from ...data import Description, describe
from ..console.output import print_json, print_line, print_table
from ..console.progress import spinner
from ..options.columns import ColumnOptions
from ._data import display_files, note_one_query, read_data

#: Number of grades, and of features in a list, to print.
GRADES_SHOWN, FEATURES_SHOWN = 20, 8


class DescribeOptions(NamedTuple):
    """Options of ``directrank describe``."""

    files: list[Path]
    columns: ColumnOptions
    as_json: bool


def run(options: DescribeOptions) -> None:
    """Print the description of a file."""
    name = display_files(options.files)
    data = read_data(options.files, options.columns)
    note_one_query(name, data)
    with spinner("Computing statistics of each feature"):
        description = describe(data)
    if options.as_json:
        print_json(asdict(description))
        return
    print_table([name, ""], _statistics(description))
    print_table(["grade", "documents", "fraction"], _grades(description))
    for warning in description.warnings:
        print_line(f"! {warning}")


def _statistics(d: Description) -> list[tuple[str, object]]:
    sizes = d.documents_per_query
    return [
        ("queries", d.n_queries),
        ("documents", d.n_documents),
        ("  per query (min, median, max)", f"{sizes['min']:,}, {sizes['median']:g}, {sizes['max']:,}"),
        ("features", d.n_features),
        ("  fraction of nonzero values", f"{d.density:.1%}"),
        ("queries without a relevant document", d.queries_without_relevant),
        ("queries with a single grade", d.queries_with_equal_grades),
        ("constant features", _listed(d.constant_features)),
        ("features constant within each query", _listed(d.constant_within_queries)),
        ("duplicate features", _listed([" = ".join(names) for names in d.duplicate_features])),
        ("features with missing values", _listed(list(d.features_with_missing))),
    ]


def _grades(d: Description) -> list[tuple[str, int, str]]:
    grades = list(d.grades.items())
    rows = [(f"{grade:g}", n, f"{n / d.n_documents:.1%}") for grade, n in grades[:GRADES_SHOWN]]
    if len(grades) > GRADES_SHOWN:
        rows.append((f"and {len(grades) - GRADES_SHOWN:,} more", sum(n for _, n in grades[GRADES_SHOWN:]), ""))
    return rows


def _listed(names: list[str]) -> str:
    if not names:
        return "none"
    return f"{len(names)}: " + ", ".join(names[:FEATURES_SHOWN]) + (", ..." if len(names) > FEATURES_SHOWN else "")
