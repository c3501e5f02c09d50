"""What best, train and tune say at their end: where the model is, what to expect, and commands that run as they stand."""

from __future__ import annotations

import json
import shlex
import shutil
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from harness import run, stdout_of

from directrank import evaluate, load_model, read_letor, write_letor, write_parquet
from directrank.datasets import make_ranking


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    data = make_ranking(24, (6, 12), random_state=0)
    write_letor(tmp_path / "my data.txt", data.select_queries(np.arange(16)))
    write_letor(tmp_path / "vali.txt", data.select_queries(np.arange(16, 24)))
    shutil.copy(tmp_path / "my data.txt", tmp_path / "new.txt")
    return tmp_path


def commands_of(out: str) -> list[list[str]]:
    """Words of the commands that an output ends with."""
    found = [shlex.split(line) for line in out.splitlines() if line.startswith("  directrank ")]
    assert found and all(words[0] == "directrank" for words in found)
    return [words[1:] for words in found]


@pytest.mark.parametrize("output", ["model.json", "my model.json"])
@pytest.mark.parametrize(
    "command",
    [
        ("best", "my data.txt", "--folds", 3, "--learner", "ranksvm"),
        ("train", "my data.txt", "--validate", "vali.txt", "--learner", "ranksvm"),
        ("tune", "my data.txt", "--learner", "adarank", "--space", "n_estimators=3,5", "--folds", 3),
    ],
    ids=lambda command: command[0],
)
def test_the_model_the_value_and_the_next_command(command: tuple[str, ...], output: str, folder: Path) -> None:
    out = stdout_of(*command, "-m", "nDCG@5", "-o", output, folder=folder)
    assert f"The model is in {output}.\n" in out and "On new queries, expect nDCG@5 of about 0." in out
    predict = commands_of(out)[-1]
    assert predict == ["predict", output, "new.txt", "-o", "scores.csv"]
    stdout_of(*predict, folder=folder)
    as_json = json.loads(stdout_of(*command, "-m", "nDCG@5", "-o", output, "--json", folder=folder))
    assert as_json["model"] == output and shlex.split(as_json["next"][-1])[1:] == predict
    expected = as_json["expected"]
    assert (
        f"expect nDCG@5 of about {expected['value']:.4f} (95 % interval {expected['low']:.4f} to {expected['high']:.4f})"
        in out
    )
    assert expected["low"] < expected["value"] < expected["high"] and expected["optimism"] >= 0


def test_train_with_validation_data_gives_its_value(folder: Path) -> None:
    given = ("train", "my data.txt", "--validate", "vali.txt", "-m", "AP", "-o", "m.json", "--json")
    found = json.loads(stdout_of(*given, folder=folder))
    held_out = read_letor(folder / "vali.txt")
    value = evaluate(held_out.y, load_model(folder / "m.json").predict(held_out.X), held_out.qid, "AP")["AP"]
    assert found["expected"]["value"] == pytest.approx(value) and found["expected"]["n_queries"] == 8
    assert found["expected"]["optimism"] == 0.0 and found["values"]["vali.txt"] == pytest.approx(value)


def test_train_without_validation_data_says_how_to_get_an_estimate(folder: Path) -> None:
    out = stdout_of("train", "my data.txt", "-m", "AP", "--set", "C=1", "-o", "m.json", folder=folder)
    assert "The value on my data.txt is no estimate for new data" in out
    cv, _ = commands_of(out)
    assert cv == ["cv", "my data.txt", "--learner", "svm", "-m", "AP", "--set", "C=1"]
    assert "5 folds of 16 queries" in stdout_of(*cv, folder=folder)


def test_one_set_has_no_folds(folder: Path) -> None:
    out = stdout_of("train", "my data.txt", "-m", "AP", "-o", "m.json", folder=folder)
    data = read_letor(folder / "my data.txt")
    write_letor(folder / "set.txt", type(data)(data.X, data.y > 0))
    out = stdout_of("train", "set.txt", "--learner", "multivariate", "-m", "F1", "-o", "m.json", folder=folder)
    evaluated, _ = commands_of(out)
    assert evaluated == ["evaluate", "test.txt", "--model", "m.json", "-m", "F1"]
    shutil.copy(folder / "set.txt", folder / "test.txt")
    stdout_of(*evaluated, folder=folder)


def test_new_rows_are_in_a_file_of_the_same_kind(folder: Path) -> None:
    write_parquet(folder / "data.parquet", read_letor(folder / "my data.txt"))
    out = stdout_of("train", "data.parquet", "-m", "AP", "--set", "C=1", "-o", "m.json", folder=folder)
    assert commands_of(out)[-1] == ["predict", "m.json", "new.parquet", "-o", "scores.csv"]


def test_best_without_a_file_for_the_model_says_how_to_train_it(folder: Path) -> None:
    data = make_ranking(24, random_state=0)
    write_letor(folder / "my data.txt", data)
    given = ("best", "my data.txt", "--folds", 3, "--learner", "ranksvm+lambdamart", "-m", "AP")
    out = stdout_of(*given, folder=folder)
    (train,) = commands_of(out)
    assert train[:6] == ["train", "my data.txt", "--learner", "ranksvm+lambdamart", "-m", "AP"] and "The model is" not in out
    stdout_of(*train, folder=folder)
    stdout_of(*given, "-o", "saved.json", folder=folder)
    one, other = (load_model(folder / name).predict(data.X) for name in ("model.json", "saved.json"))
    np.testing.assert_array_equal(one, other)


def test_a_model_on_standard_output_is_no_file(folder: Path) -> None:
    ended = run("train", "my data.txt", "-m", "AP", "--set", "C=1", "-o", "-", folder=folder)
    assert ended.code == 0 and json.loads(ended.out) and "The model is" not in ended.err and "predict" not in ended.err


def test_a_winner_that_cannot_be_saved_has_no_command(folder: Path) -> None:
    (folder / "own_module.py").write_text("from sklearn.linear_model import Ridge")
    write_letor(folder / "data.txt", make_ranking(60, random_state=0))
    given = ("best", "data.txt", "--folds", 3, "--learner", "own_module:Ridge", "-m", "AP", "--json")
    found = json.loads(stdout_of(*given, folder=folder))
    assert (found["winner"], found["model"], found["next"]) == ("own_module:Ridge", None, [])


def test_commands_name_the_columns(folder: Path) -> None:
    data = make_ranking(20, (5, 8), random_state=0)
    frame = pd.DataFrame(data.X, columns=[f"f{j}" for j in range(data.n_features)])
    frame = frame.assign(stars=data.y, asked=[f"query {query}" for query in data.qid])
    frame.to_csv(folder / "train.csv", index=False)
    frame.drop(columns="stars").to_csv(folder / "new.csv", index=False)
    given = ("--label", "stars", "--query", "asked", "--ignore", "f3", "-m", "AP")
    out = stdout_of("train", "train.csv", *given, "-o", "m.json", folder=folder)
    cv, predict = commands_of(out)
    assert "5 folds of 20 queries" in stdout_of(*cv, folder=folder) and cv[cv.index("--ignore") + 1] == "f3"
    assert predict == ["predict", "m.json", "new.csv", "--query", "asked", "-o", "scores.csv"]
    stdout_of(*predict, folder=folder)
    assert len(pd.read_csv(folder / "scores.csv")) == len(data)
    out = stdout_of("best", "train.csv", *given, "--learner", "svm", "--feature", "f0", "-o", "m.json", folder=folder)
    assert commands_of(out) == [predict]
    described = stdout_of("describe", "train.csv", "new.csv", "--label", "stars", "--query", "asked", folder=folder)
    assert "! 20 of the 20 queries of new.csv are in train.csv too" in described
