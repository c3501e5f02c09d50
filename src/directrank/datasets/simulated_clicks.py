"""Clicks on rankings, simulated from grades by a position-based model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

#: Probability of a click on an examined document of grade 0, and of the highest grade.
CLICK_LOW, CLICK_HIGH = 0.1, 0.9


class Impression(NamedTuple):
    """A document that was shown, and whether it was clicked."""

    session: int
    qid: str
    position: int
    docno: str
    click: int
    ranker: str


def simulated_impressions(
    rankers: Mapping[str, Mapping[str, Sequence[str]]],
    grades: Mapping[tuple[str, str], float],
    n_sessions: int,
    *,
    random_state: int = 0,
) -> list[Impression]:
    r"""Sessions of one query each, in which the ranking of one of the rankers, drawn at random, is shown.

    The document at position k is examined with the probability 1/k, and clicked, if it is examined, with a probability
    that rises with its gain (Richardson et al. 2007; the examination is that of Joachims et al. 2017):

    .. math:: P(\mathit{click}) = \frac{1}{k} \left(0.1 + 0.8\, \frac{2^g - 1}{2^{g_{max}} - 1}\right)

    Parameters
    ----------
    rankers : mapping of names to mappings of qid to docnos, the best first
        All of the same queries. Queries are drawn by Zipf's law: in a random order, the i-th with a probability
        proportional to 1/i.
    grades : mapping of (qid, docno) to grade
        0 for pairs that it lacks.
    n_sessions : int
    random_state : int
        Random seed.
    """
    random = np.random.default_rng(random_state)
    names = list(rankers)
    qids = [str(qid) for qid in random.permutation(sorted(rankers[names[0]]))]
    weights = 1 / np.arange(1, len(qids) + 1)
    drawn = random.choice(len(qids), n_sessions, p=weights / weights.sum())
    highest = 2.0 ** max(grades.values()) - 1
    impressions = []
    for session, query in enumerate(drawn.tolist(), 1):
        qid, ranker = qids[query], names[int(random.integers(len(names)))]
        for position, docno in enumerate(rankers[ranker][qid], 1):
            attraction = CLICK_LOW + (CLICK_HIGH - CLICK_LOW) * (2.0 ** grades.get((qid, docno), 0.0) - 1) / highest
            click = int(random.random() < attraction / position)
            impressions.append(Impression(session, qid, position, docno, click, ranker))
    return impressions
