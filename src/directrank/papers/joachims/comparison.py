"""Both methods on all classes of a collection, by all four measures."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...arrays import Floats
from ...evaluation import Evaluation, Report, compare_all
from ..rows import Rows
from .data_sources import Collection
from .grid_search import Grid
from .methods import MEASURES, MULTI, ORG, svm_multi, svm_org
from .protocol import Protocol, Trained

POWERS, FACTORS = tuple(range(-6, 7)), tuple(range(8))

#: Of a taste.
QUICK_POWERS, QUICK_FACTORS, QUICK_CLASSES = (-4, 0, 4), (0, 3, 6), 5

#: Of a report, which is made for queries.
OF_CLASSES = (
    "In the comparison below, a class stands where otherwise a query stands, and values are shares instead of per cent."
)


class Compared(NamedTuple):
    """What was found.

    Attributes
    ----------
    collection : Collection
        With the classes that were trained.
    trained : dict
        By measure and method.
    """

    collection: Collection
    trained: dict[str, dict[str, Trained]]

    def values(self, measure: str, method: str) -> Floats:
        """Of each class, in per cent."""
        return 100 * self.trained[measure][method].values

    def gains(self, measure: str) -> Floats:
        """By how much SVM-multi is better for each class, in per cent."""
        return self.values(measure, MULTI) - self.values(measure, ORG)

    def report(self) -> Report:
        """The methods compared as rankings are, with classes for queries."""
        classes = np.array(list(self.collection.members))
        evaluations = {
            method: Evaluation(
                classes, {measure: each[method].values for measure, each in self.trained.items()}, dict.fromkeys(MEASURES, 0)
            )
            for method in (MULTI, ORG)
        }
        return compare_all(evaluations, ORG, test="wilcoxon")

    def remarks(self) -> tuple[str, ...]:
        """What was trained, how long that took, and what was chosen most often."""
        each = [
            (measure, method, found) for measure, by_method in self.trained.items() for method, found in by_method.items()
        ]
        chosen = [
            f"{method} for {measure} {Grid.of(most)}"
            for measure, method, found in each
            if (most := found.searched.most_frequent)
        ]
        solved, problems = np.sum([found.solved for _, _, found in each], axis=0)
        unsolved = (
            f"{problems - solved:,} of {problems:,} problems were not solved up to the tolerance."
            if solved < problems
            else ""
        )
        times = [f"{measure} {by_method[MULTI].seconds:,.0f}" for measure, by_method in self.trained.items()]
        ordinary = max(by_method[ORG].seconds for by_method in self.trained.values())
        took = f"Seconds of training: {MULTI} for {', '.join(times)}; {ORG} for all measures about {ordinary:,.0f}."
        most_often = f"Chosen most often: {'; '.join(chosen)}."
        about = (self.collection.about, most_often, self._without_choice(), took, unsolved, OF_CLASSES)
        return tuple(filter(None, about))

    def _without_choice(self) -> str:
        """How the methods fare where the split let them choose a setting, if there are classes where it did not."""
        split = next(iter(self.trained.values()))[MULTI].searched.values
        can_choose = np.isfinite(split).all(axis=(1, 2))
        if can_choose.all() or not can_choose.any():
            return ""
        values = {measure: [self.values(measure, each)[can_choose] for each in (MULTI, ORG)] for measure in self.trained}
        means = [f"{measure} {multi.mean():.1f}/{org.mean():.1f}" for measure, (multi, org) in values.items()]
        untold = f"{np.sum(~can_choose):,} classes have a single positive row, so that nothing was chosen"
        return f"{untold} for them: they have the setting that is best for the others. Without them {', '.join(means)}."


def compared(collection: Collection, rows: Rows, quick: bool) -> Compared:
    """Train both methods; a taste has a few classes and a coarse grid."""
    chosen = collection.some(QUICK_CLASSES) if quick else collection
    protocol = Protocol(chosen, rows, 0) if quick else Protocol(chosen, rows)
    Cs, js = (QUICK_POWERS, QUICK_FACTORS) if quick else (POWERS, FACTORS)
    trained = {}
    for measure in MEASURES:
        multi = protocol.train(svm_multi(measure), measure, Grid(Cs))
        trained[measure] = {MULTI: multi, ORG: protocol.train(svm_org(), measure, Grid(Cs, js))}
    return Compared(chosen, trained)
