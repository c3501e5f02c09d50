"""Means over LETOR's five test folds.

Parameters are chosen by MAP on the validation queries; the test queries are evaluated.
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
from ..per_query import compare_rankings, mean, merge
from ..rows import Rows
from .candidate_models import LEARNERS, Candidates

#: Measures by column of the table.
MEASURES = {"MAP": "AP", "nDCG@10": "nDCG@10", "RR": "RR", "P@10": "P@10", "AUC": "AUC", "MAUC": "MAUC"}


def run_folds(folds: Sequence[Split], rows: Rows, quick: bool) -> Outcome:
    """Means over the folds for each learner; a quick run takes the first fold only."""
    numbers = [str(i) for i in range(1, len(folds[:1] if quick else folds) + 1)]
    found = {
        name: list(rows.get_or_compute(f"{name}, fold", numbers, partial(_run_fold, name, folds)).values())
        for name in LEARNERS
    }
    figures = {
        name: {**{column: _mean(parts, column) for column in MEASURES}, "seconds": _mean(parts, "seconds")}
        for name, parts in found.items()
    }
    values = {name: merge(part["MAP"] for part in parts) for name, parts in found.items()}
    return Outcome(figures, compare_rankings(values, "MAP", "RankSVM"))


def test_scores(fit: Callable[[Split], Candidates], fold: Split) -> tuple[NDArray[np.float64], float]:
    """Test scores of the candidate with the highest MAP on the validation queries, and the training time in seconds."""
    start = time.perf_counter()
    _, validation, test = fold
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        candidates = fit(fold)
    queries = validation.by_query()
    grades, offsets = queries.to_query_order(validation.y), queries.offsets
    validation_map = [np.mean(AP().evaluate(queries.to_query_order(s), grades, offsets)) for s in candidates(validation)]
    seconds = time.perf_counter() - start
    chosen = int(np.argmax(validation_map))
    return next(scores for number, scores in enumerate(candidates(test)) if number == chosen), seconds


def _run_fold(name: str, folds: Sequence[Split], number: str) -> dict[str, Any]:
    fold = folds[int(number) - 1]
    scores, seconds = test_scores(LEARNERS[name], fold)
    found = evaluate(fold.test.y, scores, fold.test.qid, list(MEASURES.values()))
    queries = [str(qid) for qid in found.qid.tolist()]
    values = {column: found.values(measure).tolist() for column, measure in MEASURES.items()}
    return {
        **{column: dict(zip(queries, column_values, strict=True)) for column, column_values in values.items()},
        "seconds": seconds,
    }


def _mean(parts: Sequence[dict[str, Any]], column: str) -> float:
    """Mean over the folds of the mean over the queries of a fold."""
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
        "Means over the five test folds, parameters chosen by MAP on the validation queries",
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
        "ListNet is not implemented; seconds are for training and selection in one fold.",
    )
]
