"""Scaling of linear learners and their missing values: statistics by brute force, the rule, and what models make of it."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest
from scipy import sparse
from scipy.stats import kurtosis, rankdata
from sklearn.base import clone
from sklearn.preprocessing import StandardScaler

import directrank
from directrank import (
    AdaRank,
    CoordinateAscent,
    EnsembleSelection,
    InputError,
    MultivariateSVC,
    OneVsRestSVM,
    RankBoost,
    RankingData,
    RankSVM,
    SmoothRank,
    SVMRanker,
)
from directrank.datasets import make_ranking
from directrank.learners.core.column_moments import column_moments, column_ranges
from directrank.learners.core.missing_values import expected_values, z_of_missing
from directrank.learners.core.scaling import scale
from directrank.learners.core.shards import LocalShards
from directrank.learners.core.task import make_task
from directrank.matrix.feature_scaling import FeatureScaling, is_mapped, signed_log
from directrank.measures import AP
from directrank.models import LinearModel, ModelError, SumOverGrades, dumps, loads

DATA = make_ranking(30, (5, 30), random_state=0)
random = np.random.default_rng(0)


def raw_features() -> np.ndarray:
    """Features of all scales, with heavy tails, offsets, few values and missing ones."""
    X = DATA.X * 10.0 ** (np.arange(DATA.n_features) % 7 - 3)
    X[:, 0] = np.exp(3 * DATA.X[:, 0])
    X[:, 1] += 2000.0
    X[:, 2] = 1e-12 * DATA.X[:, 2] ** 2
    X[:, 3] = np.clip(DATA.X[:, 3], 0, 1)
    X[:, 4] = 7.0
    X[random.random(len(DATA)) < 0.3, 5] = np.nan
    X[random.random(len(DATA)) < np.where(DATA.y > 0, 0.1, 0.6), 1] = np.nan
    return X


RAW = raw_features()


@pytest.fixture(autouse=True)
def same_numbers_in_any_order_of_tests() -> None:
    global random
    random = np.random.default_rng(0)


def shards_of(X, n: int = 1, weights=None) -> LocalShards:
    """Shards of whole queries, with their rows in a random order."""
    parts = np.array_split(random.permutation(DATA.n_queries), n)
    weights = np.ones(DATA.n_queries + 1) if weights is None else weights
    tasks = []
    for queries in parts:
        rows = random.permutation(np.flatnonzero(np.isin(DATA.qid, np.unique(DATA.qid)[queries])))
        tasks.append(make_task(X[rows], DATA.y[rows], DATA.qid[rows], AP(), weights[DATA.qid[rows]]))
    return LocalShards(tasks)


@pytest.mark.parametrize("form", [np.asarray, np.float32, sparse.csr_array], ids=["dense", "single", "sparse"])
@pytest.mark.parametrize("is_log", [False, True])
@pytest.mark.parametrize("weighted", [False, True])
def test_moments_are_those_of_the_definition(form, is_log: bool, weighted: bool) -> None:
    weights = random.integers(0, 4, DATA.n_queries + 1).astype(float) if weighted else np.ones(DATA.n_queries + 1)
    X = form(np.where(np.abs(RAW) < 0.01 * np.nanmax(np.abs(RAW), axis=0), 0.0, RAW))
    shards = shards_of(X, 3, weights)
    ranges, wanted = column_ranges(shards), np.arange(DATA.n_features) != 6
    found = column_moments(shards, ranges, wanted, is_log=is_log)
    rows = np.repeat(np.arange(len(DATA)), weights[DATA.qid].astype(int))
    dense = np.asarray(X.toarray() if sparse.issparse(X) else X, np.float64)[rows]
    present = dense[weights[DATA.qid[rows]] > 0]
    np.testing.assert_array_equal(ranges.low, np.nanmin(present, axis=0))
    np.testing.assert_array_equal(ranges.high, np.nanmax(present, axis=0))
    values = np.sign(dense) * np.log1p(np.abs(dense)) if is_log else dense
    mean, deviation = np.nanmean(values, axis=0), np.nanstd(values, axis=0)
    np.testing.assert_allclose(found.mean[wanted], mean[wanted], rtol=1e-6, atol=1e-9)
    varies = wanted & (np.arange(DATA.n_features) != 4)
    np.testing.assert_allclose(found.deviation[varies], deviation[varies], rtol=1e-6)
    fourth = kurtosis(values[:, varies], fisher=False, nan_policy="omit")
    np.testing.assert_allclose(found.kurtosis[varies], fourth, rtol=1e-5)
    assert found.mean[6] == found.deviation[6] == found.deviation[4] == 0


@pytest.mark.parametrize("is_log", [False, True])
def test_neither_order_nor_shards_nor_threads_nor_sparsity_change_a_bit(is_log: bool) -> None:
    weights = random.random(DATA.n_queries + 1)
    X, wanted = np.where(RAW < 0, 0.0, RAW), np.ones(DATA.n_features, bool)
    found = []
    for n_shards, form, n_threads in ((1, np.asarray, 2), (3, np.asarray, 1), (5, sparse.csr_array, 2)):
        before = directrank.get_num_threads()
        directrank.set_num_threads(n_threads)
        try:
            shards = shards_of(form(X), n_shards, weights)
            moments = column_moments(shards, column_ranges(shards), wanted, is_log=is_log)
            z = z_of_missing(shards, np.array([1, 5]))
            expected = expected_values(shards, column_ranges(shards), np.isnan(X).any(axis=0), is_log=is_log)
        finally:
            directrank.set_num_threads(before)
        found.append(np.concatenate((*moments, z, expected)))
    np.testing.assert_array_equal(found[1], found[0])
    np.testing.assert_array_equal(found[2], found[0])


def test_the_signed_logarithm() -> None:
    x = np.concatenate(([0.0, 1e-300, 5e-324, 1e300, 1.0, 1e-16], np.exp(random.normal(size=1000) * 20)))
    x *= random.choice([-1.0, 1.0], x.size)
    np.testing.assert_allclose(signed_log(x), np.sign(x) * np.log1p(np.abs(x)), rtol=2e-15)


@pytest.mark.parametrize("joined", [False, True])
def test_the_z_value_of_missing_values_is_that_of_wilcoxons_test(joined: bool) -> None:
    y = (DATA.y > 0).astype(float) if joined else DATA.y
    parts = np.array_split(np.arange(DATA.n_queries), 3)
    shards = LocalShards.from_data([RankingData(RAW, y, DATA.qid).select_queries(part) for part in parts], AP())
    total = variance = 0.0
    for query in [np.full(y.size, True)] if joined else [DATA.qid == q for q in np.unique(DATA.qid)]:
        missing, ranks = np.isnan(RAW[query, 1]), rankdata(y[query])
        n, m = missing.size, missing.sum()
        total += 2 * (ranks[missing].sum() - m * (n + 1) / 2) / n
        variance += 4 * m * (n - m) / n * ranks.var(ddof=1) / n**2
    found = z_of_missing(shards, np.array([1]), joined=joined)
    np.testing.assert_allclose(found, total / np.sqrt(variance), rtol=1e-5)
    assert found[0] < -3


def test_the_rule_of_auto() -> None:
    n = len(DATA)
    columns = {
        "normal": random.normal(size=n),
        "uniform": 100 * random.random(n),
        "offset": 2000 + random.normal(size=n),
        "heavy": np.exp(3 * random.normal(size=n)),
        "counts": np.floor(np.exp(2 * random.normal(size=n))),
        "both sides": random.standard_t(1.5, n) * 10,
        "bounded": random.random(n),
        "tiny": 1e-12 * random.random(n),
        "constant": np.full(n, 3.0),
        "binary": (random.random(n) < 0.05).astype(float),
    }
    X = np.column_stack(list(columns.values()))
    features = scale(shards_of(X), "auto").features
    names = list(columns)
    assert [names[j] for j in features.log_features] == ["heavy", "counts", "both sides"]
    assert [name for name, d in zip(names, features.divisor, strict=True) if d == 1] == ["bounded", "binary"]
    assert not features.fill.any() and features.indicators.size == 0
    logs = np.column_stack([signed_log(X[:, j]) if j in features.log_features else X[:, j] for j in range(len(names))])
    scaled = features.divisor != 1
    scaled[names.index("constant")] = False
    np.testing.assert_allclose(features.divisor[scaled], logs.std(axis=0)[scaled], rtol=1e-6)
    assert features.divisor[names.index("constant")] == 3
    np.testing.assert_allclose(features.apply(X), logs / features.divisor, rtol=1e-12)


def test_log_and_standard_are_for_all_columns() -> None:
    log, standard = (scale(shards_of(RAW), name).features for name in ("log", "standard"))
    varying = [j for j in range(DATA.n_features) if j != 4]
    assert log.log_features.tolist() == list(range(DATA.n_features)) and standard.log_features.size == 0
    np.testing.assert_allclose(standard.divisor[varying], np.nanstd(RAW, axis=0)[varying], rtol=1e-6)


@pytest.mark.parametrize("form", [np.asarray, np.float32, sparse.csr_array], ids=["dense", "single", "sparse"])
@pytest.mark.parametrize("joined", [False, True])
@pytest.mark.parametrize("is_log", [False, True])
@pytest.mark.parametrize("weighted", [False, True])
def test_missing_values_become_what_a_regression_on_grades_expects(form, joined: bool, is_log: bool, weighted: bool) -> None:
    """Grades are relative to the query's; the third column is the relative grade, without the best."""
    relative = np.zeros(len(DATA))
    for query in (DATA.qid == q for q in np.unique(DATA.qid)):
        relative[query] = (2 * rankdata(DATA.y[query]) - query.sum() - 1) / query.sum()
    X = np.column_stack((RAW[:, 1], RAW[:, 5], np.where(relative > 0.5, np.nan, relative), np.full(len(DATA), 7.0)))
    X[0] = np.nan
    weights = random.integers(0, 4, DATA.n_queries + 1).astype(float) if weighted else np.ones(DATA.n_queries + 1)
    shards = shards_of(form(X), 3, weights)
    wanted = np.array([True, True, True, False])
    found = expected_values(shards, column_ranges(shards), wanted, is_log=is_log, joined=joined)
    rows = np.repeat(np.arange(len(DATA)), weights[DATA.qid].astype(int))
    values = (np.sign(X) * np.log1p(np.abs(X)) if is_log else X)[rows]
    goodness = (np.sign(DATA.y) if joined else relative)[rows]
    for j in range(3):
        is_missing = np.isnan(values[:, j])
        x, present = values[~is_missing, j], goodness[~is_missing]
        line = np.polynomial.Polynomial.fit(present, x, 1)
        assert found[j] == pytest.approx(np.clip(line(goodness[is_missing].mean()), x.min(), x.max()), rel=1e-5)
    assert found[3] == 0
    assert joined or found[2] == pytest.approx(np.nanmax(values[:, 2]))


@pytest.mark.parametrize("weights", [np.ones(10), np.arange(1.0, 11.0)], ids=["equal", "weighted"])
def test_grades_say_nothing_of_a_feature_that_only_documents_of_one_rank_have(weights) -> None:
    """Four of each query's ten documents are relevant, and only these have it."""
    y, qid, x = np.tile([1, 1, 1, 1, 0, 0, 0, 0, 0, 0], 10), np.repeat(np.arange(10), 10), random.normal(size=100)
    X = np.where(y > 0, x, np.nan)[:, None]
    shards = LocalShards([make_task(X, y, qid, AP(), weights[qid])])
    found = expected_values(shards, column_ranges(shards), np.array([True]), is_log=False)
    assert found[0] == pytest.approx(np.average(x[y > 0], weights=weights[qid][y > 0]), rel=1e-6)


def test_missing_values_become_the_expected_value_and_may_have_an_indicator() -> None:
    """What lacks column 1, a good feature, is worse than others; column 5 lacks values at random."""
    features = scale(shards_of(RAW), "auto").features
    assert features.indicators.tolist() == [1]
    mean, deviation = (moment(RAW[:, [1, 5]], axis=0) for moment in (np.nanmean, np.nanstd))
    fill = (features.fill * features.divisor)[[1, 5]]
    assert fill[0] < mean[0] - 0.1 * deviation[0] and abs(fill[1] - mean[1]) < 0.1 * deviation[1]
    for form in (np.asarray, sparse.csr_array):
        found = features.apply(form(RAW))
        found = found.toarray() if sparse.issparse(found) else found
        assert found.shape == (len(DATA), DATA.n_features + 1) and not np.isnan(found).any()
        np.testing.assert_array_equal(found[:, -1], np.isnan(RAW[:, 1]))
        np.testing.assert_array_equal(found[np.isnan(RAW[:, 5]), 5], features.fill[5])
    model = RankSVM().fit(RAW, DATA.y, DATA.qid).model_
    lacking, typical = RAW[:1].copy(), RAW[:1].copy()
    lacking[0, 1], typical[0, 1] = np.nan, np.nanmean(RAW[:, 1])
    assert model.predict(lacking)[0] < model.predict(typical)[0]
    assert set(np.flatnonzero(model.if_missing)) == {1, 5}


SCALED = [
    SVMRanker("AP", C=1.0),
    SVMRanker("nDCG@5", C=1.0),
    RankSVM(C=1.0),
    OneVsRestSVM(C=1.0),
    SmoothRank("AP", cv=2, max_iter=2),
    CoordinateAscent("AP", n_restarts=0, max_iter=2),
    AdaRank("AP"),
]
BY_NAME = [f"{type(learner).__name__}-{learner.measure}" for learner in SCALED]


@pytest.mark.parametrize("scaling", ["standard", "auto"])
@pytest.mark.parametrize("learner", SCALED, ids=BY_NAME)
def test_powers_of_2_change_no_bit_of_a_ranking(learner, scaling: str) -> None:
    """With "auto", of features that are neither bounded nor heavy-tailed."""
    X = 4 * np.clip(DATA.X, -2, 2) if scaling == "auto" else RAW
    factors = 2.0 ** (np.arange(DATA.n_features) * 5 % 17)
    one, other = (clone(learner).set_params(scaling=scaling).fit(Z, DATA.y, DATA.qid) for Z in (X, X * factors))
    np.testing.assert_array_equal(other.predict(X * factors), one.predict(X))
    np.testing.assert_array_equal(other.coef_ * factors, one.coef_)


def test_powers_of_2_change_no_classifier() -> None:
    X, factors = DATA.X, 2.0 ** (np.arange(DATA.n_features) * 5 % 17)
    one, other = (MultivariateSVC("F1", scaling="standard").fit(Z, DATA.y > 0) for Z in (X, X * factors))
    np.testing.assert_array_equal(other.decision_function(X * factors), one.decision_function(X))


@pytest.mark.parametrize(
    "learner", [SVMRanker("AP", C=1.0, tol=1e-6), RankSVM(C=1.0, tol=1e-6)], ids=["SVMRanker", "RankSVM"]
)
def test_standard_is_scikit_learns_scaler_without_centring(learner) -> None:
    X = np.nan_to_num(RAW[:, 5:])
    ours = clone(learner).set_params(scaling="standard").fit(X, DATA.y, DATA.qid).predict(X)
    Z = StandardScaler(with_mean=False).fit_transform(X)
    theirs = clone(learner).set_params(scaling="none").fit(Z, DATA.y, DATA.qid).predict(Z)
    np.testing.assert_allclose(ours, theirs, atol=1e-3)


@pytest.mark.parametrize("learner", SCALED, ids=BY_NAME)
def test_raw_features_are_ranked_by_as_well_as_scaled_ones(learner) -> None:
    """By far the best feature has tiny values, beside noise of a large scale."""
    noise = np.exp(8 + 2 * random.normal(size=(len(DATA), 3)))
    X = np.column_stack((1e-9 * (DATA.y + random.normal(size=len(DATA))), noise))
    given = (X, DATA.y, DATA.qid)
    value = clone(learner).fit(*given).score(*given, measure="AP")
    alone = LinearModel(np.array([1.0, 0, 0, 0])).predict(X)
    assert value > directrank.evaluate(DATA.y, alone, DATA.qid, "AP")["AP"] - 0.02


@pytest.mark.parametrize("learner", SCALED, ids=BY_NAME)
def test_values_missing_at_random_rank_no_worse_than_the_best_feature_alone(learner) -> None:
    """Of three features, all above 0, the best lacks a fifth of its values; alone, they are ranked last."""
    X = np.random.default_rng(0).random((2000, 3))
    y, qid = (2 * X[:, 0] + X[:, 1] + X[:, 2] > 2.2).astype(int) + (X[:, 0] > 0.9), np.repeat(np.arange(100), 20)
    X[np.random.default_rng(1).random(2000) < 0.2, 0] = np.nan
    X *= [30.0, 1e8, 1e-12]
    learned, held_out = np.arange(2000) < 1000, np.arange(2000) >= 1000
    model = clone(learner).fit(X[learned], y[learned], qid[learned])
    scores = {"learned": model.predict(X[held_out]), "alone": np.nan_to_num(X[held_out, 0], nan=-1.0)}
    values = {name: directrank.evaluate(y[held_out], s, qid[held_out], "nDCG@10")["nDCG@10"] for name, s in scores.items()}
    assert values["learned"] > values["alone"]


@pytest.mark.parametrize("learner", [SVMRanker("AP"), RankSVM(), SVMRanker("nDCG@5", bound="ramp")], ids=str)
def test_models_of_a_path_are_those_of_fits(learner) -> None:
    path = clone(learner).path(RAW, DATA.y, DATA.qid, [0.1, 10.0])
    for C, coef, model in zip(path.Cs.tolist(), path.coefs, path.models, strict=True):
        wanted = clone(learner).set_params(C=C).fit(RAW, DATA.y, DATA.qid)
        scale_of_scores = np.abs(wanted.predict(RAW)).max()
        np.testing.assert_allclose(model.predict(RAW), wanted.predict(RAW), atol=0.05 * scale_of_scores)
        np.testing.assert_array_equal(coef, model.coef)


def test_the_validation_set_has_the_scales_of_the_training_queries() -> None:
    """Its own statistics would be others: it is a few rows of one column's upper end."""
    rows = np.argsort(DATA.X[:, 0])[-100:]
    held_out = (RAW[rows], DATA.y[rows], DATA.qid[rows])
    Cs = [0.01, 100.0]
    chosen = RankSVM(Cs=Cs).fit(RAW, DATA.y, DATA.qid, eval_set=held_out)
    values = [RankSVM(C=C).fit(RAW, DATA.y, DATA.qid).score(*held_out) for C in Cs]
    assert chosen.evals_result_["validation"]["AUC"][0] == pytest.approx(max(values), abs=1e-3)


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array], ids=["dense", "sparse"])
def test_features_that_stay_as_they_are_are_not_copied(form) -> None:
    shards = LocalShards([make_task(form(np.clip(DATA.X, -1, 1)), DATA.y, DATA.qid, AP())])
    for scaling in ("auto", "none"):
        assert scale(shards, scaling).training.tasks[0].X is shards.tasks[0].X


def test_a_mapped_matrix_is_scaled_in_a_file(tmp_path) -> None:
    np.save(tmp_path / "x.npy", np.tile(RAW, (50, 1)))
    mapped = np.load(tmp_path / "x.npy", mmap_mode="r")
    task = make_task(mapped, np.tile(DATA.y, 50), np.repeat(np.arange(50), len(DATA)), AP())
    tracemalloc.start()
    scaled = scale(LocalShards([task]), "auto").training.each(lambda task: task.X)[0]
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert is_mapped(scaled) and peak < 0.7 * mapped.nbytes
    np.testing.assert_array_equal(scaled[: len(DATA)], scale(LocalShards([task]), "auto").features.apply(RAW))


def test_columns_that_cannot_be_summed_are_named() -> None:
    X = RAW.copy()
    X[0, 6] = 1e305
    with pytest.raises(InputError, match=r"column 6 .* of X has values up to 1e\+305 in size, too large to be summed"):
        RankSVM().fit(X, DATA.y, DATA.qid)


@pytest.mark.parametrize("learner", [EnsembleSelection("AP", n_estimators=3), RankBoost(n_estimators=3)], ids=str)
def test_rankings_by_features_have_missing_values_last(learner) -> None:
    """The one feature is the grade, which half of the irrelevant documents lack."""
    X = np.where((DATA.y == 0) & (random.random(len(DATA)) < 0.5), np.nan, DATA.y + 5.0)[:, None]
    model = clone(learner).fit(X, DATA.y, DATA.qid)
    best = directrank.evaluate(DATA.y, DATA.y, DATA.qid, "AP")["AP"]
    assert model.score(X, DATA.y, DATA.qid, measure="AP") == pytest.approx(best)
    np.testing.assert_allclose(model.predict(np.array([[np.nan]])), model.predict(np.array([[5.0]])))


@pytest.mark.parametrize("scaling", ["auto", "none", "standard", "log", "query"])
def test_adarank_adds_scaled_features_and_indicators_of_missing_values(scaling: str) -> None:
    model = AdaRank("AP", scaling=scaling, directions="both").fit(RAW, DATA.y, DATA.qid)
    scaled = scale(LocalShards([make_task(RAW, DATA.y, DATA.qid, AP())]), scaling)
    X, scores, n_indicators = scaled.training.each(lambda task: task.X)[0], np.zeros(len(DATA)), 0
    assert scaled.features.indicators.tolist() == [1]
    for step in model.history_[: model.best_iteration_]:
        feature, wanted = step.info["feature"], pytest.approx(step.evals["training"]["AP"])
        columns = [feature, -1] if feature == 1 else [feature]  # the feature, or its indicator
        sums = [scores + step.info["alpha"] * X[:, column] for column in columns]
        values = [directrank.evaluate(DATA.y, each, DATA.qid, "AP")["AP"] for each in sums]
        assert wanted in values
        n_indicators += values.index(wanted)
        scores = sums[values.index(wanted)]
    assert n_indicators > 0
    np.testing.assert_allclose(model.predict(RAW, DATA.qid), scores, rtol=1e-6, atol=1e-6 * np.abs(scores).max())
    assert model.features_.tolist() == [step.info["feature"] for step in model.history_[: model.best_iteration_]]


@pytest.mark.parametrize("scaling", ["auto", "none", "standard", "log", "query"])
def test_the_rounds_of_adarank_on_a_validation_set_are_those_of_its_model(scaling: str) -> None:
    learned = DATA.qid <= 20
    held_out = (RAW[~learned], DATA.y[~learned], DATA.qid[~learned])
    model = AdaRank("AP", scaling=scaling, directions="both")
    model.fit(RAW[learned], DATA.y[learned], DATA.qid[learned], eval_set=held_out)
    assert model.best_iteration_ > 1 and model.best_score_ == pytest.approx(model.score(*held_out))


def test_a_linear_model_with_logarithms_and_missing_values(tmp_path) -> None:
    model = LinearModel(np.array([1.0, -2.0, 3.0]), 0.5, None, np.array([1]), np.array([0.0, 4.0, -1.0]))
    X = np.array([[1.0, 10.0, np.nan], [np.nan, np.nan, 2.0], [0.0, -3.0, 1.0]])
    wanted = [1.0 - 2 * np.log(11) - 1 + 0.5, 4.0 + 6.0 + 0.5, 2 * np.log(4) + 3 + 0.5]
    for rows in (X, sparse.csr_array(X), X.astype(np.float32)):
        np.testing.assert_allclose(model.predict(rows), wanted, rtol=1e-15)
        np.testing.assert_array_equal(loads(dumps(model)).predict(rows), model.predict(rows))
    derivatives = model.derivatives(X)
    np.testing.assert_allclose(derivatives[:, 1], [np.log(11), 0, -np.log(4)])
    many = np.tile(X, (10_000, 1))
    np.testing.assert_array_equal(model.predict(many), np.tile(model.predict(X), 10_000))
    content = model.to_dict()
    old = {name: value for name, value in content.items() if name not in ("log_features", "if_missing")}
    assert LinearModel.from_dict(old).if_missing is None
    for wrong in ({"log_features": [1, 1]}, {"log_features": [3]}, {"if_missing": [1.0]}, {"log_features": [-1]}):
        with pytest.raises(ModelError, match=r"its (log_features|if_missing) must"):
            LinearModel.from_dict(content | wrong)
    other = LinearModel(np.ones(3), log_features=np.array([0]))
    with pytest.raises(ModelError, match="logarithms of different features"):
        SumOverGrades(np.array([1.0, 2.0]), [model, other]).check()
    np.testing.assert_allclose(
        SumOverGrades(np.array([1.0, 2.0]), [model, model]).predict(X), 3 * np.array(wanted), rtol=1e-15
    )


def test_an_identity_leaves_values_as_they_are() -> None:
    identity = FeatureScaling.identity(DATA.n_features)
    assert identity.apply(DATA.X) is DATA.X
    np.testing.assert_array_equal(identity.apply(RAW), np.nan_to_num(RAW))


def levelling_off(seed: int) -> RankingData:
    """Grades that depend on the signs of normal features, for which a signed logarithm is the better scale."""
    X = np.random.default_rng(seed).normal(size=(900, 6))
    return RankingData(X, np.clip(np.sign(X[:, :4]).sum(axis=1), 0, 4), np.arange(900) // 15 + 1)


CHOOSING = [
    RankSVM(C=1.0),
    SVMRanker("AP", C=1.0),
    OneVsRestSVM(C=1.0),
    SmoothRank("AP", max_iter=1),
    CoordinateAscent("AP", max_iter=1),
    AdaRank("AP"),
]


@pytest.mark.parametrize("learner", CHOOSING, ids=lambda learner: type(learner).__name__)
def test_validation_queries_choose_between_the_rule_by_columns_and_the_logarithm(learner) -> None:
    for data, other, wanted in ((levelling_off(0), levelling_off(1), "log"), (DATA, DATA, "auto")):
        eval_set = (other.X, other.y, other.qid)
        found = clone(learner).fit(data.X, data.y, data.qid, eval_set=eval_set)
        assert found.coef_.any() and len(found.model_.to_dict()) > 0
        expected = clone(learner).set_params(scaling="log" if wanted == "log" else "standard")
        expected.fit(data.X, data.y, data.qid, eval_set=eval_set)
        np.testing.assert_array_equal(found.predict(other.X), expected.predict(other.X))
        without = clone(learner).fit(data.X, data.y, data.qid)
        by_column = clone(learner).set_params(scaling="standard").fit(data.X, data.y, data.qid)
        np.testing.assert_array_equal(without.predict(other.X), by_column.predict(other.X))


def test_one_validation_query_or_uninformative_ones_choose_nothing() -> None:
    data, other = levelling_off(0), levelling_off(1)
    for rows, y in ((other.qid == 1, other.y), (slice(None), np.ones(len(other)))):
        model = RankSVM(C=1.0).fit(data.X, data.y, data.qid, eval_set=(other.X[rows], y[rows], other.qid[rows]))
        assert model.model_.log_features.size == 0


def test_ctrl_c_during_the_choice_leaves_no_model(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_: object) -> float:
        raise KeyboardInterrupt

    monkeypatch.setattr("directrank.learners.svm.model_selection.mean_value", interrupt)
    model, eval_set = RankSVM(), (DATA.X, DATA.y, DATA.qid)
    with pytest.raises(KeyboardInterrupt):
        model.fit(DATA.X, DATA.y, DATA.qid, eval_set=eval_set, keep_partial=True)
    assert model.interrupted_ and not hasattr(model, "model_")
