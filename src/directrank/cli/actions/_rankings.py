"""Loading, naming and evaluating rankings, for ``evaluate``, ``compare``, ``report`` and ``fuse``.

A ranking is named as ``--names`` says; by default by its run tag, or by its file where tags repeat or are absent.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Literal, NamedTuple

from ...arrays import Floats
from ...data import InputError, Qrels, RankingData, Run, read_qrels, read_run, read_scores
from ...data.ranking_names import ranking_names
from ...evaluation import Evaluation, evaluate, evaluate_run
from ...measures import SupportsEvaluate, parse
from ...models import Model, load_model
from ..console.output import as_text
from ..console.progress import progress
from ..console.streams import note
from ..options.measures import Ties, tie_rule
from ..options.rankings import QuerySet, RankingFiles, check_distinct, parse_names
from ._data import note_one_query
from ._matching import read_data_for_models, score_data

#: Share of the judged queries that a run may lack before a note suggests ``--queries run``.
_MANY = 0.1


class ScoredData(NamedTuple):
    """Ranking data, with the scores of each ranking by name, and the models among the rankings."""

    file: Path
    data: RankingData
    scores: dict[str, Floats]
    models: dict[str, Model]


def read_runs(files: Sequence[Path], names: str | None = None) -> list[Run]:
    """Read runs and name them; a file that is given twice is an error."""
    check_distinct(files)
    given = parse_names(names, files)
    runs = [read_run(file) for file in progress(files, "Reading runs")]
    chosen = _names(files, given, [run.name for run in runs])
    return [run if run.name == name else replace(run, name=name) for run, name in zip(runs, chosen, strict=True)]


def names_without_tags(files: RankingFiles) -> list[str]:
    """Names of models and scores."""
    return _names(files.rankings, parse_names(files.names, files.rankings), [None] * len(files.rankings))


def read_judged_runs(files: RankingFiles) -> tuple[list[Run], Qrels]:
    """Read runs and judgments."""
    assert files.qrels is not None
    qrels = read_qrels(files.qrels)
    return read_runs(files.files, files.names), qrels


def read_scored_data(files: RankingFiles, feature_names: str | None) -> ScoredData:
    """Read ranking data, and score it with the models or read its scores."""
    (file,), names = files.files, names_without_tags(files)
    models = dict(zip(names[: len(files.models)], map(load_model, files.models), strict=True))
    data = read_data_for_models(models.values(), file, feature_names)
    scores = [
        score_data(model, data, f"{file}, for {path}") for model, path in zip(models.values(), files.models, strict=True)
    ]
    scores += [_read_scores(path, data, file) for path in files.scores]
    return ScoredData(file, data, dict(zip(names, scores, strict=True)), models)


def evaluate_runs(
    files: RankingFiles,
    runs: Sequence[Run],
    qrels: Qrels,
    measures: Sequence[str | SupportsEvaluate],
    ties: Ties | None,
    queries: Literal["qrels", "run"] = "qrels",
) -> dict[str, Evaluation]:
    """Evaluate runs against judgments, by name."""
    evaluations = {}
    for run, file in progress(list(zip(runs, files.files, strict=True)), "Evaluating"):
        try:
            evaluations[run.name] = evaluate_run(run, qrels, list(measures), ties=tie_rule(ties), queries=queries)
        except InputError as error:
            raise InputError(f"{file}: {error}") from error
    return evaluations


def evaluate_scored_data(
    files: RankingFiles, scored: ScoredData, measures: Sequence[str | SupportsEvaluate], ties: Ties | None
) -> dict[str, Evaluation]:
    """Evaluate scores against the grades of the data, by name."""
    data, file = scored.data, scored.file
    if ties is Ties.trec and data.docno is None:
        raise InputError(f"{file}: --ties trec breaks ties by document ids, and it has none; use --ties average")
    if not all(_is_setwise(measure) for measure in measures):
        note_one_query(file, data)
    evaluations = {}
    for (name, scores), path in zip(scored.scores.items(), files.rankings, strict=True):
        try:
            evaluations[name] = evaluate(data.y, scores, data.qid, list(measures), ties=tie_rule(ties), docno=data.docno)
        except InputError as error:
            raise InputError(f"{path}: {error}") from error
    return evaluations


def check_queries_option(files: RankingFiles, queries: QuerySet | None) -> None:
    """Raise an error if ``--queries`` is given for ranking data."""
    if queries is not None and files.qrels is None:
        raise InputError("--queries selects the queries of runs, which go with --qrels; leave it out")


def note_missing_queries(name: str, result: Evaluation, queries: QuerySet | None) -> None:
    """Note how many judged queries a run lacks, and suggest ``--queries run`` if they are many."""
    if not result.missing:
        return
    sentence = f"{name} has nothing for {result.missing:,} of the {result.qid.size:,} judged queries; they count 0."
    if queries is None and result.missing >= _MANY * result.qid.size:
        n_answered = result.qid.size - result.missing
        sentence += f" If it was made for only {n_answered:,} of them, evaluate those alone with --queries run."
    note(sentence)


def queries_without_relevant(result: Evaluation) -> list[str]:
    """Sentences on queries without a relevant document, one for each count that measures arrive at."""
    counts: dict[int, list[str]] = {}
    for name, count in result.no_relevant.items():
        counts.setdefault(count, []).append(name)
    return [
        f"{count:,} of {result.qid.size:,} queries have no relevant document"
        + (f" ({', '.join(names)})." if len(counts) > 1 else ".")
        for count, names in counts.items()
        if count
    ]


def _names(files: Sequence[Path], given: list[str] | None, tags: Sequence[str | None]) -> list[str]:
    return given or ranking_names([Path(as_text(file)) for file in files], tags)


def _read_scores(path: Path, data: RankingData, file: Path) -> Floats:
    scores = read_scores(path)
    if scores.size != len(data):
        raise InputError(f"{path} has {scores.size:,} scores, and {file} has {len(data):,} rows")
    return scores


def _is_setwise(measure: str | SupportsEvaluate) -> bool:
    """Whether a measure is common for rows without queries."""
    return bool(getattr(parse(measure) if isinstance(measure, str) else measure, "setwise", False))
