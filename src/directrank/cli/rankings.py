"""The rankings that ``directrank compare`` and ``directrank report`` are given: options, files, names, comparison."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NamedTuple

import numpy as np
import typer

from ..arrays import Floats
from ..data import InputError, Qrels, RankingData, Run, read_qrels, read_run, read_scores
from ..evaluation import DEFAULT_MEASURES, Evaluation, Report, compare_all, evaluate, evaluate_run
from ..evaluation.report.comparing import some_of
from ..measures import Measure, parse
from .evaluate import Ties
from .formats import read_data
from .output import as_text, progress, spinner

if TYPE_CHECKING:
    from ..models import Model


class Test(StrEnum):
    wilcoxon = "wilcoxon"
    t = "t"
    randomisation = "randomisation"


class Correction(StrEnum):
    holm = "holm"
    bh = "bh"
    none = "none"


class Missing(StrEnum):
    zero = "zero"
    error = "error"


FilesArgument = Annotated[list[Path], typer.Argument(help="TREC runs, with --qrels; else one file of ranking data.")]
QrelsOption = Annotated[Path | None, typer.Option("--qrels", help="TREC judgments of the runs' documents.")]
ModelsOption = Annotated[
    list[Path] | None, typer.Option("--model", help="A model that scores the data. May be repeated, beside --scores.")
]
ScoresOption = Annotated[
    list[Path] | None, typer.Option("--scores", help="A score for each row of the data, one in a line. May be repeated.")
]
MeasuresOption = Annotated[list[str] | None, typer.Option("--measure", "-m", help="AP, nDCG@10, AUC, ... May be repeated.")]
BaselineOption = Annotated[
    str | None, typer.Option("--baseline", help="The ranking to compare all others with; else every two are compared.")
]
TestOption = Annotated[Test, typer.Option(help="The paired, two-sided test of significance.")]
CorrectionOption = Annotated[
    Correction, typer.Option(help="For many comparisons: by Holm, by Benjamini and Hochberg, or none.")
]
TiesOption = Annotated[Ties, typer.Option(help="Equal scores: the mean over their orders, or as trec_eval.")]
MissingOption = Annotated[Missing, typer.Option(help="A judged query that a run lacks: it counts 0, or is an error.")]
AlphaOption = Annotated[float, typer.Option(help="A difference is significant if its corrected p-value is below.")]
PermutationsOption = Annotated[int, typer.Option(help="Of the randomisation test.", min=1)]


class Sources(NamedTuple):
    """What was named to be compared: runs with judgments, or models and scores of data."""

    files: list[Path]
    qrels: Path | None
    models: list[Path]
    scores: list[Path]

    @property
    def rankings(self) -> list[Path]:
        """The file of each ranking."""
        return self.files if self.qrels else [*self.models, *self.scores]

    @property
    def all(self) -> list[Path]:
        """Every file that is read."""
        return [*self.files, *([self.qrels] if self.qrels else []), *self.models, *self.scores]

    def check(self) -> None:
        """Refuse what cannot be compared, before anything is read."""
        if self.qrels and (self.models or self.scores):
            raise InputError("--qrels goes with runs, and --model and --scores with ranking data; give one or the other")
        if not self.qrels and (len(self.files) != 1 or not self.rankings):
            raise InputError("give --qrels QRELS and runs, or one file of ranking data with --model FILE or --scores FILE")
        if len(self.rankings) < 2:
            kinds = "runs" if self.qrels else "models or scores"
            raise InputError(f"there is one ranking, {self.rankings[0]}; name two or more {kinds} to compare")
        _refuse_repeated(self.rankings)


class How(NamedTuple):
    """How rankings are compared; see `compare_all`."""

    measures: list[str] | None
    baseline: str | None
    test: Test
    correction: Correction
    ties: Ties
    missing: Missing
    alpha: float
    permutations: int


class Compared(NamedTuple):
    """A report, and the models among its rankings by their names."""

    report: Report
    models: dict[str, Model]


def compare_sources(sources: Sources, how: How) -> Compared:
    """Read the rankings, evaluate and compare them."""
    sources.check()
    if not 0 < how.alpha < 1:
        raise InputError(f"--alpha must lie between 0 and 1, not {how.alpha:g}")
    measures = [parse(measure) for measure in how.measures or DEFAULT_MEASURES]
    names = names_of(sources.rankings)
    found = _of_runs(sources, names, measures, how) if sources.qrels else _of_data(sources, names, measures, how.ties)
    baseline = None if how.baseline is None else matching_name(how.baseline, sources.rankings, names, found.tags)
    with spinner("Comparing"):
        report = compare_all(
            found.evaluations,
            baseline,
            test=how.test.value,
            correction=how.correction.value,
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


def _of_runs(sources: Sources, names: list[str], measures: list[Measure], how: How) -> _Found:
    assert sources.qrels is not None
    judgments = read_qrels(sources.qrels)
    evaluations, tags = {}, []
    for name, file in progress(list(zip(names, sources.files, strict=True)), "Evaluating"):
        run = read_run(file)
        tags.append(run.name)
        if how.missing is Missing.error:
            _refuse_lacking(file, run, judgments)
        try:
            evaluations[name] = evaluate_run(run, judgments, measures, ties=how.ties.value)
        except InputError as error:
            raise InputError(f"{file}: {error}") from error
    return _Found(evaluations, tags, {})


def _refuse_lacking(file: Path, run: Run, judgments: Qrels) -> None:
    lacking = sorted(set(judgments.qid.tolist()).difference(run.qid.tolist()))
    if lacking:
        n_judged = np.unique(judgments.qid).size
        raise InputError(
            f"{file} lacks {len(lacking):,} of the {n_judged:,} judged queries ({some_of(lacking)}); "
            "complete it, or let them count 0 with --missing zero"
        )


def _of_data(sources: Sources, names: list[str], measures: list[Measure], ties: Ties) -> _Found:
    file = sources.files[0]
    models = dict(zip(names[: len(sources.models)], _loaded(sources.models), strict=True))
    data = read_data(file)
    if ties is Ties.trec and data.docno is None:
        raise InputError(f"{file}: --ties trec breaks ties by the names of documents, and it has none; use --ties average")
    scores = [
        _scored(model, data, f"{file}, for {path}") for model, path in zip(models.values(), sources.models, strict=True)
    ]
    scores += [_read_scores(path, data, file) for path in sources.scores]
    evaluations = {}
    for name, path, values in zip(names, sources.rankings, scores, strict=True):
        try:
            evaluations[name] = evaluate(data.y, values, data.qid, measures, ties=ties.value, docno=data.docno)
        except InputError as error:
            raise InputError(f"{path}: {error}") from error
    return _Found(evaluations, names, models)


def _loaded(files: list[Path]) -> Iterator[Model]:
    from ..models import load_model  # here, for runs can do without

    return map(load_model, files)


def _scored(model: Model, data: RankingData, where: str) -> Floats:
    from .matching import matched

    try:
        return model.predict(matched(data, model.n_features, model.feature_names).X)
    except ValueError as error:
        raise InputError(f"{where}: {str(error).splitlines()[0]}") from error


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


def _refuse_repeated(files: list[Path]) -> None:
    seen: set[Path] = set()
    for file in files:
        real = file.resolve()
        if real in seen:
            raise InputError(f"{file} is given twice; name each ranking once")
        seen.add(real)
