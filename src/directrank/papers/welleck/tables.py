"""The tables and figures of the paper."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from ...data import letor_folds
from ...data.splits import Split
from ...evaluation import Evaluation, Report, compare_all
from ..claims import is_higher
from ..experiment import Experiment, Figures, Outcome, Source
from ..rows import Rows
from .protocol import Row, run_folds

LAMBDAMART, SVM = "LambdaMART-MAUC", "SVM-Perf"


def _letor(folder: Path) -> list[Split]:
    return list(letor_folds(folder))


LETOR = Source(
    "letor",
    "Fold1 to Fold5, each with train, vali and test files",
    "LETOR 4.0 (MQ2007, MQ2008), Microsoft Research",
    _letor,
)


def _published(column: str, *pairs: tuple[float, float]) -> dict[str, Figures]:
    """The figures of LambdaMART-MAUC and SVM-Perf on each of the four collections."""
    collections = ("Yahoo V1", "Yahoo V2", "mq2007", "mq2008")
    return {
        name: {LAMBDAMART: {column: ours}, SVM: {column: theirs}}
        for name, (ours, theirs) in zip(collections, pairs, strict=True)
    }


def mauc(folds: Sequence[Split], rows: Rows, quick: bool) -> Outcome:
    """Table 1: MAUC, the mean over the folds."""
    found = run_folds(folds, rows, quick)
    return Outcome(
        {name: {"MAUC": _mean(parts, "MAUC"), "seconds": _mean(parts, "seconds")} for name, parts in found.items()}
    )


def mean_average_precision(folds: Sequence[Split], rows: Rows, quick: bool) -> Outcome:
    """Table 2: MAP of the same models."""
    found = run_folds(folds, rows, quick)
    report = _compared(found)
    return Outcome({name: {"MAP": report.means["AP"][name].value} for name in found}, report)


def _mean(parts: Sequence[Row], key: str) -> float:
    return float(np.mean([part[key] for part in parts]))


def _compared(found: dict[str, list[Row]]) -> Report:
    """The methods by the average precision of all test queries."""
    values = {name: {q: value for part in parts for q, value in part["AP"].items()} for name, parts in found.items()}
    return compare_all({name: _evaluation(each) for name, each in values.items()}, SVM)


def _evaluation(values: dict[str, float]) -> Evaluation:
    return Evaluation(np.array(list(values)), {"AP": np.array(list(values.values()))}, {"AP": 0})


EXPERIMENTS = [
    Experiment(
        "welleck/table1",
        "Multi-class AUC on the test folds",
        (LETOR,),
        mauc,
        _published("MAUC", (0.594, 0.576), (0.592, 0.576), (0.662, 0.659), (0.734, 0.737)),
    ),
    Experiment(
        "welleck/table2",
        "Mean average precision on the test folds",
        (LETOR,),
        mean_average_precision,
        _published("MAP", (0.862, 0.837), (0.858, 0.837), (0.466, 0.450), (0.474, 0.458)),
        (is_higher("MAP", LAMBDAMART, SVM),),
    ),
]
