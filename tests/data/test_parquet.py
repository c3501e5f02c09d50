"""Parquet files."""

from __future__ import annotations

import contextlib
import errno
import io
import os
import subprocess
import sys
from pathlib import Path

import fsspec
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from scipy import sparse

from directrank import InputError, RankingData, read_parquet, write_parquet
from directrank.data import InputWarning
from directrank.data.column_roles import ColumnNames
from directrank.data.errors import MissingQueriesWarning
from directrank.data.formats.parquet import reader
from directrank.data.formats.parquet.reader import read_parquet_file


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
        (dict(a=[1.0]), dict(label="label"), "there is no column 'label'; the columns are a"),
        (dict(label=[1.0]), {}, "there are no feature columns"),
        (dict(label=[1.0], title=["x"]), {}, "there are no feature columns"),
        (dict(label=[1.0], title=["x"]), dict(features=["title"]), "column 'title' holds string, not numbers"),
        (dict(label=[1.0], a=[1.0]), dict(features=["b"]), "there is no column 'b'; the columns are label, a"),
        (dict(label=[1.0, None], a=[1.0, 2.0]), {}, "column 'label' has null values"),
        (dict(label=[-np.inf], a=[1.0]), {}, "row 1: column 'label' holds -inf; every document needs a finite grade"),
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
    with pytest.warns(InputWarning, match=r"t\.parquet: left out __index_level_0__: columns of such") as said:
        data = read_parquet(path)
    assert data.feature_names == ["a"] and said[0].filename == __file__
    pq.write_table(pq.read_table(path).replace_schema_metadata(None), path)  # as other programs do that copy the table
    with pytest.warns(InputWarning, match="left out __index_level_0__"):
        assert read_parquet(path).feature_names == ["a"]
    assert read_parquet(path, features=["__index_level_0__", "a"]).X.tolist() == [[2, 3], [0, 1], [1, 2]]


def test_the_levels_of_an_index_that_have_names(tmp_path: Path) -> None:
    path = tmp_path / "t.parquet"
    FRAME.assign(day=[5, 6, 7], place=["p", "q", "r"]).set_index(["day", "qid", "place"]).to_parquet(path)
    with pytest.warns(InputWarning, match="left out day: "):
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
    with pytest.raises(InputError, match=r"t\.parquet: .*not UTF-8"):
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


def test_numbers_of_rows_that_are_negative(tmp_path: Path) -> None:
    path = write(tmp_path, label=[0.0] * 33, qid=[1] * 33, a=[1.0] * 33)
    content, said = path.read_bytes(), []
    for at in range(len(content) - 8 - int.from_bytes(content[-8:-4], "little"), len(content) - 8):
        if content[at] == 66:  # 33 in the metadata; -33 is 65
            path.write_bytes(content[:at] + bytes([65]) + content[at + 1 :])
            try:
                read_parquet(path)
            except InputError as error:
                said.append(str(error))
    assert f"{path}: the Parquet file is damaged: it states a negative number of rows" in said


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


def test_texts_are_kept_as_they_are(tmp_path: Path) -> None:
    docno = ["a\0", "", "x" * 1000]
    write_parquet(tmp_path / "t.parquet", RankingData(np.ones((3, 1)), [0, 1, 2], ["q\0", "q", "q"], docno))
    again = read_parquet(tmp_path / "t.parquet")
    assert again.docno.tolist() == docno and again.qid.tolist() == ["q\0", "q", "q"]


@pytest.mark.parametrize(
    "kind", [pa.int8(), pa.uint64(), pa.float16(), pa.float32(), pa.float64(), pa.bool_()], ids=lambda kind: str(kind)
)
@pytest.mark.parametrize("null", [False, True])
def test_features_of_every_type(tmp_path: Path, kind: pa.DataType, null: bool) -> None:
    values = pa.array(np.array([0, 1, 1]), mask=np.array([False, False, null])).cast(kind)
    X = read_parquet(write(tmp_path, label=[1.0, 0.0, 0.0], qid=[1] * 3, a=values)).X
    np.testing.assert_array_equal(X, [[0], [1], [np.nan if null else 1]])
    assert X.dtype == (np.float32 if kind == pa.float32() else np.float64)


def test_query_ids_that_a_float_cannot_hold(tmp_path: Path) -> None:
    large = 2**63 - 1
    for kind in (pa.int64(), pa.uint64()):
        path = write(tmp_path, label=[1.0, 0.0], qid=pa.array([large, large - 1], kind), a=[1.0, 2.0])
        assert read_parquet(path).qid.tolist() == [large, large - 1]


def test_a_file_without_rows(tmp_path: Path) -> None:
    for qid in (pa.string(), pa.int64()):
        path = write(tmp_path, label=pa.array([], pa.float64()), qid=pa.array([], qid), a=pa.array([], pa.float64()))
        with pytest.raises(InputError, match=r"t\.parquet: the data is empty"):
            read_parquet(path)


@pytest.mark.parametrize("memory", [2**24, 1000])
def test_columns_are_read_in_parts_where_row_groups_are_large(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, memory: int
) -> None:
    monkeypatch.setattr(reader, "_MIN_MEMORY", memory)
    X = np.random.default_rng(0).random((1000, 7), np.float32)
    path = write(tmp_path, label=np.zeros(1000), qid=np.zeros(1000, int), **{f"f{j}": X[:, j] for j in range(7)})
    np.testing.assert_array_equal(read_parquet(path).X, X)
    assert reader._columns_at_once(pq.read_metadata(path), X) == (7 if memory > 1000 else 1)


def test_a_missing_column_of_queries_is_said(tmp_path: Path) -> None:
    path = write(tmp_path, label=[1.0, 0.0], session=[1, 2], a=[1.0, 2.0])
    sentence = f"^{path}: no column is named qid, query_id or query: all 2 rows are one query; name the column in qid=$"
    with pytest.warns(MissingQueriesWarning, match=sentence):
        assert read_parquet(path).qid is None
    assert read_parquet(path, qid=None).feature_names == ["session", "a"]
    assert read_parquet(path, qid="session").qid.tolist() == [1, 2]
    for names in ({"qid": "query_id"}, {"qid": "session", "docno": "url"}):
        with pytest.raises(InputError, match=r"there is no column '(query_id|url)'; the columns are"):
            read_parquet(path, **names)
    write_parquet(path, RankingData([[1.0], [2.0]], [1, 0]))  # of one query by intention: no warning
    assert read_parquet(path).qid is None


@pytest.mark.parametrize("at_once", [False, True])
def test_others_read_and_rewrite_our_files(tmp_path: Path, at_once: bool) -> None:
    """The digest of the footer neither disturbs other readers nor outlives a change of the file by them."""
    ours, theirs = tmp_path / "a.parquet", tmp_path / "b.parquet"
    data = RankingData([[1.0, 2.0], [3.0, 4.0]], [1, 0], [1, 2])
    with open(ours, "wb") if at_once else contextlib.nullcontext() as file:
        write_parquet(f"/dev/fd/{file.fileno()}" if file else ours, data)
    assert pd.read_parquet(ours)["f2"].tolist() == pl.read_parquet(ours)["f2"].to_list() == [2.0, 4.0]
    pq.write_table(pq.read_table(ours).drop_columns(["f1"]), theirs)
    assert read_parquet(theirs).X.tolist() == [[2.0], [4.0]]
    content = ours.read_bytes()
    ours.write_bytes(content.replace(b"qid", b"qij"))
    with pytest.raises(InputError, match=r"a\.parquet: the Parquet file is damaged: its footer differs"):
        read_parquet(ours)


# The memory of X is what np.empty takes and reading fills; a first file is read to load what pyarrow loads.
MEMORY = """
import sys
from directrank import read_parquet

def kib(name):
    return next(int(line.split()[1]) for line in open("/proc/self/status") if line.startswith(name))

read_parquet(sys.argv[1])
before = kib("VmRSS")
data = read_parquet(sys.argv[2])
print((kib("VmHWM") - before) * 1024 / data.X.nbytes, "pandas" in sys.modules)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
@pytest.mark.skipif("DIRECTRANK_SANITIZED" in os.environ, reason="sanitizers take memory of their own")
@pytest.mark.parametrize("rows_in_group", [2**16, 2**20])
def test_reading_takes_little_memory_beside_the_data(tmp_path: Path, rows_in_group: int) -> None:
    X = np.random.default_rng(0).random((500_000, 40), np.float32)
    columns = {"label": np.zeros(len(X)), **{f"f{j}": X[:, j] for j in range(X.shape[1])}}
    pq.write_table(pa.table(columns), tmp_path / "large.parquet", row_group_size=rows_in_group)
    write_parquet(tmp_path / "small.parquet", RankingData(X[:9], np.zeros(9)))
    command = [sys.executable, "-c", MEMORY, tmp_path / "small.parquet", tmp_path / "large.parquet"]
    taken, imported = subprocess.run(command, capture_output=True, text=True, check=True, timeout=300).stdout.split()
    assert float(taken) < 1.6 and imported == "False"


def test_an_open_file(tmp_path: Path) -> None:
    path = tmp_path / "t.parquet"
    write_parquet(path, RankingData([[1.5], [2.5]], [0, 1], ["a", "b"], feature_names=["bm25"]))
    with fsspec.open("memory://shard.parquet", "wb") as file:
        file.write(path.read_bytes())
    for opened in (io.BytesIO(path.read_bytes()), path.open("rb"), fsspec.open("memory://shard.parquet", "rb").open()):
        opened.read(3)
        with opened as file:
            for _ in range(2):  # it stays open
                data = read_parquet_file(file, "s3://b/t.parquet")
                assert data.X.tolist() == [[1.5], [2.5]] and data.qid.tolist() == ["a", "b"]
            assert read_parquet_file(file, "x", ColumnNames(features=["label"], label="bm25")).X.tolist() == [[0], [1]]


def test_errors_of_open_files() -> None:
    class Lost(io.BytesIO):
        def read(self, *_: object) -> bytes:
            raise ConnectionResetError(errno.ECONNRESET, "Connection reset by peer")

    for file, sentence in (
        (io.BytesIO(b"no Parquet"), "not a Parquet file, or an incomplete one"),
        (Lost(b"PAR1" * 9), "the file cannot be read ([Errno 104] Connection reset by peer)"),
    ):
        with pytest.raises(InputError) as error:
            read_parquet_file(file, "s3://b/t.parquet")
        assert str(error.value).startswith(f"s3://b/t.parquet: {sentence}") and "\n" not in str(error.value)


def test_limits_of_an_open_file(tmp_path: Path) -> None:
    FRAME.iloc[[2, 0, 1]].to_parquet(tmp_path / "t.parquet")
    with open(tmp_path / "t.parquet", "rb") as file:
        assert read_parquet_file(file, "memory://t").feature_names == ["a"]
        with pytest.raises(InputError, match="memory://t: the file holds more than 10 bytes"):
            read_parquet_file(file, "memory://t", max_size=10)
