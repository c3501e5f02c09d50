"""Section 6 of the paper: what is trained for each class, how it is chosen, and what is measured.

C, and j of the ordinary SVM, are chosen on a third of the training rows, drawn at random for each class; then the SVM is
trained on all of them.
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
from .grid_search import EXTENSIONS, Grid, Searched, Setting, search
from .methods import MEASURES, Method

#: By how much the tolerance is larger where settings are only to be told apart.
ROUGHLY = 10.0

Row = dict[str, Any]


class Examples(NamedTuple):
    """Rows, and which of them are positive."""

    X: Any
    positive: Bools

    def some(self, which: Bools) -> Examples:
        return Examples(self.X[which], self.positive[which])


class Trained(NamedTuple):
    """A method by one measure.

    Attributes
    ----------
    searched : Searched
        On held-out rows.
    values : array
        Of each class, on test rows.
    seconds : float
        How long the training took.
    solved : tuple of int
        How many problems were solved up to the tolerance, and how many there were.
    """

    searched: Searched
    values: Floats
    seconds: float
    solved: tuple[int, int]


class Protocol:
    """Training on a collection.

    Parameters
    ----------
    collection : Collection
    rows : Rows
        What is kept: for each class, the values on held-out rows, then those on test rows.
    extensions : int
        How often a side of the grid may be extended.
    """

    def __init__(self, collection: Collection, rows: Rows, extensions: int = EXTENSIONS) -> None:
        self.collection, self.rows, self.extensions = collection, rows, extensions
        self.classes = list(collection.members)

    def train(self, method: Method, measure: str, grid: Grid) -> Trained:
        """Train a method for all classes, chosen by a measure (in the paper's words)."""
        used: dict[str, Row] = {}
        searched = search(partial(self._held_out, method, measure, used), grid, self.extensions)
        values = self._tested(method, measure, used, searched.chosen)
        seconds, solved, all_ = (sum(row[key] for row in used.values()) for key in ("seconds", "solved", "problems"))
        return Trained(searched, values, seconds, (solved, all_))

    def _held_out(self, method: Method, measure: str, used: dict[str, Row], grid: Grid) -> Floats:
        """The value of each class at each setting of a grid."""
        study = f"{method.name}, held out, {grid}"
        found = self.rows.each(study, self.classes, partial(self._train_on_two_thirds, method, grid))
        used.update({f"{study}: {name}": row for name, row in found.items()})
        shape = len(grid.js), len(grid.Cs)
        values = [row["values"][measure] if row["problems"] else [np.nan] * (shape[0] * shape[1]) for row in found.values()]
        return np.reshape(values, (-1, *shape)).transpose(0, 2, 1)

    def _tested(self, method: Method, measure: str, used: dict[str, Row], chosen: list[Setting]) -> Floats:
        """The value of each class, at the setting that was chosen for it."""
        study = f"{method.name}, tested"
        named = {f"{name}, {Grid.of(at)}": (name, at) for name, at in zip(self.classes, chosen, strict=True)}
        found = self.rows.each(study, list(named), lambda name: self._train_on_all(method, *named[name]))
        used.update({f"{study}: {name}": row for name, row in found.items()})
        return np.array([row["values"][measure][0] for row in found.values()])

    def _train_on_two_thirds(self, method: Method, grid: Grid, name: str) -> Row:
        training = Examples(self.collection.X, self.collection.members[name])
        kept = two_thirds(training.positive, self.classes.index(name))
        if not training.positive[kept].any() or not training.positive[~kept].any():
            return {"values": {}, "seconds": 0.0, "solved": 0, "problems": 0}  # there is nothing to tell
        return _measured(method, grid, training.some(kept), training.some(~kept), ROUGHLY)

    def _train_on_all(self, method: Method, name: str, setting: Setting) -> Row:
        training = Examples(self.collection.X, self.collection.members[name])
        test = Examples(self.collection.X_test, self.collection.members_test[name])
        return _measured(method, Grid.of(setting), training, test, 1.0)


def two_thirds(positive: Bools, number: int) -> Bools:
    """Which rows to train on while C and j are chosen: a random split for each class, by its number.

    It is drawn again until both parts have a positive row, of which it takes two.
    """
    random = np.random.default_rng(number)
    while True:
        kept: Bools = random.permutation(positive.size) < 2 * positive.size // 3
        if positive.sum() < 2 or (positive[kept].any() and positive[~kept].any()):
            return kept


def _measured(method: Method, grid: Grid, training: Examples, others: Examples, tolerance: float) -> Row:
    """By each of a method's measures, the value on other rows at each setting, for each j, for each C."""
    start, values, solved = time.perf_counter(), [], 0
    names = [MEASURES[measure] for measure in method.measures]
    for plane in method.train(*training, grid, tolerance):
        values.append(list(evaluate(others.positive, plane.scores(others.X), measures=names).means.values()))
        solved += plane.solved
    by_measure = dict(zip(method.measures, np.transpose(values).tolist(), strict=True))
    return {"values": by_measure, "seconds": time.perf_counter() - start, "solved": solved, "problems": len(values)}
