"""Tables and figures of the paper."""

from __future__ import annotations

from functools import partial

from ..claims import is_higher
from ..experiment import Claim, Experiment, Outcome
from .data_sources import RUNS, TEXT
from .outcomes import against_functions, against_rivals, learned_curves, statistics, with_all, without_best
from .published import (
    BEST,
    MAP,
    RIVALS,
    SECOND,
    TABLE_5,
    TABLE_6,
    TABLE_7,
    TABLE_8,
    TABLE_9,
    TABLE_10,
    TABLE_11,
    THIRD,
)

ACCURACY_SVMS = RIVALS[1:]


def _wins_with_stars(*others: str, where: str = "") -> Claim:
    """Claim that SVM-map has a higher MAP, with two stars in W/L; `where` restricts it."""
    higher = is_higher("MAP", MAP, *others)

    def holds(outcome: Outcome) -> bool | None:
        return higher.holds(outcome) and all(_has_stars(outcome, other) for other in others)

    text = higher.text.replace("has a higher", "has a significantly higher").removesuffix(".")
    return Claim(f"{text}{where}.", holds)


def _no_stars(other: str) -> Claim:
    def holds(outcome: Outcome) -> bool | None:
        return None if other not in outcome.figures else not _has_stars(outcome, other)

    return Claim(f"The difference between {MAP} and the {other} is not significant.", holds)


def _has_stars(outcome: Outcome, other: str) -> bool:
    return str(outcome.figures[other].get("W/L", "")).endswith("**")


THRESHOLDS = "Thresholds are placed by the quantiles of the scores; the paper's are 'reasonably spaced'."
INDEXES = "Indexes and functions are directrank's, with Indri's formulas and parameters."
SUBMISSIONS = (
    "Short runs are detected by their numbers of queries and documents; manual runs must be left out of the folder."
)
ROC = _no_stars("SVM-roc")

EXPERIMENTS = [
    Experiment(
        "yue/table5",
        "Base functions and features",
        (TEXT, RUNS),
        statistics,
        TABLE_5,
        differences=THRESHOLDS,
        has_report=False,
    ),
    Experiment(
        "yue/table6",
        "SVM-map against the base functions of a text collection",
        (TEXT,),
        partial(against_functions, with_all),
        TABLE_6,
        (_wins_with_stars(BEST, SECOND, THIRD),),
        f"{INDEXES} {THRESHOLDS}",
    ),
    Experiment(
        "yue/table7",
        "SVM-map against TREC submissions",
        (RUNS,),
        partial(against_functions, with_all),
        TABLE_7,
        (is_higher("MAP", MAP, BEST, SECOND, THIRD), _no_stars(BEST)),
        f"{SUBMISSIONS} {THRESHOLDS}",
    ),
    Experiment(
        "yue/table8",
        "SVM-map against TREC submissions, trained without the best",
        (RUNS,),
        partial(against_functions, without_best),
        TABLE_8,
        (_no_stars(BEST),),
        f"{SUBMISSIONS} {THRESHOLDS}",
    ),
    Experiment(
        "yue/table9",
        "SVMs for MAP, ROC area and accuracy on the base functions of a text collection",
        (TEXT,),
        partial(against_rivals, with_all),
        TABLE_9,
        (_wins_with_stars(*ACCURACY_SVMS), is_higher("MAP", MAP, "SVM-roc"), ROC),
        f"{INDEXES} {THRESHOLDS}",
    ),
    Experiment(
        "yue/table10",
        "SVMs for MAP, ROC area and accuracy on TREC submissions",
        (RUNS,),
        partial(against_rivals, with_all),
        TABLE_10,
        (_wins_with_stars(*ACCURACY_SVMS), _wins_with_stars("SVM-roc", where=" (in the table for TREC 10 only)")),
        f"{SUBMISSIONS} {THRESHOLDS}",
    ),
    Experiment(
        "yue/table11",
        "SVMs for MAP, ROC area and accuracy on TREC submissions without the best",
        (RUNS,),
        partial(against_rivals, without_best),
        TABLE_11,
        (_wins_with_stars(*RIVALS),),
        f"{SUBMISSIONS} {THRESHOLDS}",
    ),
    Experiment(
        "yue/figure2",
        "The step function that SVM-map learns for each score",
        (TEXT, RUNS),
        learned_curves,
        differences="The paper draws an example with three thresholds; these are learned.",
    ),
]
