"""Ranking data as a folder of Parquet files: whole queries, equal shares, and writers that are killed."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy import sparse

from directrank import InputError, RankingData, read_parquet, write_parquet
from directrank.data.formats.parquet import writer
from directrank.data.formats.parquet.writer import check_shard_set


@st.composite
def ranking_data(draw: st.DrawFn) -> RankingData:
    sizes = draw(st.lists(st.integers(1, 9), min_size=1, max_size=8))
    names: Any = st.integers(-(2**63), 2**63 - 1) if draw(st.booleans()) else st.text("aé 7", max_size=4)
    ids = draw(st.lists(names, min_size=len(sizes), max_size=len(sizes), unique=True))
    qid = draw(st.permutations([q for q, size in zip(ids, sizes, strict=True) for _ in range(size)]))
    n = len(qid)
    X = np.arange(2.0 * n, dtype=draw(st.sampled_from([np.float32, np.float64]))).reshape(n, 2) % 7
    X[draw(st.integers(0, n - 1)), 0] = np.nan
    return RankingData(
        sparse.csr_array(X) if draw(st.booleans()) else X,
        np.arange(n) % 3,
        qid,
        draw(st.none() | st.lists(st.text(max_size=3), min_size=n, max_size=n)),
        draw(st.sampled_from([None, ["bm25", "page rank"]])),
    )


def read_shards(folder: Path) -> list[RankingData]:
    files = sorted(folder.glob("*.parquet"))
    assert [file.name for file in files] == [f"part-{i:05}.parquet" for i in range(len(files))]
    return [read_parquet(file) for file in files]


@given(ranking_data(), st.data())
def test_shards_are_the_data_in_whole_queries_of_equal_shares(data: RankingData, choices: st.DataObject) -> None:
    k = choices.draw(st.integers(1, data.n_queries))
    with tempfile.TemporaryDirectory() as place:
        write_parquet(Path(place) / "shards", data, shards=k)
        shards = read_shards(Path(place) / "shards")
    assert len(shards) == k
    queries = [set(shard.qid.tolist()) for shard in shards]
    assert sum(map(len, queries)) == data.n_queries  # none is in two

    order = data.by_query().order  # by first appearance, the rows of each in their order
    dense = data.X.toarray() if sparse.issparse(data.X) else data.X
    np.testing.assert_array_equal(np.concatenate([shard.X for shard in shards]), dense[order])
    for name in ("y", "qid", "docno"):
        whole, parts = getattr(data, name), [getattr(shard, name) for shard in shards]
        assert parts == [None] * k if whole is None else np.concatenate(parts).tolist() == whole[order].tolist()
        assert whole is None or {part.dtype for part in parts} == {whole.dtype}
    assert {shard.X.dtype for shard in shards} == {data.X.dtype}
    assert all(shard.feature_names == (data.feature_names or ["f1", "f2"]) for shard in shards)

    largest = np.diff(data.by_query().offsets).max()
    assert all(abs(len(shard) - len(data) / k) <= largest for shard in shards)


@given(st.lists(st.integers(1, 50) | st.integers(1, 3), min_size=1, max_size=60), st.data())
def test_boundaries_between_shards(sizes: list[int], choices: st.DataObject) -> None:
    k = choices.draw(st.integers(1, len(sizes)))
    offsets = np.concatenate(([0], np.cumsum(sizes)))
    cuts = writer._cuts(offsets, k)
    assert cuts[0] == 0 and cuts[-1] == len(sizes) and cuts.size == k + 1 and (np.diff(cuts) > 0).all()
    rows = np.diff(offsets[cuts])
    assert np.abs(rows - offsets[-1] / k).max() <= max(sizes)
    if k == 2:
        assert rows.max() == min(max(cut, offsets[-1] - cut) for cut in offsets[1:-1])


def test_queries_of_one_size_are_shared_equally(tmp_path: Path) -> None:
    write_parquet(tmp_path / "shards", some_data(12), shards=4)
    assert [len(shard) for shard in read_shards(tmp_path / "shards")] == [6] * 4


def test_a_query_larger_than_a_share(tmp_path: Path) -> None:
    qid = [0] * 20 + [1, 2, 3]
    write_parquet(tmp_path / "shards", RankingData(np.ones((23, 1)), np.zeros(23), qid), shards=3)
    assert [shard.n_queries for shard in read_shards(tmp_path / "shards")] == [1, 1, 2]


def test_many_row_groups_of_rows_that_are_apart(tmp_path: Path) -> None:
    n = 2**18
    X = np.arange(float(n))[:, None]
    write_parquet(tmp_path / "shards", RankingData(X, np.zeros(n), np.arange(n) % 4), shards=2)
    first, second = read_shards(tmp_path / "shards")
    np.testing.assert_array_equal(first.X, np.concatenate((X[::4], X[1::4])))
    np.testing.assert_array_equal(second.X, np.concatenate((X[2::4], X[3::4])))


def some_data(n_queries: int, value: float = 1.0) -> RankingData:
    """Queries of two documents."""
    qid = np.arange(2 * n_queries) // 2
    return RankingData(np.full((qid.size, 1), value), np.zeros(qid.size), qid)


@pytest.mark.parametrize("shards", [0, -1, 100_001, 2.0, "2", True, np.float64(2)])
def test_numbers_of_shards_that_cannot_be(tmp_path: Path, shards: Any) -> None:
    with pytest.raises(InputError, match=r"shards must be a whole number from 1 to 100,000, not "):
        write_parquet(tmp_path / "shards", some_data(3), shards=shards)
    assert list(tmp_path.iterdir()) == []


def test_data_that_cannot_be_divided(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="the data has 3 queries, too few for 4 shards; write fewer shards"):
        write_parquet(tmp_path / "shards", some_data(3), shards=4)
    with pytest.raises(InputError, match="the data has no qid: it is one query; write one file"):
        write_parquet(tmp_path / "shards", RankingData([[1.0]], [0]), shards=1)
    with pytest.raises(InputError, match="a feature is named 'qid'"):
        write_parquet(tmp_path / "shards", RankingData([[1.0]], [0], [1], feature_names=["qid"]), shards=1)
    assert list(tmp_path.iterdir()) == []


def test_invalid_folders_for_shards(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="file is a file, and shards are written to a folder; choose another name"):
        write_parquet(tmp_path / "file", some_data(2), shards=2)
    with pytest.raises(InputError, match=r"a/b: there is no such folder to make a folder in"):
        write_parquet(tmp_path / "a" / "b", some_data(2), shards=2)
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


@pytest.mark.parametrize("other", ["part-00002.parquet", "train.parquet", "Old.PARQUET", "part-00000.parquet/"])
def test_other_parquet_files_are_not_mixed_in(tmp_path: Path, other: str) -> None:
    write_parquet(tmp_path, some_data(2, 1.0), shards=1)
    if other.endswith("/"):
        (tmp_path / other).unlink()
        (tmp_path / other).mkdir()
    else:
        (tmp_path / other).write_text("")
    before = sorted(tmp_path.iterdir())
    with pytest.raises(InputError) as error:
        write_parquet(tmp_path, some_data(2, 2.0), shards=2)
    what = f"already holds {other.rstrip('/')}, which is not one of the 2 files to write"
    assert what in str(error.value) and "\n" not in str(error.value)
    assert sorted(tmp_path.iterdir()) == before


def test_a_new_set_replaces_the_old_one(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to("shards")
    for value, k in ((1.0, 2), (2.0, 3), (3.0, 3)):
        write_parquet(tmp_path / "link", some_data(3, value), shards=k)
        shards = read_shards(tmp_path / "shards")
        assert len(shards) == k and {x for shard in shards for x in shard.X.ravel()} == {value}
        (tmp_path / "shards" / "README").write_text("stays")
        os.chmod(tmp_path / "shards" / "part-00001.parquet", 0o600)
    assert (tmp_path / "link").is_symlink()
    names = sorted(path.name for path in (tmp_path / "shards").iterdir())
    assert names == ["README", "part-00000.parquet", "part-00001.parquet", "part-00002.parquet"]
    write_parquet(tmp_path / "shards", some_data(3), shards=3)
    modes = [stat.S_IMODE(path.stat().st_mode) for path in sorted((tmp_path / "shards").glob("*.parquet"))]
    assert modes[1] == 0o600 and modes[0] == stat.S_IMODE((tmp_path / "shards" / "README").stat().st_mode)


class Stopped(BaseException):
    pass


def stop_after(n: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the writer do n things to files, of writing, removing and renaming them, and not the next."""
    left = [n]

    def counted(act: Callable[..., Any]) -> Callable[..., Any]:
        def acts(*arguments: Any, **options: Any) -> Any:
            left[0] -= 1
            if left[0] < 0:
                raise Stopped
            return act(*arguments, **options)

        return acts

    monkeypatch.setattr(writer, "_write", counted(writer._write))
    monkeypatch.setattr(Path, "unlink", counted(Path.unlink))
    monkeypatch.setattr(os, "replace", counted(os.replace))


def state(folder: Path) -> str:
    """Which set a folder holds, whole; or that it is refused."""
    files = [str(path) for path in folder.glob("**/*.parquet")]
    values = {x for file in files for x in read_parquet(file).X.ravel().tolist()}
    assert len(values) <= 1, "two sets are mixed"
    try:
        check_shard_set(folder, files)
    except InputError as error:
        assert str(error) == f"{folder} has shards without part-00000.parquet: the set is incomplete; write it again"
        return "refused"
    return f"{len(files)} files of {values.pop()}" if files else "empty"


def test_a_killed_writer_never_mixes_two_sets(tmp_path: Path) -> None:
    states = []
    for n in range(9):
        folder = tmp_path / str(n)
        write_parquet(folder, some_data(3, 1.0), shards=2)
        with pytest.MonkeyPatch.context() as monkeypatch, pytest.raises(Stopped):  # noqa: PT012
            stop_after(n, monkeypatch)
            write_parquet(folder, some_data(3, 2.0), shards=3)
        states.append(state(folder))
        assert not [path for path in folder.iterdir() if path.suffix != ".parquet"]
        write_parquet(folder, some_data(3, 3.0), shards=3)
        assert state(folder) == "3 files of 3.0"
    # Three are written, one of the old ones is removed; then the other, and one that is not there; then two are named.
    assert states == ["2 files of 1.0"] * 4 + ["refused", "empty", "empty", "refused", "refused"]


# Children write two sets in turn until they are killed at a random moment.
KILL = """
import os, random, signal, sys, time
from pathlib import Path
import numpy as np
from directrank import InputError, RankingData, read_parquet, write_parquet
from directrank.data.formats.parquet.writer import check_shard_set

folder, rng, qid = Path(sys.argv[1]), random.Random(0), np.arange(3000) // 100
sets = [RankingData(np.full((3000, 3), value), np.zeros(3000), qid) for value in (1.0, 2.0)]
write_parquet(folder, sets[0], shards=9)
for kill in range(30):
    child = os.fork()
    if child == 0:
        signal.alarm(60)  # should its parent be killed
        while True:
            for data in sets:
                write_parquet(folder, data, shards=9)
    time.sleep(rng.uniform(0.005, 0.03))
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    files = sorted(map(str, folder.glob("*.parquet")))
    if len({read_parquet(file).X[0, 0] for file in files}) > 1:
        sys.exit(f"kill {kill} mixed two sets")
    try:
        check_shard_set(folder, files)
        whole = len(files) in (0, 9)
    except InputError:
        whole = f"{folder}/part-00000.parquet" not in files
    if not whole:
        sys.exit(f"kill {kill} left a part that looks whole: {files}")
write_parquet(folder, sets[0], shards=9)
print(len(list(folder.iterdir())))
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_killed_writer_never_mixes_two_sets_and_the_next_one_cleans_up(tmp_path: Path) -> None:
    out = subprocess.run(
        [sys.executable, "-c", KILL, tmp_path / "x"], capture_output=True, text=True, check=False, timeout=300
    )
    assert out.returncode == 0, out.stderr
    assert out.stdout == "9\n"


def test_the_last_of_many_writers_wins_whole(tmp_path: Path) -> None:
    barrier, failures = threading.Barrier(4), []

    def write(number: int) -> None:
        barrier.wait()
        for _ in range(10):
            try:
                write_parquet(tmp_path, some_data(6, float(number)), shards=6)
            except BaseException as error:
                failures.append(error)

    threads = [threading.Thread(target=write, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == [] and state(tmp_path).startswith("6 files of")
    assert len(list(tmp_path.iterdir())) == 6


def test_other_parquet_files_in_a_folder_are_accepted() -> None:
    check_shard_set("x", [])
    check_shard_set("x", ["a.parquet", "part-00001-c000.snappy.parquet", "part.3.parquet"])
    check_shard_set("x", ["s3://x/part-00001.parquet", "s3://x/part-00000.parquet"])
    with pytest.raises(InputError, match=r"x has shards without part-00001\.parquet"):
        check_shard_set("x", ["x/part-00002.parquet", "x/part-00000.parquet"])
