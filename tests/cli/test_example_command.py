"""``directrank example``: what it prints, what it refuses, and that the commands it suggests work."""

from __future__ import annotations

import json
import shlex
from functools import cache
from pathlib import Path

import pytest
from harness import error_of, run, stdout_of

from directrank.cli.actions import example
from directrank.datasets import EXAMPLE_FILES

MADE = cache(example.make_example)


@pytest.fixture(autouse=True)
def made_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(example, "make_example", MADE)


@pytest.mark.slow
def test_it_lists_its_files_and_what_to_do_next(tmp_path: Path) -> None:
    out = stdout_of("example", "my data", folder=tmp_path)
    listed, _, following = out.partition("Next:")
    assert all(f"  {name} " in listed for name in EXAMPLE_FILES) and max(map(len, listed.splitlines())) <= 80
    assert {path.name for path in (tmp_path / "my data").iterdir()} == set(EXAMPLE_FILES)
    commands = [line.strip() for line in following.splitlines() if line.strip()]
    assert len(commands) == 5
    for line in commands:
        name, *arguments = shlex.split(line.replace("--time 1m", "--time 1s"))
        assert name == "directrank" and run(*arguments, folder=tmp_path).code == 0, line


@pytest.mark.slow
def test_an_earlier_example_is_replaced_and_nothing_else(tmp_path: Path) -> None:
    found = json.loads(stdout_of("example", "data", "--json", folder=tmp_path))
    assert found == {"folder": "data", "files": EXAMPLE_FILES}
    (tmp_path / "data" / "qrels.txt").write_text("")
    stdout_of("example", "data", folder=tmp_path)
    assert (tmp_path / "data" / "qrels.txt").read_text()
    (tmp_path / "data" / "model.json").write_text("mine")
    assert error_of("example", "data", folder=tmp_path) == "data holds other files, such as model.json; name a new folder"
    assert (tmp_path / "data" / "model.json").read_text() == "mine"
    assert "name a folder" in error_of("example", tmp_path / "data" / "model.json")
