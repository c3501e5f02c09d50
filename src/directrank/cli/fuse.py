"""``directrank fuse``: one run from several."""

from __future__ import annotations

import warnings
from dataclasses import asdict
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer
from sklearn.exceptions import ConvergenceWarning

from ..arrays import Floats
from ..data import InputError, Qrels, QueryKFold, RankingData, Run, as_run, join_runs, read_qrels, write_run
from ..evaluation import Evaluation, compare, evaluate_run
from ..features import ScoreBinner
from ..fusion import FUSIONS, scaled_scores
from ..measures import parse
from .convert import read_runs
from .formats import check_target
from .learners import Learner, make_learner
from .output import note, print_json, print_line, print_table, progress, spinner


class FusionMethod(StrEnum):
    """The ways to fuse that learn nothing, and the learners of rankings."""

    rrf = "rrf"
    combsum = "combsum"
    combmnz = "combmnz"
    svm = "svm"
    lambdamart = "lambdamart"
    ranksvm = "ranksvm"
    adarank = "adarank"
    rankboost = "rankboost"
    coordinate_ascent = "coordinate-ascent"
    one_vs_rest = "one-vs-rest"


def fuse(
    files: Annotated[list[Path], typer.Argument(metavar="RUN...", help="TREC runs.")],
    output: Annotated[Path, typer.Option("--output", "-o", help="The run to write.")],
    qrels: Annotated[Path | None, typer.Option(help="Judgments, to learn from and to measure by.")] = None,
    learner: Annotated[
        FusionMethod, typer.Option(help="What learns; rrf, combsum and combmnz learn nothing.")
    ] = FusionMethod.svm,
    measure: Annotated[str, typer.Option("--measure", "-m", help="The measure to optimise.")] = "AP",
    thresholds: Annotated[
        int, typer.Option(help="Binary features of each score; 0 takes the score itself, from 0 to 1 in each query.", min=0)
    ] = 50,
    folds: Annotated[int, typer.Option(help="A judged query is ranked by what the other folds taught.", min=2)] = 5,
    settings: Annotated[
        list[str] | None, typer.Option("--set", metavar="NAME=VALUE", help="A parameter of the learner, such as C=10.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
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
        fit = _Fit(Learner(learner.value), chosen, settings or [], thresholds)
        fused = _learned(fit, runs, judgments, folds, _name(f"{learner}-{chosen.name}", runs))
    results = {} if judgments is None else _evaluated([*runs, fused], judgments, chosen.name)
    write_run(output, fused)
    if results:
        _report(results, fused.name, chosen.name, as_json)


def _name(wanted: str, runs: list[Run]) -> str:
    """A name that no run has."""
    return _name(f"{wanted}-fused", runs) if wanted in [run.name for run in runs] else wanted


class _Fit:
    """A learner on the features of scores."""

    def __init__(self, learner: Learner, measure: Any, settings: list[str], thresholds: int) -> None:
        self.learner, self.measure, self.settings, self.thresholds = learner, measure, settings, thresholds

    def features(self, data: RankingData) -> Any:
        """Each run's scores from 0 to 1 in each query, what it lacks NaN or, without thresholds, 0."""
        X = scaled_scores(data)
        return X if self.thresholds else np.nan_to_num(X, nan=0.0)

    def __call__(self, train: RankingData, other: RankingData) -> Floats:
        """The scores of other data by a model of the training data."""
        X, Z = self.features(train), self.features(other)
        if self.thresholds:
            binner = ScoreBinner(self.thresholds).fit(X)
            X, Z = binner.transform(X), binner.transform(Z)
        if X.shape[1] == 0:
            raise InputError("the scores of every run are all equal; there is nothing to learn from")
        model = make_learner(self.learner, self.measure, self.settings)
        return model.fit(X, train.y, train.qid).predict(Z)


def _learned(fit: _Fit, runs: list[Run], qrels: Qrels, folds: int, name: str) -> Run:
    data = join_runs(runs, qrels, missing=np.nan)
    if data.n_queries < folds:
        raise InputError(f"{data.n_queries} judged queries cannot make {folds} folds; judge more, or take --learner rrf")
    scores = np.empty(len(data))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", ConvergenceWarning)
        splits = list(QueryKFold(folds, shuffle=True, random_state=0).split(data.X, qid=data.qid))
        for train, test in progress(splits, "Training"):
            scores[test] = fit(data.select(train), data.select(test))
        fused = [as_run(data, scores)]
        rest = [_without(run, qrels) for run in runs]
        if any(len(run) for run in rest):
            with spinner("Training on all judged queries"):
                others = join_runs(rest, missing=np.nan)
                fused.append(as_run(others, fit(data, others)))
    for message in sorted({str(warning.message) for warning in caught}):
        note(message)
    qid, docno, score = (np.concatenate([getattr(run, part) for run in fused]) for part in ("qid", "docno", "score"))
    return Run(qid, docno, score, name)


def _without(run: Run, qrels: Qrels) -> Run:
    other = ~np.isin(run.qid, np.unique(qrels.qid))
    return Run(run.qid[other], run.docno[other], run.score[other], run.name)


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
    print_line("** where the two-sided Wilcoxon test tells the two apart at the level 0.95.")
