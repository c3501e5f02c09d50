"""Loading, naming and evaluating rankings, for ``evaluate``, ``compare``, ``report`` and ``fuse``.

A ranking is named as ``--names`` says; by default by its run tag, or by its file where tags repeat or are absent.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...arrays import Floats
from ...data import InputError, Qrels, RankingData, Run, read_qrels, read_run, read_scores
from ...data.ranking_names import ranking_names
from ...data.shown_ids import some_of
from ...evaluation import Evaluation, evaluate, evaluate_run
from ...evaluation.feature_ranking import feature_name, feature_scores, find_feature
from ...evaluation.trec_eval import evaluate_official
from ...matrix.columns import Columns
from ...measures import SupportsEvaluate, parse
from ...models import Model, load_model
from ..console.output import as_text
from ..console.progress import progress
from ..console.streams import note
from ..options.columns import GradedColumns
from ..options.measures import Ties, tie_rule
from ..options.rankings import QuerySet, RankingFiles, check_distinct, parse_names
from ._data import display_files, note_one_query
from ._matching import read_for_models, score_data

#: Share of the judged queries that a run may lack before a note suggests ``--queries run``.
_MANY = 0.1


class ScoredData(NamedTuple):
    """Ranking data, with the scores of each ranking by name, and the models among the rankings."""

    file: str
    data: RankingData
    scores: dict[str, Floats]
    models: dict[str, Model]


def read_runs(files: Sequence[Path], names: str | None = None) -> list[Run]:
    """Read runs and name them; a file that is given twice is an error."""
    check_distinct(files)
    given = parse_names(names, len(files))
    runs = [read_run(file) for file in progress(files, "Reading runs")]
    chosen = _names(files, given, [run.name for run in runs])
    return [run if run.name == name else replace(run, name=name) for run, name in zip(runs, chosen, strict=True)]


def names_without_tags(files: RankingFiles, features: Sequence[str] = ()) -> list[str]:
    """Names of models, scores and features, which have names of their own."""
    given = parse_names(files.names, files.n_rankings)
    names = given or [*_names(files.rankings, None, [None] * len(files.rankings)), *features]
    for name in names:
        if names.count(name) > 1:
            raise InputError(f"two rankings are named {name}; name each with --names, comma-separated")
    return names


def read_judged_runs(files: RankingFiles) -> tuple[list[Run], Qrels]:
    """Read runs and judgments."""
    assert files.qrels is not None
    qrels = read_qrels(files.qrels)
    return read_runs(files.files, files.names), qrels


def read_scored_data(files: RankingFiles, columns: GradedColumns) -> ScoredData:
    """Read ranking data, and score it with the models or read its scores."""
    file, models = display_files(files.files), [load_model(path) for path in files.models]
    data = read_for_models(files.files, models, columns)
    features = _find_features(files, data)
    names = names_without_tags(files, [each.name for each in features])
    scores = [score_data(model, data, f"{file}, for {path}") for model, path in zip(models, files.models, strict=True)]
    scores += [read_scores(path, data) for path in files.scores]
    scores += [_score_by_feature(each, data) for each in features]
    return ScoredData(
        file, data, dict(zip(names, scores, strict=True)), dict(zip(names[: len(models)], models, strict=True))
    )


def evaluate_runs(
    files: RankingFiles,
    runs: Sequence[Run],
    qrels: Qrels,
    measures: Sequence[str | SupportsEvaluate],
    ties: Ties | None,
    queries: Literal["qrels", "run"] = "qrels",
    *,
    official: bool = False,
) -> dict[str, Evaluation]:
    """Evaluate runs against judgments, by name; by trec_eval's official measures too if `official`."""
    evaluations = {}
    for run, file in progress(list(zip(runs, files.files, strict=True)), "Evaluating"):
        try:
            if official:
                evaluations[run.name] = evaluate_official(run, qrels, measures, queries=queries)
            else:
                evaluations[run.name] = evaluate_run(run, qrels, list(measures), ties=tie_rule(ties), queries=queries)
        except InputError as error:
            raise InputError(f"{file}: {error}") from error
        note_equal_scores(run.name, run.number_queries()[0], run.score, "; as in trec_eval, ranks are not read")
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
    paths = [*files.rankings, *([file] * len(files.features))]
    for (name, scores), path in zip(scored.scores.items(), paths, strict=True):
        try:
            evaluations[name] = evaluate(data.y, scores, data.qid, list(measures), ties=tie_rule(ties), docno=data.docno)
        except InputError as error:
            raise InputError(f"{path}: {error}") from error
        note_equal_scores(name, data.qid, scores)
    return evaluations


def sort_rankings(evaluations: dict[str, Evaluation], by: str | None) -> dict[str, Evaluation]:
    """Evaluations by name, or by the mean of a measure, the highest first; as they are if `by` is None."""
    if by is None:
        return evaluations
    if by == "name":
        return dict(sorted(evaluations.items()))
    return dict(sorted(evaluations.items(), key=lambda item: -item[1][by]))


def check_options_of_rankings(files: RankingFiles, queries: QuerySet | None, columns: GradedColumns) -> None:
    """Raise an error if ``--queries`` is given for ranking data, or columns for runs."""
    if queries is not None and files.qrels is None:
        raise InputError("--queries selects the queries of runs, which go with --qrels; leave it out")
    if columns.arguments() and files.qrels is not None:
        raise InputError(f"{columns.arguments()[0]} is for ranking data, and runs have no such columns; leave it out")


def note_missing_queries(run: Run, qrels: Qrels) -> None:
    """Note how many judged queries a run lacks, and other queries that it has instead, whose ids may be misspelt."""
    asked, judged = queries_of(run), queries_of(qrels)
    missing, unknown = judged - asked, sorted(asked - judged)
    other = f" It has {len(unknown):,} without judgments ({some_of(unknown)})." if unknown else ""
    if missing:
        note(f"{run.name} has nothing for {len(missing):,} of the {len(judged):,} judged queries; they count 0.{other}")


def note_equal_scores(name: str, qid: NDArray[Any] | None, scores: Floats, advice: str = "") -> None:
    """Note that a ranking has no order: all rows of each query have equal scores."""
    if qid is None:
        qid = np.zeros(scores.size, np.int64)
    if _has_order(qid, scores):  # most rankings end here, without a sort
        return
    by_query = np.argsort(qid, kind="stable")  # rows of a query may be apart
    qid, scores = qid[by_query], scores[by_query]
    if np.any(qid[1:] == qid[:-1]) and not _has_order(qid, scores):
        note(f"{name} has the same score for all documents of a query, so it ranks nothing{advice}.")


def _has_order(qid: NDArray[Any], scores: Floats) -> bool:
    """Whether neighbouring rows of a query differ in score."""
    return bool(np.any((scores[1:] != scores[:-1]) & (qid[1:] == qid[:-1])))


def suggest_queries_of_run(run: Run, qrels: Qrels) -> None:
    """Suggest ``--queries run`` if a run lacks many of the judged queries."""
    judged = queries_of(qrels)
    suggest_queries_of_runs(f"{run.name} was", len(judged & queries_of(run)), len(judged))


def suggest_queries_of_runs(whose: str, n_answered: int, n_judged: int) -> None:
    """Suggest ``--queries run`` if many of the judged queries would then not be evaluated."""
    if n_judged - n_answered >= _MANY * n_judged:
        note(f"If {whose} made for only {n_answered:,} of them, evaluate those alone with --queries run.")


def queries_of(listed: Run | Qrels) -> set[str]:
    """Queries of a run or of judgments."""
    return set(listed.number_queries()[1])


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


class _FoundFeature(NamedTuple):
    """A feature as a ranking: its column, and the name of the ranking."""

    column: int
    is_ascending: bool
    name: str


def _find_features(files: RankingFiles, data: RankingData) -> list[_FoundFeature]:
    found = []
    for wanted, is_ascending in files.features:
        try:
            column = find_feature(data, wanted)
        except InputError as error:
            raise InputError(f"{files.files[0]}: {error}") from error
        name = feature_name(data, column)
        found.append(_FoundFeature(column, is_ascending, f"{name}, ascending" if is_ascending else name))
    return found


def _score_by_feature(feature: _FoundFeature, data: RankingData) -> Floats:
    """Scores by a feature, with a note on missing values."""
    values = Columns(data.X)[feature.column]
    n_missing = int(np.isnan(values).sum())
    if n_missing:
        name = feature_name(data, feature.column)
        note(f"{name} is missing in {n_missing:,} of {values.size:,} rows, which are ranked last.")
    return feature_scores(values, ascending=feature.is_ascending)


def _is_setwise(measure: str | SupportsEvaluate) -> bool:
    """Whether a measure is common for rows without queries."""
    return bool(getattr(parse(measure) if isinstance(measure, str) else measure, "setwise", False))
