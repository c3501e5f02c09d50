"""Measuring as ``directrank evaluate`` does it: what is read, its values, and how they are shown."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

from ..data import InputError, read_qrels, read_run, read_scores
from ..evaluation import Evaluation, evaluate as evaluate_scores, evaluate_run, trec_eval_official
from ..measures import SupportsEvaluate, parse
from .cluster import connected, read_sharded
from .formats import note_one_query
from .matching import read_data_for, scores_of
from .measure_names import Ties, tie_rule
from .output import print_json, print_line, print_table, progress
from .queries_option import QueriesOf, note_lacking


def print_official(files: list[Path], qrels: Path, queries: QueriesOf | None, as_json: bool) -> None:
    """trec_eval's official set."""
    judgments = read_qrels(qrels)
    results: dict[str, dict[str, float]] = {}
    for file in progress(files, "Evaluating"):
        run = read_run(file)
        found = trec_eval_official(run, judgments, queries=(queries or QueriesOf.qrels).value)
        results[run.name if run.name not in results else str(file)] = found
    if as_json:
        print_json(results)
        return
    names = next(iter(results.values()))
    print_table(["all queries", *results], [(name, *(values[name] for values in results.values())) for name in names])


def of_runs(
    files: list[Path], qrels: Path, measures: list[str], ties: Ties | None, queries: QueriesOf | None
) -> dict[str, Evaluation]:
    """Runs against judgments."""
    judgments = read_qrels(qrels)
    results: dict[str, Evaluation] = {}
    of: Literal["qrels", "run"] = (queries or QueriesOf.qrels).value
    for file in progress(files, "Evaluating"):
        run = read_run(file)
        name = run.name if run.name not in results else str(file)
        results[name] = evaluate_run(run, judgments, measures, ties=tie_rule(ties), queries=of)
        note_lacking(name, results[name], queries)
    return results


def of_data(
    files: list[Path],
    scores: list[Path],
    models: list[Path],
    measures: list[str],
    ties: Ties | None,
    feature_names: str | None,
) -> dict[str, Evaluation]:
    """Scores and models against graded data."""
    from ..models import load_model

    if len(files) != 1 or not (scores or models):
        raise InputError("give --qrels QRELS and runs, or one file of ranking data with --scores FILE or --model FILE")
    learned = {str(file): load_model(file) for file in models}
    data = read_data_for(learned.values(), files[0], feature_names)
    rankings = {str(file): read_scores(file) for file in scores}
    for name, values in rankings.items():
        if values.size != len(data):
            raise InputError(f"{name} has {values.size} scores, and {files[0]} has {len(data)} rows")
    rankings |= {name: scores_of(model, data, str(files[0])) for name, model in learned.items()}
    if not all(is_setwise(measure) for measure in measures):
        note_one_query(files[0], data)
    return {
        name: evaluate_scores(data.y, values, data.qid, measures, ties=tie_rule(ties), docno=data.docno)
        for name, values in rankings.items()
    }


def of_shards(
    cluster: str, files: list[Path], models: list[Path], measures: list[str], ties: Ties | None
) -> dict[str, Evaluation]:
    """Models against data on a cluster."""
    from ..models import load_model

    learned = {str(file): load_model(file) for file in models}
    with connected(cluster) as client:
        from .. import distributed

        data = read_sharded(files, client)
        return {name: distributed.evaluate(model, data, measures, ties=tie_rule(ties)) for name, model in learned.items()}


def is_setwise(measure: str | SupportsEvaluate) -> bool:
    """Whether a measure is usual on rows without queries."""
    return bool(getattr(parse(measure) if isinstance(measure, str) else measure, "setwise", False))


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


def print_results(results: dict[str, Evaluation], per_query: bool, as_json: bool) -> None:
    """The means of each ranking, and the values of each query if they are wanted."""
    if as_json:
        print_json({name: _as_json(result, per_query) for name, result in results.items()})
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
    several = len({result.qid.size for result in results.values()}) > 1  # each with queries of its own
    for name, result in results.items() if several else [("", first)]:
        for line in without_relevant(result):
            print_line(f"{name}: {line}" if several else line)


def _print_means(results: dict[str, Evaluation], names: list[str]) -> None:
    sizes = {name: result.qid.size for name, result in results.items()}
    first = next(iter(results.values()))
    of_each = len(set(sizes.values())) > 1
    head = "mean" if of_each else f"mean of {first.qid.size:,} queries"
    head += ", ties as trec_eval" if set(first.ties.values()) == {"trec"} else ""
    counts = {name: [size] if of_each else [] for name, size in sizes.items()}
    if len(names) <= max(6, len(results)):
        columns = [head, *(["queries"] if of_each else []), *names]
        print_table(columns, [(name, *counts[name], *result.means.values()) for name, result in results.items()])
        return
    # Many measures of few rankings fit a screen the other way round.
    rows: list[tuple[object, ...]] = [("queries", *sizes.values())] if of_each else []
    of_measures = zip(*(result.means.values() for result in results.values()), strict=True)
    rows += [(name, *values) for name, values in zip(names, of_measures, strict=True)]
    print_table([head, *results], rows)


def _as_json(result: Evaluation, per_query: bool) -> dict[str, Any]:
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
