"""Reading, evaluating and comparing the rankings of ``directrank compare`` and ``directrank report``."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from ..arrays import Floats
from ..data import InputError, Qrels, RankingData, Run, read_qrels, read_run, read_scores
from ..evaluation import Evaluation, Report, compare_all, evaluate, evaluate_run
from ..evaluation.report.compare_all import some_of
from ..evaluation.significance import canonical_method
from ..models import Model, load_model
from .formats import note_one_query
from .matching import read_data_for, scores_of
from .measure_names import Ties, measures_of, tie_rule
from .measuring import is_setwise
from .output import as_text, progress, spinner
from .queries_option import QueriesOf, note_lacking
from .rankings import How, Missing, Sources


class Compared(NamedTuple):
    """A report, and the models among its rankings by their names."""

    report: Report
    models: dict[str, Model]


def compare_sources(sources: Sources, how: How) -> Compared:
    """Read the rankings, evaluate and compare them."""
    sources.check()
    if not 0 < how.alpha < 1:
        raise InputError(f"--alpha must lie between 0 and 1, not {how.alpha:g}")
    canonical_method(how.test, how.correction)
    measures = measures_of(how.measures)
    names = names_of(sources.rankings)
    found = (_of_runs if sources.qrels else _of_data)(sources, names, measures, how)
    baseline = None if how.baseline is None else matching_name(how.baseline, sources.rankings, names, found.tags)
    with spinner("Comparing"):
        report = compare_all(
            found.evaluations,
            baseline,
            test=how.test,
            correction=how.correction,
            missing="zero",  # or they were refused as the runs were read
            alpha=how.alpha,
            n_permutations=how.permutations,
        )
    return Compared(report, found.models)


def names_of(files: Sequence[Path]) -> list[str]:
    """The shortest names that differ: of the files without their endings, with them, with the folder, ..., as given."""
    bare = [(*file.parts[:-1], _without_endings(file.name)) for file in files]
    for depth in range(1, max(map(len, bare)) + 1):
        for shown in (bare, [file.parts for file in files]):
            names = [as_text(Path(*parts[-depth:])) for parts in shown]
            if len(set(names)) == len(names):
                return names
    return [as_text(file) for file in files]


def matching_name(wanted: str, files: Sequence[Path], names: list[str], tags: list[str]) -> str:
    """The ranking that is meant by its name, its file as given, the file's name, or a run's tag."""
    given, own = [as_text(file) for file in files], [as_text(file.name) for file in files]
    for words in (names, given, own, tags):
        found = [name for name, word in zip(names, words, strict=True) if word == as_text(wanted)]
        if len(found) == 1:
            return found[0]
        if found:
            raise InputError(f"--baseline {wanted} may be any of {', '.join(found)}; name one of these")
    raise InputError(f"--baseline {wanted}: there is no such ranking; there are {', '.join(names)}")


class _Found(NamedTuple):
    """What was read and evaluated, by the names of the rankings.

    Attributes
    ----------
    tags : list of str
        Of runs, the name that each gives itself.
    """

    evaluations: dict[str, Evaluation]
    tags: list[str]
    models: dict[str, Model]


def _of_runs(sources: Sources, names: list[str], measures: list[str], how: How) -> _Found:
    assert sources.qrels is not None
    judgments = read_qrels(sources.qrels)
    runs = dict(zip(names, map(read_run, progress(sources.files, "Reading runs")), strict=True))
    if how.queries is QueriesOf.run:
        judgments = _of_any(runs.values(), judgments)
    evaluations = {}
    for name, file in progress(list(zip(names, sources.files, strict=True)), "Evaluating"):
        if how.missing is Missing.error:
            _refuse_lacking(file, runs[name], judgments)
        try:
            evaluations[name] = evaluate_run(runs[name], judgments, measures, ties=tie_rule(how.ties))
        except InputError as error:
            raise InputError(f"{file}: {error}") from error
        note_lacking(name, evaluations[name], how.queries)
    return _Found(evaluations, [run.name for run in runs.values()], {})


def _of_any(runs: Iterable[Run], judgments: Qrels) -> Qrels:
    """The judgments of queries that at least one run has; all where there are none, which is refused later."""
    mine = np.isin(judgments.qid, np.concatenate([run.qid for run in runs]))
    return Qrels(judgments.qid[mine], judgments.docno[mine], judgments.grade[mine]) if mine.any() else judgments


def _refuse_lacking(file: Path, run: Run, judgments: Qrels) -> None:
    lacking = sorted(set(judgments.qid.tolist()).difference(run.qid.tolist()))
    if lacking:
        n_judged = np.unique(judgments.qid).size
        raise InputError(
            f"{file} lacks {len(lacking):,} of the {n_judged:,} judged queries ({some_of(lacking)}); "
            "complete it, or let them count 0 with --missing zero"
        )


def _of_data(sources: Sources, names: list[str], measures: list[str], how: How) -> _Found:
    file = sources.files[0]
    models = dict(zip(names[: len(sources.models)], map(load_model, sources.models), strict=True))
    data = read_data_for(models.values(), file, how.feature_names)
    if how.ties is Ties.trec and data.docno is None:
        raise InputError(f"{file}: --ties trec breaks ties by the names of documents, and it has none; use --ties average")
    scores = [
        scores_of(model, data, f"{file}, for {path}") for model, path in zip(models.values(), sources.models, strict=True)
    ]
    scores += [_read_scores(path, data, file) for path in sources.scores]
    if not all(map(is_setwise, measures)):
        note_one_query(file, data)
    evaluations = {}
    for name, path, values in zip(names, sources.rankings, scores, strict=True):
        try:
            evaluations[name] = evaluate(data.y, values, data.qid, measures, ties=tie_rule(how.ties), docno=data.docno)
        except InputError as error:
            raise InputError(f"{path}: {error}") from error
    return _Found(evaluations, names, models)


def _read_scores(path: Path, data: RankingData, file: Path) -> Floats:
    values = read_scores(path)
    if values.size != len(data):
        raise InputError(f"{path} has {values.size:,} scores, and {file} has {len(data):,} rows")
    return values


def _without_endings(name: str) -> str:
    while Path(name).suffix.lower() in _ENDINGS:
        name = Path(name).stem
    return name


_ENDINGS = {".gz", ".run", ".txt", ".json", ".trec", ".res", ".scores", ".tsv"}
