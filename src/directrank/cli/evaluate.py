"""``directrank evaluate``: measure runs or scores."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ..data.errors import InputError
from .cluster import ClusterOption
from .feature_names import FeatureNames
from .formats import MaxSize
from .measure_names import TiesOption, measures_of
from .options import AsJson, MeasuresOption
from .queries_option import QueriesOption


def evaluate(
    files: Annotated[list[Path], typer.Argument(help="TREC runs, with --qrels; else one file of ranking data.")],
    qrels: Annotated[Path | None, typer.Option("--qrels", help="TREC judgments of the runs' documents.")] = None,
    scores: Annotated[
        list[Path] | None, typer.Option("--scores", help="A score for each row of the data, one in a line. May be repeated.")
    ] = None,
    models: Annotated[
        list[Path] | None, typer.Option("--model", help="A model that scores the data. May be repeated, beside --scores.")
    ] = None,
    measures: MeasuresOption = None,
    ties: TiesOption = None,
    queries: QueriesOption = None,
    official: Annotated[
        bool, typer.Option("--official", help="What trec_eval -c -m official prints, for runs: no other measures.")
    ] = False,
    per_query: Annotated[bool, typer.Option("--per-query", help="The value of each query too.")] = False,
    feature_names: FeatureNames = None,
    cluster: ClusterOption = None,
    as_json: AsJson = False,
    max_size: MaxSize = None,
) -> None:
    """Measure rankings: TREC runs against judgments, or scores and models against graded data.

    directrank evaluate --qrels QRELS RUN...

    directrank evaluate --qrels QRELS RUN... -m map,ndcg_cut_10,P_10 --queries run

    directrank evaluate DATA --scores FILE --model MODEL
    """
    from . import measuring

    if cluster is not None and (qrels is not None or scores or not models or feature_names):
        raise InputError("--cluster goes with Parquet files and --model, without --qrels, --scores and --feature-names")
    if queries is not None and qrels is None:
        raise InputError("--queries says which queries of runs count, which go with --qrels; leave it out")
    if official:
        if qrels is None or scores or models or measures or ties or per_query:
            raise InputError("--official goes with --qrels and runs, without --scores, --measure, --ties and --per-query")
        measuring.print_official(files, qrels, queries, as_json)
        return
    if qrels is not None and (scores or models):
        raise InputError("--qrels goes with runs, and --scores and --model with ranking data; give one or the other")
    chosen = measures_of(measures)
    if cluster is not None:
        results = measuring.of_shards(cluster, files, models or [], chosen, ties)
    elif qrels is not None:
        results = measuring.of_runs(files, qrels, chosen, ties, queries)
    else:
        results = measuring.of_data(files, scores or [], models or [], chosen, ties, feature_names)
    measuring.print_results(results, per_query, as_json)
