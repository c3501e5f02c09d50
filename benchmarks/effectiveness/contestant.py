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
    scaling : str, optional
        Scaling of a linear learner, where it is not the default.
    """

    learner: str
    objective: str | None
    side: Side
    is_random: bool
    train: Callable[[Split, int], Callable[[], Scores]]
    scaling: str | None = None

    @property
    def name(self) -> str:
        name = self.learner if self.scaling is None else f"{self.learner}, scaling {self.scaling}"
        return name if self.objective is None else f"{name} for {self.objective}"

    def is_shown_by(self, measure: str) -> bool:
        """Whether it is trained for a measure, or for none in particular."""
        return self.objective in (None, measure)
