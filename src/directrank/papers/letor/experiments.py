"""Means over LETOR's five test folds.

What a learner leaves open is chosen by MAP on the validation queries, and the test queries are measured.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning

from ...data.splits import Split
from ...evaluation import evaluate
from ...measures import AP
from ..claims import is_higher
from ..experiment import Experiment, Outcome, Source
from ..folders import read_folds
from ..per_query import compared, joined, mean
from ..rows import Rows
from .candidate_models import LEARNERS, Candidates

#: The columns of the table.
MEASURES = {"MAP": "AP", "nDCG@10": "nDCG@10", "RR": "RR", "P@10": "P@10", "AUC": "AUC", "MAUC": "MAUC"}


def run_folds(folds: Sequence[Split], rows: Rows, quick: bool) -> Outcome:
    """The means over the folds of each learner; the first fold alone if that is enough."""
    numbers = [str(i) for i in range(1, len(folds[:1] if quick else folds) + 1)]
    found = {name: list(rows.each(f"{name}, fold", numbers, partial(_one_fold, name, folds)).values()) for name in LEARNERS}
    figures = {
        name: {**{column: _mean(parts, column) for column in MEASURES}, "seconds": _mean(parts, "seconds")}
        for name, parts in found.items()
    }
    values = {name: joined(part["MAP"] for part in parts) for name, parts in found.items()}
    return Outcome(figures, compared(values, "MAP", "RankSVM"))


def test_scores(fit: Callable[[Split], Candidates], fold: Split) -> tuple[NDArray[np.float64], float]:
    """The test scores of the model that has the best MAP on the validation queries; and the seconds to find it."""
    start = time.perf_counter()
    _, validation, test = fold
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        candidates = fit(fold)
    queries = validation.by_query()
    grades, offsets = queries.to_query_order(validation.y), queries.offsets
    on_validation = [np.mean(AP().evaluate(queries.to_query_order(s), grades, offsets)) for s in candidates(validation)]
    seconds = time.perf_counter() - start
    chosen = int(np.argmax(on_validation))
    return next(scores for number, scores in enumerate(candidates(test)) if number == chosen), seconds


def _one_fold(name: str, folds: Sequence[Split], number: str) -> dict[str, Any]:
    fold = folds[int(number) - 1]
    scores, seconds = test_scores(LEARNERS[name], fold)
    found = evaluate(fold.test.y, scores, fold.test.qid, list(MEASURES.values()))
    queries = [str(qid) for qid in found.qid.tolist()]
    values = {column: found.values(measure).tolist() for column, measure in MEASURES.items()}
    return {**{column: dict(zip(queries, mine, strict=True)) for column, mine in values.items()}, "seconds": seconds}


def _mean(parts: Sequence[dict[str, Any]], column: str) -> float:
    """Over the folds, of the mean over the queries of a fold."""
    return float(np.mean([mean(part[column]) if column in MEASURES else part[column] for part in parts]))


def _read(folder: Path) -> list[Split]:
    return read_folds(folder, LETOR)


LETOR = Source(
    "letor",
    "Fold1 to Fold5, each with train, vali and test files",
    "LETOR 3.0 and 4.0, Microsoft Research",
    _read,
)

EXPERIMENTS = [
    Experiment(
        "letor/map",
        "Means over the five test folds, all choices by MAP on the validation queries",
        (LETOR,),
        run_folds,
        {
            "OHSUMED": {
                "RankSVM": {"MAP": 0.4334},
                "RankBoost": {"MAP": 0.4411},
                "ListNet": {"MAP": 0.4457},
                "AdaRank-MAP": {"MAP": 0.4487},
            }
        },
        (is_higher("MAP", "RankBoost", "RankSVM"), is_higher("MAP", "AdaRank-MAP", "RankSVM", "RankBoost")),
        "There is no ListNet here; seconds are those of training and choosing in a fold.",
    )
]
