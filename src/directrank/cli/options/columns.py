"""Options that name the columns of tables, and the features of LETOR text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Annotated

import typer

from ...data.column_roles import AUTO, ColumnNames
from ...data.errors import InputError
from .feature_names import FeatureNames, parse_feature_names

_LIST = "A,B,C"


def _column(option: str, help: str) -> typer.models.OptionInfo:
    return typer.Option(option, metavar="COLUMN", help=help)  # type: ignore[no-any-return]


def _columns(option: str, help: str) -> typer.models.OptionInfo:
    return typer.Option(option, metavar=_LIST, help=help)  # type: ignore[no-any-return]


@dataclass(frozen=True)
class RowColumns:
    """Columns of rows to be scored by models, which know their features."""

    query: Annotated[
        str | None, _column("--query", "Column with the query of each row, an id or a text. By default by its name.")
    ] = None
    doc: Annotated[str | None, _column("--doc", "Column with the document of each row. By default by its name.")] = None
    feature_names: FeatureNames = None

    def names(self) -> ColumnNames:
        """Columns by role, for the readers of tables; without labels."""
        return ColumnNames(label=None, qid=self.query or AUTO, docno=self.doc or AUTO)

    def names_of_features(self) -> list[str] | None:
        """The names given to the features of LETOR text."""
        return None if self.feature_names is None else parse_feature_names(self.feature_names)

    def arguments(self) -> list[str]:
        """The options as words of a command line."""
        given = ((f"--{each.name.replace('_', '-')}", getattr(self, each.name)) for each in fields(self))
        return [word for option, value in given if value is not None for word in (option, value)]


@dataclass(frozen=True)
class GradedColumns(RowColumns):
    """Columns of rows to be evaluated by their labels."""

    label: Annotated[str | None, _column("--label", "Column with the labels (grades). By default by its name.")] = None

    def names(self) -> ColumnNames:
        return super().names()._replace(label=self.label or AUTO)


@dataclass(frozen=True)
class ColumnOptions(GradedColumns):
    """Columns of rows to learn from."""

    features: Annotated[
        str | None,
        _columns("--features", "Feature columns, comma-separated. By default all columns of numbers without another role."),
    ] = None
    ignore: Annotated[str | None, _columns("--ignore", "Columns that are no features, comma-separated.")] = None
    weight: Annotated[str | None, _column("--weight", "Column with the weight of each row's query in training.")] = None
    categorical: Annotated[
        str | None, _columns("--categorical", "Feature columns that hold categories, comma-separated (LambdaMART only).")
    ] = None

    def names(self) -> ColumnNames:
        return (
            super()
            .names()
            ._replace(
                weight=self.weight,
                features=None if self.features is None else split_columns("--features", self.features),
                ignore=split_columns("--ignore", self.ignore),
                categorical=split_columns("--categorical", self.categorical),
            )
        )


def split_columns(option: str, given: str | None) -> Sequence[str]:
    """Names of columns, comma-separated."""
    names = [] if given is None else [name.strip() for name in given.split(",")]
    if not all(names):
        raise InputError(f"{option} {given}: there is an empty name; separate names by commas, as in bm25,pagerank")
    return names
