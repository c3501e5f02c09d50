"""Who takes part: a learner of ours or of theirs, with what it is trained for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from directrank.data.splits import Split

#: For each measure that is reported, the scores of the test documents.
Scores = dict[str, np.ndarray]


@dataclass(frozen=True)
class Contestant:
    """A learner and what it is trained for.

    Attributes
    ----------
    learner : str
    objective : str or None
        The measure that it is trained for, if that can be chosen.
    is_ours : bool
    is_random : bool
        Whether a seed changes the model.
    scores : callable
        Learns from a fold with a seed, makes all choices on its validation queries, and scores its test documents.
    """

    learner: str
    objective: str | None
    is_ours: bool
    is_random: bool
    scores: Callable[[Split, int], Scores]

    @property
    def name(self) -> str:
        return self.learner if self.objective is None else f"{self.learner} for {self.objective}"
