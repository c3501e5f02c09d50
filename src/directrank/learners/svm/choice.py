"""Which C: the best by the measure itself, on a validation set or on folds of the training queries."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Protocol

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from ...arrays import Floats
from ..core.folds import count_informative
from ..core.interruption import Interruptible
from ..core.shards import Shards, mean_value
from ..core.task import Task, value_of_weights
from ..core.warning import warn
from .folds import C_by_folds
from .solution import Solution


class PathOfC(Protocol):
    """Solves for one C after another."""

    def solve(self, C: float) -> Solution: ...


def can_be_tried(training: Shards, validation: Shards | None) -> bool:
    """Whether there are queries to choose by: informative ones in an `eval_set`, or two to make folds of."""
    return _tells_apart(validation) or count_informative(training) >= 2


def choose(
    why: str,
    path: PathOfC,
    path_of_fold: Callable[[Shards], PathOfC],
    Cs: Floats,
    training: Shards,
    validation: Shards | None,
    n_folds: int,
) -> Solution:
    """The solution for the best of some values of C.

    Parameters
    ----------
    why : str
        What to say, should the user interrupt.
    path : PathOfC
        On all of the training queries.
    path_of_fold : callable
        Gives that of some of the queries.
    Cs : array
        Ascending.
    validation : Shards or None
        Without an informative query it is as if there were none.
    """
    if validation is not None and _tells_apart(validation):
        return _best_on(validation, why, path, Cs)
    C, interrupted = C_by_folds(training, path_of_fold, Cs, n_folds)
    if interrupted is None:
        return path.solve(C)
    _warn_of_open_C(why, C, ", and the model is that of one fold")
    return interrupted  # type: ignore[no-any-return]


def _tells_apart(validation: Shards | None) -> bool:
    """Whether a set has a query whose orders the measure tells apart."""
    return validation is not None and bool(validation.total(_count_telling))


def _count_telling(task: Task) -> int:
    return int(np.sum((task.weights > 0) & task.bound.informative))


def _best_on(validation: Shards, why: str, path: PathOfC, Cs: Floats) -> Solution:
    """The best of a path on the validation set."""
    solutions: list[Solution] = []
    with Interruptible() as solving:
        for C in Cs:
            solutions.append(path.solve(float(C)))
            if solutions[-1].interrupted:
                raise KeyboardInterrupt
    if not solutions:
        raise KeyboardInterrupt
    values: list[float] = []
    with Interruptible() as evaluation:
        for solution in solutions:
            values.append(mean_value(validation, value_of_weights, solution.coef))
    best = solutions[int(np.argmax(values)) if values else -1]
    if not (solving.interrupted or evaluation.interrupted):
        return best
    _warn_of_open_C(why, best.C, "")
    return replace(best, interrupted=True)


def _warn_of_open_C(why: str, C: float, more: str) -> None:
    warn(f"{why}: {C:g} is the best of the values tried until then{more}", ConvergenceWarning)
