"""Splits by query."""

from __future__ import annotations

import tracemalloc
from pathlib import Path

import numpy as np
import pytest
import sklearn
from hypothesis import example, given, strategies as st
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.model_selection import cross_validate

from directrank import InputError, RankingData, write_letor
from directrank.data import QueryKFold, QueryTrials, letor_folds, train_validation_test


@given(st.lists(st.sampled_from("abcdefgh"), min_size=8, max_size=40), st.integers(2, 4), st.booleans())
def test_k_folds_keep_queries_together(qid: list[str], k: int, shuffle: bool) -> None:
    qid = [*"abcdefgh", *qid]
    tested = []
    for train, test in QueryKFold(k, shuffle=shuffle, random_state=0).split(None, qid=qid):
        trained = {qid[i] for i in train}
        held_out = {qid[i] for i in test}
        assert not trained & held_out and trained | held_out == set("abcdefgh")
        assert sorted([*train, *test]) == list(range(len(qid)))
        tested.append(held_out)
    assert len(tested) == k == QueryKFold(k).get_n_splits()
    assert sum(map(len, tested)) == 8 and max(map(len, tested)) - min(map(len, tested)) <= 1


class ByFirstFeature(RegressorMixin, BaseEstimator):
    def fit(self, X, y):
        self.fitted_ = True
        return self

    def predict(self, X):
        return X[:, 0]


@pytest.mark.parametrize("routing", [False, True])
@pytest.mark.parametrize("splitter", [QueryKFold(3), QueryTrials(2, 1, 4, random_state=0)])
def test_as_scikit_learn_splitters(routing: bool, splitter) -> None:
    X, y, qid = np.random.default_rng(0).random((40, 2)), np.zeros(40), np.repeat(np.arange(10), 4)
    with sklearn.config_context(enable_metadata_routing=routing):
        options = {"params": {"qid": qid}} if routing else {"groups": qid}
        result = cross_validate(ByFirstFeature(), X, y, cv=splitter, return_indices=True, **options)
    for train, test in zip(result["indices"]["train"], result["indices"]["test"], strict=True):
        assert not set(qid[train]) & set(qid[test])


@given(
    n=st.integers(4, 60),
    n_trials=st.integers(1, 60),
    shares=st.tuples(st.integers(1, 20), st.integers(0, 20)),
    seed=st.integers(0, 9),
)
@example(n=11, n_trials=6, shares=(8, 2), seed=0)  # the first drawing cannot be evened out
@example(n=12, n_trials=6, shares=(9, 2), seed=0)
def test_trials_use_queries_equally_often(n: int, n_trials: int, shares: tuple[int, int], seed: int) -> None:
    n_train, n_validation = min(shares[0], n - 2), min(shares[1], n - 2)
    n_validation = min(n_validation, n - n_train - 1)
    counts = np.zeros((3, n), int)
    for roles in QueryTrials(n_train, n_validation, n_trials, random_state=seed).roles(np.arange(n)):
        assert [len(rows) for rows in roles] == [n_train, n_validation, n - n_train - n_validation]
        assert sorted(np.concatenate(roles)) == list(range(n))
        for count, rows in zip(counts, roles, strict=True):
            count[rows] += 1
    assert np.ptp(counts[0]) <= 1
    assert np.ptp(counts[1]) <= 1


def test_the_trials_of_the_paper() -> None:
    """50 trials of 10, 5 and 35 of 50 queries: each trains 10 times, validates 5 times and tests 35 times, exactly."""
    trials = list(QueryTrials(random_state=1).roles(np.arange(50)))
    for role, often in zip(range(3), (10, 5, 35), strict=True):
        assert np.bincount(np.concatenate([roles[role] for roles in trials])).tolist() == [often] * 50
    assert len({tuple(roles[0]) for roles in trials}) == 50


def test_the_same_seed_gives_the_same_trials() -> None:
    first, second = (list(QueryTrials(2, 1, 3, random_state=5).split(None, groups=list("aabbccddee"))) for _ in range(2))
    assert all((a[0] == b[0]).all() and (a[1] == b[1]).all() for a, b in zip(first, second, strict=True))


@given(st.integers(3, 40), st.integers(0, 5))
def test_train_validation_test(n: int, seed: int) -> None:
    qid = np.arange(2 * n) % n
    data = RankingData(np.ones((2 * n, 1)), np.zeros(2 * n), qid)
    parts = train_validation_test(data, random_state=seed)
    sets = [set(part.qid.tolist()) for part in parts]
    assert all(sets) and sum(map(len, sets)) == n == len(set.union(*sets))
    assert abs(len(sets[0]) - 0.6 * n) <= 1 and abs(len(sets[1]) - 0.2 * n) <= 1


def test_trials_of_thousands_of_queries() -> None:
    trials = list(QueryTrials(3000, 1000, 20, random_state=0).roles(np.arange(5000)))
    assert np.ptp(np.bincount(np.concatenate([validation for _, validation, _ in trials]), minlength=5000)) <= 1


def test_folds_of_many_queries_need_little_memory() -> None:
    qid = np.repeat(np.arange(5000), 100)
    tracemalloc.start()
    folds = list(QueryKFold(2).split(None, qid=qid))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert len(folds) == 2 and peak < 20 * qid.nbytes


def test_letor_folds(tmp_path: Path) -> None:
    for fold in (1, 2, 10):
        (tmp_path / f"Fold{fold}").mkdir()
        for i, part in enumerate(["train", "vali", "test"]):
            name = f"{part}.txt.gz" if fold == 2 else f"{part}.txt"
            write_letor(tmp_path / f"Fold{fold}" / name, RankingData(np.full((1, 3 - i), fold), [i], [fold]))
    folds = list(letor_folds(tmp_path))
    assert [fold.train.qid[0] for fold in folds] == [1, 2, 10]
    assert [part.n_features for part in folds[0]] == [3, 3, 3]
    assert folds[0].test.X.tolist() == [[1, 0, 0]]
    named = next(letor_folds(tmp_path, feature_names=["a", "b", "c"]))
    assert [part.feature_names for part in named] == [["a", "b", "c"]] * 3
    with pytest.raises(InputError, match="there are 4 feature_names but X has 3 features"):
        next(letor_folds(tmp_path, feature_names=["a", "b", "c", "d"]))


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda: QueryKFold(5).split(None, qid=[1, 1, 2]), "n_splits must be from 2 to the number of queries, 2, not 5"),
        (lambda: QueryKFold(2).split(np.ones((10, 1)), qid=[1, 1, 2]), "qid has 3 rows; expected 10"),
        (lambda: QueryTrials(1, 1, 0).split(None, qid=[1, 2, 3]), "n_trials must be at least 1, not 0"),
        (lambda: QueryKFold(2).split(None), "QueryKFold splits by query; pass qid"),
        (
            lambda: QueryTrials(3, 1).split(None, qid=[1, 2, 3]),
            "n_train=3 and n_validation=1 leave no test queries out of 3",
        ),
        (lambda: train_validation_test(RankingData([[1.0]], [0])), "1 queries cannot be split into three parts"),
        (lambda: train_validation_test(RankingData(np.ones((3, 1)), [0] * 3, [1, 2, 3]), (1, 0, 0)), "shares must be three"),
    ],
)
def test_split_errors(make, sentence: str) -> None:
    with pytest.raises(InputError) as error:
        list(make())
    assert sentence in str(error.value)


def test_no_folds(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no Fold1 in this directory"):
        list(letor_folds(tmp_path))
    (tmp_path / "Fold1").mkdir()
    with pytest.raises(InputError, match=r"Fold1: no train.txt in this directory"):
        list(letor_folds(tmp_path))
