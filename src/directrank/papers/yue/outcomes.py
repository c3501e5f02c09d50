"""Outcomes of the tables and figures of the paper."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from ...evaluation import Report
from ...features.score_binner import Curve
from ..experiment import Outcome
from ..per_query import compare_rankings
from ..rows import Rows
from .base_functions import BaseFunctions, Values
from .protocol import METHODS, BinnedScores, Trials, mean_over_trials
from .published import BEST, MAP, RIVALS, SECOND, STATISTICS, THIRD

MakeTrials = Callable[[BaseFunctions, bool], Trials]


def with_all(functions: BaseFunctions, quick: bool) -> Trials:
    """Trials with all functions."""
    return Trials.prepare(functions, quick)


def without_best(functions: BaseFunctions, quick: bool) -> Trials:
    """Trials without the best function, which remains a baseline."""
    best = next(iter(functions.alone))
    return Trials.prepare(functions.without(best), quick, f"without {best}")


def statistics(functions: BaseFunctions, rows: Rows, quick: bool) -> Outcome:
    """Table 5: numbers of functions and features."""
    binned = BinnedScores.fit(functions.data, "scores")
    counts = {
        "base functions": len(functions.names),
        "features": binned.n_features,
        "queries": len(functions.ids),
        "documents": len(functions.data),
        "relevant": int(functions.relevant.sum()),
    }
    return Outcome({STATISTICS: counts}, remarks=functions.remarks)


def against_functions(make_trials: MakeTrials, functions: BaseFunctions, rows: Rows, quick: bool) -> Outcome:
    """Tables 6 to 8: SVM-map against the three best functions and fusion methods."""
    trials = make_trials(functions, quick)
    found = trials.run(MAP, rows)
    best = dict(zip((BEST, SECOND, THIRD), functions.alone.items(), strict=False))
    rankings = {
        MAP: mean_over_trials(found),
        **{place: values for place, (_, values) in best.items()},
        **trials.functions.fused,
    }
    names = ", ".join(f"{place}: {name}" for place, (name, _) in best.items())
    return _outcome(rankings, (f"The functions are {names}.", *_remarks(trials, {MAP: found})))


def against_rivals(make_trials: MakeTrials, functions: BaseFunctions, rows: Rows, quick: bool) -> Outcome:
    """Tables 9 to 11: SVM-map against SVMs with other objectives."""
    trials = make_trials(functions, quick)
    found = {name: trials.run(name, rows) for name in (MAP, *RIVALS)}
    return _outcome({name: mean_over_trials(each) for name, each in found.items()}, _remarks(trials, found))


def learned_curves(functions: BaseFunctions, rows: Rows, quick: bool) -> Outcome:
    """Figure 2: contribution of each score to the SVM-map of the first trial."""
    trials = Trials.prepare(functions, quick)
    study = f"{MAP} with curves, trial of {trials.n_trials}"
    model = rows.get_or_compute(study, ["1"], partial(_train_with_curves, trials))["1"]
    steps = {name: Curve(np.array(x), np.array(y)) for name, (x, y) in model["curves"].items()}
    figures: dict[str, dict[str, float | str]] = {
        name: {
            "thresholds": curve.thresholds.size,
            "lowest": float(curve.values.min()),
            "highest": float(curve.values.max()),
            "at the top": float(curve.values[-1]),
            "largest fall": float(np.max(np.maximum.accumulate(curve.values) - curve.values)),
        }
        for name, curve in steps.items()
    }
    best = dict(zip((BEST, SECOND, THIRD), functions.alone.values(), strict=False))
    remark = f"SVM-map of the first trial, C = {model['C']:.3g}; a curve is 0 up to the lowest threshold."
    return replace(_outcome({MAP: model["AP"], **best}, (remark,)), figures=figures, charts=_charts(steps))


def _train_with_curves(trials: Trials, trial: str) -> dict[str, Any]:
    """C of a model, the average precision of its test queries, and the thresholds and values of its curves."""
    roles = trials.roles[int(trial) - 1]
    C, w = trials.train(MAP, roles)
    curves = zip(trials.functions.names, trials.features(METHODS[MAP][0]).curves(w), strict=True)
    return {
        "C": C,
        "AP": trials.test(MAP, roles, w),
        "curves": {name: (curve.thresholds.tolist(), curve.values.tolist()) for name, curve in curves},
    }


def _charts(curves: Mapping[str, Curve]) -> dict[str, Callable[[], Any]]:
    def draw() -> Any:
        from ...evaluation.plots import weight_curves

        return weight_curves(curves)

    return {"Contribution of each score": draw}


def _outcome(rankings: Mapping[str, Values], remarks: Iterable[str]) -> Outcome:
    """Figures and comparison, on the queries of the first ranking."""
    subject = next(iter(rankings))
    report = compare_rankings(rankings, "AP", subject)
    return Outcome({name: _figures(report, subject, name) for name in rankings}, report, remarks=tuple(remarks))


def _figures(report: Report, subject: str, name: str) -> Mapping[str, float | str]:
    """MAP, and wins and losses of the subject with the paper's stars, for uncorrected p < 0.05."""
    found = report.comparison("AP", subject, name) if name != subject else None
    value = {"MAP": report.means["AP"][name].value}
    return value if found is None else {**value, "W/L": str(replace(found, corrected_p=found.p))}


def _remarks(trials: Trials, found: Mapping[str, list[dict[str, Any]]]) -> tuple[str, ...]:
    chosen = {name: Counter(trial["C"] for trial in each) for name, each in found.items()}
    low, high = trials.Cs[0], trials.Cs[-1]
    ends = ", ".join(f"{name} {counts[low]} and {counts[high]}" for name, counts in chosen.items())
    size = f"{trials.n_trials} trials, {len(trials.functions.ids)} queries."
    at_ends = f"Trials that chose the lowest C, {low:g}, and the highest, {high:g}: {ends}."
    untrained = {name: trials.n_untrained(each) for name, each in found.items()}
    without = ", ".join(f"{name} in {number}" for name, number in untrained.items() if number)
    learned = f"Trials in which an SVM learned nothing (w = 0, all documents equal): {without}." if without else ""
    return tuple(filter(None, (size, at_ends, learned, *trials.functions.remarks)))
