"""Contestants: a learner of ours or theirs, with its objective."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from directrank.data.splits import Split

#: Scores of the test documents, by reported measure.
Scores = dict[str, np.ndarray]


@dataclass(frozen=True)
class Contestant:
    """A learner with its objective.

    Attributes
    ----------
    learner : str
    objective : str or None
        Measure to train for; None if the learner has a fixed objective.
    is_ours : bool
    is_random : bool
        Whether the model depends on a seed.
    scores : callable
        Takes a fold and a seed; trains, chooses parameters on the validation queries, and scores the test documents.
    """

    learner: str
    objective: str | None
    is_ours: bool
    is_random: bool
    scores: Callable[[Split, int], Scores]

    @property
    def name(self) -> str:
        return self.learner if self.objective is None else f"{self.learner} for {self.objective}"
