"""The data model: query order, matching features, and validation of input."""

from __future__ import annotations

import pickle
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, strategies as st
from scipy import sparse

from directrank import InputError, RankingData, evaluate
from directrank.data import Run

NULLABLE = np.dtypes.StringDType(na_object=np.nan)


def make(qid, **other) -> RankingData:
    n = len(qid)
    return RankingData(np.arange(2.0 * n).reshape(n, 2), np.zeros(n), qid, **other)


@given(st.lists(st.integers(-3, 3) | st.just(2**62), min_size=1, max_size=40), st.booleans())
def test_by_query_is_stable_and_complete(qid: list, as_text: bool) -> None:
    qid = [str(q) for q in qid] if as_text else qid
    queries = make(qid).by_query()
    assert queries.ids.tolist() == list(dict.fromkeys(qid))
    rows = [queries.order[lo:hi].tolist() for lo, hi in zip(queries.offsets[:-1], queries.offsets[1:], strict=True)]
    assert rows == [[i for i, q in enumerate(qid) if q == wanted] for wanted in queries.ids.tolist()]
    assert (queries.permutation is None) == (queries.order.tolist() == list(range(len(qid))))
    assert queries.to_query_order(np.array(qid)).tolist() == [qid[i] for i in queries.order]
    assert queries.to_row_order(queries.to_query_order(np.array(qid))).tolist() == qid
    assert [each.tolist() for each in queries.each()] == rows


@given(st.lists(st.integers(0, 4), min_size=1, max_size=30), st.data())
def test_rows_of_some_queries(qid: list[int], draw) -> None:
    queries = make(qid).by_query()
    mask = np.array(draw.draw(st.lists(st.booleans(), min_size=queries.ids.size, max_size=queries.ids.size)))
    chosen = set(queries.ids[mask].tolist())
    for which in (mask, np.flatnonzero(mask)):
        assert queries.rows_of(which).tolist() == [q in chosen for q in qid]


def test_by_query_is_computed_once() -> None:
    data = make([2, 1, 2])
    assert data.by_query() is data.by_query()


def test_no_qid_is_one_query() -> None:
    data = make([0, 0, 0])
    data = RankingData(data.X, data.y)
    assert data.qid is None and data.n_queries == 1 and data.by_query().offsets.tolist() == [0, 3]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_x_is_not_copied(dtype: type) -> None:
    dense = np.ones((3, 2), dtype)
    assert np.shares_memory(RankingData(dense, [0, 1, 0]).X, dense)
    table = sparse.csr_array(dense)
    assert np.shares_memory(RankingData(table, [0, 1, 0]).X.data, table.data)


def test_a_sparse_x_with_unsorted_indices_is_put_in_order() -> None:
    table = sparse.csr_array((np.array([1.0, 2, 3, 4]), np.array([2, 0, 1, 1]), np.array([0, 2, 4])), shape=(2, 3))
    held = RankingData(table, [1, 0]).X
    assert held.has_canonical_format and held.toarray().tolist() == [[2, 0, 1], [0, 7, 0]]
    assert table.indices.tolist() == [2, 0, 1, 1]


def test_object_arrays_of_numbers_are_fine() -> None:
    assert make(np.array([3, 1], dtype=object)).qid.dtype == np.int64


def test_ids_keep_every_character() -> None:
    data = RankingData([[1], [2]], [0, 1], ["a", "a\0"], docno=["\0", ""])
    assert data.n_queries == 2 and data.docno.tolist() == ["\0", ""]


def test_a_memory_mapped_x_stays_so(tmp_path) -> None:
    np.save(tmp_path / "x.npy", np.ones((3, 2)))
    assert isinstance(RankingData(np.load(tmp_path / "x.npy", mmap_mode="r"), [0, 1, 0]).X, np.memmap)


@pytest.mark.parametrize(
    "X", [[[1, 2], [3, 4]], np.ones((2, 2), order="F"), np.ones((2, 2), int), sparse.coo_array(np.ones((2, 2)))]
)
def test_anything_else_is_converted(X) -> None:
    held = RankingData(X, [0, 1]).X
    assert held.dtype == np.float64
    assert held.format == "csr" if sparse.issparse(held) else held.flags.c_contiguous


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (dict(X=[1, 2], y=[0, 1]), "X has 1 dimension(s); it must be a 2-dimensional array, rows x features"),
        (dict(X=np.empty((0, 2)), y=[]), "the data is empty: X has no rows"),
        (dict(X=np.empty((2, 0)), y=[0, 1]), "X has no features"),
        (dict(X=[["a"], ["b"]], y=[0, 1]), "X must hold numbers"),
        (dict(X=[[1.0], [np.inf]], y=[0, 1]), "X has an infinite value in column 0, row 1 (counted from 0); replace it"),
        (
            dict(X=sparse.csr_array([[1.0], [np.inf]]), y=[0, 1]),
            "X has an infinite value in column 0, row 1 (counted from 0); replace it",
        ),
        (dict(X=[[1], [2]], y=[0]), "y has 1 rows; expected 2"),
        (dict(X=[[1], [2]], y=[0, -np.inf]), "y is -inf in row 1; every document needs a finite grade"),
        (dict(X=[[1], [2]], y=[np.nan, 1]), "y is nan in row 0; every document needs a finite grade"),
        (dict(X=[[1], [2]], y=[np.inf, 1]), "y is inf in row 0"),
        (dict(X=[[1], [2]], y=[0, 1], qid=[1]), "qid has 1 rows; expected 2"),
        (dict(X=[[1], [2]], y=[0, 1], qid=[[1], [2]]), "qid has 2 dimension(s); it must have one value per row"),
        (dict(X=[[1], [2]], y=[0, 1], qid=[1.0, np.nan]), "qid is nan in row 1; every row needs one"),
        (dict(X=[[1], [2]], y=[0, 1], qid=[1.0, 2.5]), "qid must be integers or strings, but has fractions"),
        (dict(X=[[1], [2]], y=[0, 1], qid=["a", float("nan")]), "qid is nan in row 1; every row needs one"),
        (dict(X=[[1], [2]], y=[0, 1], qid=(None, "a")), "qid is None in row 0; every row needs one"),
        (dict(X=[[1], [2]], y=[0, 1], qid=["a", pd.NA]), "qid is <NA> in row 1; every row needs one"),
        (dict(X=[[1], [2]], y=[0, 1], qid=[1, pd.NA]), "qid is <NA> in row 1; every row needs one"),
        (dict(X=[[1], [2]], y=[0, 1], qid=pd.Series(["a", None])), " in row 1; every row needs one"),
        (dict(X=[[1], [2]], y=[0, 1], qid=pd.Series(["a", None], dtype="string")), "qid is <NA> in row 1"),
        (dict(X=[[1], [2]], y=[0, 1], qid=pl.Series(["a", None])), "qid is None in row 1"),
        (dict(X=[[1], [2]], y=[0, 1], qid=np.array(["a", np.nan], NULLABLE)), "qid is nan in row 1"),
        (dict(X=[[1], [2]], y=[0, 1], docno=["a", np.float64("nan")]), "docno is nan in row 1; every row needs one"),
        (dict(X=[[1], [2]], y=[0, 1], qid=["a", "\ud800"]), "qid has half of a surrogate pair in row 1"),
        (
            dict(X=[[1], [2]], y=[0, 1], docno=np.array(["\ud800", "a"], object)),
            "docno has half of a surrogate pair in row 0",
        ),
        (dict(X=[[1], [2]], y=[0, 1], feature_names=["\ud800"]), "the feature name '\\ud800' cannot be written as UTF-8"),
        (dict(X=[[1], [2]], y=[0, 1], qid=np.ma.array([1, 2], mask=[0, 1])), "qid is masked in row 1"),
        (dict(X=[[1], [2]], y=[0, 1], qid=[True, False]), "qid must be integers or strings, not bool"),
        (dict(X=[[1], [2]], y=[0, 1], qid=[1e19, 2e19]), "integers too large for a float"),
        (dict(X=[[1], [2]], y=[0, 1], qid=np.array([1, 2**63 + 5], np.uint64)), "qid has integers of 2^63 or more"),
        (dict(X=[[1], [2]], y=[1j, 0]), "y must hold numbers, not complex128"),
        (dict(X=[[1], [2, 3]], y=[0, 1]), "X is not an array"),
        (dict(X=[[1], [2]], y=[0, 1], qid=[b"\xff", b"a"]), "qid has bytes that are not UTF-8 text"),
        (dict(X=[[1], [2]], y=[0, 1], docno=["a"]), "docno has 1 rows; expected 2"),
        (dict(X=[[1], [2]], y=[0, 1], docno=[1.5, 2]), "docno must be strings, not float64"),
        (dict(X=[[1], [2]], y=[0, 1], feature_names=["a", "b"]), "there are 2 feature_names but X has 1 features"),
        (dict(X=[[1, 2]], y=[0], feature_names=["a", "a"]), "two features are named 'a'"),
    ],
)
def test_bad_input_gets_one_sentence(arguments: dict, sentence: str) -> None:
    with pytest.raises(InputError) as error:
        RankingData(**arguments)
    assert sentence in str(error.value) and "\n" not in str(error.value)


def test_select() -> None:
    data = make(["a", "b", "a", "c"], docno=["1", "2", "3", "4"], feature_names=["x", "y"])
    part = data.select_queries(np.array([2, 0]))
    assert part.qid.tolist() == ["a", "a", "c"] and part.docno.tolist() == ["1", "3", "4"]
    assert part.X.tolist() == data.X[[0, 2, 3]].tolist() and part.feature_names == ["x", "y"]


def test_pickle() -> None:
    data = pickle.loads(pickle.dumps(make(["a", "b"], docno=["1", "é"])))
    assert data.docno.tolist() == ["1", "é"] and data.n_queries == 2


NAMES = [f"f{j}" for j in range(9)]


@pytest.mark.parametrize("as_sparse", [False, True])
@given(order=st.permutations(NAMES), data=st.data())
def test_features_are_matched_by_name(as_sparse: bool, order: list[str], data) -> None:
    values = st.sampled_from([0.0, 0.0, 1.5, -2.0])
    X = np.array(data.draw(st.lists(st.lists(values, min_size=9, max_size=9), min_size=1, max_size=4)), np.float32)
    n = len(X)
    qid, docno = [f"q{i % 2}" for i in range(n)], [f"d{i}" for i in range(n)]
    given_data = RankingData(sparse.csr_array(X) if as_sparse else X, np.arange(n), qid, docno, NAMES)
    matched = given_data.with_features(order)
    assert (matched is given_data) == (order == NAMES)
    assert matched.feature_names == order and matched.X.dtype == np.float32 and sparse.issparse(matched.X) == as_sparse
    dense = matched.X.toarray() if as_sparse else matched.X
    for j, name in enumerate(order):
        np.testing.assert_array_equal(dense[:, j], X[:, NAMES.index(name)])
    assert matched.X.has_canonical_format if as_sparse else matched.X.flags.c_contiguous
    for part in ("y", "qid", "docno"):
        assert getattr(matched, part).tolist() == getattr(given_data, part).tolist()
    again = matched.with_features(NAMES)
    np.testing.assert_array_equal(again.X.toarray() if as_sparse else again.X, X)


def test_data_without_feature_names_is_matched_by_position() -> None:
    data = RankingData([[1.0, 2.0]], [0])
    assert data.with_features(["b", "a"]) is data
    with pytest.raises(InputError, match="the data has 2 features, without names, but 3 are expected"):
        data.with_features(["a", "b", "c"])


@pytest.mark.parametrize(
    ("wanted", "sentence"),
    [
        (["a", "b", "c", "d"], "the data lacks the feature 'd'; add missing columns"),
        (["a", "b"], "the data has the feature 'c', which the model does not know; remove unknown columns"),
        (["a", "B", "c"], "the data lacks the feature 'B' and has the feature 'b' instead; rename or replace its features"),
        (list("abcdefgh"), "the data lacks the features 'd', 'e', 'f' and 2 more; add"),
        ([], "the data has the features 'a', 'b', 'c', which"),
        (["a", "b", "b", "c"], "two features are named 'b'"),
    ],
)
@pytest.mark.parametrize("as_sparse", [False, True])
def test_features_that_do_not_match_are_named(wanted: list[str], sentence: str, as_sparse: bool) -> None:
    X = np.eye(3)
    data = RankingData(sparse.csr_array(X) if as_sparse else X, [0, 1, 0], feature_names=["a", "b", "c"])
    with pytest.raises(InputError) as error:
        data.with_features(wanted)
    assert sentence in str(error.value) and "\n" not in str(error.value)


LARGE = 2**53


@pytest.mark.parametrize(
    "numbers",
    [
        np.array([LARGE, 5, LARGE + 1]),
        np.array([LARGE, 5, LARGE + 1], np.uint64),
        np.array([2**63, 5, 2**63 + 1], np.uint64),
        np.array([LARGE, 5, LARGE + 1], object),
        [LARGE, 0.5, LARGE + 1],
        [2**70, 1, 2**70 + 1],
        pd.Series([LARGE, 5, LARGE + 1], dtype="Int64"),
        [Decimal("0.1"), Decimal(1), Decimal("0.1000000000000000000001")],
        [Fraction(1, 3), 1, 1 / 3],
        np.array([1, 0, 1 + np.finfo(np.longdouble).eps], np.longdouble),
    ],
    ids=lambda numbers: type(numbers).__name__,
)
def test_numbers_that_are_equal_in_double_precision_only_are_an_error(numbers: Any) -> None:
    """Scores that differ must not be ties, nor grades that differ equal."""
    sentence = "has numbers that differ but are equal in double precision, .* in row 0 and .* in row 2; pass their ranks"
    for wrong in (
        lambda: evaluate([1, 0, 0], numbers),
        lambda: evaluate(numbers, [1, 2, 3]),
        lambda: Run(["q"] * 3, ["a", "b", "c"], numbers),
        lambda: RankingData([[1.0]] * 3, numbers),
    ):
        with pytest.raises(InputError, match=sentence):
            wrong()


@pytest.mark.parametrize(
    "numbers",
    [
        np.array([LARGE, 5, LARGE + 2]),
        np.array([LARGE + 1, 5, LARGE + 1]),
        np.array([-(2**63), 0, 2**62]),
        [2**70, 1.5, 2**71],
        np.array(["1.0", "1.00", 1.0], object),
        np.array(["1", "1.0", "1e0"]),
        np.array(["1", "1.0", "1e0"], np.dtypes.StringDType()),
        np.array([b"1", b"1.0", b"1e0"]),
        [Decimal("0.10"), Decimal("0.1"), 3],
        [True, False, True],
    ],
    ids=lambda numbers: str(numbers),
)
def test_large_numbers_that_stay_distinct_are_accepted(numbers: Any) -> None:
    assert Run(["q"] * 3, ["a", "b", "c"], numbers).score.tolist() == [float(x) for x in numbers]


def test_long_doubles_that_differ_are_shown_with_their_digits() -> None:
    numbers = np.array([1, 1 + np.finfo(np.longdouble).eps], np.longdouble)
    with pytest.raises(InputError, match=r"1\.0 in row 0 and 1\.0000\d+ in row 1"):
        evaluate([1, 0], numbers)


def test_an_integer_beyond_float64_is_an_error() -> None:
    with pytest.raises(InputError, match="scores must hold numbers: int too large to convert to float"):
        evaluate([1, 0], [10**400, 1])
