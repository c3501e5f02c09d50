"""``directrank evaluate``: evaluate rankings, and print their values."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

from ...data import InputError, Qrels, Run
from ...evaluation import Evaluation
from ...evaluation.trec_eval import OFFICIAL, query_values, total_counts, trec_lines
from ..console.output import print_json, print_sentence, print_table, print_text
from ..console.streams import note, results_file
from ..options.columns import GradedColumns
from ..options.measures import Ties, parse_sort, split_measures, tie_rule
from ..options.rankings import OutputFormat, QuerySet, RankingFiles
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
    sort_rankings,
    suggest_queries_of_run,
)


class PrintOptions(NamedTuple):
    """What ``directrank evaluate`` prints."""

    per_query: bool
    output_format: OutputFormat | None
    sort: str | None
    as_json: bool


class EvaluateOptions(NamedTuple):
    """Options of ``directrank evaluate``; `addresses` are the files as typed, for the workers of a cluster."""

    files: RankingFiles
    addresses: list[str]
    measures: list[str] | None
    ties: Ties | None
    queries: QuerySet | None
    official: bool
    columns: GradedColumns
    cluster: str | None
    shown: PrintOptions


def run(options: EvaluateOptions) -> None:
    """Print the mean of each ranking, and the values of each query if asked for."""
    files, shown = options.files, options.shown
    _check(options)
    files.check(sharded=options.cluster is not None)
    check_options_of_rankings(files, options.queries, options.columns)
    no_others = options.official and not options.measures
    measures = [] if no_others else split_measures(options.measures, may_be_geometric=True)
    sort = parse_sort(shown.sort, [*(OFFICIAL if options.official else ()), *measures])
    results = sort_rankings(_evaluate(options, measures), sort)
    if shown.as_json:
        print_json({name: _as_dict(result, options) for name, result in results.items()})
    elif _prints_trec_lines(options):
        _print_trec_lines(results, options.official, shown.per_query)
    else:
        _print(results, options.official, shown.per_query)


def _check(options: EvaluateOptions) -> None:
    """Raise an error if options exclude each other."""
    files = options.files
    others = files.qrels is not None or files.scores or files.features or not files.models
    if options.cluster is not None and others:
        raise InputError("--cluster goes with Parquet files and --model, without --qrels, --scores and --feature")
    if options.official and (files.qrels is None or options.ties):
        raise InputError("--official goes with --qrels and runs, without --scores, --model and --ties")
    if options.shown.as_json and options.shown.output_format is not None:
        raise InputError("give only one of --json and --format: the output has one format")


def _prints_trec_lines(options: EvaluateOptions) -> bool:
    """Whether results are printed as trec_eval does: as asked for, or if a program may read the values of runs."""
    if options.shown.output_format is not None:
        return options.shown.output_format is OutputFormat.trec
    return options.files.qrels is not None and not results_file().isatty()


def _evaluate(options: EvaluateOptions, measures: list[str]) -> dict[str, Evaluation]:
    files, ties = options.files, options.ties
    if options.cluster is not None:
        return _evaluate_on_cluster(options.cluster, options, measures)
    local_files(options.addresses)
    if files.qrels is None:
        return evaluate_scored_data(files, read_scored_data(files, options.columns), measures, ties)
    runs, qrels = read_judged_runs(files)
    counted: Literal["qrels", "run"] = (options.queries or QuerySet.qrels).value
    evaluations = evaluate_runs(files, runs, qrels, measures, ties, counted, official=options.official)
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


def _print_trec_lines(results: dict[str, Evaluation], official: bool, per_query: bool) -> None:
    """Print a block for each run, with its name if there are several, or with the official measures."""
    for name, result in results.items():
        run_name = name if official or len(results) > 1 else None
        print_text(trec_lines(result, run_name, counts=official, per_query=per_query))
    as_in_trec_eval = all(set(result.ties.values()) == {"trec"} for result in results.values())
    for line in _lacking_relevant(results) if as_in_trec_eval else _notes(results):
        note(line)


def _print(results: dict[str, Evaluation], official: bool, per_query: bool) -> None:
    names = list(next(iter(results.values())).per_query)
    for name, result in results.items() if per_query else ():
        columns = query_values(result, counts=official)
        rows = zip(map(str, result.qid.tolist()), *(values.tolist() for values in columns.values()), strict=True)
        print_table(["query", *columns], list(rows), title=name)
    if official:
        _print_totals(results)
    else:
        _print_means(results, names)
    for line in _notes(results):
        print_sentence(line)


def _notes(results: dict[str, Evaluation]) -> list[str]:
    """Sentences on gains and ties, and on queries without a relevant document."""
    return [*next(iter(results.values())).notes(), *_lacking_relevant(results)]


def _lacking_relevant(results: dict[str, Evaluation]) -> list[str]:
    if len({result.qid.size for result in results.values()}) == 1:
        return queries_without_relevant(next(iter(results.values())))
    # Each ranking has its own queries.
    return [f"{name}: {line}" for name, result in results.items() for line in queries_without_relevant(result)]


def _print_totals(results: dict[str, Evaluation]) -> None:
    """Print the official measures, with numbers of queries and documents: a row for each, a column for each run."""
    totals = {name: {**total_counts(result), **result.means} for name, result in results.items()}
    names = next(iter(totals.values()))
    print_table(["all queries", *results], [(name, *(each[name] for each in totals.values())) for name in names])


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


def _as_dict(result: Evaluation, options: EvaluateOptions) -> dict[str, Any]:
    out: dict[str, Any] = {
        "means": result.means,
        "queries": result.qid.size,
        "missing": result.missing,
        "no_relevant": result.no_relevant,
        "ties": result.ties,
        "gains": result.gains,
    }
    if options.official:
        out = {**total_counts(result), **result.means}
    if options.shown.per_query:
        columns = query_values(result, counts=options.official)
        rows = zip(*(values.tolist() for values in columns.values()), strict=True)
        ids = map(str, result.qid.tolist())
        out["per_query"] = {qid: dict(zip(columns, row, strict=True)) for qid, row in zip(ids, rows, strict=True)}
    return out
