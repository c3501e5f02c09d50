"""Tables and figures of the paper."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial

import numpy as np

from ...evaluation import Report
from ..claims import is_higher, is_not_lower, is_similar
from ..experiment import Claim, Experiment, Figures, Outcome
from ..line_chart import line_chart
from ..per_query import compare_rankings
from ..rows import Rows
from .data_sources import LETOR, YAHOO, Folds
from .protocol import DEPTHS, LAMBDAMART, SVM_PERF, Row, best_rows, mean_over_folds, total_seconds

MAUC, AUC, SVM = "LambdaMART-MAUC", "LambdaMART-AUC", "SVM-Perf"

#: Methods for several grades, and for two.
GRADED, BINARY = {MAUC: LAMBDAMART, SVM: SVM_PERF}, {AUC: LAMBDAMART, SVM: SVM_PERF}


def mauc(folds: Folds, rows: Rows, quick: bool) -> Outcome:
    """Table 1: MAUC and training time of the chosen model, means over the folds."""
    found = best_rows(folds, rows, quick, "MAUC", GRADED)
    figures = {
        name: {column: mean_over_folds(parts, column) for column in ("MAUC", "seconds")} for name, parts in found.items()
    }
    return Outcome(figures, _by_query(found))


def mean_average_precision(folds: Folds, rows: Rows, quick: bool) -> Outcome:
    """Table 2: MAP of the same models."""
    found = best_rows(folds, rows, quick, "MAUC", GRADED)
    return Outcome({name: {"MAP": _mean_ap(parts)} for name, parts in found.items()}, _by_query(found))


def class_reference(folds: Folds, rows: Rows, quick: bool) -> Outcome:
    """Table 3: AUC of each grade against all others."""
    found = best_rows(folds, rows, quick, "MAUC", GRADED)
    grades = sorted({grade for parts in found.values() for part in parts for grade in part["classes"]}, key=float)
    figures = {
        name: {
            f"AUC {grade}": _mean(part["classes"][grade] for part in parts if grade in part["classes"]) for grade in grades
        }
        for name, parts in found.items()
    }
    return Outcome(figures, _by_query(found))


def precision(folds: Folds, rows: Rows, quick: bool) -> Outcome:
    """Figure 2: micro and macro precision at 1 to 10."""
    found = best_rows(folds, rows, quick, "MAUC", GRADED)
    figures = {
        f"{kind}@{k}": {name: _mean(part["precision"][f"{kind}@{k}"] for part in parts) for name, parts in found.items()}
        for kind in ("microP", "macroP")
        for k in DEPTHS
    }
    points = [{"rank": k, "micro precision": figures[f"microP@{k}"][name], "method": name} for name in found for k in DEPTHS]
    charts = {"Micro precision at each rank": partial(line_chart, points, "rank", "micro precision", "method")}
    return Outcome(figures, _by_query(found), charts, (EQUAL_PRECISION,))


def times(folds: Folds, rows: Rows, quick: bool) -> Outcome:
    """Section 5.2: total training time in hours."""
    spent = total_seconds(folds, rows, quick, "MAUC", GRADED)
    found = best_rows(folds, rows, quick, "MAUC", GRADED)
    return Outcome({name: {"hours": seconds / 3600} for name, seconds in spent.items()}, _by_query(found))


def binary(folds: Folds, rows: Rows, quick: bool) -> Outcome:
    """Section 5.2: AUC and MAP on collections with two grades."""
    found = best_rows(folds, rows, quick, "AUC", BINARY)
    figures = {
        name: {"AUC": mean_over_folds(parts, "AUC"), "MAP": _mean_ap(parts), "seconds": mean_over_folds(parts, "seconds")}
        for name, parts in found.items()
    }
    return Outcome(figures, _by_query(found))


EQUAL_PRECISION = "Equations (2) and (4) differ only in the order of their sums, so the two kinds of precision are equal."


def _mean(values: Iterable[float]) -> float:
    return float(np.mean(list(values)))


def _mean_ap(parts: list[Row]) -> float:
    """Mean MAP over the folds."""
    return _mean(_mean(part["AP"].values()) for part in parts)


def _by_query(found: dict[str, list[Row]]) -> Report:
    """Compare the methods by the average precision of all test queries."""
    values = {
        name: {qid: value for i, part in enumerate(parts) for qid, value in _fold_values(part, i, parts).items()}
        for name, parts in found.items()
    }
    return compare_rankings(values, "AP", SVM)


def _fold_values(part: Row, i: int, parts: list[Row]) -> dict[str, float]:
    """Values of a fold's queries, with the fold in their names if folds share query numbers."""
    is_shared = sum(1 for other in parts if other["AP"].keys() & part["AP"].keys()) > 1
    return {f"{i + 1}:{q}" if is_shared else q: value for q, value in part["AP"].items()}


def _published(column: str, *pairs: tuple[float, float]) -> dict[str, Figures]:
    """Published figures of LambdaMART-MAUC and SVM-Perf on the four collections."""
    collections = ("Yahoo V1", "Yahoo V2", "mq2007", "mq2008")
    return {
        name: {MAUC: {column: ours}, SVM: {column: theirs}} for name, (ours, theirs) in zip(collections, pairs, strict=True)
    }


def _published_words(**collections: tuple[str, str]) -> dict[str, Figures]:
    """LambdaMART-AUC relative to SVM-Perf in AUC and MAP, published in words only."""
    return {name: {AUC: {"AUC": auc, "MAP": ap}} for name, (auc, ap) in collections.items()}


def _within_five_hours(outcome: Outcome) -> bool | None:
    hours = outcome.figures.get(MAUC, {}).get("hours")
    return hours < 5 if isinstance(hours, float) else None


def _higher_at_all_depths(outcome: Outcome) -> bool | None:
    rows = [row for name, row in outcome.figures.items() if "@" in name]
    return all(float(row[MAUC]) > float(row[SVM]) for row in rows) if rows else None


DIFFERENCES = (
    "Trees are LightGBM's, with 7 leaves, up to 500 of them by early stopping; the paper uses JForests and does not say how "
    "many. Nor does it say on which sets AUC and MAUC are computed: here on all documents of a fold, pooled, because on "
    "mq2008 that gives the published figures."
)

EXPERIMENTS = [
    Experiment(
        "welleck/table1",
        "Multi-class AUC on the test folds",
        (LETOR, YAHOO),
        mauc,
        _published("MAUC", (0.594, 0.576), (0.592, 0.576), (0.662, 0.659), (0.734, 0.737)),
        (is_not_lower("MAUC", 0.005, MAUC, SVM), is_higher("MAUC", MAUC, SVM, sources=("yahoo",))),
        DIFFERENCES,
    ),
    Experiment(
        "welleck/table2",
        "Mean average precision on the test folds",
        (LETOR, YAHOO),
        mean_average_precision,
        _published("MAP", (0.862, 0.837), (0.858, 0.837), (0.466, 0.450), (0.474, 0.458)),
        (is_higher("MAP", MAUC, SVM),),
        DIFFERENCES,
    ),
    Experiment(
        "welleck/table3",
        "Class-reference AUC on the test folds",
        (LETOR, YAHOO),
        class_reference,
        {
            "Yahoo V1": {
                MAUC: {"AUC 1": 0.503, "AUC 2": 0.690, "AUC 3": 0.757, "AUC 4": 0.831},
                SVM: {"AUC 1": 0.474, "AUC 2": 0.682, "AUC 3": 0.796, "AUC 4": 0.920},
            }
        },
        (is_higher("AUC 1", MAUC, SVM, sources=("yahoo",)), is_higher("AUC 4", SVM, MAUC, sources=("yahoo",))),
        DIFFERENCES,
    ),
    Experiment(
        "welleck/figure2",
        "Micro and macro precision at 1 to 10",
        (LETOR, YAHOO),
        precision,
        claims=(Claim(f"{MAUC} has a higher precision than {SVM} at every rank from 1 to 10.", _higher_at_all_depths),),
        differences=f"The paper does not print the values of the figure. {DIFFERENCES}",
    ),
    Experiment(
        "welleck/times",
        "Hours of training on all folds (section 5.2)",
        (LETOR, YAHOO),
        times,
        {"MSLR-WEB10K": {MAUC: {"hours": "less than 5"}, SVM: {"hours": "not converged on one fold in 12"}}},
        (Claim(f"{MAUC} trains on all folds in less than 5 hours (claimed for MSLR-WEB10K).", _within_five_hours),),
        "Hours are the total over all values of the parameter; the paper does not name its machine.",
    ),
    Experiment(
        "welleck/auc",
        "AUC and MAP on collections with two grades (section 5.2)",
        (LETOR,),
        binary,
        _published_words(
            td2003=("higher", "higher"),
            td2004=("higher", "higher"),
            np2003=("similar", "similar"),
            np2004=("lower", "lower"),
            hp2003=("lower", "similar"),
            hp2004=("lower", "lower"),
        ),
        (is_similar("AUC", 0.02, AUC, SVM), is_similar("MAP", 0.02, AUC, SVM)),
        f"The paper reports the two-grade collections in words, without figures; grades above 1 count as 1. {DIFFERENCES}",
    ),
]
