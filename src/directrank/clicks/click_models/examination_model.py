"""Models in which examination depends on the place where a document was shown, estimated by EM."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ...arrays import Floats, Ints
from ...core import click_models as kernels
from ..click_log import ClickLog
from .beta_prior import BetaPrior
from .expectation_maximisation import maximise
from .pair_parameter import PairParameter

#: Most counters for each impression in a table of all pairs and places; where more would be needed, keys are sorted.
MOST_COUNTERS = 8


@dataclass(frozen=True, eq=False)
class Cells:
    """Impressions of each pair, counted by place.

    Attributes
    ----------
    offsets : int64 array
        Cells ``offsets[p]:offsets[p + 1]`` belong to pair p.
    place, shown, clicked : int64 arrays
        Number of the place of each cell, of its impressions, and of its clicks.
    n_places : int
    """

    offsets: Ints
    place: Ints
    shown: Ints
    clicked: Ints
    n_places: int

    @classmethod
    def count(cls, log: ClickLog, place: Ints, n_places: int) -> Cells:
        """Count the impressions of a log, given the place of each."""
        n_pairs = int(log.pairs.query.size)
        key, n = _occurrences((log.pair * n_places + place) * 2 + log.clicked, 2 * n_pairs * n_places)
        cell = key >> 1
        first = np.flatnonzero(np.diff(cell, prepend=-1))
        pair, place = np.divmod(cell[first], n_places)
        clicked = np.add.reduceat(n * (key & 1), first)
        offsets = np.searchsorted(pair, np.arange(n_pairs + 1))
        return cls(offsets, place, np.add.reduceat(n, first), clicked, n_places)

    def shown_by_pair(self, weights: Floats) -> Floats:
        """Number of impressions of each pair, weighted by place."""
        pair = np.repeat(np.arange(self.offsets.size - 1), np.diff(self.offsets))
        return np.bincount(pair, self.shown * weights[self.place], self.offsets.size - 1).astype(np.float64)

    @property
    def shown_by_place(self) -> Floats:
        return np.bincount(self.place, self.shown, self.n_places).astype(np.float64)


def _occurrences(keys: Ints, n_keys: int) -> tuple[Ints, Ints]:
    """Distinct keys, ascending, and the number of each."""
    if n_keys > MOST_COUNTERS * keys.size:
        return np.unique(keys, return_counts=True)
    counts = np.bincount(keys)
    found = np.flatnonzero(counts)
    return found, counts[found]


class Examination(NamedTuple):
    """Attractiveness of pairs, examination of places relative to the first, and the objective of each iteration."""

    attractiveness: PairParameter
    examination: Floats
    history: Floats


def fit_examination(cells: Cells, prior: BetaPrior, max_iter: int, tol: float) -> Examination:
    r"""Most probable attractiveness :math:`\gamma` of pairs and examination :math:`\theta` of places, by EM.

    A click on pair p at place k has the probability :math:`\theta_k \gamma_p`. An iteration sets each parameter to the
    expected share of impressions that were examined, or attractive, with the pseudo-counts of the prior. Only the product
    matters: :math:`\theta` is then divided by that of the first place, and :math:`\gamma` multiplied by it.
    """
    shown = cells.shown_by_pair(np.ones(cells.n_places))
    shown_by_place = cells.shown_by_place

    def step(parameters: tuple[Floats, Floats]) -> tuple[float, tuple[Floats, Floats]]:
        attractiveness, examination = parameters
        attractive, examined, log_likelihood = kernels.examination_expectations(
            cells.offsets, cells.place, cells.shown, cells.clicked, attractiveness, examination
        )
        objective = log_likelihood + prior.log_density(attractiveness) + prior.log_density(examination)
        return objective, (prior.mode(attractive, shown), prior.mode(examined, shown_by_place))

    start = np.full(shown.size, 0.5), np.full(cells.n_places, 0.5)
    (attractiveness, examination), history = maximise(step, start, max_iter, tol)
    known = np.flatnonzero(shown_by_place)
    # A place that was never shown has the examination of the one before it.
    filled = known[np.maximum(np.searchsorted(known, np.arange(cells.n_places), side="right") - 1, 0)]
    scale = examination[known[0]]
    relative = examination[filled] / scale
    counts = cells.shown_by_pair(relative)
    return Examination(PairParameter.from_values(attractiveness * scale, counts, prior), relative, history)
