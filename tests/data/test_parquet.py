"""Parquet files."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from scipy import sparse

from directrank import InputError, RankingData, read_parquet, write_parquet


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("qid", [None, [3, 3, 1], ["a", "b", "007"]])
@pytest.mark.parametrize("as_sparse", [False, True])
def test_round_trip(tmp_path: Path, dtype: type, qid, as_sparse: bool) -> None:
    X = np.array([[0.1, 2], [np.nan, 0], [3, -4]], dtype)
    data = RankingData(sparse.csr_array(X) if as_sparse else X, [0, 2, 0.5], qid, ["x", "y", "é"], ["bm25", "page rank"])
    write_parquet(tmp_path / "d.parquet", data)
    again = read_parquet(tmp_path / "d.parquet")
    np.testing.assert_array_equal(again.X, X)
    assert again.X.dtype == dtype and again.X.flags.c_contiguous
    assert again.y.tolist() == data.y.tolist() and again.docno.tolist() == data.docno.tolist()
    assert (again.qid is None) if qid is None else again.qid.tolist() == qid
    assert again.feature_names == data.feature_names


def test_many_row_groups(tmp_path: Path) -> None:
    X = np.arange(2**17 + 5.0).reshape(-1, 1)
    write_parquet(tmp_path / "d.parquet", RankingData(X, np.zeros(len(X))))
    again = read_parquet(tmp_path / "d.parquet")
    np.testing.assert_array_equal(again.X, X)
    assert again.feature_names == ["f1"]


def write(tmp_path: Path, **columns) -> Path:
    pq.write_table(pa.table(columns), tmp_path / "t.parquet")
    return tmp_path / "t.parquet"


def test_columns_by_name(tmp_path: Path) -> None:
    path = write(tmp_path, grade=[1, 0], q=["a", "b"], title=["x", "y"], f=[1.5, 2.5], g=[3, None])
    data = read_parquet(path, label="grade", qid="q", features=["g", "f"])
    np.testing.assert_array_equal(data.X, [[3, 1.5], [np.nan, 2.5]])
    assert data.qid.tolist() == ["a", "b"] and data.feature_names == ["g", "f"] and data.docno is None


@pytest.mark.parametrize(
    ("columns", "options", "sentence"),
    [
        (dict(a=[1.0]), {}, "no column 'label' for the grades; the columns are a"),
        (dict(label=[1.0]), {}, "the file has no feature columns"),
        (dict(label=[1.0], title=["x"]), {}, "column 'title' holds string, not numbers"),
        (dict(label=[1.0], a=[1.0]), dict(features=["b"]), "no column 'b'; the columns are label, a"),
        (dict(label=[1.0, None], a=[1.0, 2.0]), {}, "column 'label' has null values"),
        (dict(label=[-1.0], a=[1.0]), {}, "y is -1 in row 0; grades must not be negative"),
    ],
)
def test_bad_tables(tmp_path: Path, columns: dict, options: dict, sentence: str) -> None:
    path = write(tmp_path, **columns)
    with pytest.raises(InputError) as error:
        read_parquet(path, **options)
    assert sentence in str(error.value) and "\n" not in str(error.value)


def test_two_columns_of_one_name(tmp_path: Path) -> None:
    table = pa.Table.from_arrays([pa.array([1.0])] * 3, names=["label", "a", "a"])
    pq.write_table(table, tmp_path / "t.parquet")
    with pytest.raises(InputError, match="two columns are named 'a'"):
        read_parquet(tmp_path / "t.parquet")


def test_a_damaged_file(tmp_path: Path) -> None:
    path = write(tmp_path, label=np.zeros(5000), a=np.random.default_rng(0).random(5000))
    data = bytearray(path.read_bytes())
    data[100:3000] = bytes(2900)
    path.write_bytes(data)
    with pytest.raises(InputError, match=r"t\.parquet: "):
        read_parquet(path)


def test_too_many_features_for_columns(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="200,000 features are too many"):
        write_parquet(tmp_path / "t.parquet", RankingData(sparse.csr_array((1, 200_000)), [0]))


def test_not_parquet(tmp_path: Path) -> None:
    (tmp_path / "t.parquet").write_text("1 qid:1 1:1\n")
    with pytest.raises(InputError, match="not a Parquet file, or an incomplete one"):
        read_parquet(tmp_path / "t.parquet")


def test_a_feature_named_like_a_column(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="a feature is named 'qid'"):
        write_parquet(tmp_path / "t.parquet", RankingData([[1.0]], [0], feature_names=["qid"]))
    assert list(tmp_path.iterdir()) == []
