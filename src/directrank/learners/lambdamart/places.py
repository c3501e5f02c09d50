"""Trees that grow in the places where the rows are: the half that runs there."""

from __future__ import annotations

import warnings
from typing import Any, NamedTuple

import lightgbm as lgb
import numpy as np
from scipy import sparse

from ...arrays import Floats
from ...measures import SupportsEvaluate
from ...models import TreesModel
from ..core.shards import LocalShards, Place, WorkersChangedError
from ..core.task import grades_of_rows, with_measure
from .bags import TRAINING, Bags
from .common_bins import CommonBins
from .gradients import Gradients, MeanValue
from .lightgbm import reseeded, value_of
from .sampling import Draw, DrawsAhead
from .start import scores_to_start_from

#: Gradients and hessians are multiples of this, so that sums of billions of them are exact in double precision: histograms
#: do not depend on how rows are divided among places, and neither do the trees.
QUANTUM = 2.0**-20


class Plan(NamedTuple):
    """What places need beside their rows.

    Attributes
    ----------
    name : str
        That no other has.
    settings : list of dict
        LightGBM's parameters for each bag.
    bins : CommonBins
    sigma, scale : float
        See `Gradients`.
    measure : measure
        By which the training queries are evaluated.
    start : TreesModel, or None
        What the trees start from.
    """

    name: str
    settings: list[dict[str, Any]]
    bins: CommonBins
    sigma: float
    scale: float
    measure: SupportsEvaluate
    start: TreesModel | None


class GrownRounds(NamedTuple):
    """What a place knows of some rounds.

    Attributes
    ----------
    texts : list of str
        The trees of each bag as LightGBM writes them.
    counts : list of lists of int
        After each round, how many of these trees each bag has.
    values : list of dicts
        After each round, by the number of each shard, the sum of the weighted values of its queries.
    """

    texts: list[str]
    counts: list[list[int]]
    values: list[dict[int, float]]


class WorkerBoosters:
    """What a place grows trees from: its rows in the common bins, and the scores that each bag has so far.

    Each call of `grow` has boosters of its own, with seeds of their own, so that it does not matter whether the rounds
    before were grown here.

    Parameters
    ----------
    place : Place
    plan : Plan
    before : list of TreesModel
        The trees that each bag has already.
    n_rounds : int
        How many rounds those are.
    """

    def __init__(self, place: Place, plan: Plan, before: list[TreesModel], n_rounds: int) -> None:
        self.plan, self.n_rounds, self.training = plan, n_rounds, LocalShards(place.tasks)
        self.data = _data_set(self.training, plan)
        nothing: list[TreesModel | None] = [plan.start] * len(plan.settings)
        so_far = [_joined(plan.start, trees) for trees in before] or nothing
        self.scores = [_scores_of(trees, self.training) for trees in so_far]
        self.measured = MeanValue(self.training.map(with_measure, plan.measure))

    def grow(self, place: Place, draws: list[list[Draw | None]]) -> GrownRounds:
        """Rounds for which the draws of each bag's sample are given."""
        bags, numbers = self._bags(place, draws), [task.number for task in place.tasks]
        values = []
        for _ in draws:
            bags.grow()
            place.check()
            bags.end_round()
            values.append(dict(zip(numbers, self.measured.each(bags.scores()[TRAINING]), strict=True)))
        self.n_rounds, self.scores = self.n_rounds + len(draws), bags.scores_of_each()[TRAINING]
        place.check()
        texts = [booster.model_to_string(num_iteration=-1) for booster in bags.boosters] if place.rank == 0 else []
        return GrownRounds(texts, bags.counts, values)

    def _bags(self, place: Place, draws: list[list[Draw | None]]) -> Bags:
        """Boosters that go on from the scores so far."""
        boosters, gradients = [], []
        for bag, settings in enumerate(self.plan.settings):
            self.data.set_init_score(self.scores[bag])
            settings = {**reseeded(settings, self.n_rounds), **_of_place(place, settings)}
            boosters.append(lgb.Booster(settings, self.data))
            sample = DrawsAhead([of_round[bag] for of_round in draws])
            gradients.append(ExactGradients(self.training.tasks, self.plan.sigma, self.plan.scale, sample=sample))
        return Bags(boosters, gradients, self.measured, None, False)


class ExactGradients(Gradients):
    """Gradients whose sums are exact; see `QUANTUM`."""

    def _scaled(self, values: Floats) -> Floats:
        return np.round(super()._scaled(values) / QUANTUM) * QUANTUM


def prepare(place: Place, plan: Plan, before: list[TreesModel], n_rounds: int) -> None:
    """Have a place ready to go on after so many rounds, with the trees of these."""
    place.memory.clear()
    place.memory["grove"] = WorkerBoosters(place, plan, before, n_rounds)


def grow(place: Place, name: str, n_rounds: int, draws: list[list[Draw | None]]) -> GrownRounds:
    """Some more rounds in a place, which has so many."""
    grove: WorkerBoosters | None = place.memory.get("grove")
    if grove is None or (grove.plan.name, grove.n_rounds) != (name, n_rounds):
        raise WorkersChangedError
    return grove.grow(place, draws)


def _data_set(training: LocalShards, plan: Plan) -> lgb.Dataset:
    """The rows of a place, in the common bins."""
    settings, bins = plan.settings[0], plan.bins.data_set(plan.settings[0])
    labels = np.concatenate(training.each(grades_of_rows))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # that these are not the parameters of the few rows that bins came with
        return lgb.Dataset(_one_kind([task.X for task in training.tasks]), labels, bins, params=settings).construct()


def _one_kind(matrices: list[Any]) -> Any:
    """Matrices as LightGBM takes several: of one precision; sparse ones as one."""
    if sparse.issparse(matrices[0]):
        return sparse.csr_matrix(sparse.vstack(matrices))  # LightGBM knows no sparse arrays
    kind = np.result_type(*matrices)
    alike = [np.ascontiguousarray(X, kind) for X in matrices]
    return alike[0] if len(alike) == 1 else alike


def _joined(start: TreesModel | None, trees: TreesModel) -> TreesModel:
    return trees if start is None else trees.after(start)


def _scores_of(trees: TreesModel | None, training: LocalShards) -> Floats:
    """What LightGBM is to start from: tree is added to tree, in the order in which LightGBM would have done it."""
    scores = scores_to_start_from(trees, training)
    return np.zeros(sum(task.n_documents for task in training.tasks)) if scores is None else scores


def _of_place(place: Place, given: dict[str, Any]) -> dict[str, Any]:
    """LightGBM's parameters that say where it runs; a user's own number of threads comes first."""
    threads = value_of(given, "num_threads", place.n_threads)
    here = {} if threads is None else {"num_threads": threads}
    return here if place.n_places == 1 else {**here, "tree_learner": "data", "num_machines": place.n_places}
