"""Commands that help, demo and errors print: each can be typed as it stands. What ``tune`` prints is run in test_tune.py."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest
from harness import error_of, stdout_of

from directrank import InputError, read_parquet, write_letor
from directrank.cli.actions import demo
from directrank.cli.actions._cluster import read_sharded
from directrank.cli.app import COMMANDS, load_command
from directrank.cli.options.columns import RowColumns
from directrank.datasets import make_ranking


def examples() -> list[str]:
    """Lines of the help of all commands that are commands."""
    helps = []
    for name in COMMANDS:
        command = load_command(name)
        helps += [each.help for each in getattr(command, "commands", {name: command}).values()]
    return [
        line for text in helps for line in text.splitlines() if line.startswith("directrank ") and not line.endswith(".")
    ]


def parse(line: str) -> None:
    """Parse a command without running it; a wrong option or a missing argument raises an error."""
    _, name, *arguments = shlex.split(line, comments=True)
    command = load_command(name)
    if name == "papers":
        command = command.commands[arguments.pop(0)]
    command.make_context(name, arguments)


def test_examples_of_the_help() -> None:
    found = examples()
    assert len(found) > 25
    for line in found:
        parse(line.replace("RUN...", "a.run b.run"))


@pytest.mark.parametrize("measure", ["AP", "0.5*AP + 0.5*nDCG@10"])
def test_what_demo_suggests(measure: str, monkeypatch: pytest.MonkeyPatch) -> None:
    lines: list[str] = []
    monkeypatch.setattr(demo, "print_line", lines.append)
    demo._print_next(measure)
    commands = [line for line in lines if line.startswith("  directrank ")]
    assert len(commands) == 4 and any(measure in shlex.split(line) for line in commands)
    for line in commands:
        parse(line.strip())


def test_what_papers_show_suggests(tmp_path: Path) -> None:
    (line,) = [line for line in stdout_of("papers", "show", "yue/table6").splitlines() if line.startswith("To run it: ")]
    _, *arguments = shlex.split(line.removeprefix("To run it: ").replace("FOLDER", str(tmp_path / "nowhere")))
    assert "nowhere does not exist" in error_of(*arguments, folder=tmp_path)


def test_what_a_cluster_suggests_for_text(tmp_path: Path) -> None:
    data = make_ranking(10, random_state=0)
    write_letor(tmp_path / "data.txt", data)
    with pytest.raises(InputError, match="data must be Parquet") as error:
        read_sharded(["data.txt"], None, RowColumns())
    _, command = str(error.value).split("; use directrank ")
    stdout_of(*command.replace("FOLDER", "shards").split(), folder=tmp_path)
    assert sum(len(read_parquet(part)) for part in (tmp_path / "shards").glob("*.parquet")) == len(data)
