"""``directrank convert --shards``: a folder of Parquet files, checked before any work."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest
from harness import error_of, stdout_of

from directrank import RankingData, read_letor, read_parquet, write_letor, write_parquet


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    X = np.arange(12.0).reshape(6, 2)
    write_letor(tmp_path / "data.txt", RankingData(X, [0, 1, 0, 1, 0, 1], [7, 8, 9, 7, 8, 9]))
    (tmp_path / "bad.txt").write_text("not data\n")
    return tmp_path


@pytest.mark.parametrize("name", ["shards", "shards.txt", "shards.run"])
def test_a_file_becomes_a_folder_and_the_folder_is_replaced(folder: Path, name: str) -> None:
    for k in (2, 3):
        stdout_of("convert", folder / "data.txt", folder / name, "--shards", k)
        files = sorted((folder / name).iterdir())
        assert [file.name for file in files] == [f"part-{i:05}.parquet" for i in range(k)]
    assert [read_parquet(file).qid.tolist() for file in files] == [[7, 7], [8, 8], [9, 9]]
    X = read_letor(folder / "data.txt").X
    np.testing.assert_array_equal(np.concatenate([read_parquet(file).X for file in files]), X[[0, 3, 1, 4, 2, 5]])


def test_data_that_cannot_be_divided(folder: Path) -> None:
    assert "the data has 3 queries, too few for 4 shards" in error_of(
        "convert", folder / "data.txt", folder / "x", "--shards", 4
    )
    write_letor(folder / "one.txt", RankingData([[1.0]], [0]))
    assert "the data has no qid" in error_of("convert", folder / "one.txt", folder / "x", "--shards", 1)
    assert not (folder / "x").exists()


def test_options_that_do_not_go_together(folder: Path) -> None:
    shards = (folder / "bad.txt", folder / "x", "--shards", 2)
    assert "--shards writes Parquet, and --to says letor" in error_of("convert", *shards, "--to", "letor")
    assert "--scores is for a run, and --shards writes Parquet" in error_of(
        "convert", *shards, "--scores", folder / "bad.txt"
    )
    assert "shards must be a whole number from 1 to 100,000, not 0" in error_of("convert", *shards[:-1], 0)
    assert "bad.txt:1: " in error_of("convert", *shards, "--to", "parquet")


def test_folders_that_cannot_be_written_are_an_error_before_any_work(folder: Path) -> None:
    bad = folder / "bad.txt"
    assert "is a file; name a folder" in error_of("convert", bad, folder / "data.txt", "--shards", 2)
    assert "is a file; name a folder" in error_of("convert", bad, "/dev/stdout", "--shards", 2)
    assert "there is no such folder to make a folder in" in error_of("convert", bad, folder / "a" / "b", "--shards", 2)
    (folder / "old").mkdir()
    source = folder / "old" / "data.parquet"
    source.write_text("")
    assert "old already holds data.parquet, which is not a shard" in error_of("convert", bad, folder / "old", "--shards", 2)
    source = source.rename(folder / "old" / "part-00002.parquet")
    assert "part-00002.parquet is in the folder to write" in error_of("convert", source, folder / "old", "--shards", 3)


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_without_permission(folder: Path) -> None:
    write_parquet(folder / "x", read_letor(folder / "data.txt"), shards=2)
    (folder / "x").chmod(0o500)
    assert "x is read-only; choose another folder" in error_of("convert", folder / "bad.txt", folder / "x", "--shards", 2)
    (folder / "x").chmod(0o700)
