"""Learners that a search tries, in the order in which it tries them."""

from __future__ import annotations

from typing import Any, NamedTuple

from ..learners import LEARNERS
from ..measures import SupportsEvaluate


class Candidate(NamedTuple):
    """A learner to try.

    Attributes
    ----------
    name : str
    learner : estimator
    cost : int
        Approximate training time relative to others'.
    shares_time : bool
        Whether time is kept for it; otherwise it may use what others left.
    is_required : bool
        Whether its errors are raised, as those of learners that the user chose.
    """

    name: str
    learner: Any
    cost: int = 0
    shares_time: bool = True
    is_required: bool = True


def default_candidates(measure: SupportsEvaluate) -> list[Candidate]:
    """Learners that rank within queries: the likely winners, then the others, each in order of cost."""
    entries = sorted(LEARNERS.values(), key=lambda entry: (not entry.is_favourite, entry.cost))
    return [
        Candidate(entry.name, entry.make(measure, {}), entry.cost, entry.is_favourite, is_required=False)
        for entry in entries
        if entry.learns_queries
    ]
