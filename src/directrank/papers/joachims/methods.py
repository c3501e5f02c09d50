"""The two methods that the paper compares; each trains a hyperplane for every setting of a grid."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, NamedTuple

from ...arrays import Bools
from .grid_search import Grid
from .hyperplane import Hyperplane
from .svm_multi import train_multivariate_svms
from .svm_org import train_ordinary_svms

#: Our names of the measures, by the paper's names.
MEASURES = {"F1": "F1", "PRBEP": "PRBEP", "Rec@2p": "R@2p", "ROCArea": "AUC"}

#: Tolerances. SVM-multi: duality gap in units of the measure, 0.1 % as in SVM-perf, but smaller for Rec@2p and ROCArea,
#: where C makes less difference than that on Reuters. Ordinary SVM: as in SVMlight.
TOLERANCES = {"F1": 1e-3, "PRBEP": 1e-3, "Rec@2p": 1e-4, "ROCArea": 1e-5}
TOLERANCE_ORG = 1e-3

MULTI, ORG = "SVM-multi", "SVM-org"


class Method(NamedTuple):
    """A training method.

    Attributes
    ----------
    name : str
    measures : tuple of str
        Measures for evaluating its hyperplanes.
    train : callable
        Takes X, whether each row is positive, a grid, and a factor of the tolerance; yields the hyperplane of each setting:
        for each j, for each C.
    """

    name: str
    measures: tuple[str, ...]
    train: Callable[[Any, Bools, Grid, float], Iterator[Hyperplane]]


def svm_multi(measure: str) -> Method:
    """SVM that optimises a measure."""
    return Method(f"{MULTI} for {measure}", (measure,), partial(_train_multi, measure))


def svm_org() -> Method:
    """Ordinary SVM; each measure selects one of the same hyperplanes."""
    return Method(ORG, tuple(MEASURES), _train_org)


def _train_multi(measure: str, X: Any, positive: Bools, grid: Grid, tolerance: float) -> Iterator[Hyperplane]:
    Cs = [2.0**C for C in grid.Cs]
    return train_multivariate_svms(X, positive, MEASURES[measure], Cs, tolerance * TOLERANCES[measure])


def _train_org(X: Any, positive: Bools, grid: Grid, tolerance: float) -> Iterator[Hyperplane]:
    Cs = [2.0**C for C in grid.Cs]
    for j in grid.js:
        yield from train_ordinary_svms(X, positive, 2.0**j, Cs, tolerance * TOLERANCE_ORG)
