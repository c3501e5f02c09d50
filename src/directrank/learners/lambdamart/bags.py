"""Boosters that grow side by side, each with a seed of its own, and whose scores are averaged."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Any

import lightgbm as lgb
import numpy as np

from ...arrays import Floats
from ...models import TreesModel
from ..core.monitoring import Evals, Watchlist
from .gradients import Gradients, MeanValue
from .lightgbm import has_splits

#: What LightGBM calls the training set, and the other one.
TRAINING, VALIDATION = "training", "validation"


class Bags:
    """The trees of several seeds as one model; of a single seed by default.

    To ask LightGBM for the scores of the training set is to begin the next round. That costs nothing, as the next lambdas
    are at the same scores; but DART begins a round by dropping trees, and would leave them dropped after the last one. With
    DART the training set is therefore also a validation set to LightGBM, whose scores are those of the whole model.

    Parameters
    ----------
    boosters : sequence of lightgbm.Booster
        With the validation set, if there is one.
    gradients : sequence of Gradients
        Those that each booster follows.
    training : MeanValue
    validation : MeanValue, or None
    is_dart : bool
    watched : Watchlist, optional
        Sets that are watched round after round.
    """

    def __init__(
        self,
        boosters: Sequence[lgb.Booster],
        gradients: Sequence[Gradients],
        training: MeanValue,
        validation: MeanValue | None,
        is_dart: bool,
        watched: Watchlist | None = None,
    ) -> None:
        self.boosters, self.gradients, self.is_dart, self.watched = boosters, gradients, is_dart, watched
        self.means = {TRAINING: training, VALIDATION: validation}
        self.counts: list[list[int]] = []
        if is_dart:
            for booster in boosters:
                _settle(booster)
                booster.add_valid(booster.train_set, TRAINING)

    @property
    def has_validation(self) -> bool:
        return self.means[VALIDATION] is not None

    @property
    def can_split(self) -> bool:
        """Whether there is any feature to split on."""
        return has_splits(self.boosters[0].train_set)

    def grow(self) -> None:
        """A round: a tree for each booster, on the lambdas at its scores so far.

        Interrupted by Ctrl-C, DART finishes the round first: trees that it has dropped are back only then.
        """
        interruption: KeyboardInterrupt | None = None
        for booster, gradients in zip(self.boosters, self.gradients, strict=True):
            before = booster.current_iteration()
            try:
                booster.update(fobj=gradients.at)
            except KeyboardInterrupt as error:
                if not self.is_dart:
                    raise
                interruption = error
                if booster.current_iteration() == before:
                    booster.update(fobj=gradients.at)
        if interruption is not None:
            raise interruption

    def end_round(self) -> tuple[int, Evals | None]:
        """Number of trees, and values on the watchlist."""
        self.counts.append([booster.current_iteration() for booster in self.boosters])
        evals = None
        if self.watched is not None and self.is_dart:
            evals = self.watched.evaluate(self.model(len(self.counts)))
        elif self.watched is not None:
            evals = self.watched.evaluate_more(self._last_round())
        return sum(self.counts[-1]), evals

    def values(self) -> tuple[float, float | None]:
        """The measure of the mean scores so far, on the training queries and on the validation set."""
        scores = self.scores()
        value, validation = (None if mean is None else mean.at(scores[name]) for name, mean in self.means.items())
        assert value is not None
        return value, validation

    def scores(self) -> dict[str, Floats]:
        """The mean scores so far, of the training set and of the validation set."""
        each = self.scores_of_each().items()
        return {name: of_bags[0] if len(of_bags) == 1 else np.mean(of_bags, axis=0) for name, of_bags in each}

    def scores_of_each(self) -> dict[str, list[Floats]]:
        """The scores of each booster so far."""
        found: dict[str, list[Floats]] = defaultdict(list)
        for booster in self.boosters:

            def keep(scores: Floats, data: Any, booster: lgb.Booster = booster) -> tuple[str, float, bool]:
                """What LightGBM asks for, which nothing depends on, once the scores are taken."""
                found[TRAINING if data is booster.train_set else VALIDATION].append(scores)
                return "measure", 0.0, True

            if not self.is_dart:
                booster.eval_train(keep)
            booster.eval_valid(keep)
        return found

    def _last_round(self) -> TreesModel:
        """The trees of the last round alone; not of DART, where it changed others too."""
        counts, parts = [[0] * len(self.boosters), *self.counts][-2:], []
        for booster, first, last in zip(self.boosters, *counts, strict=True):
            text = booster.model_to_string(start_iteration=first, num_iteration=max(last - first, 1))
            parts.append(TreesModel.from_lightgbm(text, last - first))
        return TreesModel.mean_of(parts)

    def model(self, n_rounds: int) -> TreesModel:
        """The trees of so many rounds; all of DART's."""
        counts = self.counts[n_rounds - 1] if n_rounds else [0] * len(self.boosters)
        if self.is_dart:
            counts = [booster.current_iteration() for booster in self.boosters]
        texts = [booster.model_to_string(num_iteration=-1) for booster in self.boosters]
        return TreesModel.mean_of([TreesModel.from_lightgbm(*part) for part in zip(texts, counts, strict=True)])


def _settle(booster: lgb.Booster) -> None:
    """Have a booster of DART draw what its seed says.

    Whether it draws trees to drop before the first round, when there are none, depends on memory that LightGBM leaves as it
    was, and so does all that is drawn later. Once it was asked for its scores it does not; then it starts from its seed.
    """
    booster.eval_train(lambda scores, data: ("nothing", 0.0, True))
    booster.reset_parameter({"verbosity": -1})
