"""Figure 1 of the paper: improvement by the frequency of the classes."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from ...arrays import Ints
from ...data import InputError
from ..experiment import Claim, Experiment, Figures, Outcome
from ..line_chart import line_chart
from ..rows import Rows
from .comparison import MethodComparison, compare_methods
from .data_sources import REUTERS, SVMLIGHT, Collection
from .methods import MEASURES
from .table1 import DIFFERENCES

N_BINS = 5


def gains_by_frequency(collection: Collection, rows: Rows, quick: bool) -> Outcome:
    """Mean gain of the classes in each of five bins, from the most to the least frequent."""
    if len(collection.members) < N_BINS:
        raise InputError(f"there are {len(collection.members)} classes, but joachims/figure1 needs at least {N_BINS}")
    found = compare_methods(collection, rows, quick)
    figures = mean_gains_by_bin(found)
    return Outcome(figures, found.report(), _charts(figures), found.remarks())


def mean_gains_by_bin(found: MethodComparison) -> Figures:
    """Mean gain by each measure, by bin."""
    sizes = np.array([members.sum() for members in found.collection.members.values()])
    bins = np.array_split(np.argsort(-sizes, kind="stable"), N_BINS)
    return {
        _bin_name(number, sizes[bin_]): {
            "classes": int(bin_.size),
            **{measure: float(found.gains(measure)[bin_].mean()) for measure in MEASURES},
        }
        for number, bin_ in enumerate(bins, 1)
    }


def _bin_name(number: int, sizes: Ints) -> str:
    return f"{number}: {sizes.max():,} to {sizes.min():,} examples"


def _charts(figures: Figures) -> dict[str, Callable[[], Any]]:
    rows = [
        {"classes": name, "improvement": row[measure], "measure": measure}
        for name, row in figures.items()
        for measure in MEASURES
    ]
    draw = partial(line_chart, rows, "classes", "improvement", "measure", is_ordinal=True)
    return {"Improvement of SVM-multi over the ordinary SVM, by the number of training examples": draw}


def _rare_gain_more(outcome: Outcome) -> bool | None:
    """Whether the two bins of rare classes gain more than the two of frequent ones, by F1 and by most measures."""
    bins = list(outcome.figures.values())
    if len(bins) != N_BINS:
        return None
    more = {
        measure: sum(float(each[measure]) for each in bins[-2:]) > sum(float(each[measure]) for each in bins[:2])
        for measure in MEASURES
    }
    return more["F1"] and sum(more.values()) > len(MEASURES) / 2


EXPERIMENT = Experiment(
    "joachims/figure1",
    "Improvement of SVM-multi over the ordinary SVM, by the frequency of the classes, in per cent",
    (REUTERS, SVMLIGHT),
    gains_by_frequency,
    claims=(
        Claim("In F1 and in most measures, rare classes gain more than frequent ones.", _rare_gain_more, (REUTERS.name,)),
    ),
    differences=DIFFERENCES + " The figure was published as a drawing, without its values.",
)
