"""Files that are written atomically; pipes and descriptors; files that change, and files that are too large."""

from __future__ import annotations

import gzip
import os
import stat
import subprocess
import sys
import tempfile
import threading
import time
import tracemalloc
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from directrank import InputError, RankingData, read_letor, read_parquet, read_qrels, read_run, write_parquet
from directrank.data import read_documents, read_queries, read_scores, write_scores
from directrank.data.io import files
from directrank.data.io.files import replacing


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
    out = subprocess.run(
        [sys.executable, "-c", code], input="1 1:2\n", capture_output=True, text=True, check=True, timeout=300
    )
    assert out.stdout == "[[2.0]]\n"


def test_reading_and_writing_zipped_pipes(tmp_path: Path) -> None:
    code = "from directrank import read_letor, write_letor; write_letor('/dev/stdout', read_letor('/dev/stdin'))"
    out = subprocess.run(
        [sys.executable, "-c", code], input=gzip.compress(b"1 1:2\n"), capture_output=True, check=True, timeout=300
    )
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


# Children write two contents in turn until they are killed at a random moment; the file must hold one of the two, whole.
KILL = """
import os, random, signal, sys, time
from pathlib import Path
from directrank.data.io.files import read_bytes, replacing

path, contents, rng = Path(sys.argv[1]), [b"a" * 3_000_000, b"b" * 2_000_000], random.Random(0)
path.write_bytes(contents[0])
most = 0
for kill in range(20):
    child = os.fork()
    if child == 0:
        signal.alarm(60)  # should its parent be killed
        while True:
            for content in contents:
                with replacing(path) as file:
                    for lo in range(0, len(content), 100_000):
                        file.write(content[lo : lo + 100_000])
    time.sleep(rng.uniform(0.001, 0.02))
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    if path.read_bytes() not in contents:
        sys.exit(f"kill {kill} left half a file")
    most = max(most, len(list(path.parent.iterdir())))
print(most)
with replacing(path) as file:
    file.write(b"new")
print([path.name for path in path.parent.iterdir()])
"""


def test_a_killed_writer_leaves_the_old_file_and_the_next_one_cleans_up(tmp_path: Path) -> None:
    out = subprocess.run(
        [sys.executable, "-c", KILL, tmp_path / "x"], capture_output=True, text=True, check=False, timeout=300
    )
    assert out.returncode == 0, out.stderr
    left, then = out.stdout.splitlines()
    assert int(left) == 2 and then == "['x']"  # each writer removes what the one before it left


def test_the_temporary_file_of_a_running_writer_is_not_deleted(tmp_path: Path) -> None:
    path = tmp_path / "x"
    (tmp_path / ".x.12345.part").write_text("of a process that was killed")
    (tmp_path / ".x.y.12345-0123abcd.part").write_text("of another file")
    (tmp_path / ".x.mine.part").write_text("of somebody else")
    with replacing(path) as slow:
        slow.write(b"slow")
        with replacing(path) as quick:
            quick.write(b"quick")
        assert path.read_bytes() == b"quick"
    assert path.read_bytes() == b"slow"
    assert sorted(p.name for p in tmp_path.iterdir()) == [".x.mine.part", ".x.y.12345-0123abcd.part", "x"]


def test_the_last_of_many_writers_wins_whole(tmp_path: Path) -> None:
    path, barrier, failures = tmp_path / "x", threading.Barrier(8), []

    def write(number: int) -> None:
        barrier.wait()
        for _ in range(40):
            try:
                with replacing(path) as file:
                    for _ in range(10):
                        file.write(bytes([number]) * 1000)
            except BaseException as error:
                failures.append(error)

    threads = [threading.Thread(target=write, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    content = path.read_bytes()
    assert failures == [] and len(content) == 10_000 and len(set(content)) == 1
    assert [p.name for p in tmp_path.iterdir()] == ["x"]


@pytest.mark.parametrize("target", ["/dev/stdout", "/dev/fd/1", "/proc/self/fd/1", "link"])
def test_a_descriptor_is_appended_to(tmp_path: Path, target: str) -> None:
    (tmp_path / "link").symlink_to("/dev/stdout")
    (tmp_path / "all.txt").write_text("before\n")
    code = (
        "import sys; from directrank.data import write_scores; print('printed'); write_scores(sys.argv[1], [1.0, 2.0]);"
        "print('after')"
    )
    with open(tmp_path / "all.txt", "a") as out:
        subprocess.run([sys.executable, "-c", code, target], stdout=out, cwd=tmp_path, check=True, timeout=300)
    assert (tmp_path / "all.txt").read_text() == "before\nprinted\n1.0\n2.0\nafter\n"
    assert sorted(p.name for p in tmp_path.iterdir()) == ["all.txt", "link"]


def through_a_pipe(path: Path, content: bytes) -> threading.Thread:
    """A pipe to read, and a thread that writes to it in small pieces, the first of a single byte."""
    os.mkfifo(path)

    def write() -> None:
        with open(path, "wb", buffering=0) as pipe:
            pipe.write(content[:1])
            time.sleep(0.05)
            for lo in range(1, len(content), 1000):
                pipe.write(content[lo : lo + 1000])

    thread = threading.Thread(target=write, daemon=True)
    thread.start()
    return thread


@pytest.mark.parametrize("zipped", [False, True])
@pytest.mark.parametrize("name", ["letor", "run", "qrels", "scores", "documents", "queries", "topics", "parquet"])
def test_every_reader_takes_a_pipe(tmp_path: Path, name: str, zipped: bool) -> None:
    numbers = range(3000)
    if name == "parquet":
        write_parquet(tmp_path / "x", RankingData(np.arange(3000.0)[:, None], np.zeros(3000)))
    content = {
        "letor": "".join(f"{i} qid:1 1:{i}\n" for i in numbers).encode(),
        "run": "".join(f"1 Q0 d{i} 1 {i} tag\n" for i in numbers).encode(),
        "qrels": "".join(f"1 0 d{i} {i}\n" for i in numbers).encode(),
        "scores": "".join(f"{i}\n" for i in numbers).encode(),
        "documents": "".join(f"d{i}\ttext {i}\n" for i in numbers).encode(),
        "queries": "".join(f"d{i}\ttext {i}\n" for i in numbers).encode(),
        "topics": "".join(f"<top><num>{i}<title>text {i}</top>\n" for i in numbers).encode(),
        "parquet": (tmp_path / "x").read_bytes() if name == "parquet" else b"",
    }[name]
    read = {
        "letor": lambda path: read_letor(path).X[:, 0].tolist(),
        "run": lambda path: read_run(path).score.tolist(),
        "qrels": lambda path: read_qrels(path).grade.tolist(),
        "scores": lambda path: read_scores(path).tolist(),
        "documents": lambda path: [int(document.text.split()[1]) for document in read_documents(path)],
        "queries": lambda path: [int(text.split()[1]) for text in read_queries(path).values()],
        "topics": lambda path: [int(text.split()[1]) for text in read_queries(path).values()],
        "parquet": lambda path: read_parquet(path).X[:, 0].tolist(),
    }[name]
    writer = through_a_pipe(tmp_path / "pipe", gzip.compress(content) if zipped else content)
    assert read(tmp_path / "pipe") == list(numbers)
    writer.join(60)


def test_writing_to_a_pipe(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "x.gz")
    found = []
    reader = threading.Thread(target=lambda: found.append((tmp_path / "x.gz").read_bytes()), daemon=True)
    reader.start()
    write_scores(tmp_path / "x.gz", np.array([1.0]))
    reader.join(60)
    assert gzip.decompress(found[0]) == b"1.0\n" and (tmp_path / "x.gz").is_fifo()


def test_a_device_is_written_to() -> None:
    write_scores("/dev/null", np.array([1.0]))
    assert stat.S_ISCHR(os.stat("/dev/null").st_mode)


def test_parquet_through_a_pipe(tmp_path: Path) -> None:
    code = "from directrank import *; write_parquet('/dev/stdout', RankingData([[1.5], [2.5]], [0, 1]))"
    (tmp_path / "x").write_bytes(
        subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, timeout=300).stdout
    )
    assert read_parquet(tmp_path / "x").X.tolist() == [[1.5], [2.5]]


# A reader in a process of its own, while others truncate, extend and rewrite the file; a signal would be its exit code.
CHANGING = """
import os, sys, threading, time
from directrank import InputError, read_letor
from directrank.data import read_scores

path, read = sys.argv[1], {"letor": read_letor, "scores": read_scores}[sys.argv[2]]
line = {"letor": b"1 qid:1 1:2 2:3\\n", "scores": b"1.5\\n"}[sys.argv[2]]
long, done, outcomes = line * (3_000_000 // len(line)), False, {}
with open(path, "wb") as file:
    file.write(long)

def change():
    while not done:
        for size in (len(long) // 3, 10 * len(line), 0):
            os.truncate(path, size)
            time.sleep(0.002)
            with open(path, "r+b") as file:
                file.write(long + line)
            time.sleep(0.002)

threading.Thread(target=change, daemon=True).start()
end = time.monotonic() + 20
while time.monotonic() < end and outcomes.get("read it again once it is complete", 0) < 5:
    try:
        read(path)
        outcome = "read"
    except InputError as error:
        outcome = str(error).split("; ")[-1]
    outcomes[outcome] = outcomes.get(outcome, 0) + 1
done = True
print(outcomes)
"""


@pytest.mark.parametrize("kind", ["letor", "scores"])
def test_a_file_that_changes_while_it_is_read(tmp_path: Path, kind: str) -> None:
    out = subprocess.run([sys.executable, "-c", CHANGING, tmp_path / "x", kind], capture_output=True, text=True, timeout=300)
    assert out.returncode == 0, out.stderr
    assert "read it again once it is complete" in out.stdout


@pytest.mark.parametrize("size", [0, 5, 40])
def test_any_change_is_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, size: int) -> None:
    path = tmp_path / "x"
    path.write_bytes(b"1.0\n" * 5)
    os.utime(path, ns=(0, 0))
    check_unchanged = files.check_unchanged

    def change_first(*arguments: Any) -> None:
        path.write_bytes(b"2.0\n" * size)
        check_unchanged(*arguments)

    monkeypatch.setattr(files, "check_unchanged", change_first)
    with pytest.raises(InputError, match=r"x: the file changed while it was read; read it again once it is complete"):
        read_scores(path)
    path.write_bytes(b"a\ttext\n")
    with pytest.raises(InputError, match="the file changed while it was read"):
        list(read_documents(path))


def test_a_file_replaced_while_it_is_read_keeps_its_old_content(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_scores(tmp_path / "x", np.array([1.0]))
    check_unchanged = files.check_unchanged

    def replace_first(*arguments: Any) -> None:
        write_scores(tmp_path / "x", np.array([2.0, 3.0]))
        check_unchanged(*arguments)

    monkeypatch.setattr(files, "check_unchanged", replace_first)
    assert read_scores(tmp_path / "x").tolist() == [1.0]


READERS = [
    read_letor,
    read_run,
    read_qrels,
    read_scores,
    read_queries,
    lambda path, **options: list(read_documents(path, **options)),
    RankingData.read,
]


@pytest.mark.parametrize("read", READERS)
def test_files_that_expand_beyond_the_limit_are_rejected_before_they_fill_memory(tmp_path: Path, read: Any) -> None:
    path = tmp_path / "x.gz"
    with gzip.open(path, "wb", compresslevel=1) as file:
        for _ in range(200):
            file.write(b"1" * 2**20)
    tracemalloc.start()
    try:
        with pytest.raises(InputError, match=r"more than 5,000,000 bytes of data; .* raise max_size \(--max-size\)"):
            read(path, max_size=5_000_000)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 20e6
    (tmp_path / "plain").write_bytes(b"1" * 2**20)
    with pytest.raises(InputError, match=r"plain: the file holds more than 1,000 bytes"):
        read(tmp_path / "plain", max_size=1000)
    with pytest.raises(InputError, match="max_size must be a number of bytes, at least 1, not 0"):
        read(path, max_size=0)


def test_a_parquet_file_that_expands_beyond_the_limit(tmp_path: Path) -> None:
    write_parquet(tmp_path / "x", RankingData(np.zeros((10**5, 3)), np.zeros(10**5)))
    assert (tmp_path / "x").stat().st_size < 100_000
    assert len(read_parquet(tmp_path / "x", max_size=2_400_000)) == 10**5
    with pytest.raises(InputError, match="x: the file holds more than 2,399,999 bytes of data"):
        read_parquet(tmp_path / "x", max_size=2_399_999)


def test_the_limit_of_a_command_ends_with_it_and_is_not_for_other_threads(tmp_path: Path) -> None:
    (tmp_path / "x").write_bytes(b"1.0\n2.0\n")
    found: list[Any] = []
    with pytest.raises(InputError, match="more than 7 bytes"), files.reading_limit(7):  # noqa: PT012
        thread = threading.Thread(target=lambda: found.append(read_scores(tmp_path / "x").tolist()))
        thread.start()
        thread.join()
        read_scores(tmp_path / "x")
    assert found == [[1.0, 2.0]] == [read_scores(tmp_path / "x").tolist()]


def test_exactly_the_limit_is_fine(tmp_path: Path) -> None:
    (tmp_path / "x").write_bytes(b"1.0\n2.0\n")
    (tmp_path / "x.gz").write_bytes(gzip.compress(b"1.0\n2.0\n"))
    for name in ("x", "x.gz"):
        assert read_scores(tmp_path / name, max_size=8).tolist() == [1.0, 2.0]
        with pytest.raises(InputError, match="more than 7 bytes"):
            read_scores(tmp_path / name, max_size=7)


def test_the_default_limit_is_for_compressed_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "half_of_memory", lambda: 5)
    plain, zipped = tmp_path / "plain", tmp_path / "zipped"
    plain.write_bytes(b"123456789")
    zipped.write_bytes(gzip.compress(b"123456789"))
    assert files.read_bytes(plain).tobytes() == b"123456789"
    with pytest.raises(InputError, match="zipped: the file holds more than 5 bytes of data"):
        files.read_bytes(zipped)
    with files.opened(zipped) as stream:
        assert stream.read() == b"123456789"


@pytest.mark.skipif(not hasattr(os, "setuid"), reason="needs setuid, to be an ordinary user")
def test_a_read_only_file_is_replaced() -> None:
    """Its folder decides; root, as whom tests may run, could not tell."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "x")
        path.parent.chmod(0o777)
        path.write_text("old")
        path.chmod(0o444)
        become = "import os; os.getuid() or (os.setgid(65534), os.setuid(65534)); "
        write = f"with replacing({str(path)!r}) as file: file.write(b'new')"
        command = [sys.executable, "-c", f"from directrank.data.io.files import replacing; {become}exec({write!r})"]
        out = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)
        assert out.returncode == 0, out.stderr
        assert path.read_text() == "new" and stat.S_IMODE(path.stat().st_mode) == 0o444
