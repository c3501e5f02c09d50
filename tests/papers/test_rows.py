"""Stored rows: computed once, never partial, and tied to the data."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import warnings
from pathlib import Path

import pytest

from directrank import SVMRanker
from directrank.data import InputError
from directrank.data.io.locks import locked_folder
from directrank.datasets import make_ranking
from directrank.papers import Rows


def test_row_is_computed_once(tmp_path: Path) -> None:
    computed: list[str] = []

    def compute(name: str) -> dict[str, object]:
        computed.append(name)
        return {"name": name, "values": (1, 2.5)}

    wanted = {name: {"name": name, "values": [1, 2.5]} for name in "abc"}
    assert Rows(tmp_path / "rows").get_or_compute("study", ["a", "b"], compute) == {name: wanted[name] for name in "ab"}
    again = Rows(tmp_path / "rows")
    assert again.get_or_compute("study", ["c", "a", "b"], compute) == {name: wanted[name] for name in "cab"}
    assert computed == ["a", "b", "c"] and again.n_loaded == 2 and again.n_computed == 1
    again.get_or_compute("another study", ["a"], compute)
    assert computed[3:] == ["a"]


def test_finished_rows_survive_ctrl_c(tmp_path: Path) -> None:
    def compute(name: str) -> str:
        if name == "b":
            raise KeyboardInterrupt
        return name

    with pytest.raises(KeyboardInterrupt):
        Rows(tmp_path / "rows").get_or_compute("study", ["a", "b", "c"], compute)
    assert Rows(tmp_path / "rows").get_or_compute("study", ["a"], lambda name: "not this") == {"a": "a"}


def test_interrupted_training_stores_no_row(tmp_path: Path) -> None:
    data = make_ranking(10, (5, 5), random_state=0)

    def press(progress: object) -> None:
        raise KeyboardInterrupt

    def compute(name: str) -> float:
        svm = SVMRanker("AP", C=1.0, bound="convex")
        return float(svm.fit(data.X, data.y, data.qid, callbacks=[press]).gap_)

    rows = Rows(tmp_path / "rows")
    with pytest.raises(KeyboardInterrupt):
        rows.get_or_compute("study", ["a"], compute)
    assert rows.n_computed == 0 and not rows.file.exists()


def test_incomplete_line_is_truncated(tmp_path: Path) -> None:
    file = tmp_path / "rows"
    Rows(file).get_or_compute("study", ["a", "b"], str.upper)
    file.write_text(file.read_text() + '{"key": "study: c", "ro')
    rows = Rows(file)
    assert rows.n_loaded == 2 and rows.get_or_compute("study", ["a", "c"], str.upper) == {"a": "A", "c": "C"}
    assert [json.loads(line)["row"] for line in file.read_text().splitlines()] == ["A", "B", "C"]


KILL = """
import io, os, signal, sys
from pathlib import Path

from directrank.papers import Rows

file, saved = Path(sys.argv[1]), {}


class Killed(io.FileIO):
    def write(self, line):
        super().write(line[:n_bytes])
        os.kill(os.getpid(), signal.SIGKILL)


for number, n_bytes in enumerate([0, 1, 20, 46, 47]):  # of a line of 47
    child = os.fork()
    if child == 0:
        Path.open = lambda path, mode, buffering=-1: Killed(path, mode.replace("b", ""))
        Rows(file).get_or_compute("study", [f"row {number}"], lambda name: [name, 123])
    assert os.waitpid(child, 0)[1] == signal.SIGKILL and len(file.read_bytes().rpartition(b"\\n")[2]) == n_bytes % 47
    loaded = Rows(file)
    assert loaded.n_loaded == len(saved) + (n_bytes == 47)
    names = [f"row {number}", f"another {number}"]
    saved |= loaded.get_or_compute("study", names, lambda name: [name, 123])
    assert Rows(file).get_or_compute("study", list(saved), None) == saved and file.read_bytes().endswith(b"\\n")
"""


def test_rows_survive_a_kill_at_any_byte(tmp_path: Path) -> None:
    command = [sys.executable, "-c", KILL, tmp_path / "rows"]
    out = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)
    assert out.returncode == 0, out.stderr


def test_the_line_of_a_running_writer_is_not_truncated(tmp_path: Path) -> None:
    file, line = tmp_path / "rows", b'{"key": "study: slow", "row": "SLOW"}\n'
    quick = threading.Thread(target=lambda: Rows(file).get_or_compute("study", ["quick"], str.upper))
    with locked_folder(tmp_path):
        file.write_bytes(line[:20])
        quick.start()
        quick.join(0.1)
        with file.open("ab") as rest:
            rest.write(line[20:])
    quick.join()
    assert Rows(file).get_or_compute("study", ["slow", "quick"], str.lower) == {"slow": "SLOW", "quick": "QUICK"}


def test_many_writers_lose_no_row(tmp_path: Path) -> None:
    names = [[f"{number}-{i}" for i in range(30)] for number in range(4)]
    threads = [
        threading.Thread(target=Rows(tmp_path / "rows").get_or_compute, args=("study", each, str.upper)) for each in names
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert Rows(tmp_path / "rows").n_loaded == 120


def test_a_full_disk_names_the_file(tmp_path: Path) -> None:
    (tmp_path / "rows").symlink_to("/dev/full")
    rows = Rows.__new__(Rows)
    rows.file, rows._rows = tmp_path / "rows", {}
    with pytest.raises(OSError, match=r"No space left on device: .*rows"):
        rows._save("study: a", "A")


def test_rows_of_other_code_are_not_reused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a.txt").touch()
    first = Rows.open(tmp_path / "results", "paper", "text", tmp_path, False)
    first.get_or_compute("study", ["a"], str.upper)
    monkeypatch.setattr("directrank.papers.rows.code_digest", lambda: "another")
    second = Rows.open(tmp_path / "results", "paper", "text", tmp_path, False)
    assert second.file != first.file and second.n_loaded == 0 and first.outdated == [] and second.outdated == [first.file]
    assert Rows.open(tmp_path / "results", "paper", "text", tmp_path, True).outdated == []


def test_other_file_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "rows").write_text("{}\n")
    with pytest.raises(InputError, match=r"rows:1: .* delete the file"):
        Rows(tmp_path / "rows")


def test_changed_data_have_their_own_rows(tmp_path: Path) -> None:
    folder = tmp_path / "data"
    (folder / "part").mkdir(parents=True)
    (folder / "part" / "a.txt").write_text("1")

    def file(source: str = "text", quick: bool = False) -> Path:
        return Rows.open(tmp_path, "paper", source, folder, quick).file

    first = file()
    assert first == file() and len({first, file("runs"), file(quick=True)}) == 3
    (folder / "part" / "a.txt").write_text("2")
    os.utime(folder / "part" / "a.txt", (1, 1))
    assert file() != first


def test_saved_rows_and_pages_do_not_change_the_fingerprint(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text("{}")
    rows = Rows.open(tmp_path, "paper", "text", tmp_path, False)
    rows.get_or_compute("study", ["a"], str.upper)
    (tmp_path / "page.html").touch()
    again = Rows.open(tmp_path, "paper", "text", tmp_path, False)
    assert again.file == rows.file and again.n_loaded == 1
    (tmp_path / "a.jsonl").write_text("{ }")
    assert Rows.open(tmp_path, "paper", "text", tmp_path, False).file != rows.file


def test_unwritable_results_folder_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(InputError, match="use another --results"):
        Rows.open(tmp_path / "file" / "results", "paper", "text", tmp_path, False)


def test_binary_file_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "rows").write_bytes(b"\xff\xfe\n")
    with pytest.raises(InputError, match=r"rows:1: .* delete the file"):
        Rows(tmp_path / "rows")


def test_warnings_are_passed_on(tmp_path: Path) -> None:
    def compute(name: str) -> str:
        warnings.warn(f"row {name}", stacklevel=1)
        return name

    with pytest.warns(UserWarning, match="row a"):
        Rows(tmp_path / "rows").get_or_compute("study", ["a"], compute)
