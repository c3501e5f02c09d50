"""Section 6 of the paper: training, parameter selection and evaluation for each class.

C, and j of the ordinary SVM, are chosen on a random third of the training rows of each class; then the SVM is trained on all
of them.
"""

from __future__ import annotations

import time
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from ...arrays import Bools, Floats
from ...evaluation import evaluate
from ..rows import Rows
from .data_sources import Collection
from .grid_search import EXTENSIONS, Grid, GridResult, Setting, search_grid
from .methods import MEASURES, Method

#: Factor of the tolerance during parameter selection.
SEARCH_TOLERANCE = 10.0

Row = dict[str, Any]


class Examples(NamedTuple):
    """Rows, and whether each is positive."""

    X: Any
    positive: Bools

    def select(self, mask: Bools) -> Examples:
        return Examples(self.X[mask], self.positive[mask])


class TrainedMethod(NamedTuple):
    """Results of a method by one measure.

    Attributes
    ----------
    search : GridResult
        Parameter selection on held-out rows.
    values : array
        Values of the classes on test rows.
    seconds : float
        Training time.
    solved : tuple of int
        Number of problems solved to the tolerance, and number of problems.
    """

    search: GridResult
    values: Floats
    seconds: float
    solved: tuple[int, int]


class Protocol:
    """Train methods on a collection.

    Parameters
    ----------
    collection : Collection
    rows : Rows
        Storage for the values of each class, on held-out rows and on test rows.
    extensions : int
        Maximum number of extensions on each side of the grid.
    """

    def __init__(self, collection: Collection, rows: Rows, extensions: int = EXTENSIONS) -> None:
        self.collection, self.rows, self.extensions = collection, rows, extensions
        self.classes = list(collection.members)

    def train(self, method: Method, measure: str, grid: Grid) -> TrainedMethod:
        """Train a method for all classes, with parameters chosen by a measure (the paper's name)."""
        used: dict[str, Row] = {}
        result = search_grid(partial(self._held_out, method, measure, used), grid, self.extensions)
        values = self._test(method, measure, used, result.chosen)
        seconds, solved, all_ = (sum(row[key] for row in used.values()) for key in ("seconds", "solved", "problems"))
        return TrainedMethod(result, values, seconds, (solved, all_))

    def _held_out(self, method: Method, measure: str, used: dict[str, Row], grid: Grid) -> Floats:
        """Values of the classes on held-out rows, at each setting of a grid."""
        study = f"{method.name}, held out, {grid}"
        found = self.rows.get_or_compute(study, self.classes, partial(self._train_on_two_thirds, method, grid))
        used.update({f"{study}: {name}": row for name, row in found.items()})
        shape = len(grid.js), len(grid.Cs)
        values = [row["values"][measure] if row["problems"] else [np.nan] * (shape[0] * shape[1]) for row in found.values()]
        return np.reshape(values, (-1, *shape)).transpose(0, 2, 1)

    def _test(self, method: Method, measure: str, used: dict[str, Row], chosen: list[Setting]) -> Floats:
        """Values of the classes on test rows, at the settings chosen for them."""
        study = f"{method.name}, tested"
        named = {f"{name}, {Grid.single(at)}": (name, at) for name, at in zip(self.classes, chosen, strict=True)}
        found = self.rows.get_or_compute(study, list(named), lambda name: self._train_on_all(method, *named[name]))
        used.update({f"{study}: {name}": row for name, row in found.items()})
        return np.array([row["values"][measure][0] for row in found.values()])

    def _train_on_two_thirds(self, method: Method, grid: Grid, name: str) -> Row:
        training = Examples(self.collection.X, self.collection.members[name])
        kept = two_thirds(training.positive, self.classes.index(name))
        if not training.positive[kept].any() or not training.positive[~kept].any():
            return {"values": {}, "seconds": 0.0, "solved": 0, "problems": 0}  # a single positive row
        return _evaluate(method, grid, training.select(kept), training.select(~kept), SEARCH_TOLERANCE)

    def _train_on_all(self, method: Method, name: str, setting: Setting) -> Row:
        training = Examples(self.collection.X, self.collection.members[name])
        test = Examples(self.collection.X_test, self.collection.members_test[name])
        return _evaluate(method, Grid.single(setting), training, test, 1.0)


def two_thirds(positive: Bools, number: int) -> Bools:
    """Mask of the training rows for parameter selection: a random split for each class, by its number.

    It is drawn again until both parts have a positive row, if there are at least two.
    """
    random = np.random.default_rng(number)
    while True:
        kept: Bools = random.permutation(positive.size) < 2 * positive.size // 3
        if positive.sum() < 2 or (positive[kept].any() and positive[~kept].any()):
            return kept


def _evaluate(method: Method, grid: Grid, training: Examples, test: Examples, tolerance: float) -> Row:
    """Values on test rows by each of a method's measures, for each j, for each C."""
    start, values, solved = time.perf_counter(), [], 0
    names = [MEASURES[measure] for measure in method.measures]
    for plane in method.train(*training, grid, tolerance):
        values.append(list(evaluate(test.positive, plane.scores(test.X), measures=names).means.values()))
        solved += plane.solved
    by_measure = dict(zip(method.measures, np.transpose(values).tolist(), strict=True))
    return {"values": by_measure, "seconds": time.perf_counter() - start, "solved": solved, "problems": len(values)}
