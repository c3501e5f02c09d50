"""Training on a cluster: trees, sets over all workers, one's own measures, any number of workers."""

from __future__ import annotations

import time

import numpy as np
import pytest
from clusters import DATA, HELD_OUT, PARTS, Cluster, write_parts
from sklearn.base import clone
from sklearn.pipeline import make_pipeline

from directrank import (
    AdaRank,
    InputError,
    LambdaMART,
    Measure,
    MultivariateSVC,
    RankBoost,
    RankingData,
    RankSVM,
    SVMRanker,
    evaluate,
    load_model,
    routing,
    save_model,
)
from directrank.distributed import ShardedData, evaluate as evaluate_shards, predict, read_parquet, train
from directrank.features import QueryMinMax
from directrank.learners.core.shards import LocalShards
from directrank.measures import as_measure

TREES = [
    LambdaMART("nDCG@5", n_estimators=25, min_child_samples=5),
    LambdaMART("AP", n_estimators=12, min_child_samples=5, n_seeds=2, lightgbm={"bagging_fraction": 0.7, "bagging_freq": 2}),
    LambdaMART("AP", n_estimators=40, early_stopping_rounds=5, min_child_samples=5, init=RankBoost(n_estimators=2)),
]


def here(parts: list[RankingData]) -> LocalShards:
    return LocalShards.from_data(parts, as_measure("AP"))


def mean_of(measure: str, data: RankingData, of_rows: np.ndarray) -> float:
    """Mean over all queries."""
    return evaluate(data.y, of_rows, data.qid, measure)[measure]


def scores(model) -> np.ndarray:
    return model.model_.predict(DATA.X)


@pytest.mark.parametrize("learner", TREES, ids=["plain", "seeds", "init"])
def test_trees_are_as_good_as_local_ones_and_reproducible(learner, sharded: ShardedData, held_out: ShardedData) -> None:
    validation = None if learner.early_stopping_rounds is None else held_out
    eval_set = None if validation is None else (HELD_OUT.X, HELD_OUT.y, HELD_OUT.qid)
    there, again = (train(clone(learner), sharded, validation) for _ in range(2))
    local = clone(learner).fit(DATA.X, DATA.y, DATA.qid, eval_set=eval_set)
    np.testing.assert_array_equal(scores(again), scores(there))
    name = there.measure
    values = there.evals_result_["training"][name]
    assert there.evals_result_ == again.evals_result_
    assert abs(np.mean(values) - np.mean(local.evals_result_["training"][name])) < 0.05  # few queries: trees vary
    assert there.best_iteration_ <= len(there.history_) and there.best_score_ <= 1
    if validation is None:
        assert there.history_[-1].info == local.history_[-1].info
        assert mean_of(name, DATA, scores(there)) == pytest.approx(values[-1])
    else:
        of_rounds = there.evals_result_["validation"][name]
        assert max(of_rounds) == pytest.approx(mean_of(name, HELD_OUT, there.model_.predict(HELD_OUT.X)))
        assert len(there.history_) < 40 or np.argmax(of_rounds) >= 34


@pytest.mark.parametrize("measure", ["BalancedAccuracy", "AUC"])
def test_one_set_over_all_workers(measure: str, cluster: Cluster, tmp_path) -> None:
    parts = [RankingData(part.X, part.y > 0) for part in PARTS]
    there = train(MultivariateSVC(measure, C=10), read_parquet(write_parts(tmp_path / "set", parts), client=cluster.client))
    wanted = MultivariateSVC(measure, C=10).fit_shards(here(parts))
    np.testing.assert_array_equal(there.coef_, wanted.coef_)
    np.testing.assert_array_equal(there.intercept_, wanted.intercept_)
    whole = MultivariateSVC(measure, C=10, tol=1e-5).fit(DATA.X, DATA.y > 0)
    assert there.objective_ == pytest.approx(whole.objective_, rel=1e-2)
    np.testing.assert_array_equal(there.classes_, whole.classes_)
    curved = MultivariateSVC(measure, C=10, kernel="rbf").fit_shards(here(parts))
    np.testing.assert_array_equal(
        curved.decision_function(DATA.X),
        MultivariateSVC(measure, C=10, kernel="rbf").fit(DATA.X, DATA.y > 0).decision_function(DATA.X),
    )


class FirstIsBest(Measure):
    """1 if the document of the highest score has the highest grade."""

    def evaluate(self, scores, grades, offsets):
        pairs = zip(offsets[:-1], offsets[1:], strict=True)
        return np.array([float(grades[a:b][np.argmax(scores[a:b])] == grades[a:b].max()) for a, b in pairs])


def test_a_measure_of_ones_own(sharded: ShardedData) -> None:
    there = train(AdaRank(FirstIsBest(), n_estimators=3), sharded)
    np.testing.assert_array_equal(scores(there), scores(AdaRank(FirstIsBest(), n_estimators=3).fit_shards(here(PARTS))))


def test_a_model_from_a_cluster_is_any_other_model(sharded: ShardedData, tmp_path) -> None:
    model = train(LambdaMART("AP", n_seeds=1, n_estimators=5, min_child_samples=5), sharded)
    save_model(tmp_path / "model.json", model)
    loaded = load_model(tmp_path / "model.json")
    np.testing.assert_array_equal(loaded.predict(DATA.X), scores(model))
    assert loaded.feature_names == tuple(DATA.feature_names) and loaded.provenance.learner == "LambdaMART"
    assert model.booster_.num_trees() == 5


def test_a_pipeline_that_scales_within_queries(sharded: ShardedData) -> None:
    with routing():
        pipeline = make_pipeline(QueryMinMax(), RankSVM(C=1.0)).fit(DATA.X, DATA.y, qid=DATA.qid)
        expected = pipeline.predict(DATA.X, qid=DATA.qid)
    np.testing.assert_array_equal(predict(pipeline, sharded).compute(scheduler=sharded.client), expected)
    there = evaluate_shards(pipeline, sharded, "AP")["AP"]
    assert there == pytest.approx(evaluate(DATA.y, expected, DATA.qid, "AP")["AP"])


def test_parameters_for_one_process_only(sharded: ShardedData) -> None:
    settings = [{"boosting": "dart"}, {"data_sample_strategy": "goss"}, {"linear_tree": True}]
    for given in ({"min_child_samples": 0}, *({"lightgbm": setting} for setting in settings)):
        with pytest.raises(InputError, match="is for rows in one process only, and these are on a cluster; leave it out"):
            train(LambdaMART("AP", n_estimators=2, **given), sharded)


def test_workers_drop_the_tasks_of_ended_trainings(sharded: ShardedData) -> None:
    train(SVMRanker("AP", cv=2), sharded)
    train(LambdaMART("AP", n_estimators=2, min_child_samples=5), sharded)
    deadline = time.monotonic() + 30
    while set((held := sharded.client.run(tasks_and_workers)).values()) != {(0, 0)} and time.monotonic() < deadline:
        time.sleep(0.02)  # they forget in the thread that computes
    assert held and set(held.values()) == {(0, 0)}


def tasks_and_workers(dask_worker) -> tuple[int, int]:
    """Number of tasks and of collective workers that a Dask worker keeps."""
    shards = [shard for shard in dask_worker.data.values() if hasattr(shard, "tasks")]
    return sum(len(shard.tasks) for shard in shards), sum(len(shard.workers) for shard in shards)


def test_any_number_of_workers_gives_the_same_bits(own_cluster, folder, sharded: ShardedData) -> None:
    """Two, three, and the one that is left of three."""
    three = own_cluster(3, nanny=False)
    trees = LambdaMART("nDCG@5", n_estimators=5, min_child_samples=5)
    some_features = clone(trees).set_params(colsample_bytree=0.4)
    learners = (SVMRanker("nDCG@5", C=1, bound="ramp"), RankBoost(n_estimators=5), trees, some_features)
    wanted = [scores(train(clone(learner), sharded)) for learner in learners]
    for n_workers in (3, 1):
        three.client.retire_workers(list(three.pids())[n_workers:])
        data = read_parquet(folder / "train", client=three.client)
        assert len(three.holders(data)) == n_workers
        for learner, expected in zip(learners, wanted, strict=True):
            np.testing.assert_array_equal(scores(train(clone(learner), data)), expected)


def test_a_single_shard_has_one_rank(cluster: Cluster, tmp_path) -> None:
    """LightGBM is not connected to other processes."""
    data = read_parquet(write_parts(tmp_path / "one", [DATA]), client=cluster.client)
    assert data.to_shards().run_collective(rank_and_shards) == [(0, 1, [0])]
    assert len(train(LambdaMART("AP", n_seeds=1, n_estimators=3, min_child_samples=5), data).model_.trees) == 3


def rank_and_shards(worker) -> tuple[int, int, list[int]]:
    return worker.rank, worker.n_workers, [task.number for task in worker.tasks]
