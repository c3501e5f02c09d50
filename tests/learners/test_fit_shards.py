"""`fit_shards` takes what `fit` takes, and gives the same bits for one shard."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.base import clone
from test_behaviour import DATA, RANKERS, ids

from directrank import AdaRank, InputError, LambdaMART, RankingData, RankSVM
from directrank.datasets import make_ranking
from directrank.learners import LocalShards, make_task
from directrank.measures import AP

SETS = [make_ranking(12, (5, 30), random_state=seed) for seed in (8, 9)]
WEIGHTS = np.arange(DATA.n_queries) % 3.0


def shards_of(data: RankingData, query_weight=None, init_score=None) -> LocalShards:
    return LocalShards([make_task(data.X, data.y, data.qid, AP(), query_weight, init_score)])


def as_set(data: RankingData, *init_score) -> tuple:
    return (data.X, data.y, data.qid, *init_score)


@pytest.mark.parametrize("ranker", RANKERS, ids=ids)
def test_one_shard_gives_the_same_bits_with_all_arguments(ranker) -> None:
    given = {"eval_measures": ["RR", "P@3"], "keep_partial": True}
    there, here = ([], [])
    sharded = clone(ranker).fit_shards(
        shards_of(DATA, WEIGHTS), list(map(shards_of, SETS)), callbacks=[lambda step: there.append(step.evals)], **given
    )
    whole = clone(ranker).fit(
        DATA.X,
        DATA.y,
        DATA.qid,
        query_weight=WEIGHTS,
        eval_set=list(map(as_set, SETS)),
        callbacks=[lambda step: here.append(step.evals)],
        **given,
    )
    np.testing.assert_array_equal(sharded.predict(DATA.X), whole.predict(DATA.X))
    assert sharded.evals_result_ == whole.evals_result_ and there == here
    assert list(whole.evals_result_) == ["training", "validation", "validation_2"]


def test_trees_start_from_a_model_or_from_scores() -> None:
    trees, start = LambdaMART("AP", n_estimators=4, min_child_samples=5), RankSVM(C=1).fit(DATA.X, DATA.y, DATA.qid)
    sharded = clone(trees).fit_shards(shards_of(DATA), init_model=start)
    whole = clone(trees).fit(DATA.X, DATA.y, DATA.qid, init_model=start)
    np.testing.assert_array_equal(sharded.predict(DATA.X), whole.predict(DATA.X))
    base, others = start.predict(DATA.X), start.predict(SETS[0].X)
    sharded = clone(trees).fit_shards(shards_of(DATA, None, base), shards_of(SETS[0], None, others))
    whole = clone(trees).fit(DATA.X, DATA.y, DATA.qid, init_score=base, eval_set=as_set(SETS[0], others))
    np.testing.assert_array_equal(sharded.predict(DATA.X), whole.predict(DATA.X))
    assert sharded.evals_result_ == whole.evals_result_


def test_an_init_that_takes_no_scores_is_fitted_without() -> None:
    base = np.linspace(0, 5, len(DATA))
    trees = LambdaMART("AP", n_estimators=2, min_child_samples=5, init=RankSVM(C=1))
    model = trees.fit(DATA.X, DATA.y, DATA.qid, init_score=base)
    assert np.ptp(model.predict(DATA.X)) > 0


def test_features_of_validation_sets_are_matched_by_name() -> None:
    training, turned = shards_of(DATA), RankingData(SETS[0].X[:, ::-1], SETS[0].y, SETS[0].qid)
    training.feature_names, held_out = tuple(DATA.feature_names), shards_of(turned)
    held_out.feature_names = training.feature_names[::-1]
    wanted = RankSVM(Cs=[0.01, 1, 100]).fit_shards(training, shards_of(SETS[0]))
    found = RankSVM(Cs=[0.01, 1, 100]).fit_shards(training, held_out)
    assert found.C_ == wanted.C_ and found.evals_result_ == wanted.evals_result_
    held_out.feature_names = ("other", *training.feature_names[1:])
    with pytest.raises(InputError, match="eval_set: the data lacks the feature 'good1' and has the feature 'other' instead"):
        RankSVM().fit_shards(training, held_out)
    with pytest.raises(InputError, match="eval_set has 3 features, and the training data has 16"):
        RankSVM().fit_shards(training, shards_of(RankingData(DATA.X[:, :3], DATA.y, DATA.qid)))
    with pytest.raises(InputError, match="eval_set must be Shards, or a list of such"):
        RankSVM().fit_shards(training, SETS)


def test_initial_scores_are_for_all_sets_or_for_none() -> None:
    base, others = np.zeros(len(DATA)), np.zeros(len(SETS[0]))
    with pytest.raises(InputError, match="AdaRank takes no init_score; give shards without it"):
        AdaRank().fit_shards(shards_of(DATA, None, base))
    for training, held_out in ((base, None), (None, others)):
        with pytest.raises(InputError, match="some shards have an init_score and others have none; give it for all"):
            LambdaMART().fit_shards(shards_of(DATA, None, training), shards_of(SETS[0], None, held_out))
    with pytest.raises(InputError, match="both init and init_model are given"):
        LambdaMART(init=RankSVM()).fit_shards(shards_of(DATA), init_model=RankSVM())
