"""The effectiveness benchmark on a small collection."""

import numpy as np
import pytest
from benchmarks.effectiveness import MEASURES, peers
from benchmarks.effectiveness.__main__ import main
from benchmarks.effectiveness.bootstrap import RESAMPLES, difference, resampled_means
from benchmarks.effectiveness.collections import _five_folds, _scores_as_features, read_folds
from benchmarks.effectiveness.contestant import Contestant, Side
from benchmarks.effectiveness.families import FAMILIES, family, generate, parse_name
from benchmarks.effectiveness.goals import claims
from benchmarks.effectiveness.halves import Half, half_of
from benchmarks.effectiveness.outcome import Found, Outcome, difference_over_sets
from benchmarks.effectiveness.record import FIGURES, Key, read_record, write_record
from benchmarks.effectiveness.runs import outcomes, run_all, saved_record, saved_values, select_contestants
from benchmarks.effectiveness.single_feature import single_feature
from benchmarks.effectiveness.tables import print_all

from directrank import RankSVM, evaluate, write_letor
from directrank.data import InputError, RankingData
from directrank.data.splits import Split
from directrank.datasets import make_ranking


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("sets") / "small"
    parts = [make_ranking(6, (8, 14), random_state=seed) for seed in range(5)]
    for number, part in enumerate(parts):
        part.qid[:] += 100 * number
    for i in range(5):
        fold = folder / f"Fold{i + 1}"
        fold.mkdir(parents=True)
        for name, part in zip(("train", "vali", "test"), (i, (i + 3) % 5, (i + 4) % 5), strict=True):
            write_letor(fold / f"{name}.txt", parts[part])
    return folder


@pytest.mark.slow
def test_small_collection(folder, tmp_path, capsys):
    source = str(folder)
    contestants = select_contestants(["RankSVM", "SVMRanker for", "XGBoost rank:map"])
    contestants = [each for each in contestants if each.scaling is None]
    run_all([source], contestants, 2, tmp_path, 1)
    expected = []
    for train, validation, test in read_folds(source):
        model = RankSVM().fit(train.X, train.y, train.qid, eval_set=(validation.X, validation.y, validation.qid))
        expected.append(evaluate(test.y, model.predict(test.X), test.qid, MEASURES).values("AP"))
    svm, xgboost = (next(each for each in contestants if each.learner.startswith(name)) for name in ("RankSVM", "XGBoost"))
    np.testing.assert_allclose(saved_values(tmp_path, source, svm, 2)[:, 0], np.concatenate(expected))
    assert len(list(tmp_path.glob("*XGBoost*"))) == 2  # one for each seed, and one where there is nothing random
    assert len(list(tmp_path.glob("*RankSVM*"))) == 1

    record = saved_record(tmp_path, [source], contestants, 2)
    (outcome,) = outcomes([source], contestants, 2, tmp_path, record)
    assert outcome.found[xgboost].n_seeds == 2 and outcome.found[svm].n_seeds == 1
    assert outcome.mean("RankSVM", "AP") == pytest.approx(np.concatenate(expected).mean())
    assert outcome.mean("RankSVM", "seconds") > 0
    print_all([outcome])
    lines = capsys.readouterr().out.splitlines()
    assert any(line.startswith("| RankSVM |  |") and f"{outcome.mean('RankSVM', 'AP'):.4f}" in line for line in lines)
    assert any(line.startswith("| XGBoost rank:map, equal size | 2 |") for line in lines)

    write_record(tmp_path / "record.csv", record)  # what was not saved is printed from the record
    arguments = ["--print", "--record", str(tmp_path / "record.csv"), "--results", str(tmp_path / "nothing")]
    main(arguments)
    assert "| XGBoost rank:map, equal size | 2 |" in capsys.readouterr().out


def test_every_query_is_tested_once():
    data = make_ranking(23, (3, 6), random_state=0)
    data = RankingData(data.X, data.y, np.array([f"q{q}" for q in data.qid]))
    folds = list(_five_folds(data))
    tested = np.concatenate([fold.test.by_query().ids for fold in folds])
    assert np.unique(tested).size == tested.size == 23
    for fold in folds:
        assert sum(part.n_queries for part in fold) == 23 and sum(map(len, fold)) == len(data)


def test_features_are_scaled_scores_of_the_top_documents():
    X = np.array([[1.0, 0.0], [3.0, 1.0], [2.0, np.nan], [9.0, 5.0]])
    found = _scores_as_features(RankingData(X, np.array([0.0, 1.0, 0.0, 1.0]), np.array([1, 1, 1, 2])), 2)
    np.testing.assert_array_equal(found.qid, [1, 1, 2])
    np.testing.assert_allclose(found.X[:2], [[1.0, 1.0], [0.5, 0.0]])
    np.testing.assert_array_equal(found.y, [1, 0, 1])


def test_stage_is_chosen_for_each_column_on_validation():
    data = make_ranking(30, random_state=0)
    fold = next(_five_folds(data))
    by_feature = lambda X: iter(X.T)  # noqa: E731
    found = peers._best_stages(fold, by_feature)
    for measure in MEASURES:
        values = [evaluate(fold.validation.y, s, fold.validation.qid, measure)[measure] for s in fold.validation.X.T]
        np.testing.assert_array_equal(found[measure], fold.test.X[:, np.argmax(values)])
    sums = list(peers._sums(lambda first: np.array([float(first)]), 3 * peers.STEP))
    np.testing.assert_array_equal(sums, [[0.0], [5.0], [15.0]])


def test_best_single_feature_is_chosen_on_training_queries():
    y = np.array([1.0, 0.0, 1.0, 0.0])
    X = np.array([[1.0, 5.0], [2.0, 6.0], [3.0, 9.0], [4.0, 8.0]])  # the first is right in descending order
    data = RankingData(X, y, np.array([1, 1, 2, 2]))
    scores = single_feature().train(Split(data, data, RankingData(-X, y, data.qid)), 0)()
    np.testing.assert_array_equal(scores["AP"], X[:, 0])


@pytest.mark.parametrize("name", FAMILIES)
def test_family(name):
    """Deterministic, with grades of realistic shares, and a best ranking that is neither perfect nor poor."""
    data, signal = generate(name, 100, 60, 50, seed=3)
    again = family(name, 100, seed=3)
    np.testing.assert_array_equal(data.X, again.X)
    np.testing.assert_array_equal(data.y, again.y)
    assert not np.array_equal(data.y, family(name, 100, seed=4).y)
    assert data.X.shape[1] == 50 and data.n_queries == 100 and np.isfinite(data.X).all()
    np.testing.assert_allclose(np.bincount(data.y.astype(int)) / len(data), [0.5, 0.25, 0.15, 0.07, 0.03], atol=0.001)
    assert 0.8 < evaluate(data.y, signal, data.qid, "nDCG@10")["nDCG@10"] < 0.92
    assert np.bincount(data.qid).min() >= 30 and np.bincount(data.qid).max() <= 90


def test_families_are_sources():
    assert parse_name("many-weak-200") == ("many-weak", 200)
    assert parse_name("weak-200") is None and parse_name("/data/linear-0") is None
    folds = read_folds("linear-25")
    assert len(folds) == 5 and sum(fold.test.n_queries for fold in folds) == 25
    (split,) = read_folds("thresholds-2000")
    assert [part.n_queries for part in split] == [1200, 400, 400]


def test_halves():
    assert half_of("TTI") is half_of("linear-500") is Half.DEVELOPMENT
    assert half_of("WTR") is half_of("linear-50") is half_of("linear-501") is Half.REPORTING


def test_record_is_read_as_it_was_written(tmp_path):
    record = {
        Key("set", "LightGBM lambdarank, equal size", seed): {name: 0.25 * seed + i for i, name in enumerate(FIGURES)}
        for seed in (1, 0)
    }
    assert read_record(tmp_path / "record.csv") == {}
    write_record(tmp_path / "record.csv", record)
    assert {key: pytest.approx(figures, abs=0.05) for key, figures in record.items()} == read_record(tmp_path / "record.csv")


def test_bootstrap_has_the_standard_error_of_a_mean():
    values = np.random.default_rng(0).normal(size=(400, 1))
    resampled = resampled_means(values)
    assert resampled.shape == (RESAMPLES, 1)
    assert resampled.std() == pytest.approx(values.std() / 20, rel=0.1)
    found = difference([values.mean()], [resampled[:, 0]])
    assert found.high - found.low == pytest.approx(2 * 1.96 * values.std() / 20, rel=0.1)
    sets = [0.0, 0.1, 0.2, 0.3]  # whose means are known exactly
    found = difference(sets, [np.full(RESAMPLES, mean) for mean in sets])
    assert found.mean == pytest.approx(0.15)
    assert found.high - found.low == pytest.approx(2 * 1.96 * np.std(sets) / 2, rel=0.15)


def _outcome(name, **values):
    """An outcome with a value per query, the same by each measure."""
    sides = {"LambdaMART": Side.OURS, "Best single feature": Side.NOBODYS, "RankSVM": Side.OURS}
    found = {}
    for learner, of_queries in values.items():
        learner = learner.replace("_", " ")
        by_measure = np.column_stack([of_queries] * len(MEASURES))
        figures = Found(1, {**dict.fromkeys(MEASURES, np.mean(of_queries)), "seconds": 1.0}, by_measure)
        for objective in MEASURES if learner == "LambdaMART" else [None]:
            found[Contestant(learner, objective, sides.get(learner, Side.THEIRS), True, None)] = figures
    return Outcome(name, found)


def test_claims():
    good = _outcome("TTI", LambdaMART=[0.8, 0.6], RankSVM=[0.5, 0.5], Best_single_feature=[0.5, 0.4], LightGBM=[0.7, 0.6])
    poor = _outcome("WTR", LambdaMART=[0.8, 0.6], RankSVM=[0.3, 0.3], Best_single_feature=[0.5, 0.4], LightGBM=[0.8, 0.8])
    above_single, mean, _, on_each, large, own, own_on_average = (claim for claim in claims() if claim.measure == "AP")
    assert str(above_single.judge([good])) == "pass, +0.0500 RankSVM on TTI"
    assert str(above_single.judge([good, poor])) == "**fail**, 1 of 2, -0.1500 RankSVM on WTR"
    assert str(mean.judge([good, poor])) == "**fail**, 0 of 1, -0.0250 to LightGBM"
    assert str(on_each.judge([poor])) == "**fail**, 0 of 1, -0.0950 to LightGBM on WTR"
    assert str(large.judge([good, poor])) == ""
    assert str(own.judge([good, poor])).startswith("pass") and str(own_on_average.judge([good, poor])).startswith("pass")


def test_difference_over_sets_is_paired():
    random = np.random.default_rng(0)
    ours = random.random(200)
    outcome = _outcome("TTI", LambdaMART=ours + 0.1, RankSVM=ours)
    found = difference_over_sets([outcome], "LambdaMART for AP", "RankSVM", "AP")
    np.testing.assert_allclose(found, 0.1)


def test_missing_folder():
    with pytest.raises(InputError, match="no such folder"):
        read_folds("nowhere")
