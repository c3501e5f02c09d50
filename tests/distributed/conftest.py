"""Clusters and data that tests share."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from clusters import HELD_OUT_PARTS, PARTS, Cluster, write_parts

from directrank.distributed import ShardedData, read_parquet


@pytest.fixture(scope="session")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """Two workers of one thread each, which are started again when they die."""
    made = Cluster(tmp_path_factory.mktemp("cluster"), 2)
    yield made
    made.close()


@pytest.fixture
def own_cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[type[Cluster]]:
    """Makes clusters of a test's own."""
    made: list[Cluster] = []

    class Own(Cluster):
        def __init__(self, n_workers: int, **options: Any) -> None:
            super().__init__(tmp_path_factory.mktemp("own"), n_workers, **options)
            made.append(self)

    yield Own
    for one in made:
        one.close()


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Parquet files of the training data and of a validation set."""
    made = tmp_path_factory.mktemp("data")
    write_parts(made / "train", PARTS)
    write_parts(made / "vali", HELD_OUT_PARTS)
    return made


@pytest.fixture
def sharded(cluster: Cluster, folder: Path) -> ShardedData:
    return read_parquet(folder / "train" / "*.parquet", client=cluster.client)


@pytest.fixture
def held_out(cluster: Cluster, folder: Path) -> ShardedData:
    return read_parquet(folder / "vali", client=cluster.client)
