"""What a round of LambdaMART reached."""

from __future__ import annotations

from typing import NamedTuple

from ..core.rounds import with_validation


class LambdaMARTRound(NamedTuple):
    """What one round of LambdaMART reached.

    Attributes
    ----------
    value : float
        The measure of the model so far on the training queries.
    validation : float or None
        The measure of the model so far on the `eval_set`.
    trees : int
        How many trees there are, those of all bags. A round adds none where its sample of rows and features has no split.
    seconds : float
        Since the training began.
    """

    value: float
    validation: float | None
    trees: int
    seconds: float

    def __str__(self) -> str:
        return with_validation(f"{self.value:.4f}", self.validation)
