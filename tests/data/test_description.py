"""Describing a data set."""

import tracemalloc
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy import sparse

from directrank import RankingData, evaluate, read_letor
from directrank.data import describe, label_order
from directrank.evaluation import Evaluation


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
        "1 query has no relevant",
        "the same value in every row",
        "1 feature is an exact duplicate",
        "1 feature has missing values, which all learners take: feature 6 in 20% of the documents.",
    ):
        assert part in said


def test_a_feature_without_values_is_no_feature_with_some_missing() -> None:
    said = describe(RankingData([[np.nan, 1.0], [np.nan, 2.0]], [1, 0], [1, 1])).warnings
    assert said[1:] == ["1 feature has the same value in every row, or none in any, and can be dropped."], said


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


def graded(n_queries: int = 30, n_documents: int = 8) -> tuple[np.random.Generator, np.ndarray, np.ndarray]:
    """A generator of random numbers, grades, and queries whose rows are mixed."""
    random = np.random.default_rng(0)
    y = random.integers(0, 3, n_queries * n_documents).astype(float)
    return random, y, random.permutation(np.repeat(np.arange(n_queries), n_documents))


@pytest.mark.parametrize("as_sparse", [False, True])
def test_features_that_are_the_label_in_disguise(as_sparse: bool) -> None:
    random, y, qid = graded()
    noise = random.normal(size=y.size)
    clicks = np.where(y > 0, y, np.nan)
    columns = {"noise": noise, "copy": 1000 * y, "cost": -y + 0.01 * noise, "good": y + noise, "clicks": clicks}
    X = np.column_stack(list(columns.values()))
    d = describe(RankingData(sparse.csr_array(X) if as_sparse else X, y, qid, feature_names=list(columns)))
    assert d.label_like == {"copy": 1.0, "cost": 0.0, "clicks": 1.0}
    assert sum("copy orders the documents of a query by grade almost without a mistake (AUC 1.000)" in w for w in d.warnings)


def test_few_documents_may_be_in_order_by_chance() -> None:
    _, y, qid = graded(1, 8)
    assert describe(RankingData(y[:, np.newaxis], y, qid)).label_like == {}
    _, y, qid = graded(3, 8)
    assert describe(RankingData(y[:, np.newaxis], y, qid)).label_like == {"1": 1.0}


@pytest.mark.parametrize("limit", [10**6, 60])
def test_area_is_the_mean_over_queries(limit: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Against AUC; of many queries, only some are evaluated."""
    monkeypatch.setattr(label_order, "MAX_DOCUMENTS", limit)
    random, y, qid = graded()
    y[qid == 3] = 1.0  # no pairs
    feature = random.integers(0, 5, y.size) + y
    data = RankingData(feature[:, np.newaxis], y, qid)
    queries = data.by_query()
    order = label_order.LabelOrder(queries.to_query_order(data.y), queries.offsets, 1)
    assert order.n_queries == (29 if limit > 60 else 8)
    ids = [query for query in queries.ids.tolist() if query != 3][:: 1 if limit > 60 else 4]
    values = dict(zip(qid_of(evaluated := evaluate(y, feature, qid, "AUC")), evaluated.values("AUC"), strict=True))
    assert order.area(queries.to_query_order(feature)) == pytest.approx(np.mean([values[query] for query in ids]))


def qid_of(evaluation: Evaluation) -> list[int]:
    return [int(query) for query in evaluation.qid.tolist()]


def test_heavy_tails_and_scales_that_are_far_apart() -> None:
    values = np.arange(1.0, 100.0)
    skewed, tiny, wide = values.copy(), 1e-3 * values, values.copy()
    skewed[3], wide[3] = -1e6, 4000  # typical: 50
    flag = np.zeros(99)
    flag[5] = 1  # rare, but its only value that is not 0
    X = np.column_stack([values, skewed, tiny, wide, flag, np.full(99, 1e9)])
    for table in (X, sparse.csr_array(X)):
        d = describe(RankingData(table, np.zeros(99), np.arange(99) % 3))
        assert d.heavy_tails == {"2": pytest.approx(1e6 / 51)} and "feature 2 up to 19,608 times" in " ".join(d.warnings)
        assert d.far_scales == {}
        d = describe(RankingData(1e6 * table, np.zeros(99), np.arange(99) % 3))
        assert d.far_scales == {}
    X[:, 2] *= 1e-2
    d = describe(RankingData(X, np.zeros(99), np.arange(99) % 3))
    assert d.far_scales == {"3": pytest.approx(5e-4), "2": 51.0}
    assert "typical values are 0.0005 of feature 3 and 51 of feature 2" in " ".join(d.warnings)


def test_rows_without_labels() -> None:
    d = describe(RankingData([[1.0], [2], [3]], None, [1, 1, 2]))
    assert d.grades == {} and [warning.split(":")[0] for warning in d.warnings] == ["There are no labels"]
