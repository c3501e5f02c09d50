"""The best C by folds of the training queries."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from ...arrays import Floats
from ..core.folds import Folds
from ..core.interruption import Interruptible
from ..core.shards import Shards

#: How many values of C in a row may be worse than the best before larger ones are given up.
PATIENCE = 4


def C_by_folds(training: Shards, path_on: Callable[[Shards], Any], Cs: Floats, n_folds: int) -> tuple[float, Any | None]:
    """The C of the best mean value on queries held out; and, should the user interrupt, the first fold's solution for it.

    Each fold has one warm path. The paths go through the values of C together, and end when larger ones have become
    worse: those are the ones that take long.

    Parameters
    ----------
    path_on : callable
        Gives, for shards, an object whose method `solve` finds the `Solution` of one C after another.
    Cs : array
        Ascending.
    """
    folds = Folds(training, n_folds)
    paths = [path_on(folds.without(i)) for i in range(folds.n_folds)]
    means: list[float] = []
    of_first_fold: list[Any] = []
    with Interruptible() as search:
        for C in Cs:
            values = []
            for i, path in enumerate(paths):
                solution = path.solve(float(C))
                if i == 0:
                    of_first_fold.append(solution)
                if solution.interrupted:
                    raise KeyboardInterrupt
                values.append(folds.value(i, solution.coef))
            means.append(float(np.mean(values)))
            last_best = len(means) - 1 - int(np.argmax(means[::-1]))
            if len(means) - 1 - last_best >= PATIENCE:
                break
    if search.interrupted and not of_first_fold:
        raise KeyboardInterrupt
    best = int(np.argmax(means)) if means else 0
    return float(Cs[best]), replace(of_first_fold[best], interrupted=True) if search.interrupted else None
