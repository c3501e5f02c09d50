"""Learners as typed: in any spelling, misspelt, or custom."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from harness import error_of, stdout_of

from directrank import InputError, LambdaMART, RankingData, RankSVM, load_model, read_letor, write_letor
from directrank.cli.options.learners import make_learner
from directrank.datasets import make_ranking
from directrank.learners import LEARNERS
from directrank.learners.registry import find_learner
from directrank.measures import AP

OWN = """
import numpy as np
from sklearn.linear_model import Ridge
from directrank import SVMRanker

class Mine(SVMRanker):
    pass

class Odd:
    def __init__(self, sign=1):
        self.sign = sign
    def fit(self, X, y, qid):
        self.n_queries = len(set(qid.tolist()))
        return self
    def predict(self, X):
        return self.sign * np.asarray(X)[:, 0]

class Idle:
    pass
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Working directory of the command, from which it imports modules."""
    write_letor(tmp_path / "data.txt", make_ranking(10, (5, 8), random_state=0))
    (tmp_path / "own_learners.py").write_text(OWN)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_names_and_classes_in_any_spelling() -> None:
    for name, entry in LEARNERS.items():
        for typed in (name, name.upper(), name.replace("-", "_")):
            assert find_learner(typed) is entry
        for typed in (entry.class_name, entry.class_name.lower()):
            assert find_learner(typed) is (entry if entry.init is None else LEARNERS["lambdamart"])


@pytest.mark.parametrize(
    ("typed", "advice"),
    [
        ("lamdbamart", "did you mean lambdamart or ranksvm+lambdamart?"),
        ("coordinateascend", "did you mean coordinate-ascent?"),
        ("xgboost", "did you mean rankboost?"),
        ("zzz", f"there are {', '.join(LEARNERS)}"),
    ],
)
def test_suggestions(typed: str, advice: str) -> None:
    with pytest.raises(InputError) as error:
        find_learner(typed)
    assert str(error.value) == f"there is no learner {typed!r}; {advice}"


def test_the_command_takes_any_spelling(folder: Path) -> None:
    out = json.loads(stdout_of("train", "data.txt", "--learner", "Ada_Rank", "-o", "m.json", "--json"))
    assert out["learner"] == "AdaRank"
    assert "there is no learner 'adarnk'; did you mean adarank" in error_of(
        "train", "nowhere.txt", "--learner", "adarnk", "-o", "m.json"
    )


def test_a_learner_that_starts_from_another(folder: Path) -> None:
    given = ("--learner", "RankSVM+LambdaMART", "-m", "AP", "--set", "n_estimators=3", "--set", "init__C=0.1")
    stdout_of("train", "data.txt", *given, "-o", "m.json")
    data = read_letor("data.txt")
    own = LambdaMART("AP", n_estimators=3, init=RankSVM(C=0.1)).fit(data.X, data.y, data.qid)
    np.testing.assert_array_equal(load_model("m.json").predict(data.X), own.predict(data.X))
    assert "has no parameter 'init'" in error_of("train", "data.txt", *given, "--set", "init=ranksvm", "-o", "m.json")
    stdout_of("cv", "data.txt", "--learner", "ranksvm+lambdamart", "--folds", 3, "--set", "n_estimators=3")


def test_a_custom_learner(folder: Path) -> None:
    given = ("--learner", "own_learners:Mine", "--set", "C=1", "-o", "m.json", "--json")
    assert json.loads(stdout_of("train", "data.txt", *given))["learner"] == "Mine"
    assert stdout_of("predict", "m.json", "data.txt", "-o", "scores") == ""


def test_other_estimators_are_trained_but_cannot_be_saved(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(folder)
    data = make_ranking(10, (5, 8), random_state=0)
    odd = make_learner("own_learners:Odd", AP(), ["sign=-1"]).fit(data.X, data.y, data.qid, eval_set=None)
    assert odd.estimator.n_queries == 10 and odd.predict(data.X).tolist() == (-data.X[:, 0]).tolist()
    assert odd.expects_qid and not odd.interrupted_
    ridge = make_learner("own_learners:Ridge", AP(), ["alpha=2"]).fit(data.X, data.y, data.qid)
    assert ridge.get_params()["alpha"] == 2 and not ridge.expects_qid and ridge.predict(data.X).shape == (len(data),)


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        (("own_learners:Odd",), "is not a directrank.learners.Ranker, so its model cannot be written as JSON"),
        (("own_learners:Idle",), "it must be a class with fit(X, y, qid) and predict(X)"),
        (("json:loads",), "it must be a class with fit(X, y, qid) and predict(X)"),
        (("own_learners:None",), "it cannot be imported: module 'own_learners' has no attribute 'None'"),
        (("no_such_module:Mine",), "it cannot be imported: No module named 'no_such_module'"),
        (("own_learners:Mine", "--set", "D=1"), "--set: own_learners:Mine has no parameter 'D'; it has measure, C, "),
    ],
)
def test_errors_before_any_work(folder: Path, given: tuple[str, ...], sentence: str) -> None:
    assert sentence in error_of("train", "nowhere.txt", "-o", "m.json", "--learner", *given)
    assert not (folder / "m.json").exists()


def test_data_without_queries(folder: Path) -> None:
    data = make_ranking(10, (5, 8), random_state=0)
    write_letor("set.txt", RankingData(data.X, data.y))
    stdout_of("train", "set.txt", "--learner", "own_learners:Mine", "--set", "C=1", "-o", "m.json")
