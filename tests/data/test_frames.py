"""Frames and series of pandas and polars against the arrays that they hold, in every call that takes rows."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.base import clone

from directrank import InputError, LambdaMART, RankBoost, RankingData, RankSVM, evaluate, read_parquet
from directrank.data import QueryKFold
from directrank.data.checked_arrays import as_docno, as_features, as_grades, as_qid
from directrank.data.errors import MissingQueriesWarning
from directrank.datasets import make_ranking
from directrank.features import QueryMinMax, QueryPercentile, ScoreBinner
from directrank.models import dumps, loads

DATA = make_ranking(8, random_state=0)
N = len(DATA)
ODD = np.random.default_rng(0).permutation(N)  # an index by which nothing may be aligned
NAMES = [f"x{j}" for j in range(DATA.n_features)]
QID, TEXTS = DATA.qid, np.array([f"q{qid}" for qid in DATA.qid])
PANDAS = pd.DataFrame(DATA.X, columns=NAMES, index=ODD)
POLARS = pl.DataFrame(DATA.X, schema=NAMES)
CATEGORIES = np.array(["a", "b", "c"])[np.arange(N) % 3]

FRAMES = {
    "pandas": PANDAS,
    "polars": POLARS,
    "pandas Float64": PANDAS.astype("Float64"),
    "pandas of pyarrow": PANDAS.astype("double[pyarrow]"),
    "pandas of several types": PANDAS.assign(x1=(10 * PANDAS.x1).round().astype("Int64"), x2=PANDAS.x2 > 0),
    "polars of several types": POLARS.with_columns((pl.col("x1") * 10).cast(pl.Int16), pl.col("x2") > 0),
}
WITH_MISSING = {
    "pandas NaN": PANDAS.where(PANDAS > 0),
    "pandas NA": PANDAS.where(PANDAS > 0).astype("Float64"),
    "pandas NA of truth": PANDAS.assign(x1=pd.Series([None, *[True] * (N - 1)], ODD, "boolean")),
    "polars null": POLARS.with_columns(pl.when(pl.col("x1") > 0).then(pl.col("x1")), x2=pl.lit(None)),
}


def matrix(frame) -> np.ndarray:
    """Cell by cell."""
    rows = frame.rows() if isinstance(frame, pl.DataFrame) else frame.itertuples(index=False)
    return np.array([[np.nan if value is None or value is pd.NA else float(value) for value in row] for row in rows])


@pytest.mark.parametrize("frame", [*FRAMES.values(), *WITH_MISSING.values()], ids=[*FRAMES, *WITH_MISSING])
def test_features(frame) -> None:
    expected = matrix(frame)
    np.testing.assert_array_equal(as_features(frame), expected)
    data = RankingData(frame, DATA.y, QID)
    assert data.feature_names == NAMES and data.X.flags.c_contiguous
    for scaler in (QueryMinMax(), QueryPercentile()):
        np.testing.assert_array_equal(scaler.fit_transform(frame, qid=QID), scaler.fit_transform(expected, qid=QID))
    binned = [ScoreBinner(3).fit_transform(X).toarray() for X in (frame, expected)]
    np.testing.assert_array_equal(*binned)


@pytest.mark.parametrize("frame", FRAMES.values(), ids=FRAMES)
@pytest.mark.parametrize(
    "learner", [RankSVM(C=1.0), RankBoost(n_estimators=3), LambdaMART("nDCG", n_estimators=2)], ids=repr
)
def test_learners(learner, frame) -> None:
    y, qid = pd.Series(DATA.y, ODD), pl.Series(TEXTS.tolist(), dtype=pl.Categorical)
    ours = clone(learner).fit(frame, y, qid, query_weight=pd.Series(np.ones(N), ODD), eval_set=(frame, y, qid))
    theirs = clone(learner).fit(as_features(frame), DATA.y, QID, eval_set=(as_features(frame), DATA.y, QID))
    expected = theirs.predict(as_features(frame))
    backwards = frame[NAMES[::-1]]
    for scores in (ours.predict(backwards), ours.model_.predict(frame), loads(dumps(ours)).predict(backwards)):
        np.testing.assert_array_equal(scores, expected)
    assert ours.score(frame, y, qid) == theirs.score(as_features(frame), DATA.y, QID)


@pytest.mark.parametrize("frame", WITH_MISSING.values(), ids=WITH_MISSING)
def test_missing_values(frame) -> None:
    learner = LambdaMART("nDCG", n_estimators=2)
    expected = clone(learner).fit(matrix(frame), DATA.y, QID).predict(matrix(frame))
    np.testing.assert_array_equal(clone(learner).fit(frame, DATA.y, QID).predict(frame), expected)


@pytest.mark.parametrize(
    "column",
    [
        pd.Series(pd.Categorical(CATEGORIES), ODD),
        pl.Series("c", CATEGORIES.tolist(), pl.Categorical),
        pl.Series("c", CATEGORIES.tolist(), pl.Enum(["c", "b", "a"])),
    ],
    ids=["pandas", "polars", "polars Enum"],
)
def test_categories_are_for_trees(column) -> None:
    frame = PANDAS.assign(c=column) if isinstance(column, pd.Series) else POLARS.with_columns(column)
    learner = LambdaMART("nDCG", n_estimators=2, min_child_samples=1).fit(frame, DATA.y, QID, eval_set=(frame, DATA.y, QID))
    saved, backwards = loads(dumps(learner)), frame[[*NAMES[::-1], "c"]]
    np.testing.assert_array_equal(saved.predict(backwards), learner.predict(frame))
    for refuse in (
        lambda: RankSVM(C=1.0).fit(frame, DATA.y, QID),
        lambda: QueryMinMax().fit_transform(frame, qid=QID),
        lambda: ScoreBinner().fit(frame),
        lambda: RankingData(frame, DATA.y, QID),
    ):
        with pytest.raises(InputError, match="column 'c' of X holds categories, which only LambdaMART takes"):
            refuse()


@pytest.mark.parametrize(
    ("column", "kind"),
    [
        (list(CATEGORIES), "str"),
        ([pd.Timestamp("2026-11-17")] * N, "datetime64"),
        (pl.Series(CATEGORIES.tolist()), "String"),
    ],
)
def test_columns_that_hold_no_numbers_are_named(column, kind: str) -> None:
    frame = POLARS.with_columns(c=column) if isinstance(column, pl.Series) else PANDAS.assign(c=column)
    for learner in (RankSVM(C=1.0), LambdaMART("nDCG", n_estimators=2)):
        with pytest.raises(InputError, match=f"column 'c' of X holds {kind}.*, not numbers"):
            learner.fit(frame, DATA.y, QID)
    with pytest.raises(InputError, match="'c' of X must hold numbers"):
        RankingData(PANDAS.assign(c=pd.Series(CATEGORIES, ODD, object)), DATA.y, QID)


def test_a_frame_that_is_not_computed() -> None:
    with pytest.raises(InputError, match=r"X is a LazyFrame, which has no rows yet; pass X.collect\(\)"):
        RankSVM(C=1.0).fit(POLARS.lazy(), DATA.y, QID)


QIDS = {
    "pandas": pd.Series(QID, ODD),
    "category": pd.Series(QID, ODD).astype("category"),
    "Int64": pd.Series(QID, ODD, "Int64"),
    "Float64": pd.Series(QID, ODD, "Float64"),
    "int64[pyarrow]": pd.Series(QID, ODD, "int64[pyarrow]"),
    "polars": pl.Series(QID),
    "polars UInt32": pl.Series(QID).cast(pl.UInt32),
    "pyarrow": pa.array(QID),
}
TEXT_QIDS = {
    "pandas": pd.Series(TEXTS, ODD),
    "object": pd.Series(TEXTS.astype(object), ODD),
    "category": pd.Series(TEXTS, ODD).astype("category"),
    "string[pyarrow]": pd.Series(TEXTS, ODD, "string[pyarrow]"),
    "polars": pl.Series(TEXTS.tolist()),
    "polars Categorical": pl.Series(TEXTS.tolist(), dtype=pl.Categorical),
    "polars Enum": pl.Series(TEXTS.tolist(), dtype=pl.Enum(sorted(set(TEXTS)))),
    "pyarrow dictionary": pa.array(TEXTS.tolist()).dictionary_encode(),
}


@pytest.mark.parametrize("qid", QIDS.values(), ids=QIDS)
def test_qids_that_are_numbers(qid) -> None:
    assert as_qid(qid, N).tolist() == QID.tolist()


@pytest.mark.parametrize("qid", TEXT_QIDS.values(), ids=TEXT_QIDS)
def test_qids_that_are_texts(qid) -> None:
    assert as_qid(qid, N).tolist() == as_docno(qid, N).tolist() == TEXTS.tolist()
    found, expected = evaluate(pl.Series(DATA.y), pd.Series(DATA.y, ODD), qid), evaluate(DATA.y, DATA.y, QID)
    assert found["AP"] == expected["AP"]
    folds = [[part.tolist() for part in split] for split in QueryKFold(3).split(POLARS, qid=qid)]
    assert folds == [[part.tolist() for part in split] for split in QueryKFold(3).split(DATA.X, qid=TEXTS)]


@pytest.mark.parametrize(
    "y",
    [
        pd.Series(DATA.y, ODD, "Int64"),
        pd.Series(DATA.y, ODD, "double[pyarrow]"),
        pd.Series(DATA.y, ODD).astype("category"),
        pl.Series(DATA.y.astype(np.uint8)),
        pl.Series(DATA.y.astype(int)).cast(pl.Decimal(5, 1)),
    ],
)
def test_grades(y) -> None:
    assert as_grades(y, N).tolist() == DATA.y.tolist()


def test_grades_that_are_truth_values() -> None:
    for y in (pd.Series(DATA.y > 0, ODD), pd.Series(DATA.y > 0, ODD, "boolean"), pl.Series(DATA.y > 0)):
        assert as_grades(y, N).tolist() == (DATA.y > 0).tolist()


@pytest.mark.parametrize(
    "values",
    [
        pd.Series([1, None], dtype="Int64"),
        pd.Series([1, None]).astype("category"),
        pd.Series([1, None], dtype="int64[pyarrow]"),
        pd.Series([True, None], dtype="boolean"),
        pl.Series([1, None]),
        pl.Series([True, None]),
    ],
    ids=lambda values: f"{type(values).__module__.partition('.')[0]} {values.dtype}",
)
def test_missing_grades_and_qids_are_rejected(values) -> None:
    for check, name in ((as_grades, "y"), (as_qid, "qid")):
        with pytest.raises(InputError, match=f"{name} is (nan|None|<NA>) in row 1; every (row|document) needs"):
            check(values, 2)


@pytest.mark.parametrize("values", [pd.Series(["a", None]), pl.Series(["a", None], dtype=pl.Categorical)])
def test_missing_texts_are_rejected(values) -> None:
    with pytest.raises(InputError, match=r"qid is (nan|None) in row 1"):
        as_qid(values, 2)


@pytest.mark.parametrize("library", [pd, pl])
def test_data_of_a_frame_and_back(library) -> None:
    frame = library.DataFrame(
        {"bm25": [7.5, 3.0, 1.0], "grade": [2, 0, 1], "query": ["a", "b", "a"], "docno": ["x", "y", "z"]}
    )
    data = RankingData.from_frame(frame, label="grade", qid="query")
    assert data.X.tolist() == [[7.5], [3], [1]] and data.y.tolist() == [2, 0, 1] and data.feature_names == ["bm25"]
    assert data.qid.tolist() == ["a", "b", "a"] and data.docno.tolist() == ["x", "y", "z"]
    again = RankingData.from_frame(data.to_frame())
    assert [again.X.tolist(), again.y.tolist(), again.qid.tolist(), again.docno.tolist(), again.feature_names] == [
        data.X.tolist(),
        data.y.tolist(),
        data.qid.tolist(),
        data.docno.tolist(),
        ["bm25"],
    ]


def test_frame_errors() -> None:
    frame = RankingData(DATA.X, DATA.y, QID).to_frame()
    assert RankingData.from_frame(frame, features=["f3", "f1"]).X.tolist() == DATA.X[:, [2, 0]].tolist()
    with pytest.raises(InputError, match="there is no column 'grade'; the columns are label, qid, "):
        RankingData.from_frame(frame, label="grade")
    with pytest.raises(InputError, match="takes a frame whose columns have names, not ndarray"):
        RankingData.from_frame(DATA.X)
    with pytest.raises(InputError, match="a feature is named 'qid'"):
        RankingData([[1.0]], [1], feature_names=["qid"]).to_frame()


@pytest.mark.parametrize("library", [pd, pl])
def test_no_grade_query_or_document_becomes_a_feature(library) -> None:
    frame = library.DataFrame({"label": [1, 0], "query_id": ["a", "b"], "bm25": [7.5, 3.0]})
    with pytest.raises(InputError, match=r"there is no column 'queryid'; did you mean 'query_id'\?$"):
        RankingData.from_frame(frame, qid="queryid")
    assert RankingData.from_frame(frame).qid.tolist() == ["a", "b"]
    with pytest.warns(MissingQueriesWarning, match="DataFrame: no column is named qid"):
        RankingData.from_frame(
            frame.rename(**{"columns": {"query_id": "x"}} if library is pd else {"mapping": {"query_id": "x"}})
        )
    with pytest.raises(InputError, match=r"there is no column 'doc'; the columns are label, query_id, bm25$"):
        RankingData.from_frame(frame, qid="query_id", docno="doc")
    for leaking in ("label", "query_id"):
        with pytest.raises(InputError, match=f"the column '{leaking}' is not a feature"):
            RankingData.from_frame(frame, label="label", qid="query_id", features=["bm25", leaking])
    assert RankingData.from_frame(frame, qid=None, features=["bm25"]).qid is None
    one = RankingData([[7.5], [3.0]], [1, 0], ["a", "b"], ["x", "y"], ["bm25"]).to_frame()
    assert RankingData.from_frame(one, qid=None, docno=None).feature_names == ["bm25"]


@pytest.mark.parametrize("kind", ["category", pl.Categorical])
def test_categories_in_parquet_name_queries_and_documents(tmp_path, kind) -> None:
    columns = {"label": [1, 0, 1], "qid": ["b", "a", "b"], "docno": ["x", "y", "z"], "bm25": [1.0, 2.0, 3.0]}
    path = tmp_path / "data.parquet"
    if kind == "category":
        pd.DataFrame(columns).astype({"qid": kind, "docno": kind}).to_parquet(path)
    else:
        pl.DataFrame(columns).with_columns(pl.col("qid", "docno").cast(kind)).write_parquet(path)
    data = read_parquet(path)
    assert data.qid.tolist() == ["b", "a", "b"] and data.docno.tolist() == ["x", "y", "z"]
