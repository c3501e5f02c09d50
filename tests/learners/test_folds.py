"""Folds of the training queries: dealt by content, in equal shares."""

from __future__ import annotations

import numpy as np
import pytest

from directrank.data import RankingData
from directrank.datasets import make_ranking
from directrank.learners.core.shards import Folds, LocalShards, weighted_for_training
from directrank.measures import parse

DATA = make_ranking(40, (5, 12), random_state=0)


def folds_of(parts: list[RankingData], n_folds: int = 3) -> tuple[Folds, dict[object, int]]:
    """Folds, and the fold of each query by its name."""
    shards = weighted_for_training(LocalShards.from_data(parts, parse("AP")))
    folds = Folds(shards, n_folds)
    pairs = zip(shards.tasks, folds.fold_of.parts, strict=True)
    return folds, {name: fold for task, part in pairs for name, fold in zip(task.queries.ids.tolist(), part, strict=True)}


def test_folds_have_equal_shares_of_informative_queries() -> None:
    folds, fold_of = folds_of([DATA])
    informative = {q for q in np.unique(DATA.qid).tolist() if 0 < np.mean(DATA.y[DATA.qid == q] > 0) < 1}
    assert 3 < len(informative) < 40
    for queries in (informative, set(fold_of)):
        sizes = np.bincount([fold_of[q] for q in queries])
        assert sizes.size == 3 and np.ptp(sizes) <= 1
    held_out = folds.only(1).tasks[0]
    assert {q for q, weight in zip(held_out.queries.ids.tolist(), held_out.weights, strict=True) if weight > 0} == {
        q for q in informative if fold_of[q] == 1
    }


@pytest.mark.parametrize("seed", range(3))
def test_folds_depend_on_content_and_neither_on_order_nor_names_nor_shards(seed: int) -> None:
    _, wanted = folds_of([DATA])
    order = np.random.default_rng(seed).permutation(len(DATA))
    names = np.array([f"{q * 17 % 41}" for q in DATA.qid.tolist()])
    _, found = folds_of([RankingData(DATA.X[order], DATA.y[order], names[order])])
    assert found == {f"{q * 17 % 41}": fold for q, fold in wanted.items()}
    parts = np.array_split(np.random.default_rng(seed).permutation(DATA.n_queries), 4)
    assert folds_of([DATA.select_queries(part) for part in parts])[1] == wanted


def test_copies_of_a_query_are_dealt_to_different_folds() -> None:
    few = DATA.select(DATA.qid <= 3)
    copies = [RankingData(few.X, few.y, few.qid + 100 * number) for number in range(3)]
    _, fold_of = folds_of(copies)
    for query in np.unique(few.qid).tolist():
        if 0 < np.mean(few.y[few.qid == query] > 0) < 1:
            assert {fold_of[query + 100 * number] for number in range(3)} == {0, 1, 2}
