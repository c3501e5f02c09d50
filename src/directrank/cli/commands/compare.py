"""``directrank compare``: compare rankings of the same queries."""

from __future__ import annotations

from typing import Annotated

import typer

from ..options import rankings
from ..options.columns import GradedColumns
from ..options.common import MeasuresOption, ReportOption
from ..options.max_size import MaxSize
from ..options.measures import TiesOption


def compare(
    files: rankings.FilesArgument,
    qrels: rankings.QrelsOption = None,
    models: rankings.ModelsOption = None,
    scores: rankings.ScoresOption = None,
    feature: rankings.FeatureOption = None,
    ascending: rankings.AscendingOption = None,
    names: rankings.NamesOption = None,
    measures: MeasuresOption = None,
    baseline: rankings.BaselineOption = None,
    test: rankings.TestOption = "randomisation",
    correction: rankings.CorrectionOption = "holm",
    ties: TiesOption = None,
    queries: rankings.QueriesOption = None,
    missing_queries: rankings.MissingQueriesOption = rankings.MissingQueries.zero,
    alpha: rankings.AlphaOption = 0.05,
    permutations: rankings.PermutationsOption = None,
    sort: rankings.SortOption = None,
    latex: Annotated[bool, typer.Option("--latex", help="Print a LaTeX table (booktabs).")] = False,
    markdown: Annotated[bool, typer.Option("--markdown", help="Print a Markdown table.")] = False,
    as_csv: Annotated[bool, typer.Option("--csv", help="Print CSV with a line for each ranking and measure.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON with the values of each query.")] = False,
    report: ReportOption = None,
    columns: GradedColumns = GradedColumns(),
    max_size: MaxSize = None,
) -> None:
    """Compare TREC runs, or models and scores on ranking data, with intervals, effect sizes and corrected tests.

    directrank compare --qrels QRELS RUN... --baseline bm25.run

    directrank compare DATA --model svm.json --model trees.json --scores theirs.txt

    directrank compare DATA --feature title_bm25 --model svm.json
    """
    from ..actions.compare import CompareOptions, run

    comparison = rankings.ComparisonOptions(
        measures, baseline, test, correction, ties, queries, missing_queries, alpha, permutations, columns, sort
    )
    features = rankings.parse_features(feature, ascending)
    given = rankings.RankingFiles(files, qrels, models or [], scores or [], names, features)
    run(CompareOptions(given, comparison, latex, markdown, as_csv, as_json, report))
