"""All commands: --json, help, one meaning for each option, completion of names."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from harness import run, stdout_of

from directrank import (
    __version__,
    cli,
    evaluate,
    load_model,
    write_letor,
)
from directrank.cli.app import COMMANDS, load_command
from directrank.cli.console.completion import MEASURES, TARGETS
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
        return dict(json.loads(stdout_of(*arguments, "--json")))

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
    found = printed("evaluate", "data.txt", "--model", "model.json", "-m", "AP")["model"]
    assert found["means"]["AP"] == evaluate(data.y, scores, data.qid, "AP")["AP"]
    compared = printed("compare", "data.txt", "--model", "model.json", "--scores", "scores", "-m", "AP")
    assert compared["measures"] == ["AP"]
    exported = printed("export", "model.json", "--to", "python", "-o", "model.py", "--check", "data.txt")
    assert exported["output"] == "model.py" and exported["check"]["n_reversed"] == 0


def test_every_command_has_an_action_of_its_name() -> None:
    folder = Path(cli.__file__).parent
    named = [
        {file.stem for file in (folder / package).glob("*.py") if not file.stem.startswith("_")}
        for package in ("commands", "actions")
    ]
    assert named == [set(COMMANDS), set(COMMANDS)]


#: Options whose values have different names, with the same meaning: the format to write, the main output.
VARIED = {"--to", "--output", "-o"}


def test_an_option_has_one_meaning_in_all_commands() -> None:
    found: dict[str, set[tuple[str | None, bool]]] = {}
    for name in COMMANDS:
        command = load_command(name)
        for each in getattr(command, "commands", {name: command}).values():
            for parameter in each.params:
                for option in parameter.opts if parameter.param_type_name == "option" else ():
                    found.setdefault(option, set()).add((parameter.metavar, parameter.is_flag))
    assert {option for option, kinds in found.items() if len(kinds) > 1} <= VARIED


@pytest.mark.parametrize("name", COMMANDS)
def test_the_list_of_commands_has_the_first_line_of_each(name: str) -> None:
    assert " ".join(load_command(name).help.split("\n\n")[0].split()) == COMMANDS[name]


def test_completion_knows_all_names() -> None:
    assert list(TARGETS) == list(export.TARGETS)
    completed = {type(parse(name)).__name__ for name in MEASURES}
    ours = {name for name in known_names() if measure_class(name).__module__.startswith("directrank.")}
    assert completed >= ours - {"PairAccuracy", "F"}  # which need parameters
    assert set(trec_names()) <= set(MEASURES)


def test_options_of_learners_complete_them() -> None:
    learner = next(option for option in load_command("train").params if option.name == "learner")
    with load_command("train").make_context("train", ["x", "-o", "y"]) as context:
        assert [item.value for item in learner.shell_complete(context, "")] == list(LEARNERS)


def test_version_and_help() -> None:
    assert stdout_of("--version").strip() == __version__
    for command in ("demo", "features", "describe", "train", "predict", "evaluate", "compare", "report", "fuse", "convert"):
        said = stdout_of(command, "--help")
        assert "Usage" in said and not re.search("<(bool|str|list)", said)
        assert max(map(len, said.splitlines())) <= 80


def test_wrong_use_exits_with_2() -> None:
    assert run("evaluate").code == run("nonsense").code == 2


def test_the_installed_command() -> None:
    command = [Path(sys.executable).parent / "directrank", "--version"]
    assert subprocess.run(command, capture_output=True, text=True, check=True, timeout=300).stdout.strip() == __version__
