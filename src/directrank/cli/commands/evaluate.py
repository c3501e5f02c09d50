"""``directrank evaluate``: evaluate rankings."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ..options import rankings
from ..options.cluster import ClusterOption
from ..options.columns import GradedColumns
from ..options.common import AsJson, MeasuresOption
from ..options.max_size import MaxSize
from ..options.measures import TiesOption


def evaluate(
    files: rankings.FilesOrAddressesArgument,
    qrels: rankings.QrelsOption = None,
    models: rankings.ModelsOption = None,
    scores: rankings.ScoresOption = None,
    feature: rankings.FeatureOption = None,
    ascending: rankings.AscendingOption = None,
    names: rankings.NamesOption = None,
    measures: MeasuresOption = None,
    ties: TiesOption = None,
    queries: rankings.QueriesOption = None,
    official: Annotated[
        bool,
        typer.Option(
            "--official", help="Print the measures of trec_eval -c -m official, and others named by --measure (runs only)."
        ),
    ] = False,
    per_query: Annotated[bool, typer.Option("--per-query", help="Also print the values of each query.")] = False,
    output_format: Annotated[
        rankings.OutputFormat | None,
        typer.Option(
            "--format",
            help="A table, or the lines of trec_eval: measure, query or all, and value, between tabs.",
            show_default="table; trec for runs if the output goes to a file or a pipe",
        ),
    ] = None,
    sort: rankings.SortOption = None,
    columns: GradedColumns = GradedColumns(),
    cluster: ClusterOption = None,
    as_json: AsJson = False,
    max_size: MaxSize = None,
) -> None:
    """Evaluate TREC runs against judgments, or models and scores on graded data.

    directrank evaluate --qrels QRELS RUN...

    directrank evaluate --qrels QRELS RUN... -m map,ndcg_cut_10,P_10 --queries run

    directrank evaluate DATA --model MODEL --scores FILE --feature title_bm25
    """
    from ..actions.evaluate import EvaluateOptions, PrintOptions, run

    features = rankings.parse_features(feature, ascending)
    given = rankings.RankingFiles(list(map(Path, files)), qrels, models or [], scores or [], names, features)
    shown = PrintOptions(per_query, output_format, sort, as_json)
    run(EvaluateOptions(given, files, measures, ties, queries, official, columns, cluster, shown))
