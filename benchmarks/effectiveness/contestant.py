"""Contestants: a learner of ours or theirs, with its objective."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum

import numpy as np

from directrank.data.splits import Split

#: Scores of the test documents, by reported measure.
Scores = dict[str, np.ndarray]


class Side(Enum):
    """Whose learner it is."""

    OURS = "ours"
    THEIRS = "theirs"
    NOBODYS = "nobody's"


@dataclass(frozen=True)
class Contestant:
    """A learner with its objective.

    Attributes
    ----------
    learner : str
    objective : str or None
        Measure to train for; None if the learner has a fixed objective.
    side : Side
    is_random : bool
        Whether the model depends on a seed.
    train : callable
        Takes a fold and a seed, trains, and returns a function that chooses what is left to choose on the validation queries
        and scores the test documents.
    """

    learner: str
    objective: str | None
    side: Side
    is_random: bool
    train: Callable[[Split, int], Callable[[], Scores]]

    @property
    def name(self) -> str:
        return self.learner if self.objective is None else f"{self.learner} for {self.objective}"
