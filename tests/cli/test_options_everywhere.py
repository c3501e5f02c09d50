"""What every command has: --json, a line of help that is that of its docstring, names that can be completed."""

from __future__ import annotations

import pytest

from directrank.cli.app import COMMANDS, load_command
from directrank.cli.completion import MEASURES, TARGETS
from directrank.learners import LEARNERS
from directrank.measures import known_names, parse
from directrank.measures.trec_names import trec_names
from directrank.models import export


@pytest.mark.parametrize("name", COMMANDS)
def test_json(name: str) -> None:
    command = load_command(name)
    for each in getattr(command, "commands", {name: command}).values():
        assert "--json" in [option for parameter in each.params for option in parameter.opts], each.name


@pytest.mark.parametrize("name", COMMANDS)
def test_the_list_of_commands_has_the_first_line_of_each(name: str) -> None:
    assert " ".join(load_command(name).help.split("\n\n")[0].split()) == COMMANDS[name]


def test_names_to_complete_are_all_there() -> None:
    assert list(TARGETS) == list(export.TARGETS)
    completed = {type(parse(name)).__name__ for name in MEASURES}
    assert completed >= set(known_names()) - {"WeightedSum", "PairAccuracy", "F"}  # which need parameters
    assert set(trec_names()) <= set(MEASURES)


def test_options_of_learners_complete_them() -> None:
    learner = next(option for option in load_command("train").params if option.name == "learner")
    with load_command("train").make_context("train", ["x", "-o", "y"]) as context:
        assert [item.value for item in learner.shell_complete(context, "")] == list(LEARNERS)
