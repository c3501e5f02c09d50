"""Swap interventions: documents of a query that exchanged their ranks from one session to another."""

from __future__ import annotations

import numpy as np

from ...arrays import Bools, Ints
from ..click_log import ClickLog


def exchanged_rows(log: ClickLog) -> Bools:
    """Impressions of two documents that exchanged their ranks.

    In some session the one was at rank k and the other at rank k', and in another session of the query the other way round,
    whatever the other documents were. They are rank 1 and any other, or two neighbours: the swaps that experiments make.
    """
    upper, lower = _candidates(log)
    one, other = log.pair[upper], log.pair[lower]
    documents = np.minimum(one, other) * max(log.pairs.docno.size, 1) + np.maximum(one, other)
    ranks = log.rank[upper] * (log.max_rank + 1) + log.rank[lower]
    code = np.unique(documents, return_inverse=True)[1] * (ranks.max(initial=0) + 1) + ranks
    found, number = np.unique(code, return_inverse=True)
    orders = [np.bincount(number[chosen], minlength=found.size) > 0 for chosen in (one < other, one > other)]
    exchanged = (orders[0] & orders[1])[number]
    rows = np.zeros(log.n_impressions, np.bool_)
    rows[upper[exchanged]] = rows[lower[exchanged]] = True
    return rows


def _candidates(log: ClickLog) -> tuple[Ints, Ints]:
    """Impressions of the same session at neighbouring ranks, or at rank 1 and any other."""
    rows = np.arange(log.n_impressions)
    first = log.offsets[:-1][log.session]
    below_top = (log.rank[first] == 1) & (log.rank > 1)
    following = rows[1:][(log.session[1:] == log.session[:-1]) & (log.rank[1:] == log.rank[:-1] + 1)]
    return np.concatenate([first[below_top], following - 1]), np.concatenate([rows[below_top], following])
