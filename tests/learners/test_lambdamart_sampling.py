"""Samples of queries and rows do not depend on the order of rows or the names of queries."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from directrank import InputError, LambdaMART
from directrank.datasets import make_ranking
from directrank.learners.core.shards import LocalShards, weighted_for_training
from directrank.learners.core.task import keys_of_documents, make_task
from directrank.learners.lambdamart import ordered_documents
from directrank.learners.lambdamart.gradients import Gradients, LambdaScale
from directrank.learners.lambdamart.sampling import QuerySampler, SamplingParams, is_drawn, sampling_params
from directrank.measures import parse

TRAIN = make_ranking(60, random_state=0)
RENAMED = np.array([f"q{(q * 7) % 61}" for q in TRAIN.qid.tolist()])

SAMPLED = [
    {"bagging_fraction": 0.5, "bagging_freq": 1},
    {"subsample": 0.3, "subsample_freq": 3, "feature_fraction_bynode": 0.5},
    {"data_sample_strategy": "goss"},
    {"boosting": "goss"},
    {"boosting": "dart", "bagging": 0.7, "bagging_freq": 1},
]


@pytest.mark.parametrize("sampling", SAMPLED, ids=str)
def test_shuffled_rows_and_renamed_queries_give_the_same_sample(sampling: dict) -> None:
    def fit(X, rows, qid, weight=None):
        learner = LambdaMART("nDCG@5", n_estimators=30, num_leaves=7, lightgbm=sampling)
        return learner.fit(X, TRAIN.y[rows], qid[rows], query_weight=None if weight is None else weight[rows]).predict(
            TRAIN.X
        )

    whole = np.arange(len(TRAIN))
    wanted = fit(TRAIN.X, whole, TRAIN.qid)
    plain = LambdaMART("nDCG@5", n_estimators=30, num_leaves=7).fit(TRAIN.X, TRAIN.y, TRAIN.qid).predict(TRAIN.X)
    assert np.abs(wanted - plain).max() > 0.1  # a sample was taken
    rows = np.random.default_rng(0).permutation(len(TRAIN))
    np.testing.assert_array_equal(fit(TRAIN.X[rows], rows, RENAMED), wanted)
    np.testing.assert_allclose(fit(sparse.csr_array(TRAIN.X[rows]), rows, TRAIN.qid), wanted, atol=1e-9)
    weight = 1.0 + TRAIN.qid % 3
    np.testing.assert_array_equal(fit(TRAIN.X[rows], rows, RENAMED, weight), fit(TRAIN.X, whole, TRAIN.qid, weight))


def test_one_query_without_a_name_is_sampled_alike() -> None:
    rows = np.random.default_rng(0).permutation(len(TRAIN))
    sampled = LambdaMART("AUC", n_estimators=10, num_leaves=7, lightgbm={"bagging_fraction": 0.5, "bagging_freq": 1})
    wanted = sampled.fit(TRAIN.X, TRAIN.y).predict(TRAIN.X)
    np.testing.assert_array_equal(sampled.fit(TRAIN.X[rows], TRAIN.y[rows]).predict(TRAIN.X), wanted)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_the_order_is_that_of_the_content(dtype, form) -> None:
    """Rows with many ties, gaps and both zeros: what is in order is the same for every shuffle."""
    random = np.random.default_rng(0)
    X = random.integers(0, 2, (200, 3)).astype(dtype)
    X[random.random(X.shape) < 0.1] = np.nan
    X[random.random(X.shape) < 0.1] = -0.0
    y, qid, weight = random.integers(0, 2, 200).astype(float), random.integers(0, 30, 200), random.integers(1, 3, 30)
    found = []
    for _ in range(4):
        rows = random.permutation(200)
        task = make_task(form(X[rows]), y[rows], qid[rows], parse("AP"), weight[qid[rows]])
        order = rows[task.queries.order]
        assert sorted(order) == list(range(200))
        assert np.array_equal(np.repeat(task.queries.ids, np.diff(task.queries.offsets)), qid[order])
        assert np.array_equal(task.bound.grades, y[order]) and np.array_equal(task.given, weight[task.queries.ids])
        found.append(np.column_stack((X[order] + 0.0, y[order], qid[order])))
        np.testing.assert_array_equal(found[-1], found[0])


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("n_wanted", [100, 200_000])
def test_large_rows_reach_lightgbm_in_batches(monkeypatch, n_wanted: int, dtype) -> None:
    """The bins are those of a sample by content; of all rows, those of a copy of X."""
    X, rows = TRAIN.X.astype(dtype), np.random.default_rng(0).permutation(len(TRAIN))
    given = {"bin_construct_sample_cnt": n_wanted, "num_threads": 1}

    def fit(order, **more):
        model = LambdaMART("AP", n_estimators=5, n_seeds=1, lightgbm=given).fit(
            X[order], TRAIN.y[order], RENAMED[order], **more
        )
        return model.predict(X)

    copied = fit(rows)
    monkeypatch.setattr(ordered_documents, "MAX_COPIED", 0)
    monkeypatch.setattr(ordered_documents, "BATCH", 1000)
    batched = fit(rows)
    assert np.array_equal(batched, copied) == (n_wanted > len(TRAIN))
    np.testing.assert_array_equal(fit(slice(None)), batched)
    np.testing.assert_array_equal(fit(rows, eval_set=(X, TRAIN.y, TRAIN.qid)), batched)


def shards_of(parts: list) -> LocalShards:
    return weighted_for_training(LocalShards.from_data(parts, parse("AP")))


def drawn_queries(shards: LocalShards, sampling: SamplingParams, number: int) -> list[set]:
    """The numbers of the queries in a round's sample, by shard; a query is drawn as a whole."""
    sample, found = QuerySampler(shards, sampling).draw(number), []
    for task in shards.tasks:
        by_query = np.split(is_drawn(task, sample), task.queries.offsets[1:-1])
        assert all(part.all() or not part.any() for part in by_query)
        found.append({int(q) for q, part in zip(task.queries.ids, by_query, strict=True) if part[0]})
    return found


def test_whole_queries_are_drawn_by_content() -> None:
    half = SamplingParams(0.5, 1, 0)
    shards = shards_of([TRAIN])
    learned = {int(q) for q, weight in zip(shards.tasks[0].queries.ids, shards.tasks[0].weights, strict=True) if weight > 0}
    rounds = [drawn_queries(shards, half, number)[0] & learned for number in range(40)]
    assert {len(drawn) for drawn in rounds} == {round(0.5 * len(learned))}
    counts = np.bincount([q for drawn in rounds for q in drawn], minlength=TRAIN.n_queries + 1)[sorted(learned)]
    assert counts.min() > 5 and counts.max() < 35  # binomial: 20, give or take 3
    assert drawn_queries(shards, SamplingParams(0.5, 1, 1), 0)[0] & learned != rounds[0]
    kept = [drawn_queries(shards, SamplingParams(0.5, 3, 0), number)[0] & learned for number in range(6)]
    assert kept == [rounds[0]] * 3 + [rounds[1]] * 3
    parts = [TRAIN.select_queries(part) for part in np.array_split(np.arange(TRAIN.n_queries), 3)]
    assert set.union(*drawn_queries(shards_of(parts), half, 0)) & learned == rounds[0]


def test_lambdas_are_0_outside_the_sample_and_the_same_within() -> None:
    shards = shards_of([TRAIN])
    scores = np.random.default_rng(0).normal(size=len(TRAIN))
    scale = LambdaScale.from_training(shards, 1.0, normalize=True)
    whole = Gradients(shards.tasks, scale).at(scores, None)
    sampler = QuerySampler(shards, SamplingParams(0.3, 1, 0))
    found = Gradients(shards.tasks, scale, sampler).at(scores, None)
    drawn = is_drawn(shards.tasks[0], sampler.draw(0))
    for part, all_of_them in zip(found, whole, strict=True):
        np.testing.assert_array_equal(part, np.where(drawn, all_of_them, 0.0))
    assert 0.15 < drawn.mean() < 0.45


def test_of_a_single_query_documents_are_drawn() -> None:
    shards = weighted_for_training(LocalShards([make_task(TRAIN.X, TRAIN.y, None, parse("AUC"))]))
    drawn = is_drawn(shards.tasks[0], QuerySampler(shards, SamplingParams(0.25, 1, 0)).draw(0))
    assert drawn.sum() == round(0.25 * len(TRAIN))


def test_samples_do_not_depend_on_shards() -> None:
    learner = LambdaMART("AP", n_estimators=20, num_leaves=7, lightgbm={"bagging_fraction": 0.5, "bagging_freq": 1})
    parts = [TRAIN.select_queries(part) for part in np.array_split(np.arange(TRAIN.n_queries), 3)]
    several = learner.fit_shards(LocalShards.from_data(parts, parse("AP"))).predict(TRAIN.X)
    np.testing.assert_allclose(several, learner.fit(TRAIN.X, TRAIN.y, TRAIN.qid).predict(TRAIN.X), atol=1e-9)


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_keys_tell_values_apart_that_are_one_in_single_precision(form) -> None:
    X = 1.7e9 + np.arange(50.0)[:, None]
    keys = keys_of_documents(make_task(form(X), np.zeros(50), None, parse("AP")))
    assert np.unique(keys).size == 50
    single = keys_of_documents(make_task(form(TRAIN.X.astype(np.float32)), TRAIN.y, TRAIN.qid, parse("AP")))
    assert np.unique(single).size == len(TRAIN)


def test_documents_are_drawn_where_one_query_has_a_weight() -> None:
    weight = (TRAIN.qid == TRAIN.qid[0]).astype(float)
    shards = weighted_for_training(LocalShards([make_task(TRAIN.X, TRAIN.y, TRAIN.qid, parse("AUC"), weight)]))
    task, sampler = shards.tasks[0], QuerySampler(shards, SamplingParams(0.5, 1, 0))
    drawn = task.queries.to_row_order(is_drawn(task, sampler.draw(0)))[weight > 0]
    assert drawn.sum() == round(0.5 * drawn.size) and drawn.size > 1


def test_fractions_are_numbers() -> None:
    assert sampling_params({"bagging_fraction": np.float32(0.5), "bagging_freq": np.int64(2)}, 3) == SamplingParams(
        0.5, 2, 3
    )
    for value in (True, "half", 1.5, 0, np.nan):
        with pytest.raises(InputError, match="bagging_fraction must be a number above 0 and up to 1, not"):
            sampling_params({"bagging_fraction": value, "bagging_freq": 1}, 0)
    with pytest.raises(InputError, match="bagging_freq must be an integer of at least 0, not True"):
        sampling_params({"bagging_fraction": 0.5, "bagging_freq": True}, 0)
