"""``directrank fuse``: one run from several."""

from __future__ import annotations

import json
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import numpy as np
import typer
from sklearn.exceptions import ConvergenceWarning

from ..data import InputError, Qrels, Run, as_run, join_runs, read_qrels, write_run
from ..evaluation import Report, compare_all, evaluate_run
from ..fusion import FUSIONS, LearnedFusion, ScoreLearner, fuse_learned
from ..measures import parse
from ..models import as_model
from .converting import read_runs
from .ctrl_c import was_pressed
from .formats import MaxSize, check_target
from .learners import RANKERS, make_learner, one_of
from .output import note, print_json, progress
from .page import check_page, save_page
from .report_table import print_report

if TYPE_CHECKING:
    FusionMethod = str
else:
    #: The ways to fuse that learn nothing, and the learners of rankings.
    FusionMethod = one_of("FusionMethod", [*FUSIONS, *RANKERS])


def fuse(
    files: Annotated[list[Path], typer.Argument(metavar="RUN...", help="TREC runs.")],
    output: Annotated[Path, typer.Option("--output", "-o", help="The run to write.")],
    qrels: Annotated[Path | None, typer.Option(help="Judgments, to learn from and to measure by.")] = None,
    learner: Annotated[FusionMethod, typer.Option(help="What learns; rrf, combsum and combmnz learn nothing.")] = "svm",
    measure: Annotated[str, typer.Option("--measure", "-m", help="The measure to optimise.")] = "AP",
    thresholds: Annotated[
        int, typer.Option(help="Binary features of each score; 0 takes the score itself, from 0 to 1 in each query.", min=0)
    ] = 50,
    folds: Annotated[int, typer.Option(help="A judged query is ranked by a model of the other folds.", min=2)] = 5,
    settings: Annotated[
        list[str] | None, typer.Option("--set", metavar="NAME=VALUE", help="A parameter of the learner, such as C=10.")
    ] = None,
    page: Annotated[
        Path | None, typer.Option("--report", help="Write a page to look at: the runs, the fused one, what was learned.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    max_size: MaxSize = None,
) -> None:
    """Fuse TREC runs into one, by learning from judgments or without.

    Each judged query is ranked by a model that was trained on other queries, so that the run can be measured by the same
    judgments; queries without judgments by a model of all that have them. The C of an SVM is the best of some by models of
    each half of the training queries on the other half; --set C=10 gives it.

    directrank fuse --qrels qrels.txt bm25.run neural.run --learner svm --measure AP -o fused.run

    directrank fuse bm25.run neural.run --learner rrf -o fused.run
    """
    chosen = parse(measure)
    check_target(output, [*files, qrels])
    if page is not None:
        if qrels is None:
            raise InputError("--report compares the runs by judgments; give them with --qrels")
        check_page(page, [*files, qrels, output])
    runs = read_runs(files)
    judgments = None if qrels is None else read_qrels(qrels)
    learned: LearnedFusion | None = None
    if learner in FUSIONS:
        if settings:
            raise InputError(f"--set {settings[0]}: {learner} learns nothing and has no parameters")
        data = join_runs(runs, missing=np.nan)
        fused = as_run(data, FUSIONS[learner](data), _name(learner, runs))
    elif judgments is None:
        raise InputError(f"{learner} learns from judgments; give them with --qrels, or take --learner rrf")
    else:
        scorer = ScoreLearner(lambda: make_learner(learner, chosen, settings or []), thresholds)
        name = _name(f"{learner}-{chosen.name}", runs)
        with _noting_warnings_once():
            fused = fuse_learned(
                runs, judgments, scorer, name, folds=folds, progress=lambda splits: progress(splits, "Training")
            )
            learned = None if page is None else scorer.fit(join_runs(runs, judgments, missing=np.nan))
    report = None if judgments is None else _compared(runs, fused, judgments, chosen.name)
    if page is not None and report is None:
        raise InputError("no run has a judged query; leave out --report, or check that runs and qrels belong together")
    if was_pressed():
        raise KeyboardInterrupt(f"interrupted; {output} is as it was")
    write_run(output, fused)
    if report is not None:
        _print(report, as_json)
    if report is not None and page is not None:
        _save_page(report, page, learned)


def _name(wanted: str, runs: list[Run]) -> str:
    """A name that no run has."""
    return _name(f"{wanted}-fused", runs) if wanted in [run.name for run in runs] else wanted


@contextmanager
def _noting_warnings_once() -> Iterator[None]:
    """Note each warning of a training once, when all is done."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", ConvergenceWarning)
        yield
    for message in sorted({str(warning.message) for warning in caught}):
        note(message)


def _compared(runs: list[Run], fused: Run, qrels: Qrels, measure: str) -> Report | None:
    """Each run that has a judged query against the fused one, best first; None if no run has any."""
    judged = [run for run in (*runs, fused) if np.any(np.isin(run.qid, np.unique(qrels.qid)))]
    for run in runs:
        if run not in judged:
            note(f"{run.name} has nothing for the judged queries.")
    if not judged:
        return None
    results = {run.name: evaluate_run(run, qrels, measure) for run in judged}
    by_value = dict(sorted(results.items(), key=lambda item: -item[1][measure]))
    return compare_all(by_value, fused.name, missing="zero")


def _print(report: Report, as_json: bool) -> None:
    if as_json:
        print_json(json.loads(report.to_json()))
    else:
        print_report(report)


def _save_page(report: Report, page: Path, learned: LearnedFusion | None) -> None:
    """The runs and the fused one, and what a model of all judged queries has learned of each."""
    if learned is None:
        save_page(report, page)
        return
    name, curves = str(report.baseline), learned.curves()
    model = as_model(learned.learner).with_feature_names(learned.feature_names())
    save_page(report, page, models={name: model}, curves={name: curves} if curves else None)
