"""Summaries of columns by shard: exact for few distinct values, otherwise within the proved bound."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from directrank.data import RankingData
from directrank.learners.boosting.bins import Thresholds
from directrank.learners.boosting.column_summaries import Summary, column_summaries, merged, summary, thinned
from directrank.learners.core.shards import LocalShards
from directrank.measures import AUC

NUMBERS = st.one_of(st.integers(0, 5).map(float), st.floats(-1e9, 1e9), st.sampled_from([-0.0, 5e-324, 1.7e308, -1.7e308]))
COLUMNS = st.lists(st.lists(NUMBERS, min_size=1, max_size=60), min_size=1, max_size=4)


def shards_of(parts: list[np.ndarray]) -> LocalShards:
    return LocalShards.from_data([RankingData(X, np.zeros(len(X)), np.zeros(len(X))) for X in parts], AUC())


def thresholds_of(parts: list[np.ndarray], at_most: int | None) -> list[np.ndarray]:
    return Thresholds.place(column_summaries(shards_of(parts), at_most), at_most).by_feature


def expected_thresholds(column: np.ndarray, at_most: int | None) -> list[float]:
    """Expected thresholds: after the rows at evenly spaced ranks, then between evenly spaced values."""
    rows, between = np.sort(column).tolist(), []
    after = [i for i in range(len(rows) - 1) if rows[i] < rows[i + 1]]
    if at_most is not None and len(after) > at_most:
        ranks = [len(rows) * k / (at_most + 1) for k in range(1, at_most + 1)]
        chosen = {next((i for i in after if i + 1 >= rank), after[-1]) for rank in ranks}
        rest = [i for i in after if i not in chosen]
        places = np.linspace(0, len(rest) - 1, at_most - len(chosen)).astype(int) if len(chosen) < at_most else []
        after = sorted(chosen | {rest[place] for place in places})
    for i in after:
        middle = rows[i] + (rows[i + 1] - rows[i]) / 2
        between.append(middle if middle < rows[i + 1] else rows[i])
    return between


def up_to(t: np.ndarray, values: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """Number of rows with values up to each t."""
    return np.append(0, np.cumsum(counts))[np.searchsorted(values, t, side="right")]


@given(COLUMNS)
def test_summaries_are_the_distinct_values_and_how_often_they_occur(columns: list[list[float]]) -> None:
    whole = np.concatenate(columns)
    found = merged([summary(np.sort(column)) for column in columns])
    for ours, wanted in zip(found, np.unique(whole, return_counts=True), strict=True):
        np.testing.assert_array_equal(ours, wanted)


@given(COLUMNS, st.sampled_from([1, 2, 3, 7, None]))
def test_thresholds_equal_quantiles_of_all_rows(columns: list[list[float]], at_most: int | None) -> None:
    """To the bit, where no shard has more than 64 values for each threshold."""
    parts = [np.array(column)[:, None] for column in columns]
    wanted = expected_thresholds(np.concatenate(columns), at_most)
    for found in (thresholds_of(parts, at_most), thresholds_of([np.concatenate(parts)], at_most)):
        assert [one.tolist() for one in found] == [wanted]


def test_one_shard_and_all_thresholds_are_exact_at_any_size() -> None:
    random = np.random.default_rng(0)
    X = np.column_stack((random.random(3000), np.maximum(random.standard_normal(3000), 0)))
    for at_most in (1, 5, None):
        found = thresholds_of([X], at_most)
        assert [one.tolist() for one in found] == [expected_thresholds(column, at_most) for column in X.T]
    assert [one.tolist() for one in thresholds_of([X[:1000], X[1000:]], None)] == [one.tolist() for one in found]


@settings(max_examples=300)
@given(st.lists(st.lists(st.integers(0, 80), min_size=1, max_size=150), min_size=1, max_size=4), st.integers(1, 12))
def test_ranks_in_thinned_summaries_are_within_the_bound(columns: list[list[int]], half: int) -> None:
    exact = [summary(np.sort(np.array(column, np.float64))) for column in columns]
    thin = [thinned(one, 2 * half) for one in exact]
    for one, whole in zip(thin, exact, strict=True):
        assert one.values.size <= 2 * half and np.all(one.counts > 0) and set(one.values) <= set(whole.values)
        assert one is whole or one.values.size >= half
        assert one.values[-1] == whole.values[-1] and one.counts.sum() == whole.counts.sum()
    t = np.arange(-1.0, 82.0)
    for found, wanted in [*zip(thin, exact, strict=True), (merged(thin), merged(exact))]:
        lost = up_to(t, *wanted) - up_to(t, *found)
        assert np.all(lost >= 0) and np.all(lost * half < wanted.counts.sum())


@given(st.integers(0, 2**32 - 1), st.integers(1, 4), st.lists(st.integers(100, 900), min_size=2, max_size=5))
def test_thresholds_of_thinned_summaries_are_near_their_ranks(seed: int, at_most: int, sizes: list[int]) -> None:
    random = np.random.default_rng(seed)
    parts = [random.normal(random.normal(), size=(size, 1)) for size in sizes]
    rows = np.sort(np.concatenate(parts).ravel())
    (found,) = thresholds_of(parts, at_most)
    ranks = rows.size * np.arange(1, at_most + 1) / (at_most + 1)
    excess = np.searchsorted(rows, found, side="right") - ranks
    assert found.size == at_most and np.all(excess >= 0) and np.all(excess < 1 + 2 * rows.size / (32 * at_most))


def test_a_feature_that_is_mostly_0_has_all_its_thresholds_in_shards_too() -> None:
    random = np.random.default_rng(0)
    columns = [np.where(random.random((40_000, 1)) < 0.05, random.random((40_000, 1)), 0.0) for _ in range(3)]
    (found,) = thresholds_of(columns, 20)
    assert found.size == 20 and np.all(np.diff(found) > 0)
    values = np.unique(np.concatenate(columns))
    places = np.searchsorted(values, found) / values.size
    assert np.all(np.diff(places) < 0.15) and places[-1] > 0.9


@pytest.mark.parametrize(("n_shards", "most"), [(1, 5000), (4, 64 * 10)])
def test_summaries_do_not_grow_with_the_rows_of_a_shard(n_shards: int, most: int) -> None:
    told: list[Summary] = []

    class Listening(LocalShards):
        def each(self, step, *args):
            answers = super().each(step, *args)
            told.extend(one for answer in answers if isinstance(answer, list) for one in answer)
            return answers

    random = np.random.default_rng(0)
    shards = Listening(shards_of([random.random((5000, 20)) for _ in range(n_shards)]).tasks)
    assert sum(1 for _ in column_summaries(shards, 10)) == 20 == len(told) / n_shards
    assert max(one.values.size for one in told) <= most
