"""Worker side of distributed boosting: LightGBM's boosters on the shards of one worker."""

from __future__ import annotations

from typing import Any, NamedTuple

import lightgbm as lgb
import numpy as np

from ....arrays import Floats
from ....measures import SupportsEvaluate
from ....models import TreesModel
from ...core.shards import LocalShards, Worker, WorkersChangedError
from ...core.task import grades_of_documents, with_measure
from ...core.validation import TRAINING
from ..boosters import Boosters
from ..gradients import Gradients, LambdaScale, MeanValue
from ..init import Start, init_scores
from ..ordered_documents import make_dataset
from ..param_names import param_value
from ..params import reseeded
from ..sampling import PredrawnSampler, RoundSample
from .shared_bins import SharedBins

#: Gradients and hessians are multiples of this, so that sums of billions of them are exact in double precision: histograms
#: do not depend on how rows are divided among workers, and neither do the trees.
QUANTUM = 2.0**-20

#: Name of the boosters in a worker's memory.
_BOOSTERS = "boosters"


class BoostingPlan(NamedTuple):
    """Settings of one training that all workers share.

    Attributes
    ----------
    name : str
        Unique name of the training.
    params : list of dict
        LightGBM's parameters of each seed.
    bins : SharedBins
    scale : LambdaScale
    measure : measure
        Measure that the training queries are evaluated by.
    start : Start
        Model that boosters start from.
    """

    name: str
    params: list[dict[str, Any]]
    bins: SharedBins
    scale: LambdaScale
    measure: SupportsEvaluate
    start: Start


class GrownRounds(NamedTuple):
    """Rounds that a worker has grown.

    Attributes
    ----------
    texts : list of str
        Trees of each seed in LightGBM's text format; empty but on rank 0.
    counts : list of lists of int
        Number of these trees of each seed after each round.
    values : list of dicts
        After each round, by shard number, the sum of the weighted values of the shard's queries.
    """

    texts: list[str]
    counts: list[list[int]]
    values: list[dict[int, float]]


class WorkerBoosters:
    """State of one worker: its rows in the shared bins, and the scores of each seed so far.

    Each call of `grow` makes new boosters with new seeds, so that it does not matter which worker grew earlier rounds.

    Parameters
    ----------
    worker : Worker
    plan : BoostingPlan
    before : list of TreesModel
        Trees of each seed so far.
    n_rounds : int
        Number of rounds that these trees were grown in.
    """

    def __init__(self, worker: Worker, plan: BoostingPlan, before: list[TreesModel], n_rounds: int) -> None:
        self.plan, self.n_rounds, self.training = plan, n_rounds, LocalShards(worker.tasks)
        self.data = _dataset(self.training, plan)
        starts = [plan.start.of_booster(index) for index in range(len(plan.params))]
        so_far = [trees if first is None else trees.after(first) for first, trees in zip(starts, before, strict=False)]
        self.scores = [_scores(trees, self.training) for trees in so_far or starts]
        self.mean_value = MeanValue(self.training.map(with_measure, plan.measure))

    def grow(self, worker: Worker, samples: list[list[RoundSample | None]]) -> GrownRounds:
        """Grow a round for each sample."""
        boosters, numbers = self._boosters(worker, samples), [task.number for task in worker.tasks]
        values = []
        for _ in samples:
            boosters.grow()
            worker.check_peers()
            boosters.end_round()
            values.append(dict(zip(numbers, self.mean_value.per_shard(boosters.scores()[TRAINING]), strict=True)))
        self.n_rounds, self.scores = self.n_rounds + len(samples), boosters.scores_per_booster()[TRAINING]
        worker.check_peers()
        return GrownRounds(boosters.texts() if worker.rank == 0 else [], boosters.counts, values)

    def _boosters(self, worker: Worker, samples: list[list[RoundSample | None]]) -> Boosters:
        """Boosters that continue from the scores so far."""
        boosters, gradients = [], []
        for index, params in enumerate(self.plan.params):
            self.data.set_init_score(self.scores[index])
            boosters.append(lgb.Booster({**reseeded(params, self.n_rounds), **_worker_params(worker, params)}, self.data))
            sampler = PredrawnSampler([sample[index] for sample in samples])
            gradients.append(ExactGradients(self.training.tasks, self.plan.scale, sampler))
        return Boosters(boosters, gradients)


class ExactGradients(Gradients):
    """Gradients whose sums are exact; see `QUANTUM`."""

    def _scaled(self, values: Floats) -> Floats:
        return np.round(super()._scaled(values) / QUANTUM) * QUANTUM


def prepare(worker: Worker, plan: BoostingPlan, before: list[TreesModel], n_rounds: int) -> None:
    """Load the rows of a worker into LightGBM, to continue after `n_rounds` rounds with the trees `before`."""
    worker.memory.clear()
    worker.memory[_BOOSTERS] = WorkerBoosters(worker, plan, before, n_rounds)


def grow(worker: Worker, name: str, n_rounds: int, samples: list[list[RoundSample | None]]) -> GrownRounds:
    """Grow further rounds on a worker that was prepared for them.

    Raises
    ------
    WorkersChangedError
        If it was not prepared, or has grown another number of rounds.
    """
    boosters: WorkerBoosters | None = worker.memory.get(_BOOSTERS)
    if boosters is None or (boosters.plan.name, boosters.n_rounds) != (name, n_rounds):
        raise WorkersChangedError
    return boosters.grow(worker, samples)


def _dataset(training: LocalShards, plan: BoostingPlan) -> lgb.Dataset:
    """The documents of a worker, in the shared bins."""
    bins, labels = plan.bins.dataset(plan.params[0]), np.concatenate(training.each(grades_of_documents))
    # LightGBM takes the parameters of the bins in any case, and warns of others.
    return make_dataset(training.tasks, bins.params or {}, reference=bins, label=labels).construct()


def _scores(trees: TreesModel | None, training: LocalShards) -> Floats:
    """Initial scores for LightGBM; trees are added in the order in which LightGBM would have added them."""
    scores = init_scores(trees, training)
    return np.zeros(sum(task.n_documents for task in training.tasks)) if scores is None else scores


def _worker_params(worker: Worker, given: dict[str, Any]) -> dict[str, Any]:
    """LightGBM's parameters of a worker; the user's own number of threads takes precedence."""
    n_threads = param_value(given, "num_threads", worker.n_threads)
    threads = {} if n_threads is None else {"num_threads": n_threads}
    return threads if worker.n_workers == 1 else {**threads, "tree_learner": "data", "num_machines": worker.n_workers}
