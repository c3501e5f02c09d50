"""``directrank split``: files by query, which are read back."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from harness import error_of, stdout_of

from directrank import RankingData, write_letor, write_parquet
from directrank.data import letor_folds, read_split
from directrank.data.split_folders import write_splits
from directrank.data.splits import Split, fold_rows
from directrank.datasets import make_ranking


@pytest.fixture
def data() -> RankingData:
    """With names, and its queries mixed."""
    made = make_ranking(12, random_state=0)
    order = np.random.default_rng(0).permutation(len(made))
    docno = [f"doc{row}" for row in range(len(made))]
    names = [f"feature {i}" for i in range(made.n_features)]
    return RankingData(made.X, made.y, made.qid, docno, names).select(order)


def same(one: RankingData, two: RankingData) -> bool:
    assert one.docno is not None and two.docno is not None and one.qid is not None and two.qid is not None
    pairs = ((one.X, two.X), (one.y, two.y), (one.qid, two.qid), (one.docno, two.docno))
    return all(np.array_equal(a, b) for a, b in pairs) and one.feature_names == two.feature_names


@pytest.mark.parametrize("name", ["data.txt", "data.txt.gz", "data.parquet"])
def test_folds_are_read_back_with_all_they_have(tmp_path: Path, data: RankingData, name: str) -> None:
    (write_parquet if name.endswith("parquet") else write_letor)(tmp_path / name, data)
    out = stdout_of("split", tmp_path / name, "-o", tmp_path / "folds", "--folds", "4", "--seed", "3")
    assert "Fold4/vali" in out and sorted(path.name for path in tmp_path.iterdir()) == sorted([name, "folds"])
    assert sorted(path.name for path in (tmp_path / "folds" / "Fold1").iterdir()) == [
        f"{part}{name.removeprefix('data')}" for part in ("test", "train", "vali")
    ]
    folds = list(letor_folds(tmp_path / "folds"))
    assert len(folds) == 4
    for fold, rows in zip(folds, fold_rows(data, 4, random_state=3), strict=True):
        assert all(same(part, data.select(some)) for part, some in zip(fold, rows, strict=True))


def test_shares(tmp_path: Path, data: RankingData) -> None:
    write_letor(tmp_path / "data.txt", data)
    (tmp_path / "empty").mkdir()
    found = json.loads(stdout_of("split", tmp_path / "data.txt", "-o", tmp_path / "empty", "--share", "50/25/25", "--json"))
    assert {part: sizes["queries"] for part, sizes in found.items()} == {"train": 6, "vali": 3, "test": 3}
    parts = read_split(*(tmp_path / "empty" / f"{part}.txt" for part in ("train", "vali", "test")))
    queries = [set(part.by_query().ids.tolist()) for part in parts]
    assert len(set.union(*queries)) == 12 and sum(map(len, queries)) == 12
    assert sum(map(len, parts)) == len(data) and parts.train.docno is not None


def test_five_folds_by_default_and_names_from_the_option(tmp_path: Path, data: RankingData) -> None:
    write_letor(tmp_path / "plain.txt", RankingData(data.X[:, :2], data.y, data.qid))
    found = json.loads(
        stdout_of("split", tmp_path / "plain.txt", "-o", tmp_path / "f", "--feature-names", "bm25,age", "--json")
    )
    assert list(found) == [f"Fold{i}" for i in range(1, 6)]
    assert next(letor_folds(tmp_path / "f")).test.feature_names == ["bm25", "age"]


def test_no_file_is_ever_lost(tmp_path: Path, data: RankingData) -> None:
    write_letor(tmp_path / "data.txt", data)
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "train.txt").write_text("mine")
    assert "full holds files already, which are not overwritten" in error_of(
        "split", tmp_path / "data.txt", "-o", tmp_path / "full"
    )
    assert (tmp_path / "full" / "train.txt").read_text() == "mine"
    assert "data.txt is a file; name a folder" in error_of("split", tmp_path / "data.txt", "-o", tmp_path / "data.txt")
    assert "no such folder" in error_of("split", tmp_path / "data.txt", "-o", tmp_path / "no" / "folds")


def test_a_folder_has_all_files_or_does_not_exist(tmp_path: Path, data: RankingData) -> None:
    class BrokenError(Exception):
        pass

    def splits():  # type: ignore[no-untyped-def]
        yield "Fold1", Split(data, data, data)
        raise BrokenError

    with pytest.raises(BrokenError):
        write_splits(tmp_path / "folds", splits())
    assert list(tmp_path.iterdir()) == []


def test_data_that_cannot_be_split(tmp_path: Path, data: RankingData) -> None:
    write_letor(tmp_path / "data.txt", data)
    write_letor(tmp_path / "one.txt", RankingData(data.X, data.y))
    target = ("-o", tmp_path / "out")
    assert "12 queries cannot make 13 folds" in error_of("split", tmp_path / "data.txt", *target, "--folds", "13")
    assert "2 folds are too few" in error_of("split", tmp_path / "data.txt", *target, "--folds", "2")
    assert "give --folds or --share, not both" in error_of(
        "split", tmp_path / "data.txt", *target, "--folds", 3, "--share", "1/1/1"
    )
    assert "--share 60/40: write three numbers" in error_of("split", tmp_path / "data.txt", *target, "--share", "60/40")
    assert "shares must be three numbers above 0" in error_of("split", tmp_path / "data.txt", *target, "--share", "1/0/1")
    assert "one.txt has no qid" in error_of("split", tmp_path / "one.txt", *target)
    assert not (tmp_path / "out").exists()
