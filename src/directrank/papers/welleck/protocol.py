"""Section 5 of the paper: training, model selection and evaluation on each fold.

LambdaMART's learning rate is chosen from four values, one for the whole collection, on the validation documents of all
folds. So is C of the SVMs, one for each grade, trained on the pooled documents as in SVM-perf.

The paper does not say on which sets AUC is computed. On mq2008 only the AUC of all test documents of a fold, pooled as one
set, gives the published figures; so everything, including the number of trees, is chosen by pooled AUC on the validation
documents.
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

#: Ranks of Figure 2.
DEPTHS = range(1, 11)

Row = dict[str, Any]


@dataclass(frozen=True)
class Method:
    """A learner with a parameter to choose on validation documents.

    Attributes
    ----------
    parameter : str
    values : tuple of float
    fit : callable
        Takes a fold, the measure and a value of the parameter; returns a model.
    """

    parameter: str
    values: tuple[float, ...]
    fit: Callable[[Split, str, float], Any]


def _lambdamart(fold: Split, measure: str, rate: float) -> Any:
    train, validation = fold.train, fold.validation
    learner = LambdaMART(
        measure,
        num_leaves=7,
        n_estimators=500,
        learning_rate=rate,
        extra_trees=False,
        n_seeds=1,
        guide=None,
        normalize=False,
        early_stopping_rounds=50,
    )
    return learner.fit(train.X, train.y, train.qid, eval_set=(validation.X, validation.y, single_query(validation)))


def _svm_perf(fold: Split, measure: str, C: float) -> Any:
    return OneVsRestSVM(C=C, scaling="none").fit(fold.train.X, fold.train.y, single_query(fold.train))


LAMBDAMART = Method("learning rate", (0.1, 0.25, 0.5, 0.9), _lambdamart)
SVM_PERF = Method("C", (0.1, 1.0, 10.0, 100.0), _svm_perf)


#: Rows of the folds, by method and value of its parameter.
RowsByValue = dict[str, dict[float, list[Row]]]


def best_rows(folds: Folds, rows: Rows, quick: bool, measure: str, methods: dict[str, Method]) -> dict[str, list[Row]]:
    """Rows of the folds for each method, with the parameter of the highest mean on the validation documents.

    Parameters
    ----------
    measure : {"MAUC", "AUC"}
        With AUC, all grades above 0 are relevant.
    """
    tried = _run_all(folds, rows, quick, measure, methods)
    return {name: max(each.values(), key=lambda parts: mean_over_folds(parts, "validation")) for name, each in tried.items()}


def total_seconds(folds: Folds, rows: Rows, quick: bool, measure: str, methods: dict[str, Method]) -> dict[str, float]:
    """Total training time of each method, over all parameters and folds."""
    tried = _run_all(folds, rows, quick, measure, methods)
    return {name: sum(row["seconds"] for parts in each.values() for row in parts) for name, each in tried.items()}


def _run_all(folds: Folds, rows: Rows, quick: bool, measure: str, methods: dict[str, Method]) -> RowsByValue:
    used = list(enumerate(folds[:2] if quick else folds, 1))
    keys = {
        f"{name}, fold {i}, {method.parameter} {value:g}": (name, value, partial(_run, method, fold, measure, value))
        for i, fold in used
        for name, method in methods.items()
        for value in (method.values[:1] if quick else method.values)
    }
    computed = rows.get_or_compute(measure, list(keys), lambda key: keys[key][2]())
    tried: RowsByValue = {name: {} for name in methods}
    for key, (name, value, _) in keys.items():
        tried[name].setdefault(value, []).append(computed[key])
    return tried


def single_query(data: RankingData) -> Any:
    """A qid that pools all documents as one set."""
    return np.zeros(len(data), int)


def _run(method: Method, read: Callable[[], Split], measure: str, value: float) -> Row:
    fold = read() if measure == "MAUC" else Split(*(_binarise(part, part.y > 0) for part in read()))
    start = time.perf_counter()
    model = method.fit(fold, measure, value)
    seconds = time.perf_counter() - start
    validation_value = _pooled_value(fold.validation, model.predict(fold.validation.X), measure)
    return {"validation": validation_value, **_evaluate(fold.test, model.predict(fold.test.X), measure), "seconds": seconds}


def _evaluate(test: RankingData, scores: Any, measure: str) -> Row:
    """All figures of the paper for the test documents of one fold."""
    precisions = [f"{kind}@{k}" for kind in ("microP", "macroP") for k in DEPTHS]
    by_query = evaluate(test.y, scores, test.qid, ["AP", *precisions])
    classes = [float(grade) for grade in np.unique(test.y) if grade > 0]
    return {
        measure: _pooled_value(test, scores, measure),
        "classes": {f"{grade:g}": _pooled_value(_binarise(test, test.y == grade), scores, "AUC") for grade in classes},
        "AP": dict(zip(map(str, by_query.qid.tolist()), by_query.per_query["AP"].tolist(), strict=True)),
        "precision": {name: by_query[name] for name in precisions},
    }


def _binarise(data: RankingData, is_relevant: Any) -> RankingData:
    """The same documents with binary grades."""
    return RankingData(data.X, is_relevant.astype(float), data.qid, data.docno, data.feature_names)


def _pooled_value(data: RankingData, scores: Any, measure: str) -> float:
    return evaluate(data.y, scores, single_query(data), measure)[measure]


def mean_over_folds(parts: Sequence[Row], key: str) -> float:
    """Mean over the folds."""
    return float(np.mean([part[key] for part in parts]))
