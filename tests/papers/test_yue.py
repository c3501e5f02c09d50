"""Yue's protocol: what it reads, how it measures, and that it learns."""

from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np
import pytest

from directrank import Qrels, Run, compare_all, evaluate_run, join_runs
from directrank.data import as_run
from directrank.papers import yue


@pytest.fixture(scope="module")
def cranfield(real_data: Path, tmp_path_factory: pytest.TempPathFactory) -> yue.Experiment:
    folder = tmp_path_factory.mktemp("cranfield")
    source = real_data / "cranfield"
    (folder / "cran.all.1400").write_bytes(gzip.decompress((source / "cran.all.1400.gz").read_bytes()))
    for name in ("cran.qry", "cranqrel.trec.txt"):
        (folder / name).write_bytes((source / name).read_bytes())
    return yue.cranfield(folder)


@pytest.fixture
def small() -> yue.Experiment:
    """Two runs of 20 queries; some relevant documents are in neither."""
    random, rows, qrels = np.random.default_rng(0), ([], []), []
    for q in range(20):
        relevant = random.random(40) < 0.2
        relevant[:2] = True
        qrels += [(str(q), f"d{i}", float(r)) for i, r in enumerate(relevant)]
        for run, noise in zip(rows, (0.6, 3.0), strict=True):
            run += [(str(q), f"d{i}", r + noise * random.standard_normal()) for i, r in enumerate(relevant) if i > 0]
    qrels = Qrels(*map(list, zip(*qrels, strict=True)))
    runs = [Run(*map(list, zip(*run, strict=True)), name) for run, name in zip(rows, ("good", "bad"), strict=True)]
    return yue.Experiment(join_runs(runs, qrels, missing=np.nan), qrels)


def test_values_are_those_of_trec_evaluation(small: yue.Experiment) -> None:
    for name, column in zip(small.data.feature_names, small.data.X.T, strict=True):
        wanted = evaluate_run(as_run(small.data, column), small.qrels, "AP")
        assert small.base()[name] == pytest.approx(dict(zip(wanted.qid.tolist(), wanted.per_query["AP"], strict=True)))
    assert list(small.base()) == ["good", "bad"]
    assert max(small.found.values()) < 1


def test_every_query_is_tested_and_the_better_run_is_learned(small: yue.Experiment) -> None:
    learned = dict(small.learned(["SVM-map", "SVM-roc, min-max"], 4))
    for values in learned.values():
        assert set(values) == set(small.base()["good"])
        assert np.mean(list(values.values())) > np.mean(list(small.base()["bad"].values())) + 0.1
    without = small.without("good")
    assert without.data.feature_names == ["bad"] and len(without.data) == len(small.data)


def test_a_table_names_the_best_and_counts_wins(small: yue.Experiment, capsys: pytest.CaptureFixture[str]) -> None:
    three = {**small.base(), "third": small.base()["bad"]}
    report = yue.table(small, ["SVM-map", "SVM-acc"], 2, three)
    assert report.baseline == "SVM-map" and report.names == [
        "SVM-map",
        "SVM-acc",
        "best function, good",
        "2nd best, bad",
        "3rd best, third",
        "combsum",
        "combmnz",
        "rrf",
    ]
    tested = [small.base()["bad"][qid] for qid in report.qid]
    assert report.means["AP"]["2nd best, bad"].value == pytest.approx(np.mean(tested))
    against = report.comparison("AP", "SVM-map", "2nd best, bad")
    assert against == report.comparison("AP", "SVM-map", "3rd best, third") and against.wins > against.losses
    yue._print("small", report, {"best function": "0.204 39/11 **"})
    line = next(line for line in capsys.readouterr().out.splitlines() if "best function, good" in line)
    assert str(report.comparison("AP", "SVM-map", "best function, good")) in line and "0.204 39/11 **" in line


def test_stars_are_those_of_the_paper_which_corrected_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    differences = np.array([1, -1, 1, 1, 1, 1, 1, 1]) * np.arange(1, 9) / 100
    values = {"SVM-map": 0.5 + differences, **{f"other {i}": np.full(8, 0.5) for i in range(3)}}
    report = compare_all({name: yue._evaluation(list(each), range(8)) for name, each in values.items()}, "SVM-map")
    against = report.comparison("AP", "SVM-map", "other 0")
    assert against is not None and against.p < 0.05 < against.corrected_p
    yue._print("three at once", report, {})
    assert capsys.readouterr().out.count("7/1 **") == 3


def test_cranfield(cranfield: yue.Experiment) -> None:
    assert cranfield.data.n_queries == 225 and cranfield.data.n_features == 15
    name, values = next(iter(cranfield.base().items()))
    assert name == "bm25 porter+stop" and len(values) == 225
    assert np.mean(list(values.values())) == pytest.approx(0.315, abs=0.002)


@pytest.mark.slow
def test_learning_on_cranfield(cranfield: yue.Experiment) -> None:
    ((_, values),) = cranfield.learned(["SVM-map"], 1)
    assert len(values) == 210 and np.mean(list(values.values())) > 0.27
