"""The rankings that ``directrank compare`` and ``directrank report`` are given: their options and files."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated, NamedTuple

import typer

from ..data.errors import InputError
from .measure_names import Ties
from .queries_option import QueriesOf


class Missing(StrEnum):
    zero = "zero"
    error = "error"


FilesArgument = Annotated[list[Path], typer.Argument(help="TREC runs, with --qrels; else one file of ranking data.")]
QrelsOption = Annotated[Path | None, typer.Option("--qrels", help="TREC judgments of the runs' documents.")]
ModelsOption = Annotated[
    list[Path] | None, typer.Option("--model", help="A model that scores the data. May be repeated, beside --scores.")
]
ScoresOption = Annotated[
    list[Path] | None, typer.Option("--scores", help="A score for each row of the data, one in a line. May be repeated.")
]
BaselineOption = Annotated[
    str | None, typer.Option("--baseline", help="The ranking to compare all others with; else every two are compared.")
]
TestOption = Annotated[
    str, typer.Option(metavar="TEST", help="Paired, two-sided test of significance: randomisation, t or wilcoxon.")
]
CorrectionOption = Annotated[
    str, typer.Option(metavar="CORRECTION", help="For multiple comparisons: holm, bonferroni, bh, tukey (HSD) or none.")
]
MissingOption = Annotated[Missing, typer.Option(help="A judged query that a run lacks: it counts 0, or is an error.")]
AlphaOption = Annotated[float, typer.Option(help="Significance level for corrected p-values.")]
PermutationsOption = Annotated[int, typer.Option(help="Permutations for the randomisation test.", min=1)]


class Sources(NamedTuple):
    """What was named to be compared: runs with judgments, or models and scores of data."""

    files: list[Path]
    qrels: Path | None
    models: list[Path]
    scores: list[Path]

    @property
    def rankings(self) -> list[Path]:
        """The file of each ranking."""
        return self.files if self.qrels else [*self.models, *self.scores]

    @property
    def all(self) -> list[Path]:
        """Every file that is read."""
        return [*self.files, *([self.qrels] if self.qrels else []), *self.models, *self.scores]

    def check(self) -> None:
        """Refuse what cannot be compared, before anything is read."""
        if self.qrels and (self.models or self.scores):
            raise InputError("--qrels goes with runs, and --model and --scores with ranking data; give one or the other")
        if not self.qrels and (len(self.files) != 1 or not self.rankings):
            raise InputError("give --qrels QRELS and runs, or one file of ranking data with --model FILE or --scores FILE")
        if len(self.rankings) < 2:
            kinds = "runs" if self.qrels else "models or scores"
            raise InputError(f"there is one ranking, {self.rankings[0]}; name two or more {kinds} to compare")
        _refuse_repeated(self.rankings)


class How(NamedTuple):
    """How rankings are compared; see `compare_all`."""

    measures: list[str] | None
    baseline: str | None
    test: str
    correction: str
    ties: Ties | None
    queries: QueriesOf | None
    missing: Missing
    alpha: float
    permutations: int
    feature_names: str | None


def _refuse_repeated(files: list[Path]) -> None:
    seen: set[Path] = set()
    for file in files:
        real = file.resolve()
        if real in seen:
            raise InputError(f"{file} is given twice; name each ranking once")
        seen.add(real)
