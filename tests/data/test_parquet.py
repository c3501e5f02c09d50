"""Parquet files."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from scipy import sparse

from directrank import InputError, RankingData, read_parquet, write_parquet
from directrank.data import InputWarning


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


FRAME = pd.DataFrame({"label": [0, 1, 2], "qid": [1, 1, 2], "a": [1.0, 2.0, 3.0], "docno": ["x", "y", "z"]})


def test_the_index_of_a_frame_is_no_feature(tmp_path: Path) -> None:
    path = tmp_path / "t.parquet"
    FRAME.sort_values("label").iloc[[2, 0, 1]].to_parquet(path)
    with pytest.warns(InputWarning, match=r"t\.parquet: left out '__index_level_0__', the index of a pandas frame") as said:
        data = read_parquet(path)
    assert data.feature_names == ["a"] and said[0].filename == __file__
    pq.write_table(pq.read_table(path).replace_schema_metadata(None), path)  # as other programs do that copy the table
    with pytest.warns(InputWarning, match="left out '__index_level_0__'"):
        assert read_parquet(path).feature_names == ["a"]
    assert read_parquet(path, features=["__index_level_0__", "a"]).X.tolist() == [[2, 3], [0, 1], [1, 2]]


def test_the_levels_of_an_index_that_have_names(tmp_path: Path) -> None:
    path = tmp_path / "t.parquet"
    FRAME.assign(day=[5, 6, 7], place=["p", "q", "r"]).set_index(["day", "qid", "place"]).to_parquet(path)
    with pytest.warns(InputWarning, match="left out 'day', 'place', the index of a pandas frame"):
        data = read_parquet(path)
    assert data.feature_names == ["a"] and data.qid.tolist() == [1, 1, 2]
    FRAME.set_index(["label", "docno"]).to_parquet(path)
    data = read_parquet(path)  # nothing to say: both are needed
    assert data.y.tolist() == [0, 1, 2] and data.docno.tolist() == ["x", "y", "z"] and data.feature_names == ["a"]


def test_an_index_that_counts_rows_is_no_column(tmp_path: Path) -> None:
    FRAME.to_parquet(tmp_path / "t.parquet")
    assert read_parquet(tmp_path / "t.parquet").feature_names == ["a"]


@pytest.mark.parametrize(
    "about", [b"{", b"[]", b'{"index_columns": 3}', b"\xff", b'{"index_columns": [{}, 1]}', b"[" * 10**5], ids=range(6)
)
def test_metadata_that_pandas_did_not_write(tmp_path: Path, about: bytes) -> None:
    table = pa.table({"label": [1.0], "a": [2.0]}).replace_schema_metadata({b"pandas": about})
    pq.write_table(table, tmp_path / "t.parquet")
    assert read_parquet(tmp_path / "t.parquet").feature_names == ["a"]


@pytest.mark.parametrize("column", ["qid", "docno"])
def test_text_that_is_not_utf_8(tmp_path: Path, column: str) -> None:
    ends = pa.array([0, 2], pa.int32()).buffers()[1]
    wrong = pa.Array.from_buffers(pa.string(), 1, [None, ends, pa.py_buffer(b"\xff\xfe")])
    path = write(tmp_path, label=[1.0], a=[1.0], **{column: wrong})
    with pytest.raises(InputError, match=r"t\.parquet: the Parquet file has text that is not UTF-8"):
        read_parquet(path)


def test_a_changed_value_is_seen(tmp_path: Path) -> None:
    path = tmp_path / "t.parquet"
    write_parquet(path, RankingData(np.random.default_rng(0).random((1000, 1)), np.zeros(1000)))
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)
    with pytest.raises(InputError, match="checksum"):
        read_parquet(path)


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
