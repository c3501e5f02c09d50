"""The trials of the paper."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from directrank.papers.rows import Rows
from directrank.papers.yue import protocol
from directrank.papers.yue.base_functions import BaseFunctions
from directrank.papers.yue.data_sources import read_run_folder
from directrank.papers.yue.outcomes import _remarks
from directrank.papers.yue.protocol import BinnedScores, Trials, mean_over_trials


@pytest.fixture(scope="module")
def functions(runs_folder: Path) -> BaseFunctions:
    return read_run_folder(runs_folder)


def test_fifty_trials_with_balanced_roles(functions: BaseFunctions) -> None:
    roles = Trials.prepare(functions, quick=False).roles
    assert len(roles) == 50 and {(r.train.size, r.validation.size, r.test.size) for r in roles} == {(10, 5, 5)}
    for trial in roles:
        assert sorted(np.concatenate(trial)) == list(range(20))
    for queries in ([r.train for r in roles], [r.validation for r in roles]):
        counts = Counter(np.concatenate(queries).tolist())
        assert len(counts) == 20 and max(counts.values()) - min(counts.values()) <= 1


def test_c_is_chosen_by_map_on_the_validation_queries(functions: BaseFunctions) -> None:
    trials = Trials.prepare(functions, quick=True)
    roles, features = trials.roles[0], trials.features("scores")
    C, w = trials.train("SVM-map", roles)
    chosen = functions.average_precision(features.scores(w, functions.rows(roles.validation)), roles.validation).mean()
    train = functions.rows(roles.train)
    data = protocol.RankingData(features.matrix(train), functions.relevant[train] * 1.0, functions.data.qid[train])
    coefs = protocol.METHODS["SVM-map"][1](data, trials.Cs, 1.0)
    rows = functions.rows(roles.validation)
    values = [functions.average_precision(features.scores(each, rows), roles.validation).mean() for each in coefs]
    assert chosen == max(values) and trials.Cs[int(np.argmax(values))] == C


def test_svm_acc2_weights_errors_by_the_class_ratio(functions: BaseFunctions, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    def path(train, Cs, *, ratio, tol):  # type: ignore[no-untyped-def]
        asked.append(ratio)
        return np.zeros((len(Cs), train.X.shape[1]))

    monkeypatch.setattr(protocol, "accuracy_path", path)
    trials = Trials.prepare(functions, quick=True)
    for method in ("SVM-acc", "SVM-acc2", "SVM-acc3"):
        trials.train(method, trials.roles[0])
    assert asked == [1.0, np.sum(functions.data.y == 0) / np.sum(functions.data.y > 0), 1.0]


@pytest.mark.parametrize("scale", ["scores", "percentiles", "min-max"])
def test_scores_match_the_binary_features(functions: BaseFunctions, scale: str) -> None:
    features, rows = BinnedScores.fit(functions.data, scale), np.arange(5, 300)
    w = np.random.default_rng(0).standard_normal(features.n_features)
    np.testing.assert_allclose(features.scores(w, rows), features.matrix(rows) @ w, atol=1e-12)


def test_thresholds_of_scaled_scores_are_evenly_spaced(functions: BaseFunctions) -> None:
    for scale in ("percentiles", "min-max"):
        features = BinnedScores.fit(functions.data, scale)
        assert features.n_features == 50 * 3
        for thresholds in features.binner.thresholds_:
            assert thresholds[0] > 0 and thresholds[-1] < 1
            np.testing.assert_allclose(np.diff(thresholds), 1 / 51)


def test_trials_are_stored_as_rows(functions: BaseFunctions, tmp_path: Path) -> None:
    rows = Rows(tmp_path / "rows.jsonl")
    found = Trials.prepare(functions, quick=True).run("SVM-map", rows)
    assert [len(trial["AP"]) for trial in found] == [5, 5] and rows.n_computed == 2
    again = Rows(tmp_path / "rows.jsonl")
    assert Trials.prepare(functions, quick=True).run("SVM-map", again) == found and again.n_computed == 0


def test_query_value_is_the_mean_over_trials() -> None:
    assert mean_over_trials([{"AP": {"a": 0.5, "b": 1.0}}, {"AP": {"a": 0.25}}]) == {"a": 0.375, "b": 1.0}


def test_trials_with_zero_weights_are_counted(functions: BaseFunctions, monkeypatch: pytest.MonkeyPatch) -> None:
    weights = iter([0.0, 0.5])

    def path(train, Cs, *, ratio, tol):  # type: ignore[no-untyped-def]
        return np.full((len(Cs), train.X.shape[1]), next(weights))

    monkeypatch.setattr(protocol, "accuracy_path", path)
    trials = Trials.prepare(functions, quick=True)
    found = [trials._run("SVM-acc", name) for name in "12"]
    assert [trials.n_untrained([each]) for each in found] == [1, 0] and trials.n_untrained(found) == 1
    (remark,) = [each for each in _remarks(trials, {"SVM-map": found[1:], "SVM-acc": found}) if "nothing" in each]
    assert remark == "Trials in which an SVM learned nothing (w = 0, all documents equal): SVM-acc in 1."
    assert not any("nothing" in each for each in _remarks(trials, {"SVM-acc": found[1:]}))


def test_learning_recovers_the_good_run(functions: BaseFunctions, tmp_path: Path) -> None:
    values = mean_over_trials(Trials.prepare(functions, quick=True).run("SVM-map", Rows(tmp_path / "rows")))
    bad = np.mean([functions.alone["bad"][qid] for qid in values])
    assert np.mean(list(values.values())) > bad + 0.1
    without = functions.without("good")
    assert sorted(without.names) == ["bad", "fair"] and len(without.data) == len(functions.data)
