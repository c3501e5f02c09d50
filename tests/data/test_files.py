"""Writing files atomically, and reading pipes."""

import gzip
import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from directrank import read_letor
from directrank.data.bytes.files import replacing


def test_a_file_is_replaced_only_when_all_is_written(tmp_path: Path) -> None:
    path = tmp_path / "x"
    path.write_text("old")
    with pytest.raises(KeyboardInterrupt), replacing(path) as file:  # noqa: PT012
        file.write(b"half")
        assert path.read_text() == "old"
        raise KeyboardInterrupt
    assert path.read_text() == "old" and list(tmp_path.iterdir()) == [path]
    with replacing(path) as file:
        file.write(b"new")
    assert path.read_text() == "new" and list(tmp_path.iterdir()) == [path]


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "real").write_text("old")
    (tmp_path / "link").symlink_to(tmp_path / "real")
    with replacing(tmp_path / "link") as file:
        file.write(b"new")
    assert (tmp_path / "link").is_symlink() and (tmp_path / "real").read_text() == "new"


def test_new_files_have_ordinary_permissions(tmp_path: Path) -> None:
    with replacing(tmp_path / "x") as file:
        file.write(b"")
    (tmp_path / "y").write_text("")
    assert stat.S_IMODE(os.stat(tmp_path / "x").st_mode) == stat.S_IMODE(os.stat(tmp_path / "y").st_mode)


def test_zipped_files_are_the_same_each_time(tmp_path: Path) -> None:
    for name in ("a.gz", "b.gz"):
        with replacing(tmp_path / name) as file:
            file.write(b"text")
    assert (tmp_path / "a.gz").read_bytes() == (tmp_path / "b.gz").read_bytes()


def test_reading_a_pipe() -> None:
    code = "from directrank import read_letor; print(read_letor('/dev/stdin').X.tolist())"
    out = subprocess.run([sys.executable, "-c", code], input="1 1:2\n", capture_output=True, text=True, check=True)
    assert out.stdout == "[[2.0]]\n"


def test_reading_and_writing_zipped_pipes(tmp_path: Path) -> None:
    code = "from directrank import read_letor, write_letor; write_letor('/dev/stdout', read_letor('/dev/stdin'))"
    out = subprocess.run([sys.executable, "-c", code], input=gzip.compress(b"1 1:2\n"), capture_output=True, check=True)
    assert out.stdout == b"1 1:2.0\n"


def test_reading_a_folder(tmp_path: Path) -> None:
    with pytest.raises(IsADirectoryError):
        read_letor(tmp_path)


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o664])
def test_a_replaced_file_keeps_its_permissions(tmp_path: Path, mode: int) -> None:
    path = tmp_path / "x.gz" if mode == 0o640 else tmp_path / "x"
    path.write_text("old")
    path.chmod(mode)
    with replacing(path) as file:
        file.write(b"new")
        (part,) = tmp_path.glob(".x*.part")
        assert stat.S_IMODE(part.stat().st_mode) == mode  # while it is written, too
    assert stat.S_IMODE(path.stat().st_mode) == mode
