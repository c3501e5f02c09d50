"""Experiments on LETOR's folds."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from directrank import RankSVM
from directrank.data import InputError, RankingData, letor_folds, write_letor
from directrank.measures import AP
from directrank.papers import Rows
from directrank.papers.adarank.letor_ohsumed import LETOR as OHSUMED
from directrank.papers.letor import experiments
from directrank.papers.letor.candidate_models import CS, LEARNERS


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Three folds of three parts, with a query of ten documents and one of six in each."""
    random = np.random.default_rng(0)
    y = np.array([2, 1, 1, 0, 0, 0, 0, 0, 0, 0] + [1, 1, 0, 0, 0, 0])
    parts = [
        RankingData(random.random((16, 4)) + 0.3 * y[:, None], y, np.repeat([2 * i, 2 * i + 1], (10, 6))) for i in range(3)
    ]
    for fold in range(3):
        for role, name in enumerate(("train", "vali", "test")):
            file = tmp_path / "data" / f"Fold{fold + 1}" / f"{name}.txt"
            file.parent.mkdir(parents=True, exist_ok=True)
            write_letor(file, parts[(fold + role) % 3])
    return tmp_path / "data"


def test_figures_are_means_over_folds(folder, tmp_path, monkeypatch):
    chosen = {name: LEARNERS[name] for name in ("RankSVM", "RankBoost", "AdaRank-MAP")}
    monkeypatch.setattr(experiments, "LEARNERS", chosen)
    (experiment,) = experiments.EXPERIMENTS
    folds = experiment.sources[0].read(folder)
    outcome = experiment.run(folds, Rows(tmp_path / "rows.jsonl"), False)
    assert list(outcome.figures) == list(chosen)
    assert outcome.report is not None and len(outcome.report.qid) == 6
    values = []
    for train, validation, test in letor_folds(folder):
        path = RankSVM(scaling="none").path(train.X, train.y, train.qid, CS)
        best = max(path.coefs, key=lambda w: _map(validation, validation.X @ w))
        values.append(_map(test, test.X @ best))
    assert outcome.figures["RankSVM"]["MAP"] == pytest.approx(np.mean(values))


def test_quick_run_is_the_first_fold(folder, tmp_path, monkeypatch):
    monkeypatch.setattr(experiments, "LEARNERS", {name: LEARNERS[name] for name in ("RankSVM", "AdaRank-MAP")})
    rows = Rows(tmp_path / "rows.jsonl")
    experiments.run_folds(list(letor_folds(folder)), rows, True)
    assert rows.n_computed == 2


@pytest.mark.parametrize("source", [experiments.LETOR, OHSUMED])
def test_folder_without_folds_is_an_error(source, tmp_path):
    (tmp_path / "file").write_text("1 qid:1 1:0.5\n")
    with pytest.raises(InputError, match=r"file: not a folder; give --data letor=FOLDER, a folder with Fold1 to Fold5"):
        source.read(tmp_path / "file")
    with pytest.raises(InputError, match=r"no Fold1 in this directory; give the one that contains Fold1"):
        source.read(tmp_path)


def _map(data: RankingData, scores: np.ndarray) -> float:
    queries = data.by_query()
    return float(np.mean(AP().evaluate(queries.to_query_order(scores), queries.to_query_order(data.y), queries.offsets)))
