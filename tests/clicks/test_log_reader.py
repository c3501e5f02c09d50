"""Click logs from tables of every format; errors name the file, the line and the session."""

from __future__ import annotations

import contextlib
import gzip
import json
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.feather
import pyarrow.parquet
import pytest

from directrank.clicks.click_log import ClickLog
from directrank.clicks.log_reader import read_click_log
from directrank.data import InputError

TABLE = pa.table(
    {
        "session_id": ["007", "7", "007", "null"],
        "query": ["3", "10", "3", "3"],
        "title": ["a, b", "", "c", "d"],
        "product_id": ["01", "x", "2", "2"],
        "position": [2, 1, 1, 3],
        "clicked": [0, 1, 1, 0],
        "dwell_ms": [0.0, 1200.0, 3.5, 0.0],
        "variant": ["A", "B", "A", "1"],
    }
)
COLUMNS = "columns: session session_id, query query, document product_id, rank position, click clicked"


def write_json(table: pa.Table, path: Path) -> None:
    path.write_text("".join(json.dumps(row) + "\n" for row in table.to_pylist()))


def write_gzip(table: pa.Table, path: Path) -> None:
    with gzip.open(path, "wb") as file:
        pa.csv.write_csv(table, file)


WRITERS = {
    "log.csv": lambda table, path: pa.csv.write_csv(table, path),
    "log.csv.gz": write_gzip,
    "log.tsv": lambda table, path: pa.csv.write_csv(table, path, pa.csv.WriteOptions(delimiter="\t")),
    "log.jsonl": write_json,
    "log.parquet": lambda table, path: pa.parquet.write_table(table, path),
    "log.arrow": lambda table, path: pa.feather.write_feather(table, str(path)),
    "log": lambda table, path: pa.csv.write_csv(table, path),
}


def pages_of(log: ClickLog) -> dict[Any, list[tuple[int, Any, float]]]:
    impressions = zip(log.rank.tolist(), log.pairs.docno[log.pair].tolist(), log.click.tolist(), strict=True)
    rows = list(impressions)
    return {
        (log.sessions[i], log.queries[log.query[i]]): rows[log.offsets[i] : log.offsets[i + 1]]
        for i in range(log.n_sessions)
    }


@pytest.mark.parametrize("name", WRITERS)
def test_formats(tmp_path: Path, name: str) -> None:
    WRITERS[name](TABLE, tmp_path / name)
    log = read_click_log(tmp_path / name)
    three, ten = (3, 10) if name.split(".")[-1] in ("csv", "gz", "tsv", "log") else ("3", "10")
    assert pages_of(log) == {
        ("007", three): [(1, "2", 1.0), (2, "01", 0.0)],
        ("7", ten): [(1, "x", 1.0)],
        ("null", three): [(3, "2", 0.0)],
    }
    other = "column variant was not read; give it as the ranker if it names the ranker of the page"
    assert log.notes == (COLUMNS, other) and not log.has_rankers


@pytest.mark.parametrize("name", WRITERS)
def test_columns_that_are_named(tmp_path: Path, name: str) -> None:
    WRITERS[name](TABLE, tmp_path / name)
    log = read_click_log(tmp_path / name, click="dwell_ms", ranker="auto")
    assert sorted(log.click.tolist()) == [0, 0, 3.5, 1200] and log.rankers[log.ranker].tolist() == ["A", "B", "1"]
    assert "click dwell_ms, ranker variant" in log.notes[0] and len(log.notes) == 1


def test_usual_names(tmp_path: Path) -> None:
    path = tmp_path / "log.csv"
    path.write_text("Clicks,POS,doc,qid,search id,model\n1,0,a,q,s,m\n0,1,b,q,s,m\n")
    log = read_click_log(path, ranker="auto")
    assert pages_of(log) == {("s", "q"): [(1, "a", 1.0), (2, "b", 0.0)]} and log.rankers.tolist() == ["m"]
    expected = "columns: session search id, query qid, document doc, rank POS, click Clicks, ranker model"
    assert log.notes == (expected, "ranks were counted from 0")


def test_integers_of_tables_without_text(tmp_path: Path) -> None:
    path = tmp_path / "log.parquet"
    numbers = pa.table(
        {"session": [8, 8, 9], "qid": [1, 1, 2], "doc": [5, 6, 5], "rank": [1, 2, 1], "click": [True, False, False]}
    )
    pa.parquet.write_table(numbers, path)
    assert pages_of(read_click_log(path)) == {(8, 1): [(1, "5", 1.0), (2, "6", 0.0)], (9, 2): [(1, "5", 0.0)]}


def test_several_files_and_folders(tmp_path: Path) -> None:
    folder = tmp_path / "logs"
    folder.mkdir()
    pa.csv.write_csv(TABLE[:1], folder / "a.csv")
    pa.parquet.write_table(TABLE[1:3], folder / "b.parquet")
    write_json(TABLE[3:], tmp_path / "c.jsonl")
    pa.csv.write_csv(TABLE, tmp_path / "whole.csv")
    whole = {
        (session, str(query)): rows for (session, query), rows in pages_of(read_click_log(tmp_path / "whole.csv")).items()
    }
    assert pages_of(read_click_log([folder, tmp_path / "c.jsonl"])) == whole
    write_json(TABLE.rename_columns(["sid", *TABLE.column_names[1:]]), tmp_path / "c.jsonl")
    with pytest.raises(InputError, match=r"c\.jsonl: there is no column 'session_id'; the other columns are sid"):
        read_click_log([folder, tmp_path / "c.jsonl"])


HEADER = "session,query,doc,rank,click\n"

WRONG_LINES = [
    ("s,q,a,1,0\n\ns,q,b,1,1\n", ":4: session s: rank 1 is there twice, with documents a and b; log each result page as"),
    ("s,q,a,1,0\n" + 's,"q",a,2,1\n', ":3: session s: document a is there twice; keep the impression"),
    ("s,q,a,1,0\ns,q,b,-2,1\n", ":3: session s: rank is -2; ranks are the integers from 1, or from 0"),
    ("s,q,a,1,0\ns,q,b,,1\n", ":3: session s: a click on a document that was not shown at any rank; log the rank"),
    ("s,q,a,1,0\ns,q,b,2,\n", ":3: session s: there is no click; write 0 for a document that was shown and not clicked"),
    ("s,q,a,1,0\n,q,b,2,1\n", ":3: there is no session; fill it in, or remove the row"),
    ("s,q,a,1,0\n" * 12 + "s,q,b,top,1\n", ":14: column 'rank' holds numbers, but 'top' here; correct the cell"),
    ("s,q,a,first,0\ns,q,b,top,1\n", ": rank holds string ('first'), not numbers; name another column"),
    ("s,q,a,1,1\ns,q,b,2,1\n", ": the log has clicks only: without the documents that were shown and not clicked"),
    ("", ": the log is empty; it needs a row for each document that was shown"),
    ("s,q,a,1\n", ":2: expected 5 columns, found 4"),
]


@pytest.mark.parametrize(("lines", "message"), WRONG_LINES)
def test_wrong_lines(tmp_path: Path, lines: str, message: str) -> None:
    path = tmp_path / "log.csv"
    path.write_text(HEADER + lines)
    with pytest.raises(InputError) as caught:
        read_click_log(path)
    assert str(caught.value).startswith(f"{path}{message}") and "\n" not in str(caught.value)


def test_lines_of_json_and_rows_of_parquet(tmp_path: Path) -> None:
    table = TABLE.set_column(4, "position", [[2, 1, 2, 3]])
    for name, place in (("log.jsonl", "log.jsonl:3"), ("log.parquet", "log.parquet: row 3")):
        WRITERS[name](table, tmp_path / name)
        with pytest.raises(InputError, match=f"{place}: session 007: rank 2 is there twice"):
            read_click_log(tmp_path / name)
    (tmp_path / "list.json").write_text('[{"session": 1, "query": 1, "doc": 1, "rank": -1,\n\n "click": 0}]')
    with pytest.raises(InputError, match=r"list\.json: row 1: session 1: rank is -1"):
        read_click_log(tmp_path / "list.json")


def test_the_file_of_several_is_named(tmp_path: Path) -> None:
    paths = [tmp_path / "a.csv", tmp_path / "b.csv"]
    for path, rank in zip(paths, (1, -1), strict=True):
        path.write_text(f"{HEADER}{path.stem},q,a,{rank},0\n")
    with pytest.raises(InputError, match=r"b\.csv:2: session b: rank is -1"):
        read_click_log(paths)
    paths[1].write_text(f"{HEADER}a,q,b,1,0\n")
    with pytest.raises(InputError, match=r"b\.csv:2: session a: rank 1 is there twice, with documents a and b"):
        read_click_log(paths)
    for path in paths:
        path.write_text(HEADER)
    with pytest.raises(InputError, match=r"a\.csv and 1 more: the log is empty"):
        read_click_log(paths)


WRONG_NAMES: list[tuple[dict[str, str], str]] = [
    ({"session": "sid"}, "there is no column 'sid'; the columns are"),
    ({"click": "rank"}, "there is no column 'rank'; "),
    ({"click": "position"}, "the column 'position' has two roles; name another column for one of them"),
    ({"session": "product_id"}, "no column is named docno, doc_id, docid, doc,"),
]


@pytest.mark.parametrize(("names", "message"), WRONG_NAMES)
@pytest.mark.parametrize("name", ["log.csv", "log.parquet", "log.arrow"])
def test_wrong_names(tmp_path: Path, name: str, names: dict[str, str], message: str) -> None:
    WRITERS[name](TABLE, tmp_path / name)
    given: dict[str, Any] = {"rank": "position"} | names if "click" in names else names
    with pytest.raises(InputError) as caught:
        read_click_log(tmp_path / name, **given)
    assert str(caught.value).startswith(f"{tmp_path / name}: {message}")


def test_a_role_without_a_column(tmp_path: Path) -> None:
    path = tmp_path / "log.csv"
    path.write_text("query,doc,rank,click\n")
    expected = "name the column of the session, one of query, doc, rank, click"
    with pytest.raises(InputError, match=f"no column is named session, session_id, impression_id, search_id; {expected}"):
        read_click_log(path)


@pytest.mark.parametrize(
    ("column", "value", "message"),
    [
        ("rank", "first", "'rank' holds int64 and string, not only numbers"),
        ("rank", [1], "'rank' holds int64 and list<item: int64>, not only numbers"),
        ("session", [1], "'session' holds int64 and list<item: int64>, not only text or integers"),
    ],
)
def test_columns_of_files_that_do_not_match(tmp_path: Path, column: str, value: Any, message: str) -> None:
    row = {"session": 1, "query": "a", "doc": "x", "rank": 1, "click": 0}
    paths = [tmp_path / "one.jsonl", tmp_path / "two.jsonl"]
    for path, written in zip(paths, (row, row | {column: value}), strict=True):
        path.write_text(json.dumps(written) + "\n")
    with pytest.raises(InputError) as caught:
        read_click_log(paths)
    assert str(caught.value) == f"{paths[0]} and 1 more: the column {message}; correct it"


def test_other_formats(tmp_path: Path) -> None:
    (tmp_path / "data.txt").write_text("1 qid:1 1:0.5\n")
    with pytest.raises(InputError, match=r"data\.txt: a click log is a table with named columns, as CSV, TSV"):
        read_click_log(tmp_path / "data.txt")
    (tmp_path / "log.parquet").write_bytes(b"PAR1 and no more PAR1")
    with pytest.raises(InputError, match=r"log\.parquet: not a Parquet file, or an incomplete one"):
        read_click_log(tmp_path / "log.parquet")


def test_text_that_is_not_utf8(tmp_path: Path) -> None:
    values = pa.Array.from_buffers(
        pa.string(), 2, [None, pa.py_buffer(np.array([0, 1, 2], np.int32)), pa.py_buffer(b"\xff\xfe")]
    )
    pa.parquet.write_table(TABLE[:2].set_column(0, "session_id", values), tmp_path / "log.parquet")
    with pytest.raises(InputError, match=r"log\.parquet: a text is not UTF-8 \(.*\); convert the file first"):
        read_click_log(tmp_path / "log.parquet")


@pytest.mark.parametrize(
    ("name", "sessions", "queries", "clicks"),
    [
        ("sogou_pscm_test", 1_791, 447, 1_967),
        ("sogou_pscm_train", 7_018, 3_389, 7_528),
        ("yandex_pyclick_train", 35_064, 20, 42_703),
    ],
)
def test_real_logs(real_data: Path, name: str, sessions: int, queries: int, clicks: int) -> None:
    path = real_data / "clicks" / f"{name}.tsv.gz"
    log = read_click_log(path)
    assert (log.n_sessions, log.queries.size, log.clicked.sum()) == (sessions, queries, clicks)
    assert log.n_impressions == 10 * sessions and log.rank.tolist() == [*range(1, 11)] * sessions
    if name.startswith("sogou"):
        assert read_click_log(path, click="dwell_mouse_ms").click.max() > 1_000


@pytest.mark.parametrize("name", WRITERS)
def test_damaged_files_are_input_errors(tmp_path: Path, name: str) -> None:
    path, random = tmp_path / name, np.random.default_rng(len(name))
    WRITERS[name](TABLE, path)
    whole = np.frombuffer(path.read_bytes(), np.uint8)
    for _ in range(60):
        damaged = whole.copy()
        damaged[random.integers(whole.size, size=3)] = random.integers(256, size=3)
        path.write_bytes(damaged[: random.integers(1, 2 * whole.size)].tobytes())
        with contextlib.suppress(InputError):
            read_click_log(path, ranker="auto")
