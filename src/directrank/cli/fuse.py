"""``directrank fuse``: one run from several."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import numpy as np
import typer
from sklearn.exceptions import ConvergenceWarning

from ..data import InputError, Qrels, Run, as_run, join_runs, read_qrels, write_run
from ..evaluation import Evaluation, compare, evaluate_run
from ..fusion import FUSIONS, ScoreLearner, fuse_learned
from ..measures import parse
from .convert import read_runs
from .ctrl_c import was_pressed
from .formats import MaxSize, check_target
from .learners import RANKERS, make_learner, one_of
from .output import note, print_json, print_line, print_table, progress

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
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    max_size: MaxSize = None,
) -> None:
    """Fuse TREC runs into one, by learning from judgments or without.

    Each judged query is ranked by a model that was trained on other queries, so that the run can be measured by the same
    judgments; queries without judgments by a model of all that have them.

    directrank fuse --qrels qrels.txt bm25.run neural.run --learner svm --measure AP -o fused.run

    directrank fuse bm25.run neural.run --learner rrf -o fused.run
    """
    chosen = parse(measure)
    check_target(output, [*files, qrels])
    runs = read_runs(files)
    judgments = None if qrels is None else read_qrels(qrels)
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
        fused = _note_warnings_once(
            lambda: fuse_learned(
                runs, judgments, scorer, name, folds=folds, progress=lambda splits: progress(splits, "Training")
            )
        )
    results = {} if judgments is None else _evaluated([*runs, fused], judgments, chosen.name)
    if was_pressed():
        raise KeyboardInterrupt(f"interrupted; {output} is as it was")
    write_run(output, fused)
    if results:
        _report(results, fused.name, chosen.name, as_json)


def _name(wanted: str, runs: list[Run]) -> str:
    """A name that no run has."""
    return _name(f"{wanted}-fused", runs) if wanted in [run.name for run in runs] else wanted


def _note_warnings_once(fuse: Callable[[], Run]) -> Run:
    """Fuse, and note each warning once."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", ConvergenceWarning)
        fused = fuse()
    for message in sorted({str(warning.message) for warning in caught}):
        note(message)
    return fused


def _evaluated(runs: list[Run], qrels: Qrels, measure: str) -> dict[str, Evaluation]:
    """Each run that has a judged query."""
    judged = [run for run in runs if np.any(np.isin(run.qid, np.unique(qrels.qid)))]
    for run in runs:
        if run not in judged:
            note(f"{run.name} has nothing for the judged queries.")
    return {run.name: evaluate_run(run, qrels, measure) for run in judged}


def _report(results: dict[str, Evaluation], fused: str, measure: str, as_json: bool) -> None:
    """Each run and the fused one, and that against each of the others."""
    best = max((name for name in results if name != fused), key=lambda name: results[name][measure])
    comparisons = {name: compare(results[fused], result, measure) for name, result in results.items() if name != fused}
    if as_json:
        values = {name: result[measure] for name, result in results.items()}
        print_json({"measure": measure, "values": values, "best run": best, "against it": asdict(comparisons[best])})
        return
    by_value = sorted(results, key=lambda name: -results[name][measure])
    rows = [(name, results[name][measure], str(comparisons.get(name, ""))) for name in by_value]
    print_table(["run", measure, f"W/L of {fused}"], rows)
    print_line("** where the two differ by the two-sided Wilcoxon test, p < 0.05.")
