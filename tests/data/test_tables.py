"""Tables: columns by name, every format, errors that name the line, several files."""

from __future__ import annotations

import json
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.csv
import pyarrow.feather
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings, strategies as st

from directrank import InputError, RankingData, read_qrels, read_run
from directrank.data import join_table, read_scores
from directrank.data.column_roles import ColumnNames, find_roles
from directrank.data.errors import InputWarning, MissingQueriesWarning
from directrank.data.formats.predictions import write_predictions
from directrank.data.formats.ranking_writer import write_ranking_data

CSV = """query,docid,title,rating,bm25,price
"red shoes, size 9",007,"a ""b"",
c",2,1.5,1e8
blue,d2,x,0,,1e-12
"red shoes, size 9",8,y,1,-3,0
"""

ENDINGS = (
    ".csv",
    ".tsv",
    ".jsonl",
    ".parquet",
    ".arrow",
    ".feather",
    ".csv.gz",
    ".tsv.zst",
    ".jsonl.gz",
    ".txt",
    ".txt.zst",
)


@pytest.fixture
def csv(tmp_path: Path) -> Path:
    (tmp_path / "a.csv").write_text(CSV)
    return tmp_path / "a.csv"


def columns_of(data: RankingData) -> list:
    """Everything that data holds, with NaN as None."""
    X = [[None if np.isnan(value) else value for value in row] for row in data.X.tolist()]
    others = [None if part is None else part.tolist() for part in (data.qid, data.docno, data.weight)]
    return [X, data.y.tolist() if data.has_labels else None, *others, data.feature_names, data.categories]


def read(path: Path, text: str | bytes, **options) -> RankingData:
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return RankingData.read(path, **options)


def error_of(path: Path, text: str | bytes, **options) -> str:
    with pytest.raises(InputError) as error:
        read(path, text, **options)
    assert "\n" not in str(error.value)
    return str(error.value)


def test_columns_are_found_by_name(csv: Path) -> None:
    data = RankingData.read(csv)
    assert data.feature_names == ["bm25", "price"] and data.y.tolist() == [2, 0, 1]
    assert data.qid.tolist() == ["red shoes, size 9", "blue", "red shoes, size 9"]
    assert data.docno.tolist() == ["007", "d2", "8"]
    np.testing.assert_array_equal(data.X, [[1.5, 1e8], [np.nan, 1e-12], [-3, 0]])


def test_columns_by_option(csv: Path) -> None:
    data = RankingData.read(csv, label=None, qid=None, docno="title", features=["price", "rating"])
    assert not data.has_labels and data.qid is None and data.docno.tolist() == ['a "b",\nc', "x", "y"]
    assert data.feature_names == ["price", "rating"] and data.X[:, 1].tolist() == [2, 0, 1]
    assert RankingData.read(csv, ignore=["price"]).feature_names == ["bm25"]
    weighted = RankingData.read(csv, weight="price", label="rating")
    assert weighted.weight.tolist() == [1e8, 1e-12, 0] and weighted.feature_names == ["bm25"]


@pytest.mark.parametrize(
    ("columns", "label", "query", "document"),
    [
        ("grade,qid,docno", "grade", "qid", "docno"),
        ("Relevance,Query ID,Doc-ID", "Relevance", "Query ID", "Doc-ID"),
        ("click,query,product_id,id", "click", "query", "product_id"),
        ("judgment,query,query_id,doc", "judgment", "query_id", "doc"),
        ("x,id", None, None, "id"),
    ],
)
def test_usual_names(columns: str, label: str | None, query: str | None, document: str | None) -> None:
    schema = pa.schema(
        [(name, pa.float64()) for name in [*columns.split(","), "f", "title", "url", "__index_level_0__", ""]]
    )
    roles = find_roles(schema, ColumnNames())
    assert (roles.label, roles.qid, roles.docno) == (label, query, document)
    assert [name for name in roles.features if name != "x"] == ["f"]


def test_what_the_roles_say() -> None:
    kinds = {"rating": pa.int64(), "query": pa.string(), "docid": pa.string(), "click": pa.int64(), "title": pa.string()}
    schema = pa.schema([*kinds.items(), ("bm25", pa.float64()), ("brand", pa.string())])
    roles = find_roles(schema, ColumnNames(categorical=["brand"]))
    line = "label: rating, query: query, document: docid, 2 features with categories in brand; left out: click, title"
    assert str(roles) == line and roles.numbers_left_out == ["click"]
    assert "click" in find_roles(schema, ColumnNames(label="rating")).features  # the label was named: nothing is guessed


def test_numbers_that_are_left_out_are_warned_of(tmp_path: Path) -> None:
    with pytest.warns(InputWarning, match=r"a\.csv: left out click: columns of such names are features only"):
        read(tmp_path / "a.csv", "label,qid,click,x\n1,a,1,2\n")
    with pytest.warns(MissingQueriesWarning, match=r"a\.csv: no column is named qid, query_id or query: all 2 rows"):
        assert read(tmp_path / "a.csv", "label,x\n1,2\n0,3\n").qid is None
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        read(tmp_path / "a.csv", "label,x\n1,2\n0,3\n", qid=None)


@pytest.mark.parametrize("ending", ENDINGS)
def test_written_data_is_read_again(tmp_path: Path, ending: str) -> None:
    X = np.array([[0.1, 1e-12], [np.nan, 1e308], [3.0, -2.0], [1 / 3, 0.0]])
    for data in (
        RankingData(X, [2, 0, 1, 0], [7, 7, -3, 7], ["a", "b", "a", "c"], ["x", "y"]),
        RankingData(X, None, ["q", "ü", "q", "007"], ["1", "2", "3", "04"], ["x", "y"]),
    ):
        write_ranking_data(tmp_path / f"data{ending}", data)
        assert columns_of(RankingData.read(tmp_path / f"data{ending}")) == columns_of(data)


@pytest.mark.parametrize("ending", [".csv", ".jsonl", ".parquet", ".arrow"])
def test_weights_and_categories_are_read_again(tmp_path: Path, ending: str) -> None:
    X, weight = [[1.0, 0], [2.0, np.nan], [3.0, 1]], [1.0, 1.0, 2.0]
    data = RankingData(X, [1, 0, 1], [1, 1, 2], None, ["x", "brand"], weight=weight, categories={"brand": ["a", "b"]})
    write_ranking_data(tmp_path / f"data{ending}", data)
    again = RankingData.read(tmp_path / f"data{ending}", weight="weight", categorical=["brand"])
    assert columns_of(again) == columns_of(data)
    assert again.features["brand"].tolist() == ["a", np.nan, "b"] or str(again.features["brand"].iloc[1]) == "nan"


def test_our_parquet_needs_no_names(tmp_path: Path) -> None:
    """A feature may have the name of another role, and text is categories."""
    names = ["clicks", "rating", "brand"]
    data = RankingData([[1.0, 2, 0], [3, 4, 1]], [1, 0], ["a", "a"], None, names, categories={"brand": ["u", "v"]})
    write_ranking_data(tmp_path / "a.parquet", data)
    assert columns_of(RankingData.read(tmp_path / "a.parquet")) == columns_of(data)


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_csv_against_the_parser_of_python(tmp_path_factory: pytest.TempPathFactory, data: st.DataObject) -> None:
    """Any texts as queries and documents, any numbers as features."""
    text = st.text(st.characters(codec="utf-8", exclude_characters="\r\0"), min_size=1, max_size=8)
    number = st.one_of(st.none(), st.floats(allow_nan=False, allow_infinity=False))
    rows = data.draw(st.lists(st.tuples(text, text, number, st.integers(0, 4)), min_size=1, max_size=6))
    assume_text = [(f"q{query}", f"d{document}", value, grade) for query, document, value, grade in rows]
    path = tmp_path_factory.mktemp("csv") / "a.csv"
    with open(path, "w", newline="", encoding="utf-8") as file:
        import csv as python_csv

        writer = python_csv.writer(file, quoting=data.draw(st.sampled_from([0, 1])))
        writer.writerow(["query", "docid", "x", "label"])
        writer.writerows([[q, d, "" if v is None else repr(v), g] for q, d, v, g in assume_text])
    found = RankingData.read(path)
    assert found.qid.tolist() == [q for q, *_ in assume_text] and found.docno.tolist() == [d for _, d, *_ in assume_text]
    assert columns_of(found)[0] == [[v] for _, _, v, _ in assume_text] and found.y.tolist() == [g for *_, g in assume_text]


def test_queries_named_like_missing_values(tmp_path: Path) -> None:
    data = read(tmp_path / "a.csv", "query,label,x\nnull,1,NA\nNaN,0,null\n?,0,-\n")
    assert data.qid.tolist() == ["null", "NaN", "?"] and np.isnan(data.X).all()


def test_query_ids_that_are_integers(tmp_path: Path) -> None:
    assert read(tmp_path / "a.csv", "qid,label,x\n7,1,1\n-3,0,2\n").qid.tolist() == [7, -3]
    assert read(tmp_path / "a.csv", "qid,label,x\n7,1,1\n007,0,2\n").qid.tolist() == ["7", "007"]


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("query,docid,rating,bm25\n\na,b,1,1\na,c,,1\n", ":4: there is no 'rating' in this row; fill it in"),
        ('query,docid,rating,bm25\n"a\nb",b,1,1\na,,1,1\n', ":4: there is no 'docid' in this row"),
        ("query,rating,bm25\na,1,1\na,1\n", ":3: expected 3 columns, found 2; check for a delimiter within a cell"),
        ("query,rating,bm25\n" + "a,1,2\n" * 20 + "a,1,1 000\n", ":22: column 'bm25' holds numbers, but '1 000' here;"),
        ("query,rating,bm25\na,good,1\n", ": column 'rating' holds string ('good'), not numbers"),
        ("query,rating,bm25\n\na,-inf,1\n", ":3: column 'rating' holds -inf; every document needs a finite grade"),
        ("query,rating,bm25\na,1,1\nb,0,inf\n", ":3: column 'bm25' holds an infinite value; replace it"),
        ("query,rating,bm25,bm25\na,1,1,1\n", ":1: two columns are named 'bm25'; rename one of them"),
        ("1,2,3\n4,5,6\n", ":1: the first line must name the columns, and it holds numbers"),
        ("", ": the file is empty; its first line must name the columns"),
        ("query,rating\na,1\n", ": there are no feature columns"),
        ("query,rating,bm25\n", ": the data is empty: X has no rows"),
        ("query,docid,rating,bm25\n", ": the data is empty: X has no rows"),
        ('"query,rating,bm25\n' + "a,1,1\n" * 30_000, ":1: the names of the columns do not end ("),
        ("query;rating;bm25;age\na;1;1,5;0.5\n", ": numbers have decimal commas in column 'bm25' and points in 'age'"),
        (b"query,rating,bm25\na,1,1\n\xe9,1,1\n", ":3: this line is not UTF-8 text"),
        (b"qu\xe9ry,rating,bm25\na,1,1\n", ":1: this line is not UTF-8 text"),
    ],
)
def test_errors_in_csv(tmp_path: Path, text: str | bytes, sentence: str) -> None:
    assert f"{tmp_path / 'a.csv'}{sentence}" in error_of(tmp_path / "a.csv", text)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ('{"label": 1, "x": 1}\n{"label": 1,\n', ":2: not valid JSON ("),
        ('{"label": 1, "x": 1}\n[1]\n', ":2: the line must be a JSON object"),
        ('{"label": 1, "x": 1}\n{"label": "good", "x": 2}\n', ":2: Column(/label) changed from number to string"),
        ('\n{"hits": {"hits": []}}\n', ":2: the file looks like JSON; if it is the log of a search engine"),
        ('[{"label": 1}, 2]', ": the list must hold objects"),
        ('[{"label": 1}, {"label": "good"}]', ": Could not convert 'good'"),
        ('{"label": 1, "x": "a null"}\n{"label":\n1,\n', ":2: not valid JSON ("),
        ('[{"label": 1, "query": "\\ud800"}]', ": 'utf-8' codec can't encode character"),
    ],
)
def test_errors_in_json(tmp_path: Path, text: str, sentence: str) -> None:
    assert f"{tmp_path / 'a.jsonl'}{sentence}" in error_of(tmp_path / "a.jsonl", text)


def test_json_lines_and_lists(tmp_path: Path) -> None:
    rows = [
        {"query": "a", "label": 1, "features": {"bm25": 1.5, "age": None}, "tags": ["x"]},
        {"query": "b", "label": 0, "features": {"bm25": 2, "age": 3}, "tags": []},
    ]
    for text in ("\n".join(map(json.dumps, rows)), json.dumps(rows)):
        data = read(tmp_path / "a.json", text)
        assert data.feature_names == ["features.bm25", "features.age"] and data.qid.tolist() == ["a", "b"]
        np.testing.assert_array_equal(data.X, [[1.5, np.nan], [2, 3]])


@pytest.mark.parametrize(
    "second", ['{"query": "b", "label": 0, "x": 2, "late": 5}', '{"query": "b",\n"label": 0, "x": 2, "late": 5}']
)
def test_keys_that_the_first_object_lacks(tmp_path: Path, second: str) -> None:
    """In lists, in lines, and in lines with the word null in a text, which are parsed in another way."""
    for query in ("a", "a null"):
        first = f'{{"query": "{query}", "label": 1, "x": 1}}'
        for text in (f"{first}\n{second}\n", f"[{first},\n{second}]"):
            data = read(tmp_path / "a.json", text)
            assert data.feature_names == ["x", "late"] and data.qid.tolist() == [query, "b"]
            np.testing.assert_array_equal(data.X, [[1, np.nan], [2, 5]])


def test_json_values_at_the_limits(tmp_path: Path) -> None:
    """Ids that look like dates are texts, integers may be long, and objects may be larger than pyarrow's default block."""
    row = '{"query": "2020-01-01", "docid": "2020-01-02", "label": 1, "x": 100000000000000000000, "t": "%s"}'
    for text in (row % "", f"[{row % ''}]", row % ("t" * 2**22)):
        data = read(tmp_path / "a.json", text)
        assert data.qid.tolist() == ["2020-01-01"] and data.docno.tolist() == ["2020-01-02"] and data.X.tolist() == [[1e20]]


def test_decimal_commas(tmp_path: Path) -> None:
    text = "query;rating;bm25;age;note\na;0,5;1,5;NA;1,5 or so\nb;1;-2;0,25;\n"
    with pytest.warns(
        InputWarning, match=r"a\.csv: numbers with decimal commas, such as 1,5 for 1\.5, in rating, bm25, age$"
    ):
        data = read(tmp_path / "a.csv", text)
    assert data.feature_names == ["bm25", "age"] and data.y.tolist() == [0.5, 1]
    np.testing.assert_array_equal(data.X, [[1.5, np.nan], [-2, 0.25]])


def test_large_cells(tmp_path: Path) -> None:
    assert read(tmp_path / "a.csv", f'query,rating,x,body\na,1,2,"{"b" * 2**22}"\n').X.tolist() == [[2]]


def test_a_column_that_may_be_meant(tmp_path: Path) -> None:
    text = "query,rating,bm25,prices\na,1,2,3\n"
    assert error_of(tmp_path / "a.csv", text, features=["price"]).endswith("no column 'price'; did you mean 'prices'?")
    assert str(tmp_path / "a.csv") in error_of(tmp_path / "a.csv", text, docno="doc")


@pytest.mark.parametrize(("delimiter", "name"), [(";", "a.csv"), ("\t", "a.csv"), ("|", "a.csv"), ("\t", "a.tsv")])
def test_delimiters(tmp_path: Path, delimiter: str, name: str) -> None:
    assert read(tmp_path / name, delimiter.join(["qid", "label", "x"]) + "\n" + delimiter.join("712")).X.tolist() == [[2]]


def test_unnamed_formats_are_recognised(tmp_path: Path, csv: Path) -> None:
    wanted = columns_of(RankingData.read(csv))
    frame = pl.read_csv(csv, schema_overrides={"docid": pl.String})
    frame.write_parquet(tmp_path / "p")
    frame.write_ipc(tmp_path / "f")
    frame.write_ndjson(tmp_path / "j.data")
    (tmp_path / "t.txt").write_text(CSV)
    for name in ("p", "f", "j.data", "t.txt"):
        assert columns_of(RankingData.read(tmp_path / name)) == wanted
    assert read(tmp_path / "l", "1 qid:3 1:5\n0 qid:3 1:6\n").X.tolist() == [[5], [6]]


def test_several_files_are_one(tmp_path: Path, csv: Path) -> None:
    (tmp_path / "b.csv").write_text("price,bm25,query,docid,rating,more\n5,6,9,z,1,text\n")
    data = RankingData.read([csv, tmp_path / "b.csv"])
    assert data.qid.tolist() == ["red shoes, size 9", "blue", "red shoes, size 9", "9"] and data.X[-1].tolist() == [6, 5]
    folder = columns_of(RankingData.read(tmp_path))
    assert folder == columns_of(data)
    (tmp_path / "c.csv").write_text("query,docid,rating,bm25\na,b,1,2\n")
    with pytest.raises(InputError, match=r"c\.csv: there is no column 'price'; the other columns are"):
        RankingData.read(tmp_path)
    (tmp_path / "none").mkdir()
    with pytest.raises(InputError, match="none: no file in this folder has rows"):
        RankingData.read(tmp_path / "none")


def test_several_letor_files(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("1 qid:1 1:2\n")
    (tmp_path / "b.txt").write_text("0 qid:x 3:4\n")
    data = RankingData.read(tmp_path)
    assert data.X.tolist() == [[2, 0, 0], [0, 0, 4]] and data.qid.tolist() == ["1", "x"]
    (tmp_path / "c.txt").write_text("0 3:4\n")
    with pytest.raises(InputError, match=r"c\.txt has no queries, and .*a\.txt has"):
        RankingData.read(tmp_path)


def test_categories_of_several_files_are_merged(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("qid,label,brand\n1,1,b\n1,0,d\n")
    (tmp_path / "b.csv").write_text("qid,label,brand\n2,1,a\n2,0,d\n2,0,\n")
    data = RankingData.read(tmp_path, categorical=["brand"])
    assert data.categories == {"brand": ["a", "b", "d"]}
    np.testing.assert_array_equal(data.X[:, 0], [1, 2, 0, 2, np.nan])


@pytest.mark.parametrize("kind", ["arrow", "polars", "pandas"])
def test_frames(csv: Path, kind: str) -> None:
    frame = pl.read_csv(csv, schema_overrides={"docid": pl.String})
    given = {"arrow": frame.to_arrow(), "polars": frame, "pandas": frame.to_pandas()}[kind]
    assert columns_of(RankingData.from_frame(given)) == columns_of(RankingData.read(csv))


def test_frames_with_columns_of_unusual_types() -> None:
    frame = pd.DataFrame({"label": [1, 0, 2], "qid": pd.Categorical([7, 7, 5]), "size": pd.Categorical([42, 38, 42])})
    data = RankingData.from_frame(frame.assign(clicks=pd.arrays.SparseArray([0.0, 0.0, 3.0])))
    assert data.qid.tolist() == [7, 7, 5] and data.categories == {"size": ["38", "42"]}
    assert data.feature_names == ["size", "clicks"] and data.X.tolist() == [[1, 0], [0, 0], [1, 3]]
    with pytest.raises(InputError, match="two columns are named 'x'; rename one of them"):
        RankingData.from_frame(pd.DataFrame([[1, 2, 3]], columns=["label", "x", "x"]))


def test_rows_without_labels() -> None:
    data = RankingData([[1.0]], None)
    assert not data.has_labels and not data.select(np.array([0])).has_labels
    with pytest.raises(InputError, match="the data has no labels: no column is named label, grade"):
        data.y  # noqa: B018


def test_judgments_and_runs_as_tables(tmp_path: Path) -> None:
    (tmp_path / "j.csv").write_text('query,docid,rating\n"red shoes",01,2\nblue,a,\nblue,b,0\n')
    qrels = read_qrels(tmp_path / "j.csv")
    assert (
        qrels.qid.tolist() == ["red shoes", "blue"]
        and qrels.docno.tolist() == ["01", "b"]
        and qrels.grade.tolist() == [2, 0]
    )
    pq.write_table(pa.table({"qid": [1, 1], "docno": ["a", "b"], "score": [0.5, 2.0]}), tmp_path / "r.parquet")
    run = read_run(tmp_path / "r.parquet")
    assert run.qid.tolist() == ["1", "1"] and run.score.tolist() == [0.5, 2]
    (tmp_path / "half.csv").write_text("query,docid,rating\na,b,\n\n,c,1\n")
    with pytest.raises(InputError, match=r"half\.csv:4: there is no 'query' in this row; fill it in"):
        read_qrels(tmp_path / "half.csv")
    (tmp_path / "scores.csv").write_text("query,docid,score\na,b,1\na,c,\n")
    with pytest.raises(InputError, match=r"scores\.csv:3: there is no 'score' in this row; fill it in"):
        read_run(tmp_path / "scores.csv")
    (tmp_path / "no.csv").write_text("query,docid\na,b\n")
    with pytest.raises(InputError, match=r"no\.csv: no column has the name of a grade; the columns are query, docid"):
        read_qrels(tmp_path / "no.csv")


def test_rows_joined_with_judgments(tmp_path: Path, csv: Path) -> None:
    (tmp_path / "j.csv").write_text('query,docid,rating\n"red shoes, size 9",8,3\n')
    rows, qrels = RankingData.read(csv, label=None), read_qrels(tmp_path / "j.csv")
    joined = join_table(rows, qrels)
    assert joined.docno.tolist() == ["007", "8"] and joined.y.tolist() == [0, 3] and joined.X[1].tolist() == [-3, 0]
    assert join_table(rows, qrels, unjudged="drop").docno.tolist() == ["8"]
    with pytest.raises(InputError, match="joined with judgments by query and document, and the data has no documents"):
        join_table(RankingData([[1.0]], None, ["a"]), qrels)


@pytest.mark.parametrize("ending", [".csv", ".tsv", ".jsonl", ".parquet", ".arrow"])
def test_predictions_as_tables(tmp_path: Path, ending: str) -> None:
    data = RankingData([[1.0]] * 5, None, ["b", "a", "b", "b", "a"], list("vwxyz"))
    scores = np.array([0.1, 0.5, 0.3, 0.3, 0.7])
    path = tmp_path / f"s{ending}"
    said = write_predictions(path, data, scores, kept=pa.table({"title": list("ABCDE")}))
    assert said == "5 rows with query, document, score, rank, title"
    readers = {".csv": pa.csv.read_csv, ".parquet": pq.read_table, ".arrow": pa.feather.read_table}
    if ending in readers:
        rows = readers[ending](path).to_pylist()
        assert [row["rank"] for row in rows] == [3, 2, 1, 2, 1] and [row["title"] for row in rows] == list("ABCDE")
    np.testing.assert_array_equal(read_scores(path, data), scores)
    shuffled = data.select(np.array([4, 2, 0, 1, 3]))  # scores are matched by query and document
    np.testing.assert_array_equal(read_scores(path, shuffled), scores[[4, 2, 0, 1, 3]])
    with pytest.raises(InputError, match="has no score for document new of query b"):
        read_scores(path, RankingData([[1.0]] * 5, None, ["b", "a", "b", "b", "a"], ["v", "w", "x", "new", "z"]))


def test_predictions_in_other_formats(tmp_path: Path) -> None:
    data = RankingData([[1.0]] * 3, None, [1, 1, 2], ["a", "b", "a"])
    assert write_predictions(tmp_path / "s.run", data, np.array([0.1, 0.2, 0.3])) == (
        "a TREC run of 3 documents for 2 queries"
    )
    assert read_run(tmp_path / "s.run").docno.tolist() == ["b", "a", "a"]
    assert write_predictions(tmp_path / "s", data, np.array([0.1, 0.2, 0.3])) == "3 scores, one per line"
    assert (tmp_path / "s").read_text() == "0.1\n0.2\n0.3\n"
    for name in ("s.qrels", "s.letor", "s.xlsx"):
        with pytest.raises(InputError, match=r"scores are written as a table"):
            write_predictions(tmp_path / name, data, np.zeros(3))
    with pytest.raises(InputError, match="a TREC file needs query and document ids, but the data has no docno"):
        write_predictions(tmp_path / "t.run", RankingData([[1.0]], None, [1]), np.zeros(1))
    with pytest.raises(InputError, match="the column 'score' cannot be kept"):
        write_predictions(tmp_path / "t.csv", data, np.zeros(3), kept=pa.table({"score": [1, 2, 3]}))


def test_ids_that_are_mostly_numbers(tmp_path: Path) -> None:
    """They are no numbers with mistakes; nor are titles."""
    rows = [f"{i},{i},{i},1,0.5" for i in range(30)]
    data = read(tmp_path / "a.csv", "\n".join(["query,docid,title,label,x", *rows, "A1,B2,C3,0,0.7"]))
    assert data.qid.tolist()[-1] == "A1" and data.docno.tolist()[-1] == "B2" and data.feature_names == ["x"]
    named = read(
        tmp_path / "b.csv",
        "\n".join(["session,sku,label,x", *(f"{i},{i},1,0.5" for i in range(29)), "A1,B2,0,0.7"]),
        qid="session",
        docno="sku",
    )
    assert len(named) == 30
