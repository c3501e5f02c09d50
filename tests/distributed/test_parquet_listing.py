"""Listing the files of a folder while a writer replaces it."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from clusters import DATA

from directrank import InputError, write_parquet
from directrank.distributed import parquet_listing


def replace_before_each(moment: str, folder: Path, shards: Iterator[int], monkeypatch: pytest.MonkeyPatch) -> None:
    original = getattr(parquet_listing, moment)

    def replace_first(*arguments: Any) -> Any:
        number = next(shards, None)
        if number is not None:
            write_parquet(folder, DATA, shards=number)
        return original(*arguments)

    monkeypatch.setattr(parquet_listing, moment, replace_first)


@pytest.mark.parametrize("shards", [2, 6])
@pytest.mark.parametrize("moment", ["check_shard_set", "stamp_of"])
def test_a_folder_that_is_replaced_is_listed_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, shards: int, moment: str
) -> None:
    write_parquet(tmp_path / "set", DATA, shards=4)
    replace_before_each(moment, tmp_path / "set", iter([shards]), monkeypatch)
    listed = parquet_listing.list_files([str(tmp_path / "set")])
    assert [Path(file.path).name for file in listed] == [f"part-0000{i}.parquet" for i in range(shards)]


def test_a_folder_that_changes_all_the_time_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_parquet(tmp_path / "set", DATA, shards=1)
    numbers = itertools.count()
    monkeypatch.setattr(parquet_listing, "_found", lambda path: [(path, (str(next(numbers)),))])
    with pytest.raises(InputError, match="set changes while it is listed; read it once its writer has finished"):
        parquet_listing.list_files([str(tmp_path / "set")])
