"""``directrank fuse``: fuse runs into one, and compare it with them."""

from __future__ import annotations

import json
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from ...data import InputError, Qrels, Run, as_run, join_runs, read_qrels, write_run
from ...data.formats.trec.joining import select_judged
from ...evaluation import Report, compare_all, evaluate_run
from ...fusion import FUSIONS, LearnedFusion, ScoreLearner, fuse_learned
from ...measures import Measure, name_of, parse
from ...models import as_model
from ..console.ctrl_c import was_pressed
from ..console.output import print_json, print_sentence
from ..console.output_files import check_output_file, display_name
from ..console.progress import progress
from ..console.report_page import check_report_page, save_report_page
from ..console.streams import note
from ..options.learners import make_learner
from ._rankings import queries_of, read_runs
from ._report_table import print_report

#: Number of binary features for each run, and of folds.
DEFAULT_THRESHOLDS, DEFAULT_FOLDS = 50, 5

DEFAULT_MEASURE = "AP"

#: Methods without learning that a learned fusion is compared with.
COMPARED = ("rrf", "combsum")


class FuseOptions(NamedTuple):
    """Options of ``directrank fuse``."""

    files: list[Path]
    qrels: Path | None
    names: str | None
    learner: str
    measure: str | None
    thresholds: int | None
    folds: int | None
    seed: int | None
    settings: list[str]
    output: Path
    report: Path | None
    as_json: bool


def run(options: FuseOptions) -> None:
    """Write the fused run, and compare it with the others, and with fusion that learns nothing, if there are judgments."""
    measure, output = parse(options.measure or DEFAULT_MEASURE), options.output
    _check_outputs(options)
    _check(options)
    runs = read_runs(options.files, options.names)
    qrels = None if options.qrels is None else read_qrels(options.qrels)
    fused, learned = _fuse(runs, qrels, measure, options)
    without_learning = [] if qrels is None or options.learner in FUSIONS else _fuse_without_learning(runs, fused)
    report = None if qrels is None else _compare([*runs, *without_learning], fused, qrels, name_of(measure))
    if options.report is not None and report is None:
        raise InputError("no run has a judged query; leave out --report, or check that runs and qrels belong together")
    if was_pressed():
        raise KeyboardInterrupt(f"interrupted; {display_name(output)} is unchanged")
    write_run(output, fused)
    if options.as_json:
        _print_json(report, fused, options)
    else:
        if report is not None:
            _print_comparison(report, [run.name for run in without_learning])
        _print_summary(runs, fused, options)
    if report is not None and options.report is not None:
        _save_report(report, options.report, learned, silent=options.as_json)


def _check_outputs(options: FuseOptions) -> None:
    check_output_file(options.output, [*options.files, options.qrels], options.as_json)
    if options.report is not None:
        if options.qrels is None:
            raise InputError("--report compares the runs by judgments; give them with --qrels")
        check_report_page(options.report, [*options.files, options.qrels, options.output], options.as_json)


def _fuse(runs: list[Run], qrels: Qrels | None, measure: Measure, options: FuseOptions) -> tuple[Run, LearnedFusion | None]:
    """The fused run and, if a report is asked for and the method learns, the fusion learned from all judged queries."""
    if options.learner in FUSIONS:
        data = join_runs(runs, missing=np.nan)
        return as_run(data, FUSIONS[options.learner](data), _unused_name(options.learner, runs)), None
    if qrels is None:
        raise InputError(f"{options.learner} learns from judgments; give them with --qrels, or use --learner rrf")
    thresholds = DEFAULT_THRESHOLDS if options.thresholds is None else options.thresholds
    learner = ScoreLearner(lambda: make_learner(options.learner, measure, options.settings), thresholds)
    name = _unused_name(f"{options.learner}-{name_of(measure)}", runs)
    with _noting_warnings_once():
        fused = fuse_learned(
            runs,
            qrels,
            learner,
            name,
            folds=DEFAULT_FOLDS if options.folds is None else options.folds,
            random_state=options.seed or 0,
            progress=lambda splits: progress(splits, "Training"),
        )
        wants_model = options.report is not None
        return fused, learner.fit(join_runs(runs, qrels, missing=np.nan)) if wants_model else None


def _fuse_without_learning(runs: list[Run], fused: Run) -> list[Run]:
    """Runs of the methods that learn nothing, to compare a learned fusion with."""
    data = join_runs(runs, missing=np.nan)
    return [as_run(data, FUSIONS[name](data), _unused_name(name, [*runs, fused])) for name in COMPARED]


def _check(options: FuseOptions) -> None:
    """Raise an error if there is one run, or for options that would have no effect."""
    if len(options.files) == 1:
        raise InputError(f"there is one run, {options.files[0]}; name two or more to fuse")
    if options.learner not in FUSIONS:
        return
    if options.measure is not None and options.qrels is None:
        raise InputError("--measure compares the runs by judgments; give them with --qrels")
    if options.settings:
        raise InputError(f"--set {options.settings[0]}: {options.learner} learns nothing and has no parameters")
    learning = {"--thresholds": options.thresholds, "--folds": options.folds, "--seed": options.seed}
    for option in [option for option, value in learning.items() if value is not None]:
        raise InputError(f"{option} is for learners, and {options.learner} learns nothing; leave it out")


def _unused_name(wanted: str, runs: list[Run]) -> str:
    """A name that no run has."""
    return _unused_name(f"{wanted}-fused", runs) if wanted in [run.name for run in runs] else wanted


@contextmanager
def _noting_warnings_once() -> Iterator[None]:
    """Note each distinct warning of training once, at the end."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", ConvergenceWarning)
        yield
    for message in sorted({str(warning.message) for warning in caught}):
        note(message)


def _compare(runs: list[Run], fused: Run, qrels: Qrels, measure: str) -> Report | None:
    """Each run against the fused one, best first, on the judged queries of the runs; None if no run has any."""
    qrels = select_judged(qrels, *runs)
    judged = [run for run in (*runs, fused) if queries_of(run) & queries_of(qrels)]
    for run in runs:
        if run not in judged:
            note(f"{run.name} has nothing for the judged queries.")
    if not judged:
        return None
    results = {run.name: evaluate_run(run, qrels, measure) for run in judged}
    by_value = dict(sorted(results.items(), key=lambda item: -item[1][measure]))
    return compare_all(by_value, fused.name, missing="zero")


def _print_json(report: Report | None, fused: Run, options: FuseOptions) -> None:
    done = {"run": str(options.output), "fusion": fused.name, "queries": np.unique(fused.qid).size, "documents": len(fused)}
    print_json(done if report is None else {**done, **json.loads(report.to_json())})


def _print_comparison(report: Report, without_learning: list[str]) -> None:
    """Print the comparison, and whether fusion that learns nothing does no worse by the corrected test."""
    print_report(report)
    (measure,), fused, alpha = report.measures, str(report.baseline), report.method.alpha
    found = {name: each for name in without_learning if (each := report.comparison(measure, name, fused)) is not None}
    better = [name for name, each in found.items() if each.is_better(alpha)]
    close = [name for name, each in found.items() if each.corrected_p >= alpha]
    for names, how in ((better, "significantly better than"), (close, "not significantly different from")):
        if names:
            verbs = ("learn", "need", "are") if len(names) > 1 else ("learns", "needs", "is")
            who = " and ".join(names)
            print_sentence(f"{who} {verbs[0]} nothing, {verbs[1]} no judgments, and {verbs[2]} {how} {fused}.")


def _print_summary(runs: list[Run], fused: Run, options: FuseOptions) -> None:
    names = ", ".join(run.name for run in runs)
    folds = DEFAULT_FOLDS if options.folds is None else options.folds
    how = "" if options.learner in FUSIONS else f", learned in {folds} folds"
    size = f"{np.unique(fused.qid).size:,} queries, {len(fused):,} documents"
    print_sentence(f"{display_name(options.output)}: {fused.name} of {len(runs):,} runs ({names}){how}; {size}")


def _save_report(report: Report, path: Path, learned: LearnedFusion | None, *, silent: bool) -> None:
    """Write the comparison, with the model and the curves learned for each run."""
    if learned is None:
        save_report_page(report, path, silent=silent)
        return
    name, curves = str(report.baseline), learned.curves()
    model = as_model(learned.learner).with_feature_names(learned.feature_names())
    save_report_page(report, path, silent=silent, models={name: model}, curves={name: curves} if curves else None)
