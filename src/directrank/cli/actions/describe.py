"""``directrank describe``: print statistics of a data set, and warnings."""

from __future__ import annotations

from dataclasses import asdict
from itertools import combinations
from pathlib import Path
from typing import Any, NamedTuple

from ...data import Description, InputError, Overlap, RankingData, describe, find_overlap
from ..console.output import print_json, print_line, print_sentence, print_table
from ..console.progress import spinner
from ..options.columns import ColumnOptions
from ._data import note_one_query, read_rows

#: Number of grades, and of features in a list, to print.
GRADES_SHOWN, FEATURES_SHOWN = 20, 8


class DescribeOptions(NamedTuple):
    """Options of ``directrank describe``."""

    files: list[Path]
    columns: ColumnOptions
    as_json: bool


def run(options: DescribeOptions) -> None:
    """Print the description of each file, and what they share."""
    _check_distinct(options.files)
    sets = _read(options.files, options.columns)
    with spinner("Computing statistics of each feature"):
        found = {name: describe(data) for name, data in sets.items()}
        shared = {(name, other): find_overlap(sets[name], sets[other]) for other, name in combinations(sets, 2)}
    if options.as_json:
        print_json(_as_dict(found, shared))
        return
    if len(found) == 1:
        ((name, description),) = found.items()
        _print_one(name, description)
    else:
        _print_several(found, shared)


def _print_one(name: str, description: Description) -> None:
    print_table([name, ""], _statistics(description), wrapped=(1,))
    if description.grades:
        print_table(["grade", "documents", "fraction"], _grades(description))
    for warning in description.warnings:
        print_sentence(f"! {warning}")


def _print_several(found: dict[str, Description], shared: dict[tuple[str, str], Overlap]) -> None:
    """Print a line for each file, the grades beside each other, and all warnings: first on what files share."""
    columns = ["", "queries", "documents", "per query", "features", "no relevant", "one grade"]
    figures = [(name, *_figures(description)) for name, description in found.items()]
    print_table(columns, figures, wrapped=range(len(columns)))
    grades = sorted({grade for description in found.values() for grade in description.grades})[:GRADES_SHOWN]
    rows = [(f"{grade:g}", *(f"{d.grades.get(grade, 0) / d.n_documents:.1%}" for d in found.values())) for grade in grades]
    print_table(["grade", *found], rows, wrapped=range(1 + len(found)))
    for (name, other), overlap in shared.items():
        for warning in overlap.warnings(name, other):
            print_sentence(f"! {warning}")
    for name, description in found.items():
        if description.warnings:
            print_line(f"{name}:")
        for warning in description.warnings:
            print_sentence(f"! {warning}")


def _figures(d: Description) -> tuple[object, ...]:
    """Figures of a file beside others; its features are in the warnings."""
    median = f"{d.documents_per_query['median']:g}"
    return d.n_queries, d.n_documents, median, d.n_features, d.queries_without_relevant, d.queries_with_equal_grades


def _check_distinct(files: list[Path]) -> None:
    """Raise an error if a file is given twice."""
    real = [file.resolve() for file in files]
    for file, path in zip(files, real, strict=True):
        if real.count(path) > 1:
            raise InputError(f"{file} is given twice; name each file once")


def _read(files: list[Path], columns: ColumnOptions) -> dict[str, RankingData]:
    """Data sets by name; files after the first may lack the column of labels, as files of new rows do."""
    names, found = columns.names(), dict[str, RankingData]()
    for file in files:
        try:
            rows = read_rows([file], names, columns.names_of_features())
        except InputError:
            if columns.label is None or not found:
                raise
            rows = read_rows([file], names._replace(label=None), columns.names_of_features())
        note_one_query(str(file), rows.data)
        found[str(file)] = rows.data
    return found


def _as_dict(found: dict[str, Description], shared: dict[tuple[str, str], Overlap]) -> dict[str, Any]:
    """One description, or the description of each file and what each shares with those before it."""
    if len(found) == 1:
        return asdict(next(iter(found.values())))
    files = {name: asdict(description) for name, description in found.items()}
    said = {pair: overlap.warnings(*pair) for pair, overlap in shared.items()}
    pairs = [{"file": a, "other": b, **asdict(shared[a, b]), "warnings": said[a, b]} for a, b in shared]
    return {"files": files, "shared": pairs}


def _statistics(d: Description) -> list[tuple[str, object]]:
    sizes = d.documents_per_query
    return [
        ("queries", d.n_queries),
        ("documents", d.n_documents),
        ("  per query (min, median, max)", f"{sizes['min']:,}, {sizes['median']:g}, {sizes['max']:,}"),
        ("features", d.n_features),
        ("  fraction of nonzero values", f"{d.density:.1%}"),
        ("queries without a relevant document", d.queries_without_relevant if d.grades else "no labels"),
        ("queries with a single grade", d.queries_with_equal_grades if d.grades else "no labels"),
        ("constant features", _listed(d.constant_features)),
        ("features constant within each query", _listed(d.constant_within_queries)),
        ("duplicate features", _listed([" = ".join(names) for names in d.duplicate_features])),
        ("features with missing values", _listed(_shares(d))),
    ]


def _shares(d: Description) -> list[str]:
    """Features with missing values, and the fraction of documents."""
    return [f"{name} ({n / d.n_documents:.1%})" for name, n in d.features_with_missing.items()]


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
