"""LightGBM's collectives over a mesh: the trees of one process, and an end to every job that loses a rank."""

from __future__ import annotations

import random
import signal
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import lightgbm as lgb
import numpy as np
import pytest
from peers import Processes, in_threads, meshes

from directrank.distributed.lightgbm_collectives import lightgbm_over
from directrank.distributed.mesh import Mesh
from directrank.distributed.rendezvous import MeshError

#: What counts as soon on a busy machine, in seconds.
SOON = 5.0

PARAMETERS = {
    "objective": "none",
    "force_col_wise": True,
    "deterministic": True,
    "num_threads": 1,
    "feature_pre_filter": False,
    "num_leaves": 15,
    "learning_rate": 0.125,
    "seed": 3,
    "verbosity": -1,
}


def rows(count: int = 3000) -> tuple[np.ndarray, np.ndarray]:
    """Features of several kinds (continuous, of few values, mostly zero, with missing values), and what to learn."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(count, 8))
    X[:, 2] = np.round(X[:, 2])
    X[:, 3] = X[:, 3] > 1
    X[rng.random(count) < 0.8, 4] = 0
    X[rng.random(count) < 0.1, 5] = np.nan
    return X, X[:, 0] + X[:, 1] * X[:, 2] + rng.normal(size=count)


def part_of(X: np.ndarray, y: np.ndarray, mesh: Mesh | None) -> lgb.Dataset:
    """Rows of a rank, binned by a sample that all ranks share."""
    bins = lgb.Dataset(X[:1000], label=y[:1000], params=PARAMETERS).construct()
    chosen = slice(None) if mesh is None else slice(mesh.rank, None, mesh.size)
    return lgb.Dataset(X[chosen], label=y[chosen], reference=bins, params=PARAMETERS).construct()


def gradients(scores: np.ndarray, data: lgb.Dataset, constant: bool) -> tuple[np.ndarray, np.ndarray]:
    """Multiples of 2^-20, the sums of which are exact in any order."""
    y = data.get_label()
    weights = np.ones(len(y)) if constant else 0.5 + np.abs(np.sin(y * 3))
    return tuple(np.round(2.0**20 * np.clip(g, -7, 7)) / 2**20 for g in (weights * (scores - y), weights))


def grow(booster: lgb.Booster, rounds: int, constant: bool = True) -> None:
    for _ in range(rounds):
        booster.update(fobj=lambda scores, data: gradients(scores, data, constant))


def trees(booster: lgb.Booster) -> str:
    return booster.model_to_string().split("tree_sizes")[1].split("\n", 1)[1].split("end of trees")[0]


def booster_of(data: lgb.Dataset, size: int, given: dict[str, Any]) -> lgb.Booster:
    network = {"tree_learner": "data", "num_machines": size} if size > 1 else {}
    return lgb.Booster({**PARAMETERS, **given, **network}, data)


def train(mesh: Mesh | None, given: dict[str, Any], constant: bool = True, rounds: int = 5) -> str:
    """Trees of a rank, or of one process that has all rows."""
    data = part_of(*rows(), mesh)
    if mesh is None:
        booster = booster_of(data, 1, given)
        grow(booster, rounds, constant)
    else:
        with lightgbm_over(mesh):
            booster = booster_of(data, mesh.size, given)
            grow(booster, rounds, constant)
    return trees(booster)


def trees_of_ranks(size: int, given: dict[str, Any], constant: bool = True) -> str:
    outcomes = Processes(train, size, given, constant).outcomes()
    assert len({outcome.value for outcome in outcomes}) == 1
    assert outcomes[0].value.count("Tree=") == 5
    return outcomes[0].value


@pytest.mark.parametrize("given", [{}, {"feature_fraction": 0.5}, {"num_leaves": 63, "min_data_in_leaf": 1}], ids=str)
def test_ranks_grow_the_trees_of_one_process(given: dict[str, Any]) -> None:
    assert trees_of_ranks(3, given) == train(None, given)


def test_where_hessians_differ_only_the_counts_do() -> None:
    """Several machines estimate how many rows a node has, from its share of the hessians; one process counts them."""

    def without_counts(text: str) -> list[str]:
        return [line for line in text.split("\n") if not line.startswith(("Tree=", "leaf_count", "internal_count"))]

    given = {"min_data_in_leaf": 1, "min_sum_hessian_in_leaf": 10.0}
    found, expected = trees_of_ranks(3, given, constant=False), train(None, given, constant=False)
    assert without_counts(found) == without_counts(expected)
    assert found != expected


@pytest.mark.parametrize("given", [{"extra_trees": True}, {"lambda_l2": 5.0}, {"feature_fraction_bynode": 0.5}], ids=str)
def test_the_number_of_ranks_does_not_matter(given: dict[str, Any]) -> None:
    """One process may differ here: it gives up a feature below a node where it found no gain in it."""
    assert trees_of_ranks(2, given, constant=False) == trees_of_ranks(3, given, constant=False)


def test_threads_have_networks_of_their_own() -> None:
    assert set(in_threads(lambda mesh: train(mesh, {}), 2)) == {train(None, {})}


def train_over_two_meshes(first: Mesh, second: Mesh) -> str:
    with second:  # a rank that fails leaves both, so that the other one does not wait for it
        with first:
            data = part_of(*rows(), first)
            with lightgbm_over(first):
                booster = booster_of(data, first.size, {})
                grow(booster, 2)
        with pytest.raises(lgb.basic.LightGBMError, match="network"):
            grow(booster, 1)
        with lightgbm_over(second):
            grow(booster, 3)
    return trees(booster)


def test_a_booster_goes_on_over_another_mesh() -> None:
    with ThreadPoolExecutor(2) as pool:
        assert set(pool.map(train_over_two_meshes, meshes(2), meshes(2))) == {train(None, {})}


def test_a_mesh_of_one_changes_nothing() -> None:
    [mesh] = meshes(1)
    with mesh, lightgbm_over(mesh) as network:
        network.check()
        assert train(None, {}) == train(mesh, {})


class Failing(Mesh):
    """A mesh of two ranks that are alike, until it fails."""

    def __init__(self, good: float) -> None:
        self.rank, self.size = 0, 2
        self.left = good
        self.error = MeshError("a rank has died")
        self.is_aborted = False

    def exchange(self, parts: Sequence[Any], lengths: Sequence[int]) -> list[Any]:
        if self.left == 0 or self.is_aborted or {len(parts[0])} != set(lengths):
            raise self.error
        self.left -= 1
        return [bytearray(parts[0]) for _ in parts]

    def abort(self, reason: str = "") -> None:
        self.is_aborted = True

    def train(self, data: lgb.Dataset, rounds: int, given: dict[str, Any]) -> None:
        with lightgbm_over(self) as network:
            booster = booster_of(data, 2, given)
            for _ in range(rounds):
                network.check()
                grow(booster, 1)


@pytest.mark.parametrize("given", [{}, {"extra_trees": True, "min_data_in_leaf": 1}, {"max_cat_threshold": 2000}], ids=str)
def test_lightgbm_survives_a_failure_at_any_collective(given: dict[str, Any]) -> None:
    data = part_of(*rows(500), None)
    for good in range(70):
        mesh = Failing(good)
        start = time.monotonic()
        with pytest.raises(MeshError, match="a rank has died") as caught:
            mesh.train(data, 3, given)
        assert caught.value.__cause__ is mesh.error
        assert mesh.is_aborted
        assert time.monotonic() - start < SOON


def test_an_unchecked_failure_is_raised_at_the_end() -> None:
    mesh = Failing(10)
    mesh.train(part_of(*rows(500), None), 0, {})
    with pytest.raises(MeshError, match="a rank has died"):
        mesh.train(part_of(*rows(500), None), 1, {})


def test_ranks_out_of_step_are_noticed() -> None:
    def differ(mesh: Mesh) -> str:
        return train(mesh, {"max_cat_threshold": 32 + mesh.rank})

    assert all(isinstance(error, MeshError) for error in in_threads(differ, 2))


def test_an_error_in_the_block_is_raised_as_it_is_and_ends_the_others() -> None:
    def err(mesh: Mesh) -> str:
        if mesh.rank == 1:
            with lightgbm_over(mesh):
                raise KeyError("something else")
        return train(mesh, {})

    first, second = in_threads(err, 2)
    assert isinstance(first, MeshError)
    assert isinstance(second, KeyError)


def train_forever(mesh: Mesh) -> None:
    data = part_of(*rows(), mesh)
    with lightgbm_over(mesh) as network:
        booster = booster_of(data, mesh.size, {"num_leaves": 255, "min_data_in_leaf": 1})
        while True:
            grow(booster, 1)
            network.check()


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(10))
def test_a_rank_killed_at_any_moment_ends_all_others(seed: int) -> None:
    """While it is connecting, binning its rows, or training."""
    rng = random.Random(seed)
    job = Processes(train_forever, 3, timeout=2.0)
    time.sleep(rng.random() * 0.5)
    victim = rng.randrange(3)
    killed = job.send(victim)
    for rank, outcome in enumerate(job.outcomes()):
        if rank == victim:
            assert outcome.exitcode == -signal.SIGKILL
        else:
            assert isinstance(outcome.value, MeshError)
            assert outcome.exitcode == 0
            assert outcome.time - killed < SOON
