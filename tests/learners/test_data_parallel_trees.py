"""LambdaMART on shards of another kind than Dask's: data-parallel trees, without Dask."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest
from collective_shards import CollectiveShards
from process_shards import Source, Workers
from sklearn.base import clone

from directrank import RankingData
from directrank.learners import LambdaMART, LocalShards, Shards, Task, Worker, make_distributed_ensemble, make_ensemble
from directrank.learners.lambdamart.data_parallel.ensemble import DistributedEnsemble
from directrank.learners.shards_checks.check_data import make_parts
from directrank.learners.testing import shards_checks
from directrank.measures import AP

CHECKS = [check for check in shards_checks() if str(check) in ("trees", "collective work")]


class OneRank(Shards):
    """Shards of another kind, with one worker for all."""

    def __init__(self, shards: LocalShards) -> None:
        self.shards, self.n_features, self.worker = shards, shards.n_features, Worker(shards.tasks)

    def each(self, step: Callable, *args):
        return self.shards.each(step, *args)

    def map(self, change: Callable[..., Task], *args) -> OneRank:
        return OneRank(self.shards.map(change, *args))

    def run_collective(self, work: Callable, *args):
        return [work(self.worker, *args)]


@pytest.fixture(autouse=True)
def grown(monkeypatch: pytest.MonkeyPatch) -> list[DistributedEnsemble]:
    """Ensembles that grow, once for each round."""
    for kind in (OneRank, CollectiveShards):
        make_ensemble.register(kind, make_distributed_ensemble)
    grown, grow = [], DistributedEnsemble.grow
    monkeypatch.setattr(DistributedEnsemble, "grow", lambda self: (grown.append(self), grow(self)))
    return grown


def test_one_worker_passes_the_checks(grown: list[DistributedEnsemble]) -> None:
    for check in CHECKS:
        check(lambda parts: OneRank(LocalShards.from_data(parts, AP())))
    assert len(grown) == 6


def test_workers_that_lightgbm_connects_grow_the_same_trees_wherever_shards_are(workers: Workers, grown) -> None:
    def make(parts: Sequence[RankingData], first: int = 0) -> CollectiveShards:
        return CollectiveShards(Source(workers, parts, first))

    for check in CHECKS:
        check(make)
    parts, held_out = make_parts(), make_parts(1, (5, 6))
    learner = LambdaMART("AP", n_estimators=12, n_seeds=1, min_child_samples=3)  # in two calls
    here, there = (clone(learner).fit_shards(make(parts, first), make(held_out)) for first in range(2))
    assert here.evals_result_ == there.evals_result_
    scores = here.model_.scores(parts[0].X)
    np.testing.assert_array_equal(there.model_.scores(parts[0].X), scores)
    values = here.evals_result_["training"]["AP"]
    assert np.ptp(scores) > 0 and values[-1] > values[0] and len(grown) == 6 + 2 * 12


WITHOUT_DASK = """
import sys
sys.modules.update(dict.fromkeys(("dask", "distributed")))  # importing them fails
from test_data_parallel_trees import *
make_ensemble.register(OneRank, make_distributed_ensemble)
shards = OneRank(LocalShards.from_data(make_parts(), AP()))
print(len(LambdaMART("AP", n_estimators=3, n_seeds=1, min_child_samples=3).fit_shards(shards).model_.trees))
try:
    import directrank.distributed
except ImportError as error:
    print(error)
"""


def test_dask_need_not_be_installed() -> None:
    found = subprocess.run(
        [sys.executable, "-c", WITHOUT_DASK], cwd=Path(__file__).parent, capture_output=True, text=True, timeout=60
    )
    assert found.stdout.splitlines() == ["3", "directrank.distributed needs Dask: pip install 'directrank[dask]'"], (
        found.stderr
    )
