"""``directrank train`` and ``directrank predict``."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from harness import error_of, stdout_of

from directrank import RankingData, read_letor, write_letor, write_parquet
from directrank.data import train_validation_test
from directrank.datasets import make_ranking


@pytest.fixture
def split(tmp_path: Path) -> Path:
    for name, part in zip(
        ("train", "vali", "test"), train_validation_test(make_ranking(40, random_state=0), random_state=0), strict=True
    ):
        write_letor(tmp_path / f"{name}.txt", part)
    return tmp_path


@pytest.mark.parametrize("learner", ["svm", "adarank", "one-vs-rest"])
def test_train_and_predict(split: Path, learner: str) -> None:
    out = stdout_of(
        "train",
        split / "train.txt",
        "--validate",
        split / "vali.txt",
        "--learner",
        learner,
        "-m",
        "map",
        "-o",
        split / "m.json",
        "--json",
    )
    trained = json.loads(out)
    assert trained["measure"] == "AP" and (learner != "svm" or trained["gap"] <= 1e-3)
    stdout_of("predict", split / "m.json", split / "vali.txt", "-o", split / "scores")
    again = json.loads(stdout_of("evaluate", split / "vali.txt", "--scores", split / "scores", "-m", "AP", "--json"))
    assert again["scores"]["means"]["AP"] == pytest.approx(trained["values"][str(split / "vali.txt")])


def test_gain_is_printed(split: Path) -> None:
    train = ("train", split / "train.txt", "--validate", split / "vali.txt", "--learner", "adarank", "-o", split / "m.json")
    assert stdout_of(*train, "-m", "nDCG@5").count("nDCG@5 with gain 2^g - 1, for grade g.") == 1
    assert "with gain" not in stdout_of(*train, "-m", "AP")


def test_train_a_classifier(split: Path) -> None:
    data = read_letor(split / "train.txt")
    write_letor(split / "set.txt", RankingData(data.X, data.y > 0))
    out = stdout_of(
        "train", split / "set.txt", "--learner", "multivariate", "-m", "F1", "--set", "C=0.1", "-o", split / "m.json"
    )
    assert "F1" in out and "slack" in out
    stdout_of("predict", split / "m.json", split / "set.txt", "-o", split / "scores")


def test_bad_input_to_train_and_predict(split: Path) -> None:
    train = ("train", split / "train.txt", "-o", split / "m.json")
    assert "SVMRanker needs most_violated, which MAUC does not have" in error_of(*train, "-m", "MAUC")
    assert "C must be a number above 0 or 'auto', not 'big'" in error_of(*train, "--set", "C=big")
    assert "--set C: write NAME=VALUE" in error_of(*train, "--set", "C")
    assert "--set: svm has no parameter 'D'; it has C, " in error_of(*train, "--set", "D=1")
    said = error_of(*train, "--learner", "lambdamart", "--set", "init=ranksvm")
    assert "--set init: it is a ranker, which can be given in Python only" in said
    assert said.endswith("or by --learner ranksvm+lambdamart")
    for init in ("auto", "none"):
        stdout_of(
            *train[:2],
            "--learner",
            "lambdamart",
            "--set",
            f"init={init}",
            "--set",
            "n_estimators=5",
            "-o",
            split / "auto.json",
        )
    assert "it is a ranker, which can be given in Python only, as AdaRank(weak_ranker=RankSVM())" in error_of(
        *train, "--learner", "adarank", "--set", "weak_ranker=ranksvm"
    )
    assert "takes the whole file as one set" in error_of(*train, "--learner", "multivariate", "--set", "C=1")
    assert not (split / "m.json").exists()
    (split / "m.json").write_text("{}")
    assert "m.json: this is not a model of directrank" in error_of(
        "predict", split / "m.json", split / "test.txt", "-o", split / "s"
    )
    stdout_of(*train, "--set", "C=1")
    write_letor(split / "narrow.txt", RankingData([[1.0]], [0]))
    stdout_of("predict", split / "m.json", split / "narrow.txt", "-o", split / "s")  # it leaves out the last features
    write_letor(split / "wide.txt", RankingData(np.ones((1, 20)), [0]))
    sentence, predict = "wide.txt: it has 20 features where there should be 16", ("predict", split / "m.json")
    assert sentence in error_of(*predict, split / "wide.txt", "-o", split / "s")
    assert sentence in error_of(*train, "--validate", split / "wide.txt")
    write_letor(split / "named.txt", RankingData(np.ones((1, 2)), [0], feature_names=["good1", "other"]))
    assert "named.txt: the data lacks the features " in error_of(*predict, split / "named.txt", "-o", split / "s")


@pytest.fixture
def named(tmp_path: Path) -> Path:
    """Training, validation and test data whose features have names, and the last two also with columns in reverse."""
    names = ["train", "validation", "test"]
    for name, data in zip(names, train_validation_test(make_ranking(60, random_state=1), random_state=0), strict=True):
        write_parquet(tmp_path / f"{name}.parquet", data)
        write_letor(tmp_path / f"{name}.txt", RankingData(data.X, data.y, data.qid))
        assert data.feature_names is not None
        backwards = RankingData(data.X[:, ::-1], data.y, data.qid, None, data.feature_names[::-1])
        write_parquet(tmp_path / f"{name}-reverse.parquet", backwards)
        other = RankingData(data.X, data.y, data.qid, None, ["odd", *data.feature_names[1:]])
        write_parquet(tmp_path / f"{name}-other.parquet", other)
    return tmp_path


def test_features_are_matched_by_name(named: Path) -> None:
    def train(validation: str) -> str:
        model = named / f"{validation}.json"
        files = (named / "train.parquet", "--validate", named / f"{validation}.parquet")
        stdout_of("train", *files, "--learner", "adarank", "-o", model)
        return model.read_text()

    def scores(data: str) -> str:
        stdout_of("predict", named / "validation.json", named / data, "-o", named / "scores")
        return (named / "scores").read_text()

    assert train("validation") == train("validation-reverse")
    assert scores("test.parquet") == scores("test-reverse.parquet") == scores("test.txt")
    out = ("-o", named / "out")
    for done in (
        error_of("predict", named / "validation.json", named / "test-other.parquet", *out),
        error_of("train", named / "train.parquet", "--validate", named / "validation-other.parquet", *out),
    ):
        assert "-other.parquet: there is no column 'good1'; the other columns are label, qid, odd" in done
    assert not (named / "out").exists()
