"""Joachims (2005), Table 1: ``python -m directrank.papers.joachims NAME TRAIN TEST``, or with one file that is split.

Comma-separated numbers, the class last, as UCI gives Optdigits and Covertype. Each class against the rest: the
multivariate SVM of each measure, with C from 2^-6 to 2^10, against the ordinary SVM with C and the weight j of the positives
from 1 to 2^6, every second power of two, both chosen on the same third of the training set.
"""

from __future__ import annotations

import sys
import warnings
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table
from scipy.stats import wilcoxon
from sklearn.exceptions import ConvergenceWarning
from sklearn.preprocessing import MinMaxScaler
from sklearn.svm import LinearSVC

from ..arrays import Floats
from ..evaluation import evaluate
from ..learners import MultivariateSVC

MEASURES = ("F1", "PRBEP", "R@2p", "AUC")
CS = 2.0 ** np.arange(-6, 11, 2)
WEIGHTS = 2.0 ** np.arange(0, 8, 2)


def table_1(X: Floats, y: NDArray[Any], X_test: Floats, y_test: NDArray[Any]) -> dict[str, NDArray[np.float64]]:
    """For each measure and class, the test values of the multivariate and of the ordinary SVM, in percent."""
    scaler = MinMaxScaler().fit(X)
    X, X_test = scaler.transform(X), scaler.transform(X_test)
    held_out = np.random.RandomState(0).permutation(y.size) < y.size // 3
    values: dict[str, list[list[float]]] = {name: [] for name in MEASURES}
    for positive in np.unique(y):
        is_class, in_test = (y == positive).astype(int), (y_test == positive).astype(int)
        if min(is_class[held_out].sum(), is_class[~held_out].sum(), in_test.sum()) == 0:
            continue
        ordinary = [
            LinearSVC(loss="hinge", C=C, class_weight={1: j}, max_iter=20_000, random_state=0) for C in CS for j in WEIGHTS
        ]
        for name in MEASURES:
            ours = [MultivariateSVC(name, C=C) for C in CS]
            values[name].append(
                [_chosen(models, name, X, is_class, held_out, X_test, in_test) for models in (ours, ordinary)]
            )
    return {name: 100 * np.array(rows) for name, rows in values.items()}


def _chosen(models: list[Any], name: str, X: Floats, y: Any, held_out: Any, X_test: Floats, y_test: Any) -> float:
    """The test value of the model that is best on the held-out rows, trained on all."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        on_held_out = [_value(name, m.fit(X[~held_out], y[~held_out]), X[held_out], y[held_out]) for m in models]
        return _value(name, models[int(np.argmax(on_held_out))].fit(X, y), X_test, y_test)


def _value(name: str, model: Any, X: Floats, y: Any) -> float:
    return float(next(iter(evaluate(y, model.decision_function(X), measures=name).means.values())))


def main() -> None:
    if len(sys.argv) not in (3, 4):
        print("usage: python -m directrank.papers.joachims NAME FILE | NAME TRAIN TEST", file=sys.stderr)
        sys.exit(2)
    name, *files = sys.argv[1:]
    tables = [np.loadtxt(Path(file), delimiter=",") for file in files]
    if len(tables) == 1:  # as the paper did with Covertype: 1,000 rows to train, 2,000 to test
        rows = np.random.RandomState(0).permutation(len(tables[0]))
        tables = [tables[0][rows[:1000]], tables[0][rows[1000:3000]]]
    train, test = tables
    results = table_1(train[:, :-1], train[:, -1], test[:, :-1], test[:, -1])
    table = Table(title=f"{name}: macro-average over the classes, in percent")
    for column in ("", *MEASURES):
        table.add_column(column, justify="left" if not column else "right")
    for i, method in enumerate(("multivariate SVM", "ordinary SVM")):
        table.add_row(method, *(f"{values[:, i].mean():.1f}" for values in results.values()))
    table.add_row("improvement (won/lost)", *(_improvement(values) for values in results.values()))
    Console(width=110).print(table)


def _improvement(values: Floats) -> str:
    difference = values[:, 0] - values[:, 1]
    p = wilcoxon(difference).pvalue if np.any(difference) else 1.0
    stars = "**" if p < 0.05 else "*" if p < 0.1 else ""
    return f"{difference.mean():+.1f} ({(difference > 0).sum()}/{(difference < 0).sum()}){stars}"


if __name__ == "__main__":
    main()
