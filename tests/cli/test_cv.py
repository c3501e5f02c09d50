"""``directrank cv``: the values are the library's, and the scores can be compared."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from harness import error_of, stdout_of
from sklearn.linear_model import LinearRegression

from directrank import Qrels, RankingData, SVMRanker, evaluate, write_letor, write_qrels
from directrank.data import read_scores
from directrank.datasets import make_ranking
from directrank.selection import cross_validate

DATA = make_ranking(15, random_state=0)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    docno = [f"d{row}" for row in range(len(DATA))]
    write_letor(tmp_path / "data.txt", RankingData(DATA.X, DATA.y, DATA.qid, docno, DATA.feature_names))
    return tmp_path / "data.txt"


def test_the_values_of_the_library(file: Path) -> None:
    found = json.loads(stdout_of("cv", file, "--set", "C=1", "-m", "AP,nDCG@10", "--folds", 3, "--seed", 2, "--json"))
    expected = cross_validate(SVMRanker("AP", C=1), DATA, ["AP", "nDCG@10"], n_folds=3, random_state=2)
    assert found["values"]["AP"]["mean"] == pytest.approx(expected.means["AP"])
    assert found["values"]["nDCG@10"]["folds"] == pytest.approx(expected.per_fold["nDCG@10"].tolist())
    assert found["values"]["AP"]["standard error"] == pytest.approx(expected.standard_errors["AP"])
    assert found["queries"] == 15 and len(found["seconds"]) == 3
    out = stdout_of("cv", file, "--set", "C=1", "--folds", 3)
    assert "svm, 3 folds of 15 queries" in out and "fold 3" in out and "standard error" in out


def test_the_scores_can_be_evaluated_and_compared(file: Path) -> None:
    folder = file.parent
    for name in ("ranksvm", "AdaRank"):
        stdout_of("cv", file, "--learner", name, "-o", folder / f"{name}.txt")
    scores = read_scores(folder / "ranksvm.txt")
    value = evaluate(DATA.y, scores, DATA.qid, "AP")["AP"]
    assert f"{value:.4f}" in stdout_of("evaluate", file, "--scores", folder / "ranksvm.txt", "-m", "AP")
    out = stdout_of("compare", file, "--scores", folder / "ranksvm.txt", "--scores", folder / "AdaRank.txt", "-m", "AP")
    assert f"{value:.4f}" in out
    stdout_of("cv", file, "--learner", "ranksvm", "-o", folder / "held-out.run")
    assert DATA.qid is not None
    docno = [f"d{row}" for row in range(len(DATA))]
    write_qrels(folder / "qrels", Qrels([str(qid) for qid in DATA.qid], docno, DATA.y))
    assert f"{value:.4f}" in stdout_of("evaluate", "--qrels", folder / "qrels", folder / "held-out.run", "-m", "AP")


def test_a_custom_learner(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (file.parent / "mine.py").write_text(
        "class First:\n    def fit(self, X, y):\n        return self\n    def predict(self, X):\n        return X[:, 0]\n"
    )
    monkeypatch.syspath_prepend(str(file.parent))
    found = json.loads(stdout_of("cv", file, "--learner", "mine:First", "--json"))
    assert found["values"]["AP"]["mean"] == pytest.approx(evaluate(DATA.y, DATA.X[:, 0], DATA.qid, "AP")["AP"])


def test_an_estimator_without_validation_set_trains_on_all_other_folds(file: Path) -> None:
    found = json.loads(stdout_of("cv", file, "--learner", "sklearn.linear_model:LinearRegression", "--folds", 3, "--json"))
    expected = cross_validate(LinearRegression(), DATA, "AP", n_folds=3)
    assert found["values"]["AP"]["folds"] == pytest.approx(expected.per_fold["AP"].tolist())


def test_data_that_cannot_be_cross_validated(file: Path) -> None:
    folder = file.parent
    write_letor(folder / "one.txt", RankingData(DATA.X, DATA.y))
    write_letor(folder / "nameless.txt", RankingData(DATA.X, DATA.y, DATA.qid))
    X = DATA.X.copy()
    X[3, 2] = np.nan
    write_letor(folder / "missing.txt", RankingData(X, DATA.y, DATA.qid))
    assert "one.txt has no qid" in error_of("cv", folder / "one.txt")
    assert "15 queries cannot make 16 folds" in error_of("cv", file, "--folds", 16)
    assert "has no docno" in error_of("cv", folder / "nameless.txt", "-o", folder / "out.run")
    assert "takes all rows as one set" in error_of("cv", file, "--learner", "multivariate")
    said = error_of("cv", folder / "missing.txt", "--learner", "sklearn.linear_model:LinearRegression")
    assert f"missing.txt: feature 3 of query {DATA.qid[3]} (row 4) is missing (NaN), and this " in said
    assert "fill them in (logs: directrank convert --missing 0), or use a learner of directrank" in said
    assert "has no parameter 'D'" in error_of("cv", file, "--set", "D=1")
    assert "is both an input and the output" in error_of("cv", file, "-o", file)
    assert not (folder / "out.run").exists()
