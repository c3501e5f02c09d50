"""Describing a data set."""

import numpy as np
import pytest
from scipy import sparse

from directrank import RankingData
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


def test_billions_of_empty_features() -> None:
    d = describe(RankingData(sparse.csr_array(([1.0, 2.0], [5, 5], [0, 1, 2]), shape=(2, 2_000_000_000)), [0, 1], [1, 1]))
    assert d.empty_features == 1_999_999_999 and d.constant_features == []


def test_names_and_clean_data() -> None:
    d = describe(RankingData([[1.0, 2], [2, 1]], [0, 1], [1, 1], feature_names=["a", "b"]))
    assert d.constant_features == [] and d.warnings == ["There is only one query: check that the file has query ids."]


def test_grades_too_high_for_the_exponential_gain() -> None:
    assert "use gain=linear" in describe(RankingData([[1.0], [2]], [0, 100], [1, 1])).warnings[-1]
