"""The public checks of shards, of those on a Dask cluster."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from clusters import Cluster, write_parts

from directrank import RankingData
from directrank.distributed import ShardedData, read_parquet
from directrank.distributed.dask_shards import DaskShards
from directrank.distributed.shard import forget_tasks
from directrank.learners import Task
from directrank.learners.shards_checks.check_data import make_parts
from directrank.learners.testing import MakeShards, shards_checks

CHECKS = list(shards_checks())


@pytest.fixture(scope="module")
def make(cluster: Cluster, tmp_path_factory: pytest.TempPathFactory) -> MakeShards:
    """Shards of files that workers read; equal parts are read once."""
    folder, read = tmp_path_factory.mktemp("parts"), dict[bytes, ShardedData]()

    def make_shards(parts: Sequence[RankingData]) -> DaskShards:
        key = b"".join(part.X.tobytes() for part in parts)
        if key not in read:
            files = write_parts(folder / str(len(read)), list(parts))
            read[key] = read_parquet(files, client=cluster.client)
        return read[key].to_shards()

    return make_shards


@pytest.mark.parametrize("check", CHECKS, ids=str)
def test_shards_on_a_cluster(check, make: MakeShards) -> None:
    check(make)


class Unreliable(DaskShards):
    """Shards whose workers lose all tasks before every third step."""

    n_steps = 0

    def each(self, step, *args):
        Unreliable.n_steps += 1
        if Unreliable.n_steps % 3 == 0:
            self.session.client.run(forget_tasks, self.session.name)
        return super().each(step, *args)

    def map(self, change, *args):
        return Unreliable(self.session, self.n_features, self.feature_names, (change, args), self)


@pytest.mark.parametrize("check", [c for c in CHECKS if "RankSVM" in str(c) or str(c) in ("map", "memory")], ids=str)
def test_lost_tasks_change_no_bit(check, make: MakeShards) -> None:
    def make_unreliable(parts: Sequence[RankingData]) -> Unreliable:
        made = make(parts)
        return Unreliable(made.session, made.n_features, made.feature_names, *made.changes)

    check(make_unreliable)


def test_changes_that_workers_know_are_not_sent_again(make: MakeShards) -> None:
    shards = make(make_parts())
    assert len(shards.lineage().changes) == 1
    shards.each(id_of)
    mapped = shards.map(same, bytes(10**6)).map(same)
    assert shards.lineage().changes == () and len(mapped.lineage().changes) == 2
    mapped.each(id_of)
    assert mapped.lineage().changes == () and len(mapped.map(same).lineage().changes) == 1
    shards.session.client.run(forget_tasks, shards.session.name)
    assert mapped.map(same).each(id_of) == [0, 1, 2]


def id_of(task: Task) -> int:
    return task.number


def same(task: Task, *args) -> Task:
    return task
