"""The benchmark of learning from clicks, on a small collection."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import numpy as np
import pytest
from benchmarks.clicks import contenders
from benchmarks.clicks.__main__ import main
from benchmarks.clicks.click_setting import Setting, produce, simulate
from benchmarks.clicks.click_table import print_table
from benchmarks.clicks.contenders import shown_documents

from directrank import LambdaMART, write_letor
from directrank.clicks import PositionBias
from directrank.data import letor_folds
from directrank.datasets import make_ranking


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("sets") / "small"
    for fold in range(1, 6):
        (folder / f"Fold{fold}").mkdir(parents=True)
        for number, part in enumerate(("train", "vali", "test")):
            write_letor(folder / f"Fold{fold}" / f"{part}.txt", make_ranking(8, (12, 14), random_state=number))
    return folder


@pytest.mark.parametrize("user", ["pbm", "cascade"])
def test_the_table(folder: Path, user: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(contenders, "LambdaMART", partial(LambdaMART, n_estimators=4, n_seeds=1, guide=None))
    main([str(folder), "--sessions", "1000", "--user", user, "--peer-sessions", "1000" if user == "pbm" else "0"])
    lines = capsys.readouterr().out.splitlines()
    rows = {name.strip(): cell.strip() for name, cell in (line.strip("|").split("|") for line in lines if "|" in line)}
    assert lines[1] == "## small: nDCG@10, mean of 1 run(s)"
    assert rows[""] == ("pbm, eta 1, 1,000 sessions" if user == "pbm" else "cascade, 1,000 sessions")
    assert (rows["IPS, true bias"] == "") == (user == "cascade")
    assert ("XGBoost lambdarank_unbiased" in rows) == (user == "pbm")
    assert 0 < float(rows["production"]) < 1 and 0 < float(rows["doubly robust, estimated bias"].split()[0]) < 1


def test_gains_of_many_sessions_are_the_relevance_of_what_was_shown(folder: Path) -> None:
    production = produce(next(iter(letor_folds(folder))), seed=0)
    simulated = simulate(production, Setting("pbm", 1.0, 200_000, 5, 0.1), seed=0)
    bias = PositionBias.power(1.0, 5)
    rows = shown_documents(simulated.train, bias, "ips")
    assert len(rows) == 8 * 5  # shuffled sessions show the same documents
    y = dict(zip(production.fold.train.docno.tolist(), production.fold.train.y.tolist(), strict=True))
    highest = max(y.values())
    grades = np.array([y[docno] for docno in rows.docno.tolist()])
    np.testing.assert_allclose(rows.y, 0.1 + 0.9 * (2**grades - 1) / (2**highest - 1), atol=0.06)
    np.testing.assert_allclose(simulated.estimated_bias.alpha, bias.alpha, atol=0.08)


def test_shares_of_the_way(capsys: pytest.CaptureFixture[str]) -> None:
    runs = [
        [{"production": 0.4, "true grades": 0.6, "half": 0.5, "none": None}],
        [{"production": 0.5, "true grades": 0.7, "half": 0.7, "none": None}],
    ]
    print_table("small", [Setting("pbm", 1.0, 10, 10, 0.1)], runs)
    rows = dict(line[1:-1].split("|") for line in capsys.readouterr().out.splitlines() if line.count("|") == 3)
    cells = {name.strip(): cell.strip() for name, cell in rows.items()}
    assert cells["half"] == "0.6000 (75%)" and cells["production"] == "0.4500" and cells["none"] == ""
