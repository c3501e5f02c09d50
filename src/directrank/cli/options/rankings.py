"""Options of commands that evaluate or compare rankings: ``evaluate``, ``compare``, ``report``, ``fuse``."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path
from typing import Annotated, NamedTuple

import typer

from ...data.errors import InputError
from .columns import GradedColumns
from .measures import Ties


class MissingQueries(StrEnum):
    zero = "zero"
    error = "error"


class OutputFormat(StrEnum):
    """How values are printed: as a table, or as trec_eval prints them."""

    table = "table"
    trec = "trec"


class QuerySet(StrEnum):
    """Queries that count in the evaluation of runs."""

    qrels = "qrels"
    run = "run"


_FILES = typer.Argument(metavar="FILES", help="TREC runs, with --qrels; otherwise one file of ranking data.")
FilesArgument = Annotated[list[Path], _FILES]
#: Files as typed, which may be addresses such as s3://bucket/train on a cluster.
FilesOrAddressesArgument = Annotated[list[str], _FILES]
QrelsOption = Annotated[Path | None, typer.Option("--qrels", metavar="FILE", help="TREC relevance judgments for the runs.")]
ModelsOption = Annotated[
    list[Path] | None,
    typer.Option("--model", metavar="FILE", help="Model to score the data with. May be repeated, also with --scores."),
]
ScoresOption = Annotated[
    list[Path] | None,
    typer.Option(
        "--scores", metavar="FILE", help="Scores of the rows of the data: a table, or one per line. May be repeated."
    ),
]
FeatureOption = Annotated[
    list[str] | None,
    typer.Option(
        "--feature",
        metavar="NAME",
        help="Rank by a feature of the data, high values first and missing ones last. A name, or a number where features "
        "have no names. May be repeated.",
    ),
]
AscendingOption = Annotated[
    list[str] | None,
    typer.Option("--ascending", metavar="NAME", help="The same with low values first, as for a price. May be repeated."),
]
SortOption = Annotated[
    str | None,
    typer.Option(
        "--sort", metavar="MEASURE|name", help="Sort rankings by a measure, best first, or by name.", show_default="as given"
    ),
]
NamesOption = Annotated[
    str | None,
    typer.Option(
        "--names",
        metavar="A,B,C",
        help="Names of the rankings, comma-separated, in order (models, scores, features). By default, run tags, or file "
        "names where tags repeat.",
    ),
]
RunNamesOption = Annotated[
    str | None,
    typer.Option(
        "--names",
        metavar="A,B,C",
        help="Names of the runs, comma-separated, in order. By default, run tags, or file names where tags repeat.",
    ),
]
QueriesOption = Annotated[
    QuerySet | None,
    typer.Option(
        "--queries",
        help="Queries to evaluate: all judged queries (qrels; a query missing from a run counts 0), or those in the run "
        "only (run; in compare and report, those in any run).",
        show_default="qrels",
    ),
]
BaselineOption = Annotated[
    str | None,
    typer.Option(
        "--baseline",
        metavar="NAME",
        help="Compare all rankings with this one. By default, all pairs; of two rankings, the second with the first, or a "
        "model with a feature.",
    ),
]
TestOption = Annotated[
    str, typer.Option("--test", metavar="TEST", help="Paired two-sided significance test: randomisation, t or wilcoxon.")
]
CorrectionOption = Annotated[
    str,
    typer.Option(
        "--correction",
        metavar="METHOD",
        help="Correction for multiple comparisons: holm, bonferroni, bh (Benjamini-Hochberg), tukey (HSD) or none.",
    ),
]
MissingQueriesOption = Annotated[
    MissingQueries,
    typer.Option("--missing-queries", help="Whether a judged query missing from a run counts 0 or is an error."),
]
AlphaOption = Annotated[float, typer.Option("--alpha", metavar="P", help="Significance level for corrected p-values.")]
PermutationsOption = Annotated[
    int | None,
    typer.Option(
        "--permutations", metavar="N", help="Permutations for the randomisation test.", min=1, show_default="100000"
    ),
]


class RankedFeature(NamedTuple):
    """A feature as a ranking; `feature` is its name or number as typed."""

    feature: str
    is_ascending: bool


class RankingFiles(NamedTuple):
    """Files of the rankings: runs with judgments, or ranking data with models and scores, and its features.

    Attributes
    ----------
    files : list of Path
        The runs, or the ranking data.
    qrels : Path, optional
    models, scores : list of Path
    names : str, optional
        Comma-separated names of the rankings.
    features : list of RankedFeature
    """

    files: list[Path]
    qrels: Path | None
    models: list[Path]
    scores: list[Path]
    names: str | None
    features: Sequence[RankedFeature] = ()

    @property
    def rankings(self) -> list[Path]:
        """The file of each ranking that has one: runs, or models and then scores."""
        return self.files if self.qrels else [*self.models, *self.scores]

    @property
    def n_rankings(self) -> int:
        return len(self.rankings) + len(self.features)

    @property
    def inputs(self) -> list[Path]:
        """Every file that is read."""
        return [*self.files, *([self.qrels] if self.qrels else []), *self.models, *self.scores]

    def check(self, minimum: int = 1, *, sharded: bool = False) -> None:
        """Raise an error, before any file is read, if these are not at least `minimum` rankings of the same queries.

        Ranking data is one file, unless it is `sharded`.
        """
        if self.qrels and (self.models or self.scores or self.features):
            raise InputError(
                "--qrels goes with runs, and --model, --scores and --feature with ranking data; give one or the other"
            )
        if not self.qrels and (not self.n_rankings or (len(self.files) != 1 and not sharded)):
            raise InputError(
                "give --qrels QRELS and runs, or one file of ranking data with --model FILE, --scores FILE or --feature NAME"
            )
        if self.n_rankings < minimum:
            kinds = "runs" if self.qrels else "models, scores or features"
            only = self.rankings[0] if self.rankings else self.features[0].feature
            raise InputError(f"there is one ranking, {only}; name two or more {kinds} to compare")
        check_distinct(self.rankings)
        parse_names(self.names, self.n_rankings)


class ComparisonOptions(NamedTuple):
    """How rankings are evaluated and compared; see `directrank.compare_all`."""

    measures: list[str] | None
    baseline: str | None
    test: str
    correction: str
    ties: Ties | None
    queries: QuerySet | None
    missing_queries: MissingQueries
    alpha: float
    permutations: int | None
    columns: GradedColumns
    sort: str | None = None


def check_distinct(files: Sequence[Path]) -> None:
    """Raise an error if a ranking is given twice."""
    seen: set[Path] = set()
    for file in files:
        real = file.resolve()
        if real in seen:
            raise InputError(f"{file} is given twice; name each ranking once")
        seen.add(real)


def parse_features(feature: Sequence[str] | None, ascending: Sequence[str] | None) -> list[RankedFeature]:
    """The features given with ``--feature`` and ``--ascending``, in this order; one that is given twice is an error."""
    given = [RankedFeature(name, is_ascending=False) for name in feature or ()]
    given += [RankedFeature(name, is_ascending=True) for name in ascending or ()]
    names = [each.feature for each in given]
    for name in names:
        if names.count(name) > 1:
            raise InputError(f"the feature {name} is given twice; give it once, with --feature or with --ascending")
    return given


def parse_names(names: str | None, n_rankings: int) -> list[str] | None:
    """The names given with ``--names``, one for each ranking; None if the option is not used."""
    if names is None:
        return None
    parsed = [name.strip() for name in names.split(",")]
    if not all(parsed):
        raise InputError(f"--names {names}: one of the names is empty; separate names by commas, as in bm25,neural")
    if len(parsed) != n_rankings:
        raise InputError(f"--names {names}: this is {len(parsed):,} names for {n_rankings:,} rankings")
    for name in parsed:
        if parsed.count(name) > 1:
            raise InputError(f"--names {names}: {name} is given twice; give each ranking a different name")
    return parsed
