"""Driver side of distributed boosting: an `Ensemble` whose trees are grown by the workers that hold the rows."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from ....arrays import Floats
from ....data import InputError
from ....models import TreesModel
from ...core.shards import MAX_RETRIES, Shards, WorkersChangedError
from ...core.task import Task, sum_of_weights, with_measure
from ...core.watchlist import Evals, Watchlist
from ..boosters import LambdaObjective
from ..gradients import LambdaScale
from ..init import Start, document_init_scores, init_value
from ..param_names import param_value
from ..params import TreeParams, boosting_type, uses_goss
from ..sampling import QuerySampler, make_samplers
from .shared_bins import SharedBins
from .worker import BoostingPlan, GrownRounds, grow, prepare

#: Number of rounds that workers grow per call: if a worker is lost, at most these are grown again.
ROUNDS_PER_CALL = 10

#: Name of a validation task's scores in its memory.
_SCORES = "scores of seeds"


class GrownTrees(NamedTuple):
    """Trees of some rounds.

    Attributes
    ----------
    trees : list of TreesModel
        Trees of each seed.
    counts : list of lists of int
        Number of these trees of each seed after each round.
    """

    trees: list[TreesModel]
    counts: list[list[int]]

    @classmethod
    def parse(cls, grown: GrownRounds) -> GrownTrees:
        """Trees of rank 0, without those that have no split: LightGBM gives one if a booster's first round has none."""
        models = [TreesModel.from_lightgbm(text, n) for text, n in zip(grown.texts, grown.counts[-1], strict=True)]
        kept = [np.concatenate(([0], np.cumsum([tree.feature.size > 0 for tree in model.trees]))) for model in models]
        counts = [[int(kept[index][n]) for index, n in enumerate(of_round)] for of_round in grown.counts]
        return cls([replace(model, trees=tuple(t for t in model.trees if t.feature.size)) for model in models], counts)

    def round_trees(self, number: int) -> list[TreesModel | None]:
        """Trees that a round has added to each seed; None where it found no split."""
        before = self.counts[number - 1] if number else [0] * len(self.trees)
        return [
            trees.only(slice(first, last)) if last > first else None
            for trees, first, last in zip(self.trees, before, self.counts[number], strict=True)
        ]


class DistributedEnsemble:
    """Trees of several seeds that workers grow; an `Ensemble`.

    Workers grow several rounds per call, and the trees come back: whichever worker is lost, the others continue from there.

    Parameters
    ----------
    training, validation : Shards
    plan : BoostingPlan
    samplers : sequence of QuerySampler or None
        One for each seed.
    max_rounds : int
    watchlist : Watchlist, optional
        Sets and measures to evaluate after each round.
    """

    def __init__(
        self,
        training: Shards,
        validation: Shards | None,
        plan: BoostingPlan,
        samplers: Sequence[QuerySampler | None],
        max_rounds: int,
        watchlist: Watchlist | None,
    ) -> None:
        self.training, self.validation, self.plan, self.samplers = training, validation, plan, samplers
        self.max_rounds, self.watchlist, self.number = max_rounds, watchlist, 0
        self.rounds_per_call = 1 if _draws_by_machine(plan.params[0]) else ROUNDS_PER_CALL
        self.parts: list[GrownTrees] = []
        self.reached: list[tuple[float, float | None]] = []
        self.counts: list[list[int]] = []
        self.weight = float(training.total(sum_of_weights))
        self.validation_weight = 1.0 if validation is None else float(validation.total(sum_of_weights))
        self.is_prepared = False

    @property
    def can_split(self) -> bool:
        return self.plan.bins.can_split

    def grow(self) -> None:
        """Advance one round, growing it and the following ones if it was not grown before."""
        if self.number == len(self.reached):
            self._grow_ahead()
        self.number += 1

    def values(self) -> tuple[float, float | None]:
        return self.reached[self.number - 1] if self.number else self._init_values()

    def end_round(self) -> int:
        return sum(self.counts[self.number - 1]) if self.number else 0

    def evals(self) -> Evals | None:
        return None if self.watchlist is None else self.watchlist.evaluate_round(self._last_round())

    def model(self, n_rounds: int) -> TreesModel:
        wanted = self.counts[n_rounds - 1] if n_rounds and self.counts else [0] * len(self.plan.params)
        seeds = self._trees() or [TreesModel((), self.training.n_features)] * len(wanted)
        return TreesModel.mean_of([trees.only(slice(count)) for trees, count in zip(seeds, wanted, strict=True)])

    def _last_round(self) -> TreesModel:
        """Trees of the last round alone; none where nothing can be split."""
        none = TreesModel((), self.training.n_features)
        if not self.number:
            return none
        ends = np.cumsum([len(part.counts) for part in self.parts])
        index = int(np.searchsorted(ends, self.number))
        part = self.parts[index]
        number = self.number - 1 - int(ends[index] - len(part.counts))
        return TreesModel.mean_of([none if trees is None else trees for trees in part.round_trees(number)])

    def _grow_ahead(self) -> None:
        done = len(self.reached)
        rounds = range(done, min(done + self.rounds_per_call, self.max_rounds))
        samples = [[None if sampler is None else sampler.draw(number) for sampler in self.samplers] for number in rounds]
        grown: list[GrownRounds] = self._run_collective(samples)
        part = GrownTrees.parse(grown[0])
        on_validation = self._validation_values(part)
        before = self.counts[-1] if self.counts else [0] * len(part.trees)
        self.parts.append(part)
        for number, count in enumerate(part.counts):
            shard_values = {shard: value for rank in grown for shard, value in rank.values[number].items()}
            value = sum(shard_values[shard] for shard in sorted(shard_values)) / self.weight
            self.reached.append((value, on_validation[number]))
            self.counts.append([a + b for a, b in zip(before, count, strict=True)])

    def _run_collective(self, samples: list[Any]) -> list[GrownRounds]:
        """The next rounds of all workers; if one was lost, all are prepared again with the trees so far."""
        done, why = len(self.reached), WorkersChangedError()
        for _ in range(MAX_RETRIES):
            try:
                if not self.is_prepared:
                    self.training.run_collective(prepare, self.plan, self._trees(), done)
                    self.is_prepared = True
                return self.training.run_collective(grow, self.plan.name, done, samples)
            except WorkersChangedError as error:
                self.is_prepared, why = False, error
        cause = str(why.__cause__ or "") or "a worker was lost"
        raise InputError(f"workers were lost {MAX_RETRIES} times in a row while trees were grown; at last: {cause}") from why

    def _trees(self) -> list[TreesModel]:
        """Trees of each seed so far."""
        if not self.parts:
            return []
        return [TreesModel.joined([part.trees[index] for part in self.parts]) for index in range(len(self.samplers))]

    def _validation_values(self, part: GrownTrees) -> list[float | None]:
        """Measure on the validation set after each round of a part."""
        if self.validation is None:
            return [None] * len(part.counts)
        found = self.validation.each(_values_after, self.plan.name, len(self.reached), part)
        if any(values is None for values in found):  # a shard was made again, without the scores of earlier rounds
            found = self.validation.each(_values_of_all, self.plan.name, self.plan.start, [*self.parts, part])
        return [float(value) for value in sum(found[1:], found[0]) / self.validation_weight]

    def _init_values(self) -> tuple[float, float | None]:
        """Measure at the initial scores, before any round."""
        mean = self.plan.start.mean
        training = init_value(self.training.map(with_measure, self.plan.measure), mean)
        return training, None if self.validation is None else init_value(self.validation, mean)


def make_distributed_ensemble(
    training: Shards, validation: Shards | None, params: TreeParams, objective: LambdaObjective, max_rounds: int
) -> DistributedEnsemble:
    """Ensemble for any kind of shards with `run_collective`, to be registered with `make_ensemble`."""
    _check_params(params.given)
    per_seed = [params.for_booster(index) for index in range(params.n_seeds)]
    bins = SharedBins.from_sample(training, per_seed[0], params.categorical_feature)
    scale = LambdaScale.from_training(training, objective.sigma, objective.normalize)
    plan = BoostingPlan(uuid.uuid4().hex, per_seed, bins, scale, objective.measure, objective.start)
    return DistributedEnsemble(training, validation, plan, make_samplers(params, training), max_rounds, objective.watchlist)


def _check_params(given: dict[str, Any]) -> None:
    """Refuse what LightGBM cannot do on several workers, or what cannot continue on others."""
    refused = {
        "boosting='dart'": boosting_type(given) == "dart",  # it changes trees that have been sent away
        "goss": uses_goss(given),
        "linear_tree": bool(param_value(given, "linear_tree", False)),
        "interaction_constraints": bool(param_value(given, "interaction_constraints", "")),
        "min_child_samples=0": param_value(given, "min_data_in_leaf", 20) == 0,
    }
    for what, is_chosen in refused.items():
        if is_chosen:
            raise InputError(f"{what} is for rows in one process only, and these are on a cluster; leave it out")


def _draws_by_machine(params: dict[str, Any]) -> bool:
    """Whether the random draws of a tree depend on how many machines grew the trees before.

    Thresholds of a feature are drawn by the machine that looks at it. With feature sampling that is another one in each
    tree, and the number of earlier draws of a machine depends on the number of machines.
    """
    return bool(param_value(params, "extra_trees", False)) and param_value(params, "feature_fraction", 1.0) != 1


def _values_after(task: Task, name: str, n_rounds: int, part: GrownTrees) -> Floats | None:
    """Sum of the queries' values after each round of a part; None without the scores before it."""
    known = task.memory.get(_SCORES)
    if known is None or known[:2] != (name, n_rounds):
        return None
    scores, values = known[2], np.empty(len(part.counts))
    for number in range(values.size):
        for index, trees in enumerate(part.round_trees(number)):
            if trees is not None:
                scores[index] = scores[index] + task.scores(trees)
        mean = scores[0] if len(scores) == 1 else np.mean(scores, axis=0)
        values[number] = task.weighted_value(mean)
    task.memory[_SCORES] = (name, n_rounds + values.size, scores)
    return values


def _values_of_all(task: Task, name: str, start: Start, parts: list[GrownTrees]) -> Floats:
    """The same for the last of all parts, from the initial scores."""
    boosters = range(len(parts[0].trees))
    task.memory[_SCORES] = (name, 0, [document_init_scores(task, start.of_booster(index)) for index in boosters])
    n_rounds = 0
    for part in parts:
        values = _values_after(task, name, n_rounds, part)
        n_rounds += len(part.counts)
    assert values is not None
    return values
