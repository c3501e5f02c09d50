"""``directrank evaluate``: measure runs or scores."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from ..arrays import Floats
from ..data import InputError, RankingData, read_qrels, read_run, read_scores
from ..evaluation import DEFAULT_MEASURES, Evaluation, evaluate_run, trec_eval_official
from ..evaluation import evaluate as evaluate_scores
from .cluster import ClusterOption, connected, read_sharded
from .formats import MaxSize, read_data
from .matching import matched
from .output import note, print_json, print_line, print_table, progress


class Ties(StrEnum):
    average = "average"
    trec = "trec"


def evaluate(
    files: Annotated[list[Path], typer.Argument(help="TREC runs, with --qrels; else one file of ranking data.")],
    qrels: Annotated[Path | None, typer.Option("--qrels", help="TREC judgments of the runs' documents.")] = None,
    scores: Annotated[
        list[Path] | None, typer.Option("--scores", help="A score for each row of the data, one in a line. May be repeated.")
    ] = None,
    models: Annotated[
        list[Path] | None, typer.Option("--model", help="A model that scores the data. May be repeated, beside --scores.")
    ] = None,
    measures: Annotated[
        list[str] | None, typer.Option("--measure", "-m", help="AP, nDCG@10, AUC, ... May be repeated.")
    ] = None,
    ties: Annotated[
        Ties | None, typer.Option(help="Equal scores: the mean over their orders, or as trec_eval.", show_default="average")
    ] = None,
    official: Annotated[
        bool, typer.Option("--official", help="What trec_eval -c -m official prints, for runs: no other measures.")
    ] = False,
    per_query: Annotated[bool, typer.Option("--per-query", help="The value of each query too.")] = False,
    cluster: ClusterOption = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    max_size: MaxSize = None,
) -> None:
    """Measure rankings: TREC runs against judgments, or scores and models against graded data.

    directrank evaluate --qrels QRELS RUN...

    directrank evaluate DATA --scores FILE --model MODEL
    """
    if cluster is not None and (qrels is not None or scores or not models):
        raise InputError("--cluster goes with Parquet files and --model, without --qrels and --scores")
    if official:
        if qrels is None or scores or models or measures or ties or per_query:
            raise InputError("--official goes with --qrels and runs, without --scores, --measure, --ties and --per-query")
        _official(files, qrels, as_json)
        return
    chosen = measures or list(DEFAULT_MEASURES)
    if qrels is not None and (scores or models):
        raise InputError("--qrels goes with runs, and --scores and --model with ranking data; give one or the other")
    broken = ties or Ties.average
    if cluster is not None:
        results = _on_cluster(cluster, files, models or [], chosen, broken)
    elif qrels is not None:
        results = _of_runs(files, qrels, chosen, broken)
    else:
        results = _of_data(files, scores or [], models or [], chosen, broken)
    if as_json:
        print_json({name: _as_json(result, per_query) for name, result in results.items()})
    else:
        _print(results, per_query)


def _official(files: list[Path], qrels: Path, as_json: bool) -> None:
    judgments = read_qrels(qrels)
    results: dict[str, dict[str, float]] = {}
    for file in progress(files, "Evaluating"):
        run = read_run(file)
        results[run.name if run.name not in results else str(file)] = trec_eval_official(run, judgments)
    if as_json:
        print_json(results)
        return
    names = next(iter(results.values()))
    print_table(["all queries", *results], [(name, *(values[name] for values in results.values())) for name in names])


def _of_runs(files: list[Path], qrels: Path, measures: list[str], ties: Ties) -> dict[str, Evaluation]:
    judgments = read_qrels(qrels)
    results: dict[str, Evaluation] = {}
    for file in progress(files, "Evaluating"):
        run = read_run(file)
        name = run.name if run.name not in results else str(file)
        results[name] = evaluate_run(run, judgments, measures, ties=ties.value)
        if results[name].missing:
            note(f"{name} has nothing for {results[name].missing:,} of the judged queries; they count 0.")
    return results


def _of_data(
    files: list[Path], scores: list[Path], models: list[Path], measures: list[str], ties: Ties
) -> dict[str, Evaluation]:
    if len(files) != 1 or not (scores or models):
        raise InputError("give --qrels QRELS and runs, or one file of ranking data with --scores FILE or --model FILE")
    data = read_data(files[0])
    rankings = {str(file): read_scores(file) for file in scores}
    for name, values in rankings.items():
        if values.size != len(data):
            raise InputError(f"{name} has {values.size} scores, and {files[0]} has {len(data)} rows")
    rankings |= {str(file): _scores_of(file, files[0], data) for file in models}
    return {
        name: evaluate_scores(data.y, values, data.qid, measures, ties=ties.value, docno=data.docno)
        for name, values in rankings.items()
    }


def _scores_of(model: Path, file: Path, data: RankingData) -> Floats:
    from ..models import load_model

    learned = load_model(model)
    try:
        return learned.predict(matched(data, learned.n_features, learned.feature_names).X)
    except InputError as error:
        raise InputError(f"{file}: {error}") from error


def _on_cluster(
    cluster: str, files: list[Path], models: list[Path], measures: list[str], ties: Ties
) -> dict[str, Evaluation]:
    from ..models import load_model

    learned = {str(file): load_model(file) for file in models}
    with connected(cluster) as client:
        from .. import distributed

        data = read_sharded(files, client)
        return {name: distributed.evaluate(model, data, measures, ties=ties.value) for name, model in learned.items()}


def _print(results: dict[str, Evaluation], per_query: bool) -> None:
    first = next(iter(results.values()))
    names = list(first.per_query)
    if per_query:
        for name, result in results.items():
            values = zip(*result.per_query.values(), strict=True)
            rows = [(str(qid), *map(float, row)) for qid, row in zip(result.qid.tolist(), values, strict=True)]
            print_table(["query", *names], rows, title=name)
    head = f"mean of {first.qid.size:,} queries"
    if len(names) <= max(6, len(results)):
        print_table([head, *names], [(name, *result.means.values()) for name, result in results.items()])
    else:  # many measures of few rankings fit a screen the other way round
        print_table([head, *results], [(name, *(result.means[name] for result in results.values())) for name in names])
    for line in without_relevant(first):
        print_line(line)


def without_relevant(result: Evaluation) -> list[str]:
    """How many queries have no relevant document, by the measures that agree on what is relevant."""
    counts: dict[int, list[str]] = {}
    for name, count in result.no_relevant.items():
        counts.setdefault(count, []).append(name)
    return [
        f"{count:,} of {result.qid.size:,} queries have no relevant document"
        + (f" ({', '.join(names)})." if len(counts) > 1 else ".")
        for count, names in counts.items()
        if count
    ]


def _as_json(result: Evaluation, per_query: bool) -> dict[str, Any]:
    out: dict[str, Any] = {"means": result.means, "queries": result.qid.size, "no_relevant": result.no_relevant}
    if per_query:
        ids = map(str, result.qid.tolist())
        rows = zip(*(values.tolist() for values in result.per_query.values()), strict=True)
        out["per_query"] = {qid: dict(zip(result.per_query, row, strict=True)) for qid, row in zip(ids, rows, strict=True)}
    return out
