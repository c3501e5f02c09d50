"""What every command has: --json, a line of help that is that of its docstring, names that can be completed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from harness import good

from directrank import evaluate, load_model, write_letor
from directrank.cli.app import COMMANDS, load_command
from directrank.cli.completion import MEASURES, TARGETS
from directrank.datasets import make_ranking
from directrank.learners import LEARNERS
from directrank.measures import parse
from directrank.measures.name_parser import known_names, measure_class
from directrank.measures.trec_names import trec_names
from directrank.models import export


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_json(name: str) -> None:
    command = load_command(name)
    for each in getattr(command, "commands", {name: command}).values():
        assert "--json" in [option for parameter in each.params for option in parameter.opts], each.name


def test_standard_output_is_json_and_nothing_else(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    data = make_ranking(6, random_state=0)
    write_letor("data.txt", data)

    def printed(*arguments: str) -> dict[str, Any]:
        return dict(json.loads(good(*arguments, "--json")))

    assert printed("describe", "data.txt")["n_features"] == data.n_features
    assert printed("convert", "data.txt", "data.parquet")["documents"] == len(data)
    trained = printed("train", "data.txt", "--learner", "ranksvm", "--set", "C=1", "-o", "model.json")
    assert trained["model"] == "model.json" and trained["learner"] == "RankSVM"
    scores = load_model("model.json").predict(data.X)
    assert printed("predict", "model.json", "data.txt", "-o", "scores") == {
        "scores": "scores",
        "rows": len(data),
        "lowest": scores.min(),
        "highest": scores.max(),
    }
    found = printed("evaluate", "data.txt", "--model", "model.json", "-m", "AP")["model.json"]
    assert found["means"]["AP"] == evaluate(data.y, scores, data.qid, "AP")["AP"]
    compared = printed("compare", "data.txt", "--model", "model.json", "--scores", "scores", "-m", "AP")
    assert compared["measures"] == ["AP"]
    exported = printed("export", "model.json", "--to", "python", "-o", "model.py", "--check", "data.txt")
    assert exported["output"] == "model.py" and exported["check"]["n_reversed"] == 0


@pytest.mark.parametrize("name", COMMANDS)
def test_the_list_of_commands_has_the_first_line_of_each(name: str) -> None:
    assert " ".join(load_command(name).help.split("\n\n")[0].split()) == COMMANDS[name]


def test_names_to_complete_are_all_there() -> None:
    assert list(TARGETS) == list(export.TARGETS)
    completed = {type(parse(name)).__name__ for name in MEASURES}
    ours = {name for name in known_names() if measure_class(name).__module__.startswith("directrank.")}
    assert completed >= ours - {"PairAccuracy", "F"}  # which need parameters
    assert set(trec_names()) <= set(MEASURES)


def test_options_of_learners_complete_them() -> None:
    learner = next(option for option in load_command("train").params if option.name == "learner")
    with load_command("train").make_context("train", ["x", "-o", "y"]) as context:
        assert [item.value for item in learner.shell_complete(context, "")] == list(LEARNERS)
