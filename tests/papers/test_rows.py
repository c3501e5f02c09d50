"""Rows that are kept: computed once, never half, and not by what has changed."""

from __future__ import annotations

import json
import os
import warnings
from pathlib import Path

import pytest

from directrank import SVMRanker
from directrank.data import InputError
from directrank.datasets import make_ranking
from directrank.papers import Rows


def test_a_row_is_computed_once(tmp_path: Path) -> None:
    computed: list[str] = []

    def compute(name: str) -> dict[str, object]:
        computed.append(name)
        return {"name": name, "values": (1, 2.5)}

    wanted = {name: {"name": name, "values": [1, 2.5]} for name in "abc"}
    assert Rows(tmp_path / "rows").each("study", ["a", "b"], compute) == {name: wanted[name] for name in "ab"}
    again = Rows(tmp_path / "rows")
    assert again.each("study", ["c", "a", "b"], compute) == {name: wanted[name] for name in "cab"}
    assert computed == ["a", "b", "c"] and again.found == 2 and again.computed == 1
    again.each("another study", ["a"], compute)
    assert computed[3:] == ["a"]


def test_what_is_finished_when_ctrl_c_comes_is_kept(tmp_path: Path) -> None:
    def compute(name: str) -> str:
        if name == "b":
            raise KeyboardInterrupt
        return name

    with pytest.raises(KeyboardInterrupt):
        Rows(tmp_path / "rows").each("study", ["a", "b", "c"], compute)
    assert Rows(tmp_path / "rows").each("study", ["a"], lambda name: "not this") == {"a": "a"}


def test_a_training_that_was_broken_off_gives_no_row(tmp_path: Path) -> None:
    data = make_ranking(10, (5, 5), random_state=0)

    def press(progress: object) -> None:
        raise KeyboardInterrupt

    def compute(name: str) -> float:
        svm = SVMRanker("AP", C=1.0, bound="convex")
        return float(svm.fit(data.X, data.y, data.qid, callbacks=[press]).gap_)

    rows = Rows(tmp_path / "rows")
    with pytest.raises(KeyboardInterrupt):
        rows.each("study", ["a"], compute)
    assert rows.computed == 0 and not rows.file.exists()


def test_a_line_that_was_not_finished_is_cut_off(tmp_path: Path) -> None:
    file = tmp_path / "rows"
    Rows(file).each("study", ["a", "b"], str.upper)
    file.write_text(file.read_text() + '{"key": "study: c", "ro')
    rows = Rows(file)
    assert rows.found == 2 and rows.each("study", ["a", "c"], str.upper) == {"a": "A", "c": "C"}
    assert [json.loads(line)["row"] for line in file.read_text().splitlines()] == ["A", "B", "C"]


def test_a_file_of_something_else_is_refused(tmp_path: Path) -> None:
    (tmp_path / "rows").write_text("{}\n")
    with pytest.raises(InputError, match=r"rows:1: .* delete the file"):
        Rows(tmp_path / "rows")


def test_changed_data_have_rows_of_their_own(tmp_path: Path) -> None:
    folder = tmp_path / "data"
    (folder / "part").mkdir(parents=True)
    (folder / "part" / "a.txt").write_text("1")

    def file(source: str = "text", quick: bool = False) -> Path:
        return Rows.of(tmp_path, "paper", source, folder, quick).file

    first = file()
    assert first == file() and len({first, file("runs"), file(quick=True)}) == 3
    (folder / "part" / "a.txt").write_text("2")
    os.utime(folder / "part" / "a.txt", (1, 1))
    assert file() != first


def test_what_is_kept_beside_the_data_does_not_change_them(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text("{}")
    rows = Rows.of(tmp_path, "paper", "text", tmp_path, False)
    rows.each("study", ["a"], str.upper)
    (tmp_path / "page.html").touch()
    again = Rows.of(tmp_path, "paper", "text", tmp_path, False)
    assert again.file == rows.file and again.found == 1
    (tmp_path / "a.jsonl").write_text("{ }")
    assert Rows.of(tmp_path, "paper", "text", tmp_path, False).file != rows.file


def test_a_place_where_nothing_can_be_kept_is_refused_at_once(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(InputError, match="name another --results"):
        Rows.of(tmp_path / "file" / "results", "paper", "text", tmp_path, False)


def test_bytes_that_are_no_text_are_refused(tmp_path: Path) -> None:
    (tmp_path / "rows").write_bytes(b"\xff\xfe\n")
    with pytest.raises(InputError, match=r"rows:1: .* delete the file"):
        Rows(tmp_path / "rows")


def test_warnings_of_a_row_come_through(tmp_path: Path) -> None:
    def compute(name: str) -> str:
        warnings.warn(f"row {name}", stacklevel=1)
        return name

    with pytest.warns(UserWarning, match="row a"):
        Rows(tmp_path / "rows").each("study", ["a"], compute)
