"""LambdaMART as a sum: of several seeds, and of trees behind another ranker."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.base import clone

from directrank import InputError, LambdaMART, RankBoost, RankSVM, SVMRanker
from directrank.data import RankingData
from directrank.datasets import make_ranking
from directrank.learners.shards import Here
from directrank.measures import parse
from directrank.models import ModelError, dumps, loads
from directrank.models.export import to_lightgbm, to_python
from directrank.models.export.lightgbm import scores_of_lightgbm
from directrank.models.export.python import scores_of_python

TRAIN, OTHER = make_ranking(60, random_state=0), make_ranking(60, random_state=1)
DATA, EVAL_SET = (TRAIN.X, TRAIN.y, TRAIN.qid), (OTHER.X, OTHER.y, OTHER.qid)
FEW = {"n_estimators": 20, "num_leaves": 7}


def test_bags_are_the_mean_of_their_seeds() -> None:
    given = {**FEW, "bagging_fraction": 0.5, "bagging_freq": 1, "feature_fraction": 0.5}
    bags = LambdaMART("AP", n_bags=3, random_state=4, **given).fit(*DATA)
    members = [LambdaMART("AP", random_state=seed, **given).fit(*DATA).predict(OTHER.X) for seed in (4, 5, 6)]
    assert np.ptp(members, axis=0).max() > 0.1
    np.testing.assert_allclose(bags.predict(OTHER.X), np.mean(members, axis=0), atol=1e-12)
    assert bags.best_iteration_ == bags.history_[-1].trees == 60
    np.testing.assert_array_equal(bags.booster_.predict(OTHER.X), bags.predict(OTHER.X))
    np.testing.assert_array_equal(loads(dumps(bags)).predict(OTHER.X), bags.predict(OTHER.X))
    portable = bags.model_.portable()
    np.testing.assert_array_equal(scores_of_python(to_python(bags).content, OTHER.X, portable), bags.predict(OTHER.X))


def test_the_best_round_of_bags_is_that_of_their_mean() -> None:
    bags = LambdaMART("AP", n_bags=2, n_estimators=60, learning_rate=0.3).fit(*DATA, eval_set=EVAL_SET)
    values = [step.validation for step in bags.history_]
    assert bags.score(*EVAL_SET) == pytest.approx(max(values))
    assert bags.best_iteration_ == bags.history_[int(np.argmax(values))].trees < 120
    assert bags.history_[-1].value == pytest.approx(
        LambdaMART("AP", n_bags=2, n_estimators=60, learning_rate=0.3).fit(*DATA).history_[-1].value
    )


@pytest.mark.parametrize("init", [RankSVM(), SVMRanker("AP", C=10.0), RankBoost(10)], ids=lambda init: type(init).__name__)
@pytest.mark.parametrize("n_bags", [1, 2])
def test_scores_are_those_of_the_start_and_of_the_trees(init, n_bags: int) -> None:
    start = clone(init).fit(*DATA, eval_set=EVAL_SET)
    both = LambdaMART("AP", init=init, n_bags=n_bags, **FEW).fit(*DATA, eval_set=EVAL_SET)
    assert not hasattr(init, "model_")
    grown = [tree for tree in both.model_.trees if tree.n_splits > 1]
    trees = type(both.model_)(tuple(grown), TRAIN.n_features)
    assert 0 < len(grown) < len(both.model_.trees)
    np.testing.assert_allclose(both.predict(OTHER.X), start.predict(OTHER.X) + trees.predict(OTHER.X), atol=1e-9)
    assert both.score(*EVAL_SET) == pytest.approx(max(step.validation for step in both.history_))
    np.testing.assert_array_equal(loads(dumps(both)).predict(OTHER.X), both.predict(OTHER.X))
    fitted = LambdaMART("AP", init=start, n_bags=n_bags, **FEW).fit(*DATA, eval_set=EVAL_SET)
    np.testing.assert_array_equal(fitted.predict(OTHER.X), both.predict(OTHER.X))
    exported = to_lightgbm(both).content
    np.testing.assert_array_equal(scores_of_lightgbm(exported, OTHER.X, both.model_.portable()), both.predict(OTHER.X))


def test_trees_improve_on_what_they_start_from() -> None:
    start = RankSVM().fit(*DATA)
    both = LambdaMART("AP", init=RankSVM(), **FEW).fit(*DATA)
    bound = parse("AP").bind(TRAIN.y, TRAIN.by_query().offsets)
    assert bound.evaluate(both.predict(TRAIN.X)).mean() > bound.evaluate(start.predict(TRAIN.X)).mean() + 0.01


def test_a_start_shuffled_rows_shards_and_samples() -> None:
    learner = LambdaMART("AP", init=RankSVM(1.0, tol=1e-6), data_sample_strategy="goss", **FEW)
    wanted = clone(learner).fit(*DATA).predict(OTHER.X)
    rows = np.random.default_rng(0).permutation(len(TRAIN))
    found = clone(learner).fit(TRAIN.X[rows], TRAIN.y[rows], TRAIN.qid[rows]).predict(OTHER.X)
    np.testing.assert_allclose(found, wanted, atol=1e-2 * np.abs(wanted).max())
    whole = LambdaMART("AP", init=RankSVM(1.0), **FEW)
    parts = [TRAIN.select_queries(part) for part in np.array_split(np.arange(TRAIN.n_queries), 3)]
    several = clone(whole).fit_shards(Here.of(parts, parse("AP"))).predict(OTHER.X)
    np.testing.assert_allclose(several, clone(whole).fit(*DATA).predict(OTHER.X), atol=1e-2 * np.abs(several).max())


def test_where_a_linear_start_cannot_go_is_said() -> None:
    both = LambdaMART("AP", init=RankSVM(), **FEW).fit(*DATA)
    with pytest.raises(ModelError, match="tree 0 has linear functions in its leaves"):
        to_python(both)
    assert both.model_.importances().kind == "gain"


def test_a_start_on_other_features_is_refused() -> None:
    narrow = RankingData(TRAIN.X[:, :5], TRAIN.y, TRAIN.qid)
    fitted = RankSVM().fit(narrow.X, narrow.y, narrow.qid)
    with pytest.raises(InputError, match="init was fitted on 5 features, and these rows have 16; give it unfitted"):
        LambdaMART("AP", init=fitted, **FEW).fit(*DATA)
