"""The protocol of section 4 of the paper."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from adarank_data import part, write_folds

from directrank import AdaRank, RankSVM, evaluate
from directrank.data import InputError
from directrank.measures import AP
from directrank.papers.adarank.document_pairs import map_by_group, query_groups
from directrank.papers.adarank.letor_ohsumed import read_letor_ohsumed
from directrank.papers.adarank.protocol import Task, evaluate_trial, ranking_svm, run_trials, trials, tune_bm25
from directrank.papers.adarank.text_features import read_text_collection
from directrank.papers.letor.candidate_models import CS


def test_every_query_is_tested_once(letor):
    data = letor.data
    parts = trials(data)
    assert np.array_equal(np.sort(np.concatenate([trial.test for trial in parts])), np.arange(len(data)))
    sizes = [np.unique(data.qid[trial.test]).size for trial in parts]
    assert len(parts) == 4 and max(sizes) - min(sizes) <= 1
    for trial in parts:
        assert not set(data.qid[trial.training]) & set(data.qid[trial.test])
        assert trial.training.size + trial.test.size == len(data)
        assert not set(data.qid[trial.fitting]) & set(data.qid[trial.selection])
        assert np.array_equal(np.sort(np.concatenate([trial.fitting, trial.selection])), trial.training)


def test_map_counts_definitely_relevant_documents_and_pair_accuracy_pools_queries(letor):
    data, trial = letor.data, trials(letor.data)[1]
    scores = np.random.default_rng(0).random(len(data))
    row = evaluate_trial(data, scores, trial, letor.average_precision)
    y, s, qid = data.y[trial.test], scores[trial.test], data.qid[trial.test]
    expected = evaluate(y == 2, s, qid, "AP")
    assert list(row["test"]["MAP"].values()) == pytest.approx(expected.values("AP").tolist())
    for name, (high, low) in {"d-n": (2, 0), "d-p": (2, 1), "p-n": (1, 0)}.items():
        right = [
            s[i] > s[j] for i, j in product(range(y.size), repeat=2) if qid[i] == qid[j] and (y[i], y[j]) == (high, low)
        ]
        assert row["pairs"][name] == pytest.approx(np.mean(right))


def test_ranking_svm_is_chosen_on_a_third_of_the_training_queries_and_trained_on_all(letor):
    data, trial = letor.data, trials(letor.data)[2]
    found = ranking_svm(Task(data, data.X[:, 0], trial, AP(rel=2), False))
    fitting, choosing, training = (data.select(rows) for rows in (trial.fitting, trial.selection, trial.training))
    path = RankSVM(scaling="none").path(fitting.X, fitting.y, fitting.qid, CS)
    values = [evaluate(choosing.y, choosing.X @ w, choosing.qid, AP(rel=2))[AP(rel=2)] for w in path.coefs]
    assert found.chosen["C"] == CS[int(np.argmax(values))]
    model = RankSVM(C=found.chosen["C"], scaling="none").fit(training.X, training.y, training.qid)
    assert np.array_equal(found.scores, model.predict(data.X))


def test_adarank_trains_on_all_training_queries_by_its_measure(letor, rows):
    found = run_trials(letor, rows, True, ("AdaRank.NDCG",))["AdaRank.NDCG"]
    for trial, row in zip(trials(letor.data), found, strict=True):
        training, test = letor.data.select(trial.training), letor.data.select(trial.test)
        model = AdaRank("nDCG@5", scaling="none").fit(training.X, training.y, training.qid)
        expected = evaluate(test.y, model.predict(test.X), test.qid, "nDCG@5").values("nDCG@5")
        assert list(row["test"]["NDCG@5"].values()) == pytest.approx(expected.tolist())


def test_bm25_is_tuned_on_the_training_queries_of_the_first_trial(text_folder, rows):
    collection = read_text_collection(text_folder)
    chosen = tune_bm25(collection, rows, False)
    trial = trials(collection.data)[0]
    part = collection.data.select(trial.training)
    values = {s: evaluate(part.y, collection.bm25(s)[trial.training], part.qid, "AP")["AP"] for s in collection.settings}
    assert values[chosen] == max(values.values())
    assert np.ptp(list(values.values())) > 0


def test_queries_are_grouped_by_thousands_of_pairs(letor, rows):
    data = part(1)
    assert set(query_groups(data).values()) == {"0-1k"}  # 2 * 3 + 2 * 10 + 3 * 10 pairs
    many = data.select(np.repeat(np.arange(len(data)), 6))  # 36 times as many
    assert set(query_groups(many).values()) == {"2k-3k"}
    figures = map_by_group(letor, rows, True).figures
    assert figures["0-1k"]["queries"] == 10
    assert figures["0-1k"]["AdaRank.MAP"] == figures["average of the groups"]["AdaRank.MAP"]


def test_other_letor_data_is_an_error(tmp_path):
    with pytest.raises(InputError, match=r"46: there are 46 features; only OHSUMED of LETOR 3.0"):
        read_letor_ohsumed(write_folds(tmp_path / "46", [part(i, 46) for i in range(3)]))
    with pytest.raises(InputError, match="test parts of two folds share queries"):
        read_letor_ohsumed(write_folds(tmp_path / "twice", [part(i % 2) for i in range(3)]))
