"""Describing a data set."""

import tracemalloc
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy import sparse

from directrank import RankingData, read_letor
from directrank.data import describe


@pytest.mark.parametrize("as_sparse", [False, True])
def test_counts(as_sparse: bool) -> None:
    X = np.array(
        [
            [1, 5, 0, 7, 1, 0.0],
            [2, 5, 0, 7, 2, np.nan],
            [3, 5, 0, 8, 3, 1.0],
            [4, 5, -0.0, 8, 4, 2.0],
            [5, 5, 0, 9, 5, 2.0],
        ]
    )
    d = describe(RankingData(sparse.csr_array(X) if as_sparse else X, [1, 0, 0, 0, 1], [1, 1, 2, 2, 3]))
    assert (d.n_queries, d.n_documents, d.n_features) == (3, 5, 6)
    assert d.documents_per_query == {"min": 1, "median": 2.0, "max": 2}
    assert d.grades == {0.0: 3, 1.0: 2}
    assert d.queries_without_relevant == 1 and d.queries_with_equal_grades == 2
    assert (d.constant_features, d.empty_features) == ((["2"], 1) if as_sparse else (["2", "3"], 0))
    assert d.constant_within_queries == ["4"]
    assert d.duplicate_features == [["1", "5"]] and d.features_with_missing == {"6": 1}
    said = " ".join(d.warnings)
    for part in (
        "2 queries have only one grade",
        "1 queries have no relevant",
        "features have the same value",
        "1 features are exact duplicates",
    ):
        assert part in said


entry = st.sampled_from([0.0, 0.0, 0.0, -0.0, 1.0, 2.0, np.nan])


@given(st.lists(st.tuples(st.integers(0, 3), st.lists(entry, min_size=4, max_size=4)), min_size=1, max_size=12))
def test_sparse_data_is_described_like_dense(rows: list) -> None:
    qid, X = [q for q, _ in rows], np.array([row for _, row in rows])
    table = sparse.csr_array(X + 100.0)  # stores every entry
    table.data -= 100.0
    table.data[np.signbit(X.ravel())] = -0.0
    dense, stored = (describe(RankingData(x, np.zeros(len(X)), qid)) for x in (X, table))
    assert stored == dense
    stored = describe(RankingData(sparse.csr_array(X), np.zeros(len(X)), qid))
    empty = [str(j + 1) for j in range(4) if np.all(X[:, j] == 0)]
    assert stored.empty_features == len(empty)
    assert stored.constant_features == [name for name in dense.constant_features if name not in empty]
    for part in ("constant_within_queries", "duplicate_features", "features_with_missing", "density"):
        assert getattr(stored, part) == getattr(dense, part)


def test_the_cost_follows_the_entries_and_not_the_highest_index(tmp_path: Path) -> None:
    path = tmp_path / "wide.txt"
    path.write_text("1 qid:1 2147483647:1\n0 qid:1 5:1\n")
    data = read_letor(path)
    tracemalloc.start()
    try:
        d = describe(data)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert (d.n_features, d.empty_features) == (2**31 - 1, 2**31 - 3) and peak < 1e6


def test_billions_of_empty_features() -> None:
    d = describe(RankingData(sparse.csr_array(([1.0, 2.0], [5, 5], [0, 1, 2]), shape=(2, 2_000_000_000)), [0, 1], [1, 1]))
    assert d.empty_features == 1_999_999_999 and d.constant_features == []


def test_names_and_clean_data() -> None:
    d = describe(RankingData([[1.0, 2], [2, 1]], [0, 1], [1, 1], feature_names=["a", "b"]))
    assert d.constant_features == [] and d.warnings == ["There is only one query: check that the file has query ids."]


def test_grades_too_high_for_the_exponential_gain() -> None:
    assert "use gain=linear" in describe(RankingData([[1.0], [2]], [0, 100], [1, 1])).warnings[-1]
