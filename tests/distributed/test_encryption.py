"""Clusters that Dask encrypts: so are the connections between workers."""

from __future__ import annotations

import ssl
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from certificates import Certificate
from clusters import DATA, Cluster
from distributed.security import Security

from directrank import LambdaMART
from directrank.distributed import ClusterError, ShardedData, read_parquet, train
from directrank.distributed.collective import _tls_contexts


def test_an_encrypted_cluster_has_an_encrypted_mesh(
    own_cluster: type[Cluster], folder: Path, tmp_path: Path, sharded: ShardedData
) -> None:
    encrypted = own_cluster(2, nanny=False, certificate=Certificate.make(tmp_path, "cluster"))
    assert encrypted.address.startswith("tls://")
    data = read_parquet(folder / "train", client=encrypted.client)
    assert sharded.to_shards().run_collective(is_encrypted) == [False, False]
    assert data.to_shards().run_collective(is_encrypted) == [True, True]
    learner = LambdaMART("AP", n_seeds=1, n_estimators=12, min_child_samples=5)
    there = train(learner, data).model_.predict(DATA.X)
    np.testing.assert_array_equal(there, train(learner, sharded).model_.predict(DATA.X))


def is_encrypted(worker: Any) -> bool:
    """Whether a worker's connections to others are."""
    links = worker.check_peers.__self__._mesh._links
    return bool(links) and all(isinstance(link.socket, ssl.SSLSocket) for link in links)


@pytest.mark.parametrize("addresses", [("tls://a:1", "tls://b:1"), ("tcp://a:1", "tls://b:1"), ("wss://a:1", "wss://b:1")])
def test_a_worker_without_a_certificate_is_refused_on_an_encrypted_cluster(addresses: tuple[str, str]) -> None:
    worker = SimpleNamespace(address=addresses[0], scheduler=SimpleNamespace(address=addresses[1]), security=Security())
    with pytest.raises(
        ClusterError, match=rf"the worker at {addresses[0]} .* has no certificate .*; start it with --tls-cert"
    ):
        _tls_contexts(worker)


def test_a_cluster_that_dask_does_not_encrypt_has_a_plain_mesh() -> None:
    addresses = {"address": "tcp://a:1", "scheduler": SimpleNamespace(address="tcp://b:1")}
    assert _tls_contexts(SimpleNamespace(**addresses, security=Security())) is None
