"""Models in which a user goes down the documents of a session, one after the other."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass

import numpy as np

from ...arrays import Bools, Floats, Ints
from ...core import click_models as kernels
from ..click_log import ClickLog
from .click_model import ClickModel


@dataclass(frozen=True, eq=False)
class ChainModel(ClickModel):
    """A user examines the first document, clicks it if it is attractive, and then goes on to the next or not.

    Documents that were not logged count as not shown: the next one is the next that was.
    """

    @abstractmethod
    def _going_on(self, log: ClickLog, pairs: Ints) -> tuple[Floats, Floats]:
        """Probability to go on after each impression if it was clicked, and if it was examined and not clicked.

        Parameters
        ----------
        log : ClickLog
        pairs : int64 array
            Number of the pair of each impression among those of the model; -1 if it has not seen it.
        """

    def click_probabilities(self, log: ClickLog) -> Floats:
        pairs = self.pairs_of(log)[log.pair]
        attractiveness = self.attractiveness.at(pairs)
        return kernels.chain_given_clicks(log.offsets, log.clicked, attractiveness, *self._going_on(log, pairs))

    def predict_clicks(self, log: ClickLog) -> Floats:
        pairs = self.pairs_of(log)[log.pair]
        return kernels.chain_marginals(log.offsets, self.attractiveness.at(pairs), *self._going_on(log, pairs))


def last_clicks(log: ClickLog) -> Ints:
    """Row of the last click of each session; -1 if it has none."""
    rows = np.flatnonzero(log.clicked)
    last = np.full(log.n_sessions, -1)
    last[log.session[rows]] = rows  # of several assignments to one session, the last holds
    return last


def first_clicks(log: ClickLog) -> Ints:
    """Row of the first click of each session; -1 if it has none."""
    rows = np.flatnonzero(log.clicked)[::-1]
    first = np.full(log.n_sessions, -1)
    first[log.session[rows]] = rows
    return first


def rows_down_to(log: ClickLog, row: Ints) -> Bools:
    """Whether each impression is at or above the given one of its session; all are where it is -1."""
    last = np.where(row >= 0, row, log.n_impressions)
    return np.arange(log.n_impressions) <= last[log.session]


def count_pairs(log: ClickLog, rows: Bools | Ints) -> Floats:
    """Number of some impressions by pair."""
    return np.bincount(log.pair[rows], minlength=log.pairs.query.size).astype(np.float64)
