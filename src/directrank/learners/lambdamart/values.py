"""The measure after each round, on the training queries and on the validation set, at scores that LightGBM has already."""

from __future__ import annotations

from typing import Any

import lightgbm as lgb

from ...arrays import Floats
from .gradients import MeanValue

#: What LightGBM calls the training set, and the other one.
TRAINING, VALIDATION = "training", "validation"


class ValuesOfRounds:
    """The values of the model so far.

    To ask LightGBM for the scores of the training set is to begin the next round. That costs nothing, as the next lambdas
    are at the same scores; but DART begins a round by dropping trees, and would leave them dropped after the last one. With
    DART the training set is therefore also a validation set to LightGBM, whose scores are those of the whole model.

    Parameters
    ----------
    booster : lightgbm.Booster
        With the validation set, if there is one.
    training : MeanValue
    validation : MeanValue, or None
    is_dart : bool
    """

    def __init__(self, booster: lgb.Booster, training: MeanValue, validation: MeanValue | None, is_dart: bool) -> None:
        self.booster, self.training, self.validation, self.is_dart = booster, training, validation, is_dart
        if is_dart:
            booster.add_valid(booster.train_set, TRAINING)

    def now(self) -> tuple[float, float | None]:
        """On the training queries, and on the validation set."""
        of_training = [] if self.is_dart else self.booster.eval_train(self._evaluate)
        values = {found[0]: found[2] for found in [*of_training, *self.booster.eval_valid(self._evaluate)]}
        return values[TRAINING], values.get(VALIDATION)

    def _evaluate(self, scores: Floats, data: Any) -> tuple[str, float, bool]:
        """A name that nothing depends on, the value, and that more is better."""
        mean = self.training if data is self.booster.train_set else self.validation
        assert mean is not None
        return "measure", mean.at(scores), True
