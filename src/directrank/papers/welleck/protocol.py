"""Section 5 of the paper: what is trained on a fold, how it is chosen, and what is measured.

LambdaMART's learning rate is chosen among four on the validation queries; so is C of the SVM, of which there is one for each
grade, trained on the pooled documents as SVM-perf does.

The paper does not say over what its MAUC is taken. On mq2008 only that of all test documents of a fold, pooled as one set,
gives the published figures.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any

import numpy as np

from ...data.splits import Split
from ...evaluation import evaluate
from ...learners import LambdaMART, OneVsRestSVM
from ..rows import Rows

RATES = (0.1, 0.25, 0.5, 0.9)
CS = (0.1, 1.0, 10.0, 100.0)

Row = dict[str, Any]


def lambdamart(fold: Split, quick: bool) -> Iterable[Any]:
    """A model for each learning rate, with as many trees as MAUC on the validation queries says."""
    train, validation, _ = fold
    for rate in RATES[:1] if quick else RATES:
        yield LambdaMART(
            "MAUC", num_leaves=7, n_estimators=500, learning_rate=rate, extra_trees=False, early_stopping_rounds=50
        ).fit(train.X, train.y, train.qid, eval_set=(validation.X, validation.y, validation.qid))


def svm_perf(fold: Split, quick: bool) -> Iterable[Any]:
    """A model for each C, over the pooled documents."""
    for C in CS[:1] if quick else CS:
        yield OneVsRestSVM(C).fit(fold.train.X, fold.train.y, np.zeros(len(fold.train)))


METHODS: dict[str, Callable[[Split, bool], Iterable[Any]]] = {"LambdaMART-MAUC": lambdamart, "SVM-Perf": svm_perf}


def run_folds(folds: Sequence[Split], rows: Rows, quick: bool) -> dict[str, list[Row]]:
    """The row of each fold, by method."""
    numbers = [str(i) for i in range(1, len(folds) + 1)]
    return {name: list(rows.each(f"{name}, fold", numbers, partial(_run, name, folds, quick)).values()) for name in METHODS}


def _run(name: str, folds: Sequence[Split], quick: bool, number: str) -> Row:
    """Train, choose on the validation queries, and measure the test queries."""
    fold = folds[int(number) - 1]
    start = time.perf_counter()
    best = max(METHODS[name](fold, quick), key=lambda model: _pooled_mauc(fold.validation, model))
    return {**_measured(fold.test, best), "seconds": time.perf_counter() - start}


def _measured(test: Any, model: Any) -> Row:
    by_query = evaluate(test.y, model.predict(test.X), test.qid, "AP")
    return {
        "MAUC": _pooled_mauc(test, model),
        "AP": dict(zip(map(str, by_query.qid.tolist()), by_query.per_query["AP"].tolist(), strict=True)),
    }


def _pooled_mauc(data: Any, model: Any) -> float:
    return evaluate(data.y, model.predict(data.X), np.zeros(len(data)), "MAUC")["MAUC"]
