"""``directrank tune``: ranges, the best model, and interruption."""

from __future__ import annotations

import json
import os
import shlex
import threading
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from harness import error_of, run, stdout_of

from directrank import LambdaMART, RankingData, load_model, write_letor
from directrank.cli.actions import tune as command
from directrank.cli.options import ranges
from directrank.datasets import make_ranking
from directrank.learners.search_space import AlongPath, Between, OneOf
from directrank.measures import parse
from directrank.selection import Tuning, tune

DATA = make_ranking(15, random_state=0)
SMALL = ("--learner", "lambdamart", "--set", "n_estimators=8", "--folds", 3)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    write_letor(tmp_path / "data.txt", DATA)
    return tmp_path / "data.txt"


def test_the_model_is_that_of_the_library(file: Path) -> None:
    model = file.parent / "model.json"
    out = stdout_of("tune", file, *SMALL, "--space", "num_leaves=2,8", "-o", model)
    space = {"num_leaves": OneOf((2, 8))}
    expected = tune(LambdaMART("AP", n_estimators=8), DATA, space=space, n_folds=3)
    trained = expected.learner.fit(DATA.X, DATA.y, DATA.qid)
    np.testing.assert_allclose(load_model(model).predict(DATA.X), trained.predict(DATA.X))
    assert "Best of 3 trials" in out and "num_leaves=2" in out and "num_leaves=8" in out and "defaults" in out
    assert f"{expected.best.value:.4f}" in out and f"expect AP of about {expected.expected.value:.4f} (" in out


def test_gain_is_printed(file: Path) -> None:
    given = ("--learner", "ranksvm", "--space", "C=0.1,1", "--folds", 3)
    assert "nDCG@5 with gain 2^g - 1, for grade g." in stdout_of("tune", file, *given, "-m", "nDCG@5")
    assert "with gain" not in stdout_of("tune", file, *given, "-m", "AP")


def test_json_has_all_trials(file: Path) -> None:
    found = json.loads(stdout_of("tune", file, *SMALL, "--space", "learning_rate=log:0.01..0.2", "--trials", 3, "--json"))
    assert len(found["trials"]) == 4 and found["trials"][0]["parameters"] == {} and found["measure"] == "AP"
    assert all(0.01 <= trial["parameters"]["learning_rate"] <= 0.2 for trial in found["trials"][1:])
    assert found["best"]["value"] == max(trial["value"] for trial in found["trials"])


@pytest.mark.parametrize(
    "given",
    [
        "--learner ranksvm -m nDCG@5 --space C=0.1,1 --folds 3",
        "--learner lambdamart -m AP --set n_estimators=20 --set learning_rate=0.3 --space num_leaves=2,8 --folds 3",
        "--learner lambdamart -m nDCG@5 --set n_estimators=20 --space learning_rate=0.1..0.3 --trials 2 --validate vali.txt",
        "--learner adarank -m map --folds 3",
        "--learner rankboost --set n_estimators=9 --space thresholds=4,8 --folds 3",
        "--learner svm --set bound=convex --folds 3",
    ],
)
def test_the_printed_command_trains_the_best_model(file: Path, given: str) -> None:
    unnamed = {"data.txt": DATA, "vali.txt": make_ranking(8, random_state=1)}
    for name, data in unnamed.items():
        write_letor(file.parent / name, RankingData(data.X, data.y, data.qid))
    names = ",".join(f"f{j}" for j in range(DATA.n_features))
    out = stdout_of("tune", file.name, *given.split(), "--feature-names", names, "-o", "m 1.json", folder=file.parent)
    (line,) = [line for line in out.splitlines() if "directrank train" in line]
    _, *arguments, output = shlex.split(line[line.index("directrank train") :])
    assert output == "m 1.json"
    stdout_of(*arguments, "trained.json", folder=file.parent)
    assert (file.parent / "trained.json").read_bytes() == (file.parent / "m 1.json").read_bytes()


def test_no_command_is_printed_for_data_that_cannot_be_read_again(file: Path) -> None:
    os.mkfifo(file.parent / "pipe")
    writer = threading.Thread(target=lambda: (file.parent / "pipe").write_bytes(file.read_bytes()))
    writer.start()
    out = stdout_of("tune", file.parent / "pipe", "--learner", "ranksvm", "--space", "C=0.1,1", "--folds", 3)
    writer.join()
    assert "Best of 3 trials" in out and "directrank train" not in out


def test_invalid_combinations_are_counted_and_explained(file: Path) -> None:
    given = ("tune", file, *SMALL, "--set", "n_seeds=2", "--set", "extra_trees=false", "--space", "colsample_bytree=0.5,1")
    out = stdout_of(*given)
    assert "Best of 3 trials (2 invalid)" in out
    settings = (
        "--set n_seeds=2 --set extra_trees=false --set colsample_bytree=0.5 --set learning_rate=0.1 --set n_estimators="
    )
    assert f"directrank train {file} --learner lambdamart -m AP {settings}" in out
    trials = json.loads(stdout_of(*given, "--json"))["trials"]
    assert ["n_seeds=2 would grow the same trees" in trial.get("error", "") for trial in trials] == [True, False, True]


def test_a_validation_file_and_fixed_parameters(file: Path) -> None:
    write_letor(file.parent / "vali.txt", make_ranking(8, random_state=1))
    found = json.loads(
        stdout_of(
            "tune", file, "--learner", "svm", "--validate", file.parent / "vali.txt", "--set", "bound=convex", "--json"
        )
    )
    assert {tuple(trial["parameters"]) for trial in found["trials"]} == {(), ("C",)} and len(found["trials"]) == 10


@pytest.mark.parametrize(
    ("text", "own", "now", "meant"),
    [
        ("7..63", None, None, Between(7, 63)),
        ("7..63", Between(2, 9, log=True), 15, Between(7, 63, log=True)),
        ("0..10", Between(0.01, 9.0, log=True), 1.0, Between(0.0, 10.0)),
        ("0..1", Between(0.3, 0.9), None, Between(0.0, 1.0)),
        ("0..1", None, 0.5, Between(0.0, 1.0)),
        ("log:1e-3..10", None, None, Between(1e-3, 10, log=True)),
        ("-1..1.5", None, None, Between(-1, 1.5)),
        ("a,b,3", None, None, OneOf(("a", "b", 3))),
        ("true", None, None, OneOf((True,))),
        ("0.1,none", None, None, OneOf((0.1, None))),
    ],
)
def test_ranges(text: str, own: object, now: object, meant: object) -> None:
    found = ranges._parse_range(text, own, now)
    assert found == meant and getattr(found, "whole", None) == getattr(meant, "whole", None)


def test_search_ranges(file: Path) -> None:
    learner = LambdaMART("AP")
    assert ranges.search_ranges(learner, [], {"num_leaves": 7}).keys() == learner.search_space.keys() - {"num_leaves"}
    assert ranges.search_ranges(learner, ["learning_rate=0.1..0.2"], {}) == {"learning_rate": Between(0.1, 0.2, log=True)}
    assert isinstance(ranges.search_ranges(command.make_learner("svm", parse("AP"), []), [], {})["C"], AlongPath)


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        (("--space", "num_leaves"), "--space num_leaves: write NAME=LOW..HIGH"),
        (("--space", "num_leaves=3..x"), "--space num_leaves=3..x: write NAME=LOW..HIGH"),
        (("--space", "num_leaves=9..3"), "a range goes from a lower to a higher number"),
        (
            ("--space", "num_leafs=3..9"),
            "LambdaMART has no parameter 'num_leafs'; did you mean num_leaves",
        ),
        (("--space", "sigma=1,2", "--set", "sigma=1"), "a parameter is either searched or fixed; give one of the two"),
        (("--learner", "ranksvm", "--space", "gamma=1..2"), "Invalid parameter 'gamma'"),
        (("--learner", "one-vs-rest"), "the search space of OneVsRestSVM is empty; say which parameters to try"),
        (("--learner", "ranksvm", "--set", "C=1"), "--set fixes C, which is all that is searched by default; add --space"),
        (("--time", "soon"), "--time soon: write a duration such as 90s, 10m or 1h30m"),
        (("--time", "0.001s", "--set", "n_estimators=8"), "no trial was finished within 0.001 s"),
        (("--folds", "16"), "15 queries cannot make 16 folds"),
    ],
)
def test_error_messages(file: Path, given: tuple[str, ...], sentence: str) -> None:
    assert sentence in error_of("tune", file, *given)


@pytest.mark.parametrize(("keeps", "said"), [(True, "has the best model so far"), (False, "is unchanged")])
def test_ctrl_c(file: Path, monkeypatch: pytest.MonkeyPatch, keeps: bool, said: str) -> None:
    """The search says that it was interrupted; the command ends as `train` does."""

    def interrupted(learner: object, data: RankingData, *given: object, **how: object) -> Tuning:
        found = tune(LambdaMART("AP", n_estimators=4), DATA, space={"num_leaves": OneOf((2,))}, n_folds=3)
        return replace(found, interrupted=True)

    monkeypatch.setattr(command, "search", interrupted)
    model = file.parent / "model.json"
    ended = run("tune", file, "-o", model, *(["--keep-partial"] if keeps else []))
    assert ended.code == 130
    assert said in ended.err and model.exists() == keeps
