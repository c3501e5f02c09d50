"""``directrank evaluate``: evaluate rankings, and print their values."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

from ...data import InputError, Qrels, Run
from ...evaluation import Evaluation, trec_eval_official
from ..console.output import print_json, print_line, print_table
from ..console.progress import progress
from ..options.columns import GradedColumns
from ..options.measures import Ties, split_measures, tie_rule
from ..options.rankings import QuerySet, RankingFiles
from ._cluster import connected, local_files, read_sharded
from ._rankings import (
    check_options_of_rankings,
    evaluate_runs,
    evaluate_scored_data,
    names_without_tags,
    note_missing_queries,
    queries_without_relevant,
    read_judged_runs,
    read_scored_data,
    suggest_queries_of_run,
)


class EvaluateOptions(NamedTuple):
    """Options of ``directrank evaluate``; `addresses` are the files as typed, for the workers of a cluster."""

    files: RankingFiles
    addresses: list[str]
    measures: list[str] | None
    ties: Ties | None
    queries: QuerySet | None
    official: bool
    per_query: bool
    columns: GradedColumns
    cluster: str | None
    as_json: bool


def run(options: EvaluateOptions) -> None:
    """Print the mean of each ranking, and the values of each query if asked for."""
    files = options.files
    _check(options)
    files.check(sharded=options.cluster is not None)
    check_options_of_rankings(files, options.queries, options.columns)
    if options.official:
        _print_official(files, options.queries, options.as_json)
        return
    _print(_evaluate(options, split_measures(options.measures)), options.per_query, options.as_json)


def _check(options: EvaluateOptions) -> None:
    """Raise an error if options exclude each other."""
    files = options.files
    if options.cluster is not None and (files.qrels is not None or files.scores or not files.models):
        raise InputError("--cluster goes with Parquet files and --model, without --qrels and --scores")
    others = files.scores or files.models or options.measures or options.ties or options.per_query
    if options.official and (files.qrels is None or others):
        raise InputError("--official goes with --qrels and runs, without --scores, --measure, --ties and --per-query")


def _evaluate(options: EvaluateOptions, measures: list[str]) -> dict[str, Evaluation]:
    files, ties = options.files, options.ties
    if options.cluster is not None:
        return _evaluate_on_cluster(options.cluster, options, measures)
    local_files(options.addresses)
    if files.qrels is None:
        return evaluate_scored_data(files, read_scored_data(files, options.columns), measures, ties)
    runs, qrels = read_judged_runs(files)
    evaluations = evaluate_runs(files, runs, qrels, measures, ties, (options.queries or QuerySet.qrels).value)
    _note_missing_queries(runs, qrels, options.queries)
    return evaluations


def _note_missing_queries(runs: list[Run], qrels: Qrels, queries: QuerySet | None) -> None:
    for run in runs if queries is not QuerySet.run else ():
        note_missing_queries(run, qrels)
        if queries is None:
            suggest_queries_of_run(run, qrels)


def _evaluate_on_cluster(cluster: str, options: EvaluateOptions, measures: list[str]) -> dict[str, Evaluation]:
    from ...models import load_model

    models = dict(zip(names_without_tags(options.files), map(load_model, options.files.models), strict=True))
    with connected(cluster, *measures) as client:
        from ... import distributed

        data, ties = read_sharded(options.addresses, client, options.columns), tie_rule(options.ties)
        return {name: distributed.evaluate(model, data, measures, ties=ties) for name, model in models.items()}


def _print_official(files: RankingFiles, queries: QuerySet | None, as_json: bool) -> None:
    """Print trec_eval's official measures."""
    runs, qrels = read_judged_runs(files)
    counted: Literal["qrels", "run"] = (queries or QuerySet.qrels).value
    results = {run.name: trec_eval_official(run, qrels, queries=counted) for run in progress(runs, "Evaluating")}
    _note_missing_queries(runs, qrels, queries)
    if as_json:
        print_json(results)
        return
    names = next(iter(results.values()))
    print_table(["all queries", *results], [(name, *(values[name] for values in results.values())) for name in names])


def _print(results: dict[str, Evaluation], per_query: bool, as_json: bool) -> None:
    if as_json:
        print_json({name: _as_dict(result, per_query) for name, result in results.items()})
        return
    first = next(iter(results.values()))
    names = list(first.per_query)
    if per_query:
        for name, result in results.items():
            values = zip(*result.per_query.values(), strict=True)
            rows = [(str(qid), *map(float, row)) for qid, row in zip(result.qid.tolist(), values, strict=True)]
            print_table(["query", *names], rows, title=name)
    _print_means(results, names)
    for line in first.notes():
        print_line(line)
    sizes_differ = len({result.qid.size for result in results.values()}) > 1  # each ranking has its own queries
    for name, result in results.items() if sizes_differ else [("", first)]:
        for line in queries_without_relevant(result):
            print_line(f"{name}: {line}" if sizes_differ else line)


def _print_means(results: dict[str, Evaluation], names: list[str]) -> None:
    sizes = {name: result.qid.size for name, result in results.items()}
    first = next(iter(results.values()))
    sizes_differ = len(set(sizes.values())) > 1
    head = "mean" if sizes_differ else f"mean of {first.qid.size:,} queries"
    head += ", ties as trec_eval" if set(first.ties.values()) == {"trec"} else ""
    counts = {name: [size] if sizes_differ else [] for name, size in sizes.items()}
    if len(names) <= max(6, len(results)):
        columns = [head, *(["queries"] if sizes_differ else []), *names]
        print_table(columns, [(name, *counts[name], *result.means.values()) for name, result in results.items()])
        return
    # Many measures of few rankings fit the screen with a row for each measure.
    rows: list[tuple[object, ...]] = [("queries", *sizes.values())] if sizes_differ else []
    means = zip(*(result.means.values() for result in results.values()), strict=True)
    rows += [(name, *values) for name, values in zip(names, means, strict=True)]
    print_table([head, *results], rows)


def _as_dict(result: Evaluation, per_query: bool) -> dict[str, Any]:
    out: dict[str, Any] = {
        "means": result.means,
        "queries": result.qid.size,
        "missing": result.missing,
        "no_relevant": result.no_relevant,
        "ties": result.ties,
        "gains": result.gains,
    }
    if per_query:
        ids = map(str, result.qid.tolist())
        rows = zip(*(values.tolist() for values in result.per_query.values()), strict=True)
        names = list(result.per_query)
        out["per_query"] = {qid: dict(zip(names, row, strict=True)) for qid, row in zip(ids, rows, strict=True)}
    return out
