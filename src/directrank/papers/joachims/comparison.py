"""Comparison of both methods on all classes of a collection, by all four measures."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...arrays import Floats
from ...evaluation import Evaluation, Report, compare_all
from ..rows import Rows
from .data_sources import Collection
from .grid_search import Grid
from .methods import MEASURES, MULTI, ORG, svm_multi, svm_org
from .protocol import Protocol, TrainedMethod

C_EXPONENTS, J_EXPONENTS = tuple(range(-6, 7)), tuple(range(8))

#: Grid and number of classes of a quick run.
QUICK_C_EXPONENTS, QUICK_J_EXPONENTS, QUICK_CLASSES = (-4, 0, 4), (0, 3, 6), 5

#: Remark on the report, which is made for queries.
CLASSES_NOTE = "In the comparison below, classes take the place of queries, and values are fractions instead of per cent."


class MethodComparison(NamedTuple):
    """Results of both methods by all measures.

    Attributes
    ----------
    collection : Collection
        Collection with the classes that were trained.
    trained : dict
        Results by measure and method.
    """

    collection: Collection
    trained: dict[str, dict[str, TrainedMethod]]

    def values(self, measure: str, method: str) -> Floats:
        """Values of the classes, in per cent."""
        return 100 * self.trained[measure][method].values

    def gains(self, measure: str) -> Floats:
        """Improvement of SVM-multi for each class, in per cent."""
        return self.values(measure, MULTI) - self.values(measure, ORG)

    def report(self) -> Report:
        """Comparison of the methods, with classes in place of queries."""
        classes = np.array(list(self.collection.members))
        evaluations = {
            method: Evaluation(
                classes, {measure: each[method].values for measure, each in self.trained.items()}, dict.fromkeys(MEASURES, 0)
            )
            for method in (MULTI, ORG)
        }
        return compare_all(evaluations, ORG, test="wilcoxon")

    def remarks(self) -> tuple[str, ...]:
        """Remarks on the data, the parameters chosen most often, and training times."""
        each = [
            (measure, method, found) for measure, by_method in self.trained.items() for method, found in by_method.items()
        ]
        chosen = [
            f"{method} for {measure} {Grid.single(setting)}"
            for measure, method, found in each
            if (setting := found.search.most_frequent)
        ]
        solved, problems = np.sum([found.solved for _, _, found in each], axis=0)
        unsolved = (
            f"{problems - solved:,} of {problems:,} problems were not solved to the tolerance." if solved < problems else ""
        )
        times = [f"{measure} {by_method[MULTI].seconds:,.0f}" for measure, by_method in self.trained.items()]
        ordinary = max(by_method[ORG].seconds for by_method in self.trained.values())
        took = f"Training seconds: {MULTI} for {', '.join(times)}; {ORG} for all measures about {ordinary:,.0f}."
        most_often = f"Chosen most often: {'; '.join(chosen)}."
        about = (self.collection.about, most_often, self._remark_on_single_positives(), took, unsolved, CLASSES_NOTE)
        return tuple(filter(None, about))

    def _remark_on_single_positives(self) -> str:
        """Results without the classes for which the split could not choose a setting, if there are any."""
        split = next(iter(self.trained.values()))[MULTI].search.values
        can_choose = np.isfinite(split).all(axis=(1, 2))
        if can_choose.all() or not can_choose.any():
            return ""
        values = {measure: [self.values(measure, each)[can_choose] for each in (MULTI, ORG)] for measure in self.trained}
        means = [f"{measure} {multi.mean():.1f}/{org.mean():.1f}" for measure, (multi, org) in values.items()]
        count = f"{np.sum(~can_choose):,} classes have a single positive row, so no setting could be chosen for them"
        return f"{count}; they use the best setting of the others. Without them: {', '.join(means)}."


def compare_methods(collection: Collection, rows: Rows, quick: bool) -> MethodComparison:
    """Train and compare both methods; a quick run has few classes and a coarse grid."""
    chosen = collection.subset(QUICK_CLASSES) if quick else collection
    protocol = Protocol(chosen, rows, 0) if quick else Protocol(chosen, rows)
    Cs, js = (QUICK_C_EXPONENTS, QUICK_J_EXPONENTS) if quick else (C_EXPONENTS, J_EXPONENTS)
    trained = {}
    for measure in MEASURES:
        multi = protocol.train(svm_multi(measure), measure, Grid(Cs))
        trained[measure] = {MULTI: multi, ORG: protocol.train(svm_org(), measure, Grid(Cs, js))}
    return MethodComparison(chosen, trained)
