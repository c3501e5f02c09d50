"""Number and size of the calls that boosting makes to its shards, which may be on a network."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from sklearn.base import clone

from directrank import AdaRank, RankBoost
from directrank.data import RankingData
from directrank.datasets import make_ranking
from directrank.learners.boosting.weak_rankers import SingleFeatures
from directrank.learners.core.shards import LocalShards
from directrank.measures import parse

DATA, HELD_OUT = make_ranking(30, (5, 30), random_state=0), make_ranking(12, (5, 30), random_state=1)


class Counting(LocalShards):
    """Shards that note the size of the arguments of each trip to them, which are pickled as on a network."""

    sizes: list[int]

    @classmethod
    def parts_of(cls, data: RankingData, n: int) -> Counting:
        parts = np.array_split(np.arange(data.n_queries), n)
        return cls(LocalShards.from_data([data.select_queries(part) for part in parts], parse("AP")).tasks, [])

    def __init__(self, tasks, sizes: list[int]) -> None:
        super().__init__(tasks)
        self.sizes = sizes

    def each(self, step, *args):
        sent = pickle.dumps((step, args))
        self.sizes.append(len(sent))
        step, args = pickle.loads(sent)
        return super().each(step, *args)

    def map(self, change, *args):
        return Counting(super().map(change, *args).tasks, self.sizes)


def trips(learner, data: RankingData = DATA) -> tuple[list[int], list[int]]:
    """The size of each trip to the training shards, and to those of the validation set."""
    training, validation = Counting.parts_of(data, 3), Counting.parts_of(HELD_OUT, 2)
    learner.fit_shards(training, validation if data is DATA else None)
    return training.sizes, validation.sizes


@pytest.mark.parametrize(
    "learner",
    [
        AdaRank("AP", scaling="none"),
        AdaRank("nDCG@5", directions="both", scaling="none"),
        AdaRank("RR", early_stopping_rounds=5, update="adaboost", scaling="none"),
    ],
    ids=lambda learner: learner.measure,
)
def test_adarank_makes_one_call_per_weak_ranker(learner, monkeypatch: pytest.MonkeyPatch) -> None:
    learner, tries, hear = clone(learner), [], SingleFeatures.tried
    monkeypatch.setattr(SingleFeatures, "tried", lambda self, *said: (tries.append(said), hear(self, *said))[1])
    training, validation = trips(learner)
    assert len(tries) >= len(learner.history_) > 1
    assert len(tries) > len(learner.history_) or learner.early_stopping_rounds  # by which none that fails is left out
    # Whether there are initial scores, how many queries there are, their weights twice, phi at first, and at last whether
    # anything was learned, and what the queries reach that teach nothing.
    assert len(training) == len(tries) + 8
    assert len(validation) == len(learner.history_) + 1


def test_adarank_traffic_does_not_grow_with_features() -> None:
    wide = RankingData(np.tile(DATA.X, 20), DATA.y, DATA.qid)  # the first of equals is taken
    learner = AdaRank("AP", set_aside=False, early_stopping_rounds=50, n_estimators=10, scaling="none")
    narrow = trips(learner, RankingData(DATA.X, DATA.y, DATA.qid))[0]
    assert trips(learner, wide)[0][:-2] == narrow[:-2] and len(learner.history_) == 10  # then goes the whole model


@pytest.mark.parametrize("thresholds", [3, 255, None])
def test_rankboost_goes_once_a_round(thresholds: int | None) -> None:
    learner = RankBoost(n_estimators=25, thresholds=thresholds)
    training, validation = trips(learner)
    assert len(learner.history_) == 25 == len(validation) - 1
    # Whether there are initial scores, how many queries, their weights twice, their pairs, how many shards, and the values
    # of each 16 features.
    assert len(training) == 25 + 7 + -(-DATA.n_features // 16)


def test_rankboost_traffic_does_not_grow_with_thresholds() -> None:
    few, many = (np.array(trips(RankBoost(n_estimators=25, thresholds=thresholds))[0][-25:]) for thresholds in (1, None))
    numbers = 8 * np.arange(25)  # of features and thresholds, which have more digits
    assert np.all(np.abs(many - few) <= numbers) and np.all(many < 200 + 100 * np.arange(25))
