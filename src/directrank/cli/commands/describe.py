"""``directrank describe``: what is in a data set."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..console.output import print_json, print_line, print_table, spinner
from ..options.common import AsJson
from ..options.feature_names import FeatureNames
from ..options.formats import MaxSize, note_one_query, read_data

if TYPE_CHECKING:
    from ...data import Description


def describe(
    file: Annotated[Path, typer.Argument(metavar="DATA", help="LETOR text or Parquet.")],
    feature_names: FeatureNames = None,
    as_json: AsJson = False,
    max_size: MaxSize = None,
) -> None:
    """Say what is in a data set, and what might go wrong in training on it."""
    from ...data import describe as describe_data

    data = read_data(file, feature_names=feature_names)
    note_one_query(file, data)
    with spinner("Looking at each feature"):
        description = describe_data(data)
    if as_json:
        print_json(asdict(description))
        return
    print_table([str(file), ""], _rows(description))
    grades = list(description.grades.items())
    rows = [(f"{grade:g}", n, f"{n / description.n_documents:.1%}") for grade, n in grades[:20]]
    if len(grades) > 20:
        rows.append((f"and {len(grades) - 20:,} more", sum(n for _, n in grades[20:]), ""))
    print_table(["grade", "documents", "fraction"], rows)
    for warning in description.warnings:
        print_line(f"! {warning}")


def _rows(d: Description) -> list[tuple[str, object]]:
    sizes = d.documents_per_query
    return [
        ("queries", d.n_queries),
        ("documents", d.n_documents),
        ("  of a query: fewest, median, most", f"{sizes['min']:,}, {sizes['median']:g}, {sizes['max']:,}"),
        ("features", d.n_features),
        ("  fraction of values that are not 0", f"{d.density:.1%}"),
        ("queries without a relevant document", d.queries_without_relevant),
        ("queries with one grade only", d.queries_with_equal_grades),
        ("features with one value only", _listed(d.constant_features)),
        ("features that never differ within a query", _listed(d.constant_within_queries)),
        ("features that are the same", _listed([" = ".join(names) for names in d.duplicate_features])),
        ("features with missing values", _listed(list(d.features_with_missing))),
    ]


def _listed(names: list[str], most: int = 8) -> str:
    if not names:
        return "none"
    return f"{len(names)}: " + ", ".join(names[:most]) + (", ..." if len(names) > most else "")
