"""Section 5 of the paper: what is trained on a fold, how it is chosen, and what is measured.

LambdaMART's learning rate is chosen among four, for a collection as a whole, on the validation documents of all folds. So is
C of the SVM, of which there is one for each grade, trained on the pooled documents as SVM-perf does.

The paper does not say over what its AUC is taken. On mq2008 only that of all test documents of a fold, pooled as one set,
gives the published figures; so all choices, the number of trees included, are made by that of the validation documents.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from ...data import RankingData
from ...data.splits import Split
from ...evaluation import evaluate
from ...learners import LambdaMART, OneVsRestSVM
from ..rows import Rows
from .data_sources import Folds

#: The ranks of Figure 2.
DEPTHS = range(1, 11)

Row = dict[str, Any]


@dataclass(frozen=True)
class Method:
    """A learner with a parameter that is chosen on validation documents.

    Attributes
    ----------
    parameter : str
    values : tuple of float
    fit : callable
        From a fold, the measure and a value of the parameter to a model.
    """

    parameter: str
    values: tuple[float, ...]
    fit: Callable[[Split, str, float], Any]


def _lambdamart(fold: Split, measure: str, rate: float) -> Any:
    train, validation = fold.train, fold.validation
    learner = LambdaMART(
        measure, num_leaves=7, n_estimators=500, learning_rate=rate, extra_trees=False, early_stopping_rounds=50
    )
    return learner.fit(train.X, train.y, train.qid, eval_set=(validation.X, validation.y, one_set(validation)))


def _svm_perf(fold: Split, measure: str, C: float) -> Any:
    return OneVsRestSVM(C=C).fit(fold.train.X, fold.train.y, one_set(fold.train))


LAMBDAMART = Method("learning rate", (0.1, 0.25, 0.5, 0.9), _lambdamart)
SVM_PERF = Method("C", (0.1, 1.0, 10.0, 100.0), _svm_perf)


#: By method and value of its parameter, the row of each fold.
Tried = dict[str, dict[float, list[Row]]]


def chosen_rows(folds: Folds, rows: Rows, quick: bool, measure: str, methods: dict[str, Method]) -> dict[str, list[Row]]:
    """Of each method, the row of each fold with the parameter that is best in the mean over the validation documents.

    Parameters
    ----------
    measure : {"MAUC", "AUC"}
        With AUC, grades above 0 are relevant, and equally so.
    """
    tried = _tried(folds, rows, quick, measure, methods)
    return {name: max(each.values(), key=lambda parts: mean_of(parts, "validation")) for name, each in tried.items()}


def seconds_of_all(folds: Folds, rows: Rows, quick: bool, measure: str, methods: dict[str, Method]) -> dict[str, float]:
    """How long each method trained in all, with every parameter on every fold."""
    tried = _tried(folds, rows, quick, measure, methods)
    return {name: sum(row["seconds"] for parts in each.values() for row in parts) for name, each in tried.items()}


def _tried(folds: Folds, rows: Rows, quick: bool, measure: str, methods: dict[str, Method]) -> Tried:
    used = list(enumerate(folds[:2] if quick else folds, 1))
    keys = {
        f"{name}, fold {i}, {method.parameter} {value:g}": (name, value, partial(_run, method, fold, measure, value))
        for i, fold in used
        for name, method in methods.items()
        for value in (method.values[:1] if quick else method.values)
    }
    kept = rows.each(measure, list(keys), lambda key: keys[key][2]())
    tried: Tried = {name: {} for name in methods}
    for key, (name, value, _) in keys.items():
        tried[name].setdefault(value, []).append(kept[key])
    return tried


def one_set(data: RankingData) -> Any:
    """The qid of documents that are pooled as one set."""
    return np.zeros(len(data), int)


def _run(method: Method, read: Callable[[], Split], measure: str, value: float) -> Row:
    fold = read() if measure == "MAUC" else Split(*(_graded(part, part.y > 0) for part in read()))
    start = time.perf_counter()
    model = method.fit(fold, measure, value)
    seconds = time.perf_counter() - start
    on_validation = _pooled(fold.validation, model.predict(fold.validation.X), measure)
    return {"validation": on_validation, **_measured(fold.test, model.predict(fold.test.X), measure), "seconds": seconds}


def _measured(test: RankingData, scores: Any, measure: str) -> Row:
    """All figures of the paper, of the test documents of one fold."""
    precisions = [f"{kind}@{k}" for kind in ("microP", "macroP") for k in DEPTHS]
    by_query = evaluate(test.y, scores, test.qid, ["AP", *precisions])
    classes = [float(grade) for grade in np.unique(test.y) if grade > 0]
    return {
        measure: _pooled(test, scores, measure),
        "classes": {f"{grade:g}": _pooled(_graded(test, test.y == grade), scores, "AUC") for grade in classes},
        "AP": dict(zip(map(str, by_query.qid.tolist()), by_query.per_query["AP"].tolist(), strict=True)),
        "precision": {name: by_query[name] for name in precisions},
    }


def _graded(data: RankingData, is_relevant: Any) -> RankingData:
    """The same documents with grade 1 for those that are relevant, and 0 for all others."""
    return RankingData(data.X, is_relevant.astype(float), data.qid, data.docno, data.feature_names)


def _pooled(data: RankingData, scores: Any, measure: str) -> float:
    return evaluate(data.y, scores, one_set(data), measure)[measure]


def mean_of(parts: Sequence[Row], key: str) -> float:
    """Over the folds."""
    return float(np.mean([part[key] for part in parts]))
