"""LightGBM's boosters of several seeds on rows in this process."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import lightgbm as lgb
import numpy as np

from ...arrays import Floats
from ...data import InputError
from ...measures import SupportsEvaluate
from ...models import TreesModel
from ..core.shards import LocalShards
from ..core.task import count_documents, grades_of_documents, with_measure
from ..core.validation import TRAINING, VALIDATION
from ..core.watchlist import Evals, Watchlist
from .gradients import Gradients, LambdaScale, MeanValue
from .init import Start, init_scores
from .ordered_documents import make_dataset
from .params import TreeParams
from .sampling import make_samplers


@dataclass(frozen=True)
class LambdaObjective:
    """Objective of boosting: the lambdas of a measure.

    Attributes
    ----------
    sigma : float
        Steepness of the pairwise loss.
    normalize : bool
        See `LambdaScale`.
    measure : measure
        Measure that rounds are evaluated by. The measure of the lambdas is bound to the training tasks.
    start : Start
        Model that boosters start from.
    watchlist : Watchlist, optional
        Sets and measures to evaluate after each round.
    """

    sigma: float
    normalize: bool
    measure: SupportsEvaluate
    start: Start
    watchlist: Watchlist | None


class Boosters:
    """LightGBM's boosters, one for each seed, on the same data.

    Asking LightGBM for the scores of the training set begins the next round. That costs nothing, as the next lambdas are
    at the same scores; but DART begins a round by dropping trees, and would leave them dropped after the last one. With
    DART the training set is therefore a validation set in LightGBM as well, whose scores are those of the whole model.

    Parameters
    ----------
    boosters : sequence of lightgbm.Booster
    gradients : sequence of Gradients
        One for each booster.
    is_dart : bool
    """

    def __init__(self, boosters: Sequence[lgb.Booster], gradients: Sequence[Gradients], is_dart: bool = False) -> None:
        self.boosters, self.gradients, self.is_dart = boosters, gradients, is_dart
        self.counts: list[list[int]] = []  # number of trees of each booster after each round
        if is_dart:
            for booster in boosters:
                _reset_dart(booster)
                booster.add_valid(booster.train_set, TRAINING)

    @property
    def can_split(self) -> bool:
        return has_splits(self.boosters[0].train_set)

    def grow(self) -> None:
        """Grow one tree per booster, on the lambdas at its scores so far.

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

    def end_round(self) -> int:
        self.counts.append([booster.current_iteration() for booster in self.boosters])
        return sum(self.counts[-1])

    def scores(self) -> dict[str, Floats]:
        """Mean scores so far, by the name of the data set."""
        each = self.scores_per_booster().items()
        return {name: scores[0] if len(scores) == 1 else np.mean(scores, axis=0) for name, scores in each}

    def scores_per_booster(self) -> dict[str, list[Floats]]:
        """Scores of each booster so far, by the name of the data set."""
        found: dict[str, list[Floats]] = defaultdict(list)
        for booster in self.boosters:

            def keep(scores: Floats, data: Any, booster: lgb.Booster = booster) -> tuple[str, float, bool]:
                """Evaluation function for LightGBM that keeps the scores; its value is not used."""
                found[TRAINING if data is booster.train_set else VALIDATION].append(scores)
                return "measure", 0.0, True

            if not self.is_dart:
                booster.eval_train(keep)
            booster.eval_valid(keep)
        return found

    def model(self, n_rounds: int) -> TreesModel:
        counts = self.counts[n_rounds - 1] if n_rounds else [0] * len(self.boosters)
        if self.is_dart:
            counts = [booster.current_iteration() for booster in self.boosters]
        return TreesModel.mean_of(
            [TreesModel.from_lightgbm(text, count) for text, count in zip(self.texts(), counts, strict=True)]
        )

    def texts(self) -> list[str]:
        """Trees of each booster in LightGBM's text format."""
        return [booster.model_to_string(num_iteration=-1) for booster in self.boosters]


class LocalEnsemble(Boosters):
    """Boosters on rows in this process.

    Parameters
    ----------
    boosters, gradients, is_dart
        See `Boosters`; the boosters have the validation set, if any.
    training : MeanValue
    validation : MeanValue, optional
    watchlist : Watchlist, optional
        Sets and measures to evaluate after each round.
    """

    def __init__(
        self,
        boosters: Sequence[lgb.Booster],
        gradients: Sequence[Gradients],
        is_dart: bool,
        training: MeanValue,
        validation: MeanValue | None,
        watchlist: Watchlist | None,
    ) -> None:
        super().__init__(boosters, gradients, is_dart)
        self.training, self.validation, self.watchlist = training, validation, watchlist

    def values(self) -> tuple[float, float | None]:
        scores = self.scores()
        validation = None if self.validation is None else self.validation.at(scores[VALIDATION])
        return self.training.at(scores[TRAINING]), validation

    def evals(self) -> Evals | None:
        if self.watchlist is None:
            return None
        if self.is_dart:
            return self.watchlist.evaluate(self.model(len(self.counts)))
        return self.watchlist.evaluate_round(self._last_round())

    def _last_round(self) -> TreesModel:
        """Trees of the last round alone; not for DART, where it changed others too."""
        counts, parts = [[0] * len(self.boosters), *self.counts][-2:], []
        for booster, first, last in zip(self.boosters, *counts, strict=True):
            text = booster.model_to_string(start_iteration=first, num_iteration=max(last - first, 1))
            parts.append(TreesModel.from_lightgbm(text, last - first))
        return TreesModel.mean_of(parts)


def make_local_ensemble(
    training: LocalShards, validation: LocalShards | None, params: TreeParams, objective: LambdaObjective
) -> LocalEnsemble:
    """Boosters of all seeds, on the rows of all shards."""
    first = objective.start.of_booster(0)
    train = _dataset(params, first, training)
    held_out = None if validation is None else _dataset(params, first, validation, reference=train)
    boosters, gradients = [], []
    scale = LambdaScale.from_training(training, objective.sigma, objective.normalize)
    for index, sampler in enumerate(make_samplers(params, training)):
        for shards, data in ((training, train), (validation, held_out)):
            if objective.start.varies and shards is not None and data is not None:
                _set_init_scores(data, shards, objective.start.of_booster(index))  # a booster takes those of the moment
        boosters.append(lgb.Booster(params.for_booster(index), train))
        if held_out is not None:
            boosters[-1].add_valid(held_out, VALIDATION)
        gradients.append(Gradients(training.tasks, scale, sampler))
    training_value = MeanValue(training.map(with_measure, objective.measure))
    validation_value = None if validation is None else MeanValue(validation)
    return LocalEnsemble(boosters, gradients, params.is_dart, training_value, validation_value, objective.watchlist)


def has_splits(data: lgb.Dataset) -> bool:
    """Whether any feature can be split on."""
    return any(data.feature_num_bin(j) > 1 for j in range(data.num_feature()))


@contextmanager
def lightgbm_errors_as_input_errors() -> Iterator[None]:
    """Raise LightGBM's errors as `InputError`."""
    try:
        yield
    except lgb.basic.LightGBMError as error:
        raise InputError(_in_our_words(str(error).split(" at /")[0].strip())) from error


def _in_our_words(message: str) -> str:
    """Message of LightGBM, as a sentence about the parameter if it is about one."""
    if wrong_type := re.search(r'Parameter (\w+) should be (of type \w+|.*), got "(.*)"', message):
        name, kind, value = wrong_type.groups()
        kinds = {"of type int": "an integer", "of type double": "a number"}
        return f"{name} must be {kinds.get(kind, 'True or False')}, not {value!r}"
    if no_number := re.search(r"Unknown token (.*) in data file", message):
        return f"a parameter in lightgbm must be a number, not {no_number[1]!r}"
    if out_of_range := re.search(r"Check failed: \(?(\w+)\)? ?(>=|>|<=|<|==) ?\(?([\w.+-]+)\)?", message):
        name, relation, limit = out_of_range.groups()
        relations = {">=": "at least", ">": "above", "<=": "at most", "<": "below", "==": "equal to"}
        return f"{name} must be {relations[relation]} {limit}"
    return f"LightGBM: {message}"


def _dataset(
    params: TreeParams, init_model: TreesModel | None, shards: LocalShards, reference: lgb.Dataset | None = None
) -> lgb.Dataset:
    """The documents of all shards in a row."""
    return make_dataset(
        shards.tasks,
        params.for_dataset(),
        params.categorical_feature,
        reference=reference,
        label=np.concatenate(shards.each(grades_of_documents)),
        init_score=init_scores(init_model, shards),
    )


def _set_init_scores(data: lgb.Dataset, shards: LocalShards, init_model: TreesModel | None) -> None:
    """Set the initial scores; zeros if there are none, as LightGBM ignores None once the data set is constructed.

    Not for DART: LightGBM would take its scores from memory that it has not written.
    """
    found = init_scores(init_model, shards)
    data.set_init_score(np.zeros(shards.total(count_documents)) if found is None else found)


def _reset_dart(booster: lgb.Booster) -> None:
    """Make a booster of DART draw by its seed.

    Whether it draws trees to drop before the first round, when it has no trees, depends on uninitialised memory of
    LightGBM, and so do all later draws. Once it was asked for its scores it does not; then it starts from its seed.
    """
    booster.eval_train(lambda scores, data: ("nothing", 0.0, True))
    booster.reset_parameter({"verbosity": -1})
