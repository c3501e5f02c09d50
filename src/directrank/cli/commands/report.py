"""``directrank report``: write the comparison of rankings as an HTML report."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ..options import rankings
from ..options.columns import GradedColumns
from ..options.common import AsJson, MeasuresOption, output_file
from ..options.formats import TopicField
from ..options.max_size import MaxSize
from ..options.measures import TiesOption


def report(
    files: rankings.FilesArgument,
    output: Annotated[Path, output_file("HTML file to write; - is standard output.")],
    qrels: rankings.QrelsOption = None,
    models: rankings.ModelsOption = None,
    scores: rankings.ScoresOption = None,
    feature: rankings.FeatureOption = None,
    ascending: rankings.AscendingOption = None,
    names: rankings.NamesOption = None,
    measures: MeasuresOption = None,
    baseline: rankings.BaselineOption = None,
    documents: Annotated[
        Path | None,
        typer.Option(metavar="PATH", help="Texts of the documents, a file or folder; the first line is the title."),
    ] = None,
    query_texts: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Texts of the queries: JSON lines, TSV, TREC topics or SMART.")
    ] = None,
    topic_field: TopicField = None,
    title: Annotated[str | None, typer.Option(metavar="TEXT", help="Page title.")] = None,
    depth: Annotated[int, typer.Option(metavar="N", help="Number of documents to show for each ranking.", min=1)] = 100,
    test: rankings.TestOption = "randomisation",
    correction: rankings.CorrectionOption = "holm",
    ties: TiesOption = None,
    queries: rankings.QueriesOption = None,
    missing_queries: rankings.MissingQueriesOption = rankings.MissingQueries.zero,
    alpha: rankings.AlphaOption = 0.05,
    permutations: rankings.PermutationsOption = None,
    sort: rankings.SortOption = None,
    columns: GradedColumns = GradedColumns(),
    as_json: AsJson = False,
    max_size: MaxSize = None,
) -> None:
    """Write an HTML report that compares rankings: tables, charts, and every query, in one file that works offline.

    directrank report --qrels QRELS RUN... --documents docs.jsonl --query-texts queries.tsv -o report.html

    directrank report DATA --model svm.json --scores theirs.txt -o report.html
    """
    from ..actions.report import ReportOptions, run

    comparison = rankings.ComparisonOptions(
        measures, baseline, test, correction, ties, queries, missing_queries, alpha, permutations, columns, sort
    )
    features = rankings.parse_features(feature, ascending)
    given = rankings.RankingFiles(files, qrels, models or [], scores or [], names, features)
    run(ReportOptions(given, comparison, output, documents, query_texts, topic_field, title, depth, as_json))
