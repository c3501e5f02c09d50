"""What two data sets share."""

from __future__ import annotations

from collections import Counter

import numpy as np
from hypothesis import given, strategies as st
from scipy import sparse

from directrank import RankingData
from directrank.data import Overlap, find_overlap

value = st.sampled_from([0.0, -0.0, 1.0, 2.0, np.nan])
rows = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 2), st.tuples(value, value)), min_size=1, max_size=8)


def as_data(given: list, *, kind: str = "dense") -> RankingData:
    X = np.array([features for _, _, features in given])
    table = sparse.csr_array(X) if kind == "sparse" else X.astype(np.float32) if kind == "float32" else X
    qid, docno = [query for query, _, _ in given], [f"d{document}" for _, document, _ in given]
    return RankingData(table, np.zeros(len(given)), qid, docno)


def shared_rows(ours: list, theirs: list) -> int:
    """Rows whose features occur once in either."""
    counts = [Counter(tuple(str(v + 0.0) for v in features) for _, _, features in part) for part in (ours, theirs)]
    return sum(counts[0][row] == counts[1][row] == 1 for row in counts[0])


@given(rows, rows, st.sampled_from(["dense", "sparse", "float32"]))
def test_against_plain_counts(ours: list, theirs: list, kind: str) -> None:
    found = find_overlap(as_data(ours, kind=kind), as_data(theirs))
    assert found.queries == len({row[0] for row in ours} & {row[0] for row in theirs})
    assert found.documents == len({row[:2] for row in ours} & {row[:2] for row in theirs})
    assert found.rows == shared_rows(ours, theirs)


def test_features_are_matched_by_name() -> None:
    one = RankingData([[1.0, 2], [3, 4]], [0, 1], [1, 1], feature_names=["a", "b"])
    other = RankingData([[2.0, 1], [3, 4]], [0, 1], [2, 2], feature_names=["b", "a"])
    assert find_overlap(one, other) == Overlap(1, 2, 0, None, 1, [])
    unnamed = RankingData([[1.0, 2], [7, 4]], [0, 1], [2, 2])
    assert find_overlap(one, unnamed).rows == 1


def test_absent_queries_are_not_shared() -> None:
    one = RankingData([[1.0], [2]], [0, 1])
    assert find_overlap(one, one) == Overlap(1, 2, 0, None, 2, [])


def test_warnings() -> None:
    assert Overlap(10, 500, 0, None, 4, []).warnings("test", "train") == []
    (said,) = Overlap(10, 500, 3, 0, 0, []).warnings("test", "train")
    assert said.startswith("3 of the 10 query ids of test are in train too, with other documents")
    (said,) = Overlap(10, 500, 3, 20, 0, []).warnings("test", "train")
    assert said.startswith(
        "3 of the 10 queries of test are in train too, with 20 pairs of query and document: values on one"
    )
    (said,) = Overlap(10, 500, 0, 0, 5, []).warnings("test", "train")
    assert said == "5 of the 500 rows of test have the same features as a row of train: the same documents may be in both."
    assert len(Overlap(10, 500, 3, None, 5, []).warnings("test", "train")) == 2


def test_missing_features() -> None:
    train = RankingData([[1.0, 2, 3]], [0], [1], feature_names=["a", "b", "c"])
    new = RankingData([[2.0, 5]], None, [2], feature_names=["b", "z"])
    found = find_overlap(new, train)
    assert found.missing_features == ["a", "c"]
    assert found.warnings("new", "train") == ["new lacks the 2 features a, c of train, which a model trained on it needs."]
