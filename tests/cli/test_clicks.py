"""``directrank clicks`` and ``train --clicks``: from a log to a model, and what a log does not allow."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pytest
from harness import error_of, run, stdout_of

from directrank import RankingData, evaluate, load_model, write_parquet
from directrank.clicks import PositionBias, simulate_clicks
from directrank.datasets import make_ranking

DATA = make_ranking(40, (12, 12), random_state=0)
DOCNO = [f"d{i}" for i in range(len(DATA))]


def write_log(path: Path, scores, **columns: str) -> None:
    named = RankingData(DATA.X, DATA.y, DATA.qid, docno=DOCNO)
    log = simulate_clicks(named, scores, n_sessions=8000, n_ranks=12, random_state=0)
    session = log.session
    table = {
        "session": session,
        "query": log.queries[log.query[session]],
        "doc": log.pairs.docno[log.pair].astype(str),
        "rank": log.rank,
        "click": log.click.astype(int),
        "variant": log.rankers[log.ranker[session]].astype(str),
    }
    pa.csv.write_csv(pa.table({columns.get(name, name): values.tolist() for name, values in table.items()}), path)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("clicks")
    write_log(made / "log.csv", {"a": DATA.X[:, 0], "b": DATA.X[:, 1]})
    write_log(made / "one.csv", DATA.X[:, 0])
    rows = RankingData(DATA.X, DATA.y, DATA.qid, docno=DOCNO, feature_names=DATA.feature_names)
    write_parquet(made / "rows.parquet", rows)
    return made


def test_describe(folder: Path) -> None:
    out = stdout_of("clicks", "describe", "log.csv", "--ranker", "variant", folder=folder)
    assert "8,000" in out and "can be estimated by harvesting" in out and "95 % interval" in out
    found = json.loads(stdout_of("clicks", "describe", "one.csv", "--json", folder=folder))
    assert any("cannot be told apart" in sentence for sentence in found["sentences"])


def test_bias_and_training(folder: Path) -> None:
    out = stdout_of("clicks", "bias", "log.csv", "--ranker", "variant", "-o", "bias.json", folder=folder)
    assert "method harvesting" in out and "The bias is in bias.json" in out and "#" * 30 in out
    bias = PositionBias.load(folder / "bias.json")
    np.testing.assert_allclose(bias.alpha[:5], 1 / np.arange(1, 6), rtol=0.35)
    measure = "DCG(gain=linear)@10"
    train = ("train", "rows.parquet", "--clicks", "log.csv", "--bias", "bias.json", "-m", measure, "-o", "model.json")
    ended = run(*train, "--learner", "ranksvm", folder=folder)
    assert ended.code == 0 and "rows that were shown in the log: 480" in ended.err and "directrank cv" not in ended.out
    scores = {"model": load_model(folder / "model.json").predict(DATA.X), "a": DATA.X[:, 0], "b": DATA.X[:, 1]}
    values = {name: evaluate(DATA.y, score, DATA.qid, "nDCG@10")["nDCG@10"] for name, score in scores.items()}
    assert values["model"] > max(values["a"], values["b"]) + 0.02
    named = ("--log-columns", "click=click, ranker=variant", "--estimator", "dr", "--validate", "more.parquet")
    write_parquet(
        folder / "more.parquet", RankingData(DATA.X, None, DATA.qid, docno=DOCNO, feature_names=DATA.feature_names)
    )
    fitted = ("train", "rows.parquet", "--clicks", "log.csv", *named, "-m", measure, "-o", "trees.json")
    out = stdout_of(*fitted, "--learner", "lambdamart", "--set", "n_estimators=5", folder=folder)
    assert "rounds" in out and "on grades the measure has another scale" in " ".join(out.split())


def test_judgments(folder: Path) -> None:
    said = stdout_of("clicks", "judge", "log.csv", "-o", "judgments.csv", folder=folder)
    assert "judgments of 40 queries by the click model SDBN are in judgments.csv" in said
    table = pa.csv.read_csv(folder / "judgments.csv")
    assert table.column_names == ["query", "document", "relevance", "low", "high", "impressions", "clicks"]
    low, relevance, high = (table[name].to_numpy() for name in ("low", "relevance", "high"))
    assert np.all((low <= relevance) & (relevance <= high)) and table["impressions"].to_numpy().sum() == 8000 * 12
    grades = dict(zip(DOCNO, DATA.y, strict=True))
    truth = np.array([grades[name] for name in table["document"].to_pylist()])
    assert relevance[truth == truth.max()].mean() > 2 * relevance[truth == 0].mean()
    found = json.loads(
        stdout_of("clicks", "judge", "log.csv", "-o", "j.parquet", "--click-model", "pbm", "--json", folder=folder)
    )
    assert found["pairs"] == 480
    assert (folder / "j.parquet").read_bytes()[:4] == b"PAR1"


def test_errors(folder: Path) -> None:
    train = ("train", "rows.parquet", "--learner", "ranksvm", "-o", "m.json", "--clicks", "log.csv")
    assert "train for -m 'DCG(gain=linear)@10', or give --biased" in error_of(*train, "-m", "nDCG@10", folder=folder)
    said = error_of("train", "rows.parquet", "-o", "m.json", "--bias", "b.json", "-m", "DCG@10", folder=folder)
    assert "--bias is for training from clicks; give the log with --clicks" in said
    wrong = ("-m", "DCG(gain=linear)@10", "--log-columns")
    assert "--log-columns when=x: write ROLE=COLUMN; the roles are session" in error_of(
        *train, *wrong, "when=x", folder=folder
    )
    refused = run("clicks", "bias", "one.csv", "-o", "b.json", folder=folder)
    assert refused.code == 2 and "nothing tells position from relevance: show a small random share" in refused.err
    assert not (folder / "b.json").exists() and not (folder / "m.json").exists()
    refused = run("clicks", "judge", "log.csv", "--click-model", "XYZ", "-o", "x.csv", folder=folder)
    assert refused.code == 2 and "there is no click model 'XYZ'" in refused.err
    with_measure = (*train, "-m", "DCG(gain=linear)@10")
    said = error_of(*with_measure, "--estimator", "best", folder=folder)
    assert "--estimator must be one of naive, ips, snips, dr, not 'best'" in said and "log.csv" not in said
    said = error_of(*with_measure, "--estimator", "naive", "--bias", "bias.json", folder=folder)
    assert "--estimator naive takes no position bias; leave out --bias" in said
    said = error_of("clicks", "bias", "log.csv", "--method", "regression", "-o", "b.json", folder=folder)
    assert "--method must be one of auto, harvesting, swaps, pbm, trust, not 'regression'" in said
    cluster = error_of(*train, "-m", "DCG(gain=linear)@10", "--cluster", "local", folder=folder)
    assert "--clicks and --cluster are not for one command yet" in cluster


@pytest.mark.parametrize(("output", "bias"), [("log.csv", ()), ("b.json", ("--bias", "b.json"))])
def test_the_log_and_the_bias_are_not_overwritten(folder: Path, output: str, bias: tuple[str, ...]) -> None:
    train = ("train", "rows.parquet", "--clicks", "log.csv", "-m", "DCG(gain=linear)@10")
    said = error_of(*train, *bias, "-o", output, folder=folder)
    assert f"{output} is both an input and the output; choose another output file" in said
    assert (folder / "log.csv").read_text().startswith('"session"')


@pytest.mark.parametrize("learner", ["one-vs-rest", "multivariate"])
def test_learners_of_grades_take_no_clicks(folder: Path, learner: str) -> None:
    train = ("train", "rows.parquet", "--clicks", "log.csv", "-m", "DCG(gain=linear)@10", "-o", "m.json")
    said = error_of(*train, "--learner", learner, folder=folder)
    assert f"{learner} learns grades or classes, and clicks give real numbers; use ranksvm or lambdamart" in said


def test_standard_input(folder: Path) -> None:
    train = ("train", "-", "--clicks", "-", "-m", "DCG(gain=linear)@10", "-o", "m.json")
    assert "standard input can be read once" in error_of(*train, folder=folder)
