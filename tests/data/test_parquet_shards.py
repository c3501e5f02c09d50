"""Ranking data as a folder of Parquet files: whole queries, equal shares, and folders that are replaced."""

from __future__ import annotations

import ctypes
import errno
import os
import stat
import sys
import tempfile
import threading
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest
from hypothesis import given, strategies as st
from scipy import sparse

from directrank import InputError, RankingData, read_parquet, write_parquet
from directrank.data.formats.parquet.shard_set import check_shard_set, cuts
from directrank.data.io import folders
from directrank.data.split_folders import write_splits
from directrank.data.splits import Split


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
    found = cuts(offsets, k)
    assert found[0] == 0 and found[-1] == len(sizes) and found.size == k + 1 and (np.diff(found) > 0).all()
    rows = np.diff(offsets[found])
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
    with pytest.raises(InputError, match="file is a file; name a folder"):
        write_parquet(tmp_path / "file", some_data(2), shards=2)
    with pytest.raises(InputError, match=r"a/b: there is no such folder to make a folder in"):
        write_parquet(tmp_path / "a" / "b", some_data(2), shards=2)
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


@pytest.mark.parametrize("other", ["train.parquet", "Old.PARQUET", "part-00000-c000.parquet", "part-00000.parquet/", "old/"])
def test_other_parquet_files_are_not_mixed_in(tmp_path: Path, other: str) -> None:
    write_parquet(tmp_path, some_data(2, 1.0), shards=1)
    if other.endswith("/"):
        (tmp_path / other).unlink(missing_ok=True)
        (tmp_path / other).mkdir()
    else:
        (tmp_path / other).write_text("")
    before = sorted(tmp_path.iterdir())
    with pytest.raises(InputError) as error:
        write_parquet(tmp_path, some_data(2, 2.0), shards=2)
    what = f"the folder {other[:-1]}" if other.endswith("/") else other
    assert f"already holds {what}, which is not a shard; remove it, or choose another folder" in str(error.value)
    assert sorted(tmp_path.iterdir()) == before


def test_folders_that_cannot_be_replaced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a").mkdir()
    monkeypatch.chdir(tmp_path / "a")
    for folder in (".", "..", tmp_path / "a"):
        with pytest.raises(InputError, match="is the current folder, or holds it, and would be replaced; name another"):
            write_parquet(folder, some_data(2), shards=2)
    assert list((tmp_path / "a").iterdir()) == []
    monkeypatch.setattr(os.path, "ismount", lambda path: str(path) == str(tmp_path / "b"))
    with pytest.raises(InputError, match=r"b is a mount point, which cannot be replaced; name a folder in it$"):
        write_parquet(tmp_path / "b", some_data(2), shards=2)


def test_a_new_set_replaces_the_old_one(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to("shards")
    (tmp_path / "shards").mkdir(mode=0o750)
    for value, k in ((0.0, 3), (1.0, 2), (2.0, 3), (3.0, 3)):
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
    assert stat.S_IMODE((tmp_path / "shards").stat().st_mode) == 0o750
    assert modes[1] == 0o600 and modes[0] == stat.S_IMODE((tmp_path / "shards" / "README").stat().st_mode)


def test_files_that_others_add_are_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also those that appear while the folders are exchanged, and links."""
    folder, exchange = tmp_path / "shards", folders._exchange
    write_parquet(folder, some_data(3, 1.0), shards=3)
    (folder / "link").symlink_to("nowhere")

    def add_first(*arguments: Path) -> None:
        (folder / "late").write_text("kept")
        exchange(*arguments)

    monkeypatch.setattr(folders, "_exchange", add_first)
    write_parquet(folder, some_data(3, 2.0), shards=1)
    assert sorted(os.listdir(folder)) == ["late", "link", "part-00000.parquet"] and (folder / "link").is_symlink()
    assert os.listdir(tmp_path) == ["shards"]


def test_a_late_file_that_cannot_be_kept_leaves_the_old_set(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder, keep = tmp_path / "shards", folders._keep_others
    write_parquet(folder, some_data(3, 1.0), shards=3)

    def fail_late(old: Path, new: Path, is_part: Any) -> None:
        if new == folder:
            raise OSError(errno.ENOSPC, "full", str(new / "late"))
        keep(old, new, is_part)
        (old / "late").write_text("kept")

    monkeypatch.setattr(folders, "_keep_others", fail_late)
    with pytest.raises(OSError, match="late"):
        write_parquet(folder, some_data(3, 2.0), shards=1)
    assert {x for shard in read_shards(folder) for x in shard.X.ravel()} == {1.0}
    assert (folder / "late").read_text() == "kept" and os.listdir(tmp_path) == ["shards"]


def test_a_folder_of_another_member_keeps_its_group(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Only root may give files away; members may choose among their groups."""
    given: list[tuple[int, int]] = []

    def chown(path: Path, owner: int, group: int) -> None:
        given.append((owner, group))
        if owner != -1:
            raise PermissionError(errno.EPERM, "not the owner", str(path))

    write_parquet(tmp_path / "shards", some_data(3), shards=3)
    monkeypatch.setattr(os, "chown", chown)
    write_parquet(tmp_path / "shards", some_data(3), shards=3)
    status = (tmp_path / "shards").stat()
    assert given == [(status.st_uid, status.st_gid), (-1, status.st_gid)]


@pytest.mark.skipif(sys.platform != "linux", reason="needs renameat2")
def test_a_folder_of_an_image_layer_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Linux's overlay file system, which containers have, renames no folders of lower layers."""
    write_parquet(tmp_path / "shards", some_data(3, 1.0), shards=3)
    library = SimpleNamespace(renameat2=lambda *_: ctypes.set_errno(errno.EXDEV) or -1)
    monkeypatch.setattr(ctypes, "CDLL", lambda *_, **__: library)
    with pytest.raises(InputError, match=r"shards is in a layer of a container's image, .*; remove it first, or choose"):
        write_parquet(tmp_path / "shards", some_data(3, 2.0), shards=3)
    assert {x for shard in read_shards(tmp_path / "shards") for x in shard.X.ravel()} == {1.0}


def test_files_that_appear_in_an_empty_folder_are_not_replaced_by_splits(tmp_path: Path) -> None:
    def splits() -> Iterator[tuple[str, Split]]:
        yield ".", Split(*[some_data(1)] * 3)
        (tmp_path / "mine").write_text("")

    with pytest.raises(InputError, match="holds files already, which are not overwritten"):
        write_splits(tmp_path, splits())
    assert os.listdir(tmp_path) == ["mine"]


def test_a_folder_that_cannot_be_exchanged_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(folders, "_exchange_at_once", lambda *_: False)
    folder, rename = tmp_path / "shards", os.rename
    write_parquet(folder, some_data(3, 1.0), shards=3)
    write_parquet(folder, some_data(3, 2.0), shards=2)
    assert {x for shard in read_shards(folder) for x in shard.X.ravel()} == {2.0} and os.listdir(tmp_path) == ["shards"]

    def fail_to_name(source: Path, target: Path) -> None:
        if source.suffix == ".part" and target.name == "shards":
            raise PermissionError(errno.EACCES, "no", str(source))
        rename(source, target)

    monkeypatch.setattr(os, "rename", fail_to_name)
    with pytest.raises(PermissionError, match=f"'{folder}'"):
        write_parquet(folder, some_data(3, 3.0), shards=3)
    assert {x for shard in read_shards(folder) for x in shard.X.ravel()} == {2.0} and os.listdir(tmp_path) == ["shards"]


def test_a_leftover_is_not_restored_in_place_of_a_folder_that_was_deleted(tmp_path: Path) -> None:
    """A writer killed after it has named the new folder may leave the old one; the user deletes the new one later."""
    (tmp_path / ".shards.17-0123abcd.old").mkdir()
    folders.restore_folder(tmp_path / "shards")
    assert not (tmp_path / "shards").exists()
    (tmp_path / ".shards.17-0123abcd.part").mkdir()
    folders.restore_folder(tmp_path / "shards")
    assert sorted(os.listdir(tmp_path)) == [".shards.17-0123abcd.part", "shards"]


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
    assert failures == []
    shards = read_shards(tmp_path)
    assert len(shards) == 6 and len({x for shard in shards for x in shard.X.ravel()}) == 1


def check_set(folder: Path) -> None:
    check_shard_set(str(folder), [str(file) for file in folder.glob("*.parquet")], partial(open, mode="rb"))


def test_incomplete_sets_are_errors(tmp_path: Path) -> None:
    """Such as those of an interrupted copy: without the last shards as well."""
    for missing in range(3):
        write_parquet(tmp_path, some_data(3), shards=3)
        check_set(tmp_path)
        (tmp_path / f"part-0000{missing}.parquet").unlink()
        with pytest.raises(InputError, match=rf"has shards without part-0000{missing}\.parquet: the set is incomplete"):
            check_set(tmp_path)


def test_other_parquet_files_in_a_folder_are_accepted(tmp_path: Path) -> None:
    check_set(tmp_path)
    for name in ("a", "part-00001-c000.snappy", "part.3", "part-00000", "part-00001"):
        write_parquet(tmp_path / f"{name}.parquet", some_data(2))
    check_set(tmp_path)
    (tmp_path / "part-00000.parquet").write_text("damaged, which its reader says")
    check_set(tmp_path)


def test_a_set_that_others_have_merged_is_complete(tmp_path: Path) -> None:
    """pyarrow copies the metadata of the shards, with their number, to the file that it makes of them."""
    write_parquet(tmp_path / "shards", some_data(3), shards=3)
    (tmp_path / "merged").mkdir()
    pq.write_table(pq.read_table(tmp_path / "shards"), tmp_path / "merged" / "part-00000.parquet")
    check_set(tmp_path / "merged")
