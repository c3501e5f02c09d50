"""Fusing runs, as ``directrank fuse`` does."""

from __future__ import annotations

import json
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from ..data import InputError, Qrels, Run, as_run, join_runs, read_qrels, write_run
from ..evaluation import Report, compare_all, evaluate_run
from ..fusion import FUSIONS, LearnedFusion, ScoreLearner, fuse_learned
from ..measures import name_of, parse
from ..models import as_model
from .converting import read_runs
from .ctrl_c import was_pressed
from .learners import make_learner
from .output import note, print_json, progress
from .page import check_page, save_page
from .report_table import print_report
from .targets import check_target, shown


class How(NamedTuple):
    """How runs are fused."""

    learner: str
    measure: str
    thresholds: int
    folds: int
    settings: list[str]


class Kept(NamedTuple):
    """What is written: the run, and a page."""

    output: Path
    page: Path | None


def fuse_files(files: list[Path], qrels: Path | None, how: How, kept: Kept, as_json: bool) -> None:
    """Write the fused run, and compare it with the others if there are judgments."""
    measure = name_of(parse(how.measure))
    check_target(kept.output, [*files, qrels], as_json)
    if kept.page is not None:
        if qrels is None:
            raise InputError("--report compares the runs by judgments; give them with --qrels")
        check_page(kept.page, [*files, qrels, kept.output], as_json)
    runs, judgments = read_runs(files), None if qrels is None else read_qrels(qrels)
    fused, learned = _fused(runs, judgments, how, wants_model=kept.page is not None)
    report = None if judgments is None else _compared(runs, fused, judgments, measure)
    if kept.page is not None and report is None:
        raise InputError("no run has a judged query; leave out --report, or check that runs and qrels belong together")
    if was_pressed():
        raise KeyboardInterrupt(f"interrupted; {shown(kept.output)} is as it was")
    write_run(kept.output, fused)
    if report is not None:
        _print(report, as_json)
    if report is not None and kept.page is not None:
        _save_page(report, kept.page, learned, silent=as_json)


def _fused(runs: list[Run], judgments: Qrels | None, how: How, *, wants_model: bool) -> tuple[Run, LearnedFusion | None]:
    """The fused run, and if it is wanted and anything is learned, what is learned from all judged queries."""
    if how.learner in FUSIONS:
        if how.settings:
            raise InputError(f"--set {how.settings[0]}: {how.learner} learns nothing and has no parameters")
        data = join_runs(runs, missing=np.nan)
        return as_run(data, FUSIONS[how.learner](data), _name(how.learner, runs)), None
    if judgments is None:
        raise InputError(f"{how.learner} learns from judgments; give them with --qrels, or take --learner rrf")
    chosen = parse(how.measure)
    scorer = ScoreLearner(lambda: make_learner(how.learner, chosen, how.settings), how.thresholds)
    name = _name(f"{how.learner}-{name_of(chosen)}", runs)
    with _noting_warnings_once():
        fused = fuse_learned(
            runs, judgments, scorer, name, folds=how.folds, progress=lambda splits: progress(splits, "Training")
        )
        return fused, scorer.fit(join_runs(runs, judgments, missing=np.nan)) if wants_model else None


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


def _save_page(report: Report, page: Path, learned: LearnedFusion | None, *, silent: bool) -> None:
    """The runs and the fused one, and what a model of all judged queries has learned of each."""
    if learned is None:
        save_page(report, page, silent=silent)
        return
    name, curves = str(report.baseline), learned.curves()
    model = as_model(learned.learner).with_feature_names(learned.feature_names())
    save_page(report, page, silent=silent, models={name: model}, curves={name: curves} if curves else None)
