"""Linear learners with ``basis="piecewise"``: the plain learner of features and their basis by hand, in one model."""

from __future__ import annotations

import pickle
from functools import cache

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import directrank
from directrank import (
    AdaRank,
    CoordinateAscent,
    InputError,
    LambdaMART,
    MultivariateSVC,
    OneVsRestSVM,
    RankingData,
    RankSVM,
    SmoothRank,
    SVMRanker,
    load_model,
    routing,
    save_model,
)
from directrank.datasets import make_ranking
from directrank.learners.core import scaling
from directrank.learners.core.quantile_knots import quantile_knots
from directrank.learners.core.shards import LocalShards
from directrank.measures import AP
from directrank.models import ModelError, as_model

DATA = make_ranking(30, (5, 30), random_state=0)
OTHER = make_ranking(5, (5, 30), random_state=1)


def raw(X: np.ndarray) -> np.ndarray:
    """A heavy tail, many zeros, few values, two values, one value; the others are normal."""
    X = X.copy()
    X[:, 0] = np.exp(3 * X[:, 0])
    X[:, 1] = np.maximum(X[:, 1], 0.0)
    X[:, 2] = np.clip(np.round(X[:, 2]), -1, 1)
    X[:, 3] = X[:, 3] > 0
    X[:, 4] = 7.0
    return X


RAW, HELD_OUT = (RankingData(raw(data.X), data.y, data.qid) for data in (DATA, OTHER))

LEARNERS = [
    SVMRanker("AP", C=1, basis="piecewise"),
    SVMRanker("nDCG@5", C=1, bound="ramp", basis="piecewise"),
    RankSVM(C=10, basis="piecewise"),
    OneVsRestSVM(C=10, basis="piecewise"),
    CoordinateAscent("AP", n_restarts=1, max_iter=3, basis="piecewise"),
    SmoothRank("nDCG@5", cv=2, max_iter=2, basis="piecewise"),
]
each_learner = pytest.mark.parametrize(
    "learner", LEARNERS, ids=["SVMRanker", "ramp", "RankSVM", "OneVsRestSVM", "CoordinateAscent", "SmoothRank"]
)


@cache
def fitted(learner):
    return clone(learner).fit(RAW.X, RAW.y, RAW.qid)


def by_hand(X: np.ndarray, training: np.ndarray) -> np.ndarray:
    """The features, and the rank and the hinges of each with three values or more, for knots at all training values."""
    columns = [X]
    for x, values in zip(X.T, training.T, strict=True):
        knots, counts = np.unique(values[~np.isnan(values)], return_counts=True)
        if knots.size > 2:
            ranks = (np.cumsum(counts) - counts / 2) / counts.sum()
            columns += [
                np.interp(x, knots, np.maximum(ranks - hinge, 0.0))[:, None] / 12**-0.5 for hinge in (0.0, 0.25, 0.5, 0.75)
            ]
    return np.hstack(columns)


def rounded(X: np.ndarray) -> np.ndarray:
    """Features of at most six values, all of which become knots."""
    return np.clip(np.round(1.2 * X), -2, 3)


@each_learner
def test_the_model_is_that_of_the_basis_by_hand(learner) -> None:
    X, other = rounded(DATA.X), rounded(OTHER.X) + 0.3
    plain = clone(learner).set_params(basis="linear", scaling="none")
    wanted = plain.fit(by_hand(X, X), DATA.y, DATA.qid).predict(by_hand(other, X))
    found = clone(learner).set_params(scaling="none").fit(X, DATA.y, DATA.qid)
    np.testing.assert_allclose(found.predict(other), wanted, rtol=1e-9, atol=1e-11)
    units = np.where(np.arange(plain.coef_.size) < X.shape[1], 1.0, 12**0.5)
    np.testing.assert_allclose(found.coef_, units * plain.coef_, rtol=1e-9, atol=1e-11)


def test_knots_are_at_quantiles() -> None:
    steps = fitted(LEARNERS[2]).model_.steps
    knots, ranks = steps[0].knots, steps[0].ranks
    assert [part.size for part in knots[1:5]] == [pytest.approx(9, abs=2), 3, 0, 0]
    assert knots[2].tolist() == [-1, 0, 1] and knots[1][0] == 0 and ranks[1][0] == np.mean(RAW.X[:, 1] == 0) / 2
    for j in (0, 5, 6):
        values = RAW.X[:, j]
        assert 14 <= knots[j].size <= 17 and knots[j][0] == values.min() and knots[j][-1] == values.max()
        np.testing.assert_allclose(ranks[j], np.searchsorted(np.sort(values), knots[j]) / values.size, atol=1 / 64)
        assert np.diff(ranks[j]).max() < 2.5 / 16


@each_learner
def test_neither_order_nor_shards_nor_threads_change_a_bit(learner) -> None:
    rows = np.random.default_rng(0).permutation(len(RAW))
    scores = fitted(learner).predict(RAW.X)
    shuffled = clone(learner).fit(RAW.X[rows], RAW.y[rows], [f"q{q}" for q in RAW.qid[rows]])
    one_shard = clone(learner).fit_shards(LocalShards.from_data([RAW], AP()))
    for other in (shuffled, one_shard):
        np.testing.assert_array_equal(other.predict(RAW.X), scores)
    parts = [RAW.select(RAW.qid % 3 == part) for part in range(3)]
    several = clone(learner).fit_shards(LocalShards.from_data(parts, AP()))
    np.testing.assert_allclose(several.predict(RAW.X), scores, atol=1e-9 * np.abs(scores).max())
    for model in (several, shuffled):
        for own, other in zip(
            _step(model).knots + _step(model).ranks, _step(fitted(learner)).knots + _step(fitted(learner)).ranks, strict=True
        ):
            np.testing.assert_array_equal(own, other)
    before = directrank.get_num_threads()
    directrank.set_num_threads(1)
    try:
        np.testing.assert_array_equal(clone(learner).fit(RAW.X, RAW.y, RAW.qid).predict(RAW.X), scores)
    finally:
        directrank.set_num_threads(before)


def _step(model):
    return model.model_.steps[0]


@each_learner
def test_saving_pickling_and_cloning(learner, tmp_path) -> None:
    model, wanted = fitted(learner), fitted(learner).predict(HELD_OUT.X)
    save_model(tmp_path / "model.json", model)
    for other in (load_model(tmp_path / "model.json"), pickle.loads(pickle.dumps(model)), as_model(model)):
        np.testing.assert_array_equal(other.predict(HELD_OUT.X), wanted)
    assert clone(model).basis == "piecewise"


@each_learner
def test_missing_values_count_a_constant(learner) -> None:
    X = RAW.X.copy()
    X[np.random.default_rng(0).random(X.shape) < 0.2] = np.nan
    X[np.random.default_rng(1).random(len(X)) < np.where(RAW.y > 0, 0.1, 0.8), 5] = np.nan  # which tells
    X[:, 7] = np.nan
    model = clone(learner).fit(X, RAW.y, RAW.qid)
    rows = np.random.default_rng(2).permutation(len(X))
    shuffled = clone(learner).fit(X[rows], RAW.y[rows], RAW.qid[rows])
    np.testing.assert_array_equal(shuffled.predict(X), model.predict(X))
    assert np.all(np.isfinite(model.predict(X))) and _step(model).knots[7].size == 0
    one, two = X[:1].copy(), X[1:2].copy()
    for row in (one, two):
        row[0, np.isnan(row[0])] = 0.5
    changes = []
    for row in (one, two):
        gap = row.copy()
        gap[0, 5] = np.nan
        row[0, 5] = 0.25
        changes.append(model.predict(gap)[0] - model.predict(row)[0])
    assert changes[0] == pytest.approx(changes[1], abs=1e-9)


def test_missing_values_are_filled_in_each_function_of_the_basis() -> None:
    X = rounded(DATA.X)
    X[np.random.default_rng(0).random(X.shape) < 0.2] = np.nan
    plain = RankSVM(C=10, scaling="none").fit(by_hand(X, X), DATA.y, DATA.qid)
    found = RankSVM(C=10, scaling="none", basis="piecewise").fit(X, DATA.y, DATA.qid)
    np.testing.assert_allclose(found.predict(X), plain.predict(by_hand(X, X)), rtol=1e-9, atol=1e-11)


def test_a_feature_of_one_or_two_values_has_a_weight_only() -> None:
    X = (DATA.X > 0).astype(float)
    X[:, 0] = 1.0
    found, plain = (RankSVM(C=1.0, basis=basis).fit(X, DATA.y, DATA.qid) for basis in ("piecewise", "linear"))
    np.testing.assert_array_equal(found.predict(X), plain.predict(X))
    np.testing.assert_array_equal(found.coef_, plain.coef_)


def test_functions_are_constant_beyond_the_knots_but_for_the_linear_part() -> None:
    model = fitted(LEARNERS[2])
    width, far = RAW.X.shape[1], RAW.X[:3].copy()
    far[:, 5] = [1e3, 2e3, 3e3]
    far[1:] = np.where(np.arange(width) == 5, far[1:], far[0])
    np.testing.assert_allclose(np.diff(model.predict(far)), 1e3 * model.coef_[5], rtol=1e-9)


def test_units_do_not_matter() -> None:
    factors = 2.0 ** np.random.default_rng(0).integers(-5, 5, RAW.X.shape[1])
    learner = RankSVM(C=1.0, scaling="standard", basis="piecewise")
    found, wanted = (clone(learner).fit(X, RAW.y, RAW.qid).predict(X) for X in (RAW.X * factors, RAW.X))
    np.testing.assert_array_equal(found, wanted)


def test_queries_of_weight_0_and_weights_of_2() -> None:
    twice, absent = RAW.qid <= 10, RAW.qid > 25
    learner = RankSVM(C=1.0, basis="piecewise")
    weighted = clone(learner).fit(RAW.X, RAW.y, RAW.qid, query_weight=np.where(absent, 0.0, 1.0 + twice))
    kept, copied = RAW.select(~absent), RAW.select(twice)
    X, y = np.vstack((kept.X, copied.X)), np.append(kept.y, copied.y)
    repeated = clone(learner).fit(X, y, np.append(kept.qid, copied.qid + 1000))
    for own, other in zip(_step(weighted).ranks, _step(repeated).ranks, strict=True):
        np.testing.assert_array_equal(own, other)


def test_a_column_that_only_queries_of_a_tiny_weight_have_has_no_knots() -> None:
    X, is_first = RAW.X.copy(), RAW.qid == RAW.qid[0]
    X[~is_first, 5] = np.nan
    weights = np.where(is_first, 1e-6, 1.0)  # less than 2^-12 of the heaviest
    model = RankSVM(C=1.0, basis="piecewise").fit(X, RAW.y, RAW.qid, query_weight=weights)
    assert _step(model).knots[5].size == 0 and _step(model).knots[6].size > 2
    assert np.all(np.isfinite(model.predict(X)))


@pytest.mark.parametrize("basis", ["linear", "piecewise"])
def test_the_unit_of_the_weights_does_not_matter(basis: str) -> None:
    weights, learner = np.where(RAW.qid <= 10, 2.0, 1.0), RankSVM(C=1.0, scaling="standard", basis=basis)
    wanted = clone(learner).fit(RAW.X, RAW.y, RAW.qid, query_weight=weights).predict(RAW.X)
    tiny = clone(learner).fit(RAW.X, RAW.y, RAW.qid, query_weight=np.ldexp(weights, -1030)).predict(RAW.X)
    np.testing.assert_allclose(tiny, wanted, rtol=1e-9)


def test_scaling_within_queries_comes_first() -> None:
    model = RankSVM(C=10, scaling="query", basis="piecewise").fit(RAW.X, RAW.y, RAW.qid)
    within, basis = model.model_.steps
    assert within.needs_qid and max(part[-1] for part in basis.knots if part.size) == 1
    assert model.score(RAW.X, RAW.y, RAW.qid) > 0.5
    with pytest.raises(ModelError, match=r"has piecewise-linear functions .* after other steps, and no export has both"):
        model.model_.portable()


def test_an_eval_set_may_choose_logarithms_of_the_features_alone() -> None:
    X = np.random.default_rng(0).normal(size=(900, 6))
    y, qid = np.clip(np.sign(X[:, :4]).sum(axis=1), 0, 4), np.arange(900) // 15
    model = RankSVM(C=1.0, scaling="log", basis="piecewise").fit(X, y, qid, eval_set=(X, y, qid))
    assert model.model_.model.log_features.tolist() == [0, 1, 2, 3, 4, 5]
    linear = RankSVM(C=1.0).fit(X, y, qid)
    assert model.score(X, y, qid, measure="nDCG") > linear.score(X, y, qid, measure="nDCG")


def test_an_eval_set_does_not_place_the_knots_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    placed = []
    monkeypatch.setattr(scaling, "quantile_knots", lambda *args: placed.append(1) or quantile_knots(*args))
    model = RankSVM(C=1.0, basis="piecewise").fit(RAW.X, RAW.y, RAW.qid, eval_set=(HELD_OUT.X, HELD_OUT.y, HELD_OUT.qid))
    assert len(placed) == 1 and _step(model).knots[5].size > 2


def test_weights_have_names() -> None:
    model = fitted(LEARNERS[2]).model_.with_feature_names([f"x{j}" for j in range(RAW.X.shape[1])])
    names = model.steps[0].names_out(list(model.feature_names))
    assert len(names) == model.coef.size == model.steps[0].n_features_out
    assert {"x0", "rank of x0", "rank of x0 above 0.25"} <= set(model.importances().names) <= set(names)


def test_a_path_has_the_models_of_fits() -> None:
    path = RankSVM(tol=1e-7, basis="piecewise").path(RAW.X, RAW.y, RAW.qid, Cs=[1.0, 10.0])
    wanted = RankSVM(C=10.0, tol=1e-7, basis="piecewise").fit(RAW.X, RAW.y, RAW.qid)
    np.testing.assert_allclose(path.models[1].predict(HELD_OUT.X), wanted.predict(HELD_OUT.X), atol=1e-2)
    assert path.coefs.shape == (2, wanted.coef_.size)


def test_a_classifier() -> None:
    y = np.abs(RAW.X[:, 5]) > 0.7
    model = MultivariateSVC("F1", C=100.0, basis="piecewise").fit(RAW.X, y)
    assert model.measure_score(RAW.X, y) > 0.9 > MultivariateSVC("F1", C=100.0).fit(RAW.X, y).measure_score(RAW.X, y)
    assert model.coef_.shape == (1, model.model_.coef.size) and model.intercept_.shape == (1,)


def test_other_learners_build_on_it() -> None:
    ranker = RankSVM(C=1.0, basis="piecewise")
    assert AdaRank("AP", weak_ranker=ranker, n_estimators=3).fit(RAW.X, RAW.y, RAW.qid).score(RAW.X, RAW.y, RAW.qid) > 0.5
    with pytest.raises(ModelError, match=r"piecewise-linear functions of features \(basis='piecewise'\)"):
        LambdaMART("AP", init=ranker, n_estimators=2).fit(RAW.X, RAW.y, RAW.qid)
    with routing():
        pipeline = make_pipeline(StandardScaler(), clone(ranker)).fit(RAW.X, RAW.y, qid=RAW.qid)
    np.testing.assert_allclose(as_model(pipeline).predict(RAW.X), pipeline.predict(RAW.X), rtol=1e-9)


def test_a_mapped_x_and_single_precision(tmp_path) -> None:
    np.save(tmp_path / "X.npy", RAW.X)
    mapped = np.load(tmp_path / "X.npy", mmap_mode="r")
    model = fitted(LEARNERS[2])
    np.testing.assert_array_equal(clone(model).fit(mapped, RAW.y, RAW.qid).coef_, model.coef_)
    single = RAW.X.astype(np.float32)
    wanted = clone(model).fit(single.astype(np.float64), RAW.y, RAW.qid)
    np.testing.assert_array_equal(clone(model).fit(single, RAW.y, RAW.qid).predict(single), wanted.predict(single))


@pytest.mark.parametrize(
    ("learner", "X", "sentence"),
    [
        (RankSVM(basis="spline"), RAW.X, "basis must be 'linear' or 'piecewise', not 'spline'"),
        (SmoothRank("AP", basis=3), RAW.X, "basis must be 'linear' or 'piecewise', not 3"),
        (OneVsRestSVM(basis="x"), RAW.X, "basis must be 'linear' or 'piecewise'"),
        (CoordinateAscent("AP", basis="x"), RAW.X, "basis must be 'linear' or 'piecewise'"),
        (SVMRanker("AP", kernel="rbf", basis="piecewise"), RAW.X, "basis='piecewise' is for linear models"),
        (
            RankSVM(basis="piecewise"),
            sparse.csr_array(RAW.X),
            "basis='piecewise' would make a sparse X dense; pass X.toarray",
        ),
    ],
)
def test_what_makes_no_sense_is_an_error(learner, X, sentence: str) -> None:
    with pytest.raises(InputError, match=sentence):
        learner.fit(X, RAW.y, RAW.qid)


def test_a_classifier_with_a_kernel_has_no_basis() -> None:
    with pytest.raises(InputError, match="basis='piecewise' is for linear models"):
        MultivariateSVC("F1", kernel="rbf", basis="piecewise").fit(RAW.X, RAW.y > 0)


def test_sparse_rows_cannot_be_scored() -> None:
    with pytest.raises(InputError, match=r"dense X only; pass X.toarray\(\)"):
        fitted(LEARNERS[2]).predict(sparse.csr_array(RAW.X))


def columns_of(number: int) -> np.ndarray:
    random = np.random.default_rng(number)
    tails = 10 ** random.uniform(-12, 12, 3000) * random.choice([-1, 1], 3000)
    spike = np.where(random.random(3000) < 0.4, 0.3, random.normal(size=3000))
    return np.column_stack((tails, spike, np.abs(tails), np.maximum(spike, 0.3), random.integers(0, 40, 3000)))


@pytest.mark.parametrize("number", range(5))
def test_ranks_at_knots_are_those_of_the_rows(number: int) -> None:
    """Of a value that many rows have, the middle of their ranks; of others within a 64th."""
    X, qid = columns_of(number), np.arange(3000) // 30
    y = np.random.default_rng(number).integers(0, 2, 3000)
    basis = _step(RankSVM(C=1.0, max_iter=1, tol=1.0, basis="piecewise").fit(X, y, qid))
    for values, knots, ranks in zip(X.T, basis.knots, basis.ranks, strict=True):
        ordered = np.sort(values)
        below, up_to = (np.searchsorted(ordered, knots, side) / values.size for side in ("left", "right"))
        assert np.all(np.isin(knots, values)) and np.all((ranks <= up_to) & (ranks > up_to - (up_to - below) / 2 - 1 / 64))
        frequent = up_to - below > 1 / 32
        np.testing.assert_allclose(ranks[frequent], ((below + up_to) / 2)[frequent], atol=1e-15)
        assert np.max(below[1:] - up_to[:-1]) < 3 / 32 and knots.size <= 17
    assert [knots.size for knots in basis.knots] == [pytest.approx(n, abs=1.5) for n in (17, 12, 17, 5, 17)]
