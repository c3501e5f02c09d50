"""Indexes in folders: killed and simultaneous writers, old formats, damage."""

from __future__ import annotations

import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest

from directrank import InputError
from directrank.retrieval import BM25, Retriever, TextIndex
from directrank.retrieval.index_files import write_index

# Children save two indexes in turn until they are killed at a random moment; what is there must be one of the two, whole.
# Exit code 1 means that this was not so, and the number of kills is printed.
KILL = """
import os, random, signal, sys, time
from pathlib import Path
from directrank.retrieval import TextIndex

def build(word, n):
    return TextIndex.build([(f"{word}{i}", f"{word} {i} " * 20) for i in range(n)], "plain")

indexes, folder, rng = [build("cat", 300), build("dog", 200)], Path(sys.argv[1]), random.Random(int(sys.argv[2]))
whole = [(list(index.docnos), index.matrix().toarray().tolist()) for index in indexes]
indexes[0].save(folder)
for kill in range(20):
    child = os.fork()
    if child == 0:
        signal.alarm(60)  # should its parent be killed
        while True:
            for index in indexes:
                index.save(folder)
    time.sleep(rng.uniform(0.001, 0.03))
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    found = TextIndex.open(folder)
    if (list(found.docnos), found.matrix().toarray().tolist()) not in whole:
        sys.exit(f"kill {kill} left half an index")
print("left:", sorted(path.name.split("-")[0] for path in folder.iterdir()))
indexes[0].save(folder)
print("then:", sorted(path.name.split("-")[0] for path in folder.iterdir()), [path.name for path in folder.parent.iterdir()])
"""


def test_a_killed_writer_leaves_the_old_index_and_the_next_one_cleans_up(tmp_path: Path) -> None:
    for seed in range(2):
        command = [sys.executable, "-c", KILL, tmp_path / "index", str(seed)]
        out = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)
        assert out.returncode == 0, out.stderr
        assert out.stdout.splitlines()[-1] == "then: ['data', 'index.json'] ['index']"


def test_a_writer_killed_before_there_was_an_index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    index, folder = TextIndex.build([("a", "cat")], "plain"), tmp_path / "index"

    class KilledError(BaseException):
        pass

    class Killing(dict):  # its second array never comes; the process ends without cleaning up
        def items(self):
            yield "starts", index.starts
            raise KilledError

    monkeypatch.setattr("shutil.rmtree", lambda *_, **__: None)
    with pytest.raises(KilledError):
        write_index(folder, Killing(), {"name": "plain", "digest": None})
    monkeypatch.undo()
    assert len(list(folder.iterdir())) == 2
    with pytest.raises(InputError, match="an index that was never completed"):
        TextIndex.open(folder)
    index.save(folder)
    assert list(TextIndex.open(folder).docnos) == ["a"] and len(list(folder.iterdir())) == 2


def test_the_last_of_many_writers_wins_whole(tmp_path: Path) -> None:
    indexes = [TextIndex.build([(f"{i}", f"cat {i}")] * 1 + [(f"{i}x", "dog")], "plain") for i in range(6)]
    barrier, failures = threading.Barrier(7), []

    def write(index: TextIndex) -> None:
        barrier.wait()
        for _ in range(15):
            try:
                index.save(tmp_path / "index")
            except BaseException as error:
                failures.append(error)

    def read() -> None:
        barrier.wait()
        for _ in range(100):
            try:
                found = TextIndex.open(tmp_path / "index")
                assert list(found.docnos)[1] == f"{found.docnos[0]}x" and found.frequency(found.docnos[0]) == 1
            except BaseException as error:
                failures.append(error)

    indexes[0].save(tmp_path / "index")
    threads = [threading.Thread(target=write, args=(index,)) for index in indexes] + [threading.Thread(target=read)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    assert TextIndex.open(tmp_path / "index").docnos[0] in "012345"
    indexes[1].save(tmp_path / "index")
    assert len(list((tmp_path / "index").iterdir())) == 2 and [p.name for p in tmp_path.iterdir()] == ["index"]


def test_an_index_that_is_open_stays_so(tmp_path: Path) -> None:
    TextIndex.build([("a", "cat")], "plain").save(tmp_path / "index")
    old = TextIndex.open(tmp_path / "index")
    TextIndex.build([("b", "dog dog")], "plain").save(tmp_path / "index")
    assert list(old.docnos) == ["a"] and old.matrix().toarray().tolist() == [[1]]
    old.save(tmp_path / "index")  # over what replaced it, from files that are no longer there
    assert list(TextIndex.open(tmp_path / "index").docnos) == ["a"]


@pytest.mark.parametrize(
    ("name", "values", "sentence"),
    [
        ("documents", np.array([0, 1, 7], np.int32), "its postings do not fit the lengths"),
        ("documents", np.array([0, -1, 1], np.int32), "its postings do not fit the lengths"),
        ("counts", np.array([1, 2, 0], np.uint8), "its postings do not fit the lengths"),
        ("lengths", np.array([2, 3]), "its postings do not fit the lengths"),
        ("starts", np.array([0, 5, 3]), "its postings do not fit the other arrays"),
        ("starts", np.array([0, 2, 2**40]), "its postings do not fit the other arrays"),
        ("counts", np.array([1, 2], np.uint8), "its counts do not fit"),
        ("docnos_ends", np.array([1, 900]), "its docnos do not fit"),
        ("terms_ends", np.array([-3, 6]), "its terms do not fit"),
        ("starts", np.array([0.0, 2.0, 3.0]), r"starts has the shape \(3,\) and holds float64"),
        ("docnos", np.array([255, 255], np.uint8), "is not UTF-8 text; the file it comes from is damaged"),
    ],
)
def test_arrays_that_do_not_fit_are_refused_before_a_kernel_sees_them(
    tmp_path: Path, name: str, values: np.ndarray, sentence: str
) -> None:
    TextIndex.build([("a", "cat dog"), ("b", "cat cat")], "plain").save(tmp_path / "index")
    (data,) = (tmp_path / "index").glob("data-*")
    np.save(data / f"{name}.npy", values)
    with pytest.raises(InputError, match=sentence):
        Retriever(TextIndex.open(tmp_path / "index"), BM25()).search({"q": "cat dog"})


def test_arrays_that_start_at_odd_places_are_refused(tmp_path: Path) -> None:
    TextIndex.build([("a", "cat dog"), ("b", "cat cat")], "plain").save(tmp_path / "index")
    (data,) = (tmp_path / "index").glob("data-*")
    content = (data / "starts.npy").read_bytes()
    (data / "starts.npy").write_bytes(content[:8] + (119).to_bytes(2, "little") + content[10:127] + b" \n" + content[128:])
    with pytest.raises(InputError, match="starts starts at an unaligned offset in its file"):
        TextIndex.open(tmp_path / "index")
