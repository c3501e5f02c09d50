"""LambdaMART's parameters that are left to "auto": by the size of the data."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pandas as pd
import pytest

from directrank import LambdaMART, RankSVM
from directrank.data import RankingData
from directrank.datasets import make_ranking
from directrank.learners.core.shards import LocalShards, weighted_for_training
from directrank.learners.lambdamart import learner, rounds_by_folds
from directrank.learners.lambdamart.auto_params import resolve
from directrank.learners.lambdamart.boosting import RoundLimits
from directrank.learners.lambdamart.gradients import Gradients, LambdaScale
from directrank.learners.lambdamart.rounds_by_folds import best_mean_round, parts_by_folds
from directrank.measures import parse

GIVEN = {"learning_rate": "auto", "num_leaves": "auto", "extra_trees": "auto"}


def linear_data(seed: int) -> RankingData:
    """Grades that depend on a weighted sum of the features, and a little on a product."""
    random = np.random.default_rng(seed)
    X, qid = random.normal(size=(600, 8)), np.repeat(np.arange(30), 20)
    hidden = X @ np.arange(1.0, 9.0) + random.normal(size=600) + 7 * (X[:, 0] * X[:, 1] > 0)
    return RankingData(X, np.digitize(hidden, [5.0, 15.0]).astype(float), qid)


def xor_data(seed: int) -> RankingData:
    """Grades that depend on the signs of two features being equal."""
    random = np.random.default_rng(seed)
    X, qid = random.normal(size=(600, 8)), np.repeat(np.arange(30), 20)
    return RankingData(X, (X[:, 0] * X[:, 1] > 0.2).astype(float), qid)


def args(data: RankingData) -> tuple[Any, Any, Any]:
    return data.X, data.y, data.qid


@pytest.mark.parametrize(
    ("n_documents", "leaves", "n_seeds"),
    [(100, 7, 4), (10_000, 7, 4), (10_001, 15, 4), (50_000, 15, 4), (50_001, 31, 1), (10**7, 31, 1)],
)
def test_sizes(n_documents: int, leaves: int, n_seeds: int) -> None:
    found = resolve(GIVEN, "auto", n_documents, can_start=True)
    assert found.n_seeds == n_seeds and found.alternates == (n_seeds > 1) == any(found.starts)
    wanted = {"learning_rate": 0.1, "num_leaves": leaves, "extra_trees": False}
    sampled = {"bagging_fraction": 0.7, "bagging_freq": 1} if n_seeds > 1 else {}
    assert found.given == wanted | sampled


@pytest.mark.parametrize(
    ("given", "n_seeds", "expected"),
    [
        ({}, 1, (1, False, 0)),
        ({}, 8, (8, True, 4)),
        ({"extra_trees": True}, "auto", (4, False, 2)),
        ({"extra_trees": False}, "auto", (1, False, 0)),
        ({"extra_trees": False, "subsample": 0.5, "subsample_freq": 1}, "auto", (4, False, 2)),
        ({"boosting": "dart"}, "auto", (1, False, 0)),
        ({"boosting": "dart"}, 4, (4, True, 0)),
        ({"data_sample_strategy": "goss"}, "auto", (1, False, 0)),
        ({"monotone_constraints": [1, 0]}, "auto", (4, True, 0)),
        ({"cat_feature": [1]}, "auto", (4, True, 0)),
    ],
    ids=str,
)
def test_what_is_given_stays(given: dict, n_seeds: int | str, expected: tuple) -> None:
    found = resolve(GIVEN | given, n_seeds, 1000, can_start=True)
    assert (found.n_seeds, found.alternates, sum(found.starts)) == expected
    assert found.given.items() >= given.items()
    assert not any(resolve(GIVEN | given, n_seeds, 1000, can_start=False).starts)


@pytest.mark.parametrize(("n_queries", "patience"), [(0, None), (1, 1600), (20, 175), (1500, 101), (10**6, 100)])
def test_patience_depends_on_the_number_of_validation_queries(n_queries: int, patience: int | None) -> None:
    limits = RoundLimits.choose(None, None, n_queries, is_dart=False)
    assert limits.patience == patience and limits.max_rounds == (180 if patience is None else 2000)
    assert RoundLimits.choose(50, None, n_queries, is_dart=False) == RoundLimits(50, None, False)
    assert RoundLimits.choose(None, None, n_queries, is_dart=True) == RoundLimits(180, None, True)


@pytest.mark.parametrize("data", [linear_data, xor_data], ids=lambda data: data.__name__)
@pytest.mark.parametrize("has_validation", [True, False])
def test_half_of_the_boosters_start_from_ranksvm(data: Any, has_validation: bool) -> None:
    """The model is the mean of boosters that are trained one by one; two of four start from RankSVM."""
    train, validation = args(data(0)), args(data(1)) if has_validation else None
    sampled = {"bagging_fraction": 0.7, "bagging_freq": 1}
    given = {"n_estimators": 10, "num_leaves": 7, "learning_rate": 0.1, "min_child_samples": 10}
    model = LambdaMART("AP", **given, random_state=5).fit(*train, eval_set=validation)
    rounds = model.best_iteration_
    assert model.chosen_params_ == {"n_seeds": 4, "init": "RankSVM"}
    start = RankSVM().fit(*train, eval_set=validation)
    members = []
    for index in range(4):
        init = start if index in (0, 3) else None
        member = LambdaMART(
            "AP",
            **given | {"n_estimators": rounds},
            n_seeds=1,
            extra_trees=index % 2 == 0,
            init=init,
            random_state=5 + index,
            lightgbm=sampled,
        )
        members.append(member.fit(*train).predict(train[0]))
    np.testing.assert_allclose(model.predict(train[0]), np.mean(members, axis=0), atol=1e-9)


def test_a_linear_start_is_left_out_where_trees_are_more_than_a_sum() -> None:
    data = linear_data(0)
    frame = pd.DataFrame(data.X).add_prefix("f").assign(kind=pd.Categorical.from_codes(np.arange(600) % 2, ["a", "b"]))
    few = {"n_estimators": 3, "min_child_samples": 10}
    fits = [
        LambdaMART("AP", **few).fit(frame, data.y, data.qid),
        LambdaMART("AP", **few).fit(*args(data), init_score=data.X[:, 0]),
        LambdaMART("AP", **few, lightgbm={"monotone_constraints": [1] * 8}).fit(*args(data)),
        LambdaMART("AP", **few, init=None).fit(*args(data)),
    ]
    for model in fits:
        assert model.model_.start is None and not any(tree.n_splits == 0 for tree in model.model_.trees)


def test_a_linear_start_that_fails_or_warns_is_nobodys_concern() -> None:
    data = xor_data(0)
    X = np.column_stack((data.X, np.where(data.X[:, 0] > 0, 1e308, -1e308)))
    with pytest.raises(ValueError, match="too large"):
        RankSVM().fit(X, data.y, data.qid)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = LambdaMART("AP", n_estimators=3).fit(X, data.y, data.qid)
    assert model.chosen_params_["init"] is None


def test_where_nothing_can_be_learned_there_is_a_warning_and_no_start() -> None:
    data = linear_data(0)
    with pytest.warns(UserWarning, match="learned nothing"):
        model = LambdaMART("AP").fit(0 * data.X, data.y, data.qid)
    assert model.chosen_params_["init"] is None and model.booster_.num_trees() == 0


def test_an_automatic_start_has_no_parameters() -> None:
    with pytest.raises(ValueError, match="init__C is a parameter of a ranker, and init is 'auto'; set init=RankSVM"):
        LambdaMART().set_params(init__C=3)
    assert LambdaMART().set_params(init=RankSVM(), init__C=3).init.C == 3


def test_rounds_are_those_of_the_best_mean_on_held_out_queries() -> None:
    assert best_mean_round([[0.1, 0.3, 0.2], [0.1, 0.2, 0.4]]) == 3
    assert best_mean_round([[0.1, 0.3], [0.2, 0.2, 0.2, 0.3]]) == 4  # the first ended early
    assert best_mean_round([[0.5, 0.5], []]) == 1 == best_mean_round([])


def test_a_training_without_an_eval_set_stops_where_held_out_queries_say() -> None:
    data = make_ranking(60, noise=2.0, random_state=0)
    model = LambdaMART("AP", init=None, n_seeds=1).fit(*args(data))
    shards = weighted_for_training(LocalShards.from_data([data], parse("AP")))
    curves = []
    for part in parts_by_folds(shards):
        fold = LambdaMART("AP", init=None, n_seeds=1, num_leaves=7, n_estimators=300)
        fold.fit_shards(part.training, [part.held_out])
        curves.append([step.evals["validation"]["AP"] for step in fold.history_])
    assert len(curves) == 3 and model.best_iteration_ == best_mean_round(curves) == len(model.history_) < 300


@pytest.mark.parametrize("n_parts", [1, 3])
def test_folds_wait_as_a_validation_set_of_all_held_out_queries_would(n_parts: int, monkeypatch: pytest.MonkeyPatch) -> None:
    limits: list[RoundLimits] = []
    monkeypatch.setattr(learner, "choose_rounds", lambda parts, make, given: limits.append(given) or len(parts))
    monkeypatch.setattr(rounds_by_folds, "ALL_FOLDS", 10_000 if n_parts == 3 else 0)
    assert LambdaMART("AP").fit(*args(linear_data(0))).best_iteration_ == n_parts
    assert limits == [RoundLimits.choose(None, None, 10 * n_parts, is_dart=False)]


def test_too_few_or_too_many_queries_have_no_folds(monkeypatch: pytest.MonkeyPatch) -> None:
    data = make_ranking(30, random_state=0)

    def n_parts(n_queries: int) -> int:
        part = data.select_queries(np.arange(n_queries))
        return len(parts_by_folds(weighted_for_training(LocalShards.from_data([part], parse("AP")))))

    assert [n_parts(n) for n in (1, 6, 30)] == [0, 0, 3]
    monkeypatch.setattr(rounds_by_folds, "ALL_FOLDS", 100)
    assert n_parts(30) == 1
    monkeypatch.setattr(rounds_by_folds, "ONE_FOLD", 100)
    assert n_parts(30) == 0
    assert LambdaMART("AP", min_child_samples=200).fit(*args(data)).best_iteration_ == 180


def test_parameters_of_a_refit_are_those_that_were_chosen() -> None:
    train, validation = (make_ranking(40, noise=1.0, random_state=seed) for seed in (2, 3))
    model = LambdaMART("nDCG@5").fit(*args(train), eval_set=args(validation))
    assert model.refit_params().items() >= {"n_estimators": model.best_iteration_, "n_seeds": 4, "num_leaves": 7}.items()
    again = LambdaMART("nDCG@5").set_params(**model.refit_params()).fit(*args(train))
    assert again.best_iteration_ == model.best_iteration_ and again.chosen_params_["init"] == model.chosen_params_["init"]


@pytest.mark.parametrize("name", ["nDCG@5", "AP", "AUC", "RR"])
def test_normalized_lambdas(name: str) -> None:
    """Lambdas by distance, times log2(1 + S)/S for a query with a sum S, which is 1 for the mean query at scores 0."""
    data = make_ranking(12, (3, 20), random_state=0)
    shards = weighted_for_training(LocalShards.from_data([data], parse(name)))
    (task,) = shards.tasks
    scores, offsets = np.random.default_rng(0).normal(size=len(data)), task.queries.offsets
    scale = LambdaScale.from_training(shards, 1.5, normalize=True)
    gradient, hessian = Gradients([task], scale).at(scores, None)
    plain = Gradients([task], scale._replace(normalize=False)).at(scores, None)[0]
    raw, at_0 = task.bound.lambdas(1.5 * scores, True), task.bound.lambdas(np.zeros(len(data)))
    sums_at_0 = np.add.reduceat(np.abs(at_0.gradient), offsets[:-1])
    unit = sums_at_0[task.weights > 0].mean()
    for query, (lo, hi) in enumerate(zip(offsets, offsets[1:], strict=False)):
        total = np.abs(raw.gradient[lo:hi]).sum() / unit
        factor = task.weights[query] * scale.factor * (np.log2(1 + total) / total if total else 1.0)
        np.testing.assert_allclose(gradient[lo:hi], factor * raw.gradient[lo:hi], rtol=1e-5)
        np.testing.assert_allclose(hessian[lo:hi], factor * 1.5 * raw.hessian[lo:hi], rtol=1e-5)
    assert not np.allclose(gradient, plain)


def test_the_scale_of_a_query_counts_less_than_its_lambdas() -> None:
    """A measure times 1,000 has the same normalized lambdas."""
    data = make_ranking(12, (3, 20), random_state=0)
    scores = np.random.default_rng(0).normal(size=len(data))
    found = []
    for name in ("DCG@5", "1000*DCG@5"):
        shards = weighted_for_training(LocalShards.from_data([data], parse(name)))
        found.append(Gradients(shards.tasks, LambdaScale.from_training(shards, 1.0, True)).at(scores, None))
    np.testing.assert_allclose(*found, rtol=1e-5)
