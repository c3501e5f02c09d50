"""The study of effectiveness on a set that is small enough for a test."""

import numpy as np
import pytest
from benchmarks.effectiveness import MEASURES
from benchmarks.effectiveness.runs import chosen, evaluation, run_all
from benchmarks.effectiveness.sets import folds_of
from benchmarks.effectiveness.tables import print_all

from directrank import RankSVM, evaluate, write_letor
from directrank.data import InputError
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
def test_a_small_study(folder, tmp_path, capsys):
    contestants = chosen(["RankSVM", "SVMRanker", "XGBoost rank:map"])
    run_all([str(folder)], contestants, 2, tmp_path)
    ranksvm = next(each for each in contestants if each.name == "RankSVM")
    expected = []
    for train, validation, test in folds_of(str(folder)):
        model = RankSVM().fit(train.X, train.y, train.qid, eval_set=(validation.X, validation.y, validation.qid))
        expected.append(evaluate(test.y, model.predict(test.X), test.qid, MEASURES).values("AP"))
    np.testing.assert_allclose(evaluation(tmp_path, str(folder), ranksvm).values("AP"), np.concatenate(expected))
    assert len(list(tmp_path.glob("*XGBoost*"))) == 2  # one for each seed, and one where there is nothing random
    assert len(list(tmp_path.glob("*RankSVM*"))) == 1

    print_all([str(folder)], contestants, tmp_path)
    lines = capsys.readouterr().out.splitlines()
    row = next(line for line in lines if line.startswith("| RankSVM |"))
    assert f"{np.concatenate(expected).mean():.4f}" in row
    means = {each.name: evaluation(tmp_path, str(folder), each)["AP"] for each in contestants}
    theirs = means.pop("XGBoost rank:map, equal size")
    against = next(line for line in lines if line.startswith("| small | AP |"))
    assert f"| {max(means.values()):.4f} |" in against and f"| {theirs:.4f} |" in against
    assert f"{max(means.values()) - theirs:+.4f} [" in against


def test_every_query_is_tested_once(folder):
    tested = np.concatenate([fold.test.by_query().ids for fold in folds_of(str(folder))])
    assert np.unique(tested).size == tested.size == 30


def test_no_such_set():
    with pytest.raises(InputError, match="no such folder"):
        folds_of("nowhere")
