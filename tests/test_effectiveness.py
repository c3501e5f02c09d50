"""The effectiveness benchmark on a small collection."""

import numpy as np
import pytest
from benchmarks.effectiveness import MEASURES, peers
from benchmarks.effectiveness.collections import _five_folds, _scores_as_features, read_folds
from benchmarks.effectiveness.runs import evaluation, run_all, select_contestants
from benchmarks.effectiveness.tables import print_all

from directrank import RankSVM, evaluate, write_letor
from directrank.data import InputError, RankingData
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
    contestants = select_contestants(["RankSVM", "SVMRanker", "XGBoost rank:map"])
    run_all([str(folder)], contestants, 2, tmp_path)
    by_name = {each.name: each for each in contestants}
    expected = []
    for train, validation, test in read_folds(str(folder)):
        model = RankSVM().fit(train.X, train.y, train.qid, eval_set=(validation.X, validation.y, validation.qid))
        expected.append(evaluate(test.y, model.predict(test.X), test.qid, MEASURES).values("AP"))
    found = evaluation(tmp_path, str(folder), by_name["RankSVM"], 1)
    np.testing.assert_allclose(found.values("AP"), np.concatenate(expected))
    assert len(list(tmp_path.glob("*XGBoost*"))) == 2  # one for each seed, and one where there is nothing random
    assert len(list(tmp_path.glob("*RankSVM*"))) == 1

    print_all([str(folder)], contestants, tmp_path, 2)
    lines = capsys.readouterr().out.splitlines()
    assert any(line.startswith("| RankSVM |  |") and f"{np.concatenate(expected).mean():.4f}" in line for line in lines)
    theirs = evaluation(tmp_path, str(folder), by_name["XGBoost rank:map, equal size"], 2)["AP"]
    svm = evaluation(tmp_path, str(folder), by_name["SVMRanker for AP"], 1)["AP"]
    against = next(line for line in lines if line.startswith("| small | AP |"))
    assert f"| {theirs:.4f} | {svm - theirs:+.4f} [" in against

    print_all([str(folder)], [by_name["SVMRanker for AP"]], tmp_path, 2)  # what was not run is left out
    assert "SVMRanker" in capsys.readouterr().out


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


def test_missing_folder():
    with pytest.raises(InputError, match="no such folder"):
        read_folds("nowhere")
