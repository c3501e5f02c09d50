"""RankBoost: the implicit distribution against the table of all pairs, round by round."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy import sparse

from directrank import InputError, RankBoost
from directrank.datasets import make_ranking
from directrank.learners import Progress
from directrank.learners.boosting.bins import Bins, Thresholds

DATA = make_ranking(20, (3, 15), random_state=5)


def by_pairs(data, thresholds, n_rounds) -> list[tuple[int, float, float, float]]:
    """Figure 1 of Freund et al. with every pair and its weight written out."""
    pairs = [
        (i, j) for i in range(len(data)) for j in range(len(data)) if data.qid[i] == data.qid[j] and data.y[i] > data.y[j]
    ]
    better, worse = np.array(pairs).T
    D, rounds = np.full(len(pairs), 1 / len(pairs)), []
    for _ in range(n_rounds):
        weak = []
        for k in range(data.n_features):
            for theta in thresholds[k]:
                h = (data.X[:, k] > theta).astype(float)
                weak.append((float(np.sum(D * (h[better] - h[worse]))), k, theta))
        r, k, theta = max(weak, key=lambda w: round(abs(w[0]), 10))
        alpha = 0.5 * np.log((1 + r) / (1 - r))
        h = (data.X[:, k] > theta).astype(float)
        D = D * np.exp(alpha * (h[worse] - h[better]))
        D /= D.sum()
        rounds.append((k, float(theta), float(alpha), r))
    return rounds


def placed(X: np.ndarray, at_most: int | None) -> Thresholds:
    return Thresholds.place((np.unique(column, return_counts=True) for column in X.T), at_most)


@pytest.mark.parametrize("thresholds", [3, None])
def test_the_implicit_distribution_is_that_of_the_pairs(thresholds: int | None) -> None:
    data = make_ranking(8, (3, 9), random_state=2)
    wanted = by_pairs(data, placed(data.X, thresholds).by_feature, 12)
    model = RankBoost(n_estimators=12, thresholds=thresholds).fit(data.X, data.y, data.qid)
    found = [tuple(s.info[name] for name in ("feature", "threshold", "alpha", "r")) for s in model.history_]
    assert [w[:2] for w in found] == [w[:2] for w in wanted]
    np.testing.assert_allclose([w[2:] for w in found], [w[2:] for w in wanted], rtol=1e-9)
    assert len({k for k, *_ in wanted}) > 1 and any(w[2] < 0 for w in wanted)


def test_the_loss_is_the_mean_over_the_pairs_and_falls() -> None:
    model = RankBoost(n_estimators=30).fit(DATA.X, DATA.y, DATA.qid)
    losses = [step.info["loss"] for step in model.history_]
    assert losses[0] == pytest.approx(1) and all(b < a for a, b in zip(losses, losses[1:], strict=False))
    scores = model.predict(DATA.X)
    same_query = DATA.qid[:, None] == DATA.qid
    better = (DATA.y[:, None] > DATA.y) & same_query
    margins = (scores[:, None] - scores)[better]
    assert np.mean(np.exp(-margins)) < losses[-1]
    assert np.mean(margins <= 0) <= np.mean(np.exp(-margins))
    assert model.model_.provenance.history == {"loss": [*losses[1:], None]}
    after_each = [np.mean(np.exp(-(s[:, None] - s)[better])) for s in model.staged_predict(DATA.X)]
    np.testing.assert_allclose(losses[1:], after_each[:-1])
    for step, after in zip(model.history_, losses[1:], strict=False):  # Theorem 1 of Freund et al. with their third method
        assert after / step.info["loss"] <= np.sqrt(1 - step.info["r"] ** 2) + 1e-12


@given(st.data())
def test_thresholds_and_sums(data) -> None:
    n, d = data.draw(st.integers(1, 30)), data.draw(st.integers(1, 4))
    numbers = st.sampled_from([-2.0, -1.0, 0.0, 0.5, 1.0, 3.0, 1e300, -1e300, 5e-324])
    X = np.array(data.draw(st.lists(st.lists(numbers, min_size=d, max_size=d), min_size=n, max_size=n)))
    at_most = data.draw(st.sampled_from([1, 2, 5, None]))
    values = np.array(data.draw(st.lists(st.floats(-1, 1), min_size=n, max_size=n)))
    thresholds = placed(X, at_most)
    for column, own in zip(X.T, thresholds.by_feature, strict=True):
        levels = np.unique(column)
        assert np.all(np.diff(own) > 0) and (at_most is None or own.size <= at_most)
        split = {tuple(column > t) for t in own}
        assert len(split) == own.size and all(any(s) and not all(s) for s in split)
        if at_most is None:
            assert own.size == levels.size - 1
    for table in (X, sparse.csr_array(X)):
        bins = Bins(table, thresholds)
        assert bins.shape == X.shape
        above = bins.above(values)
        for number in range(thresholds.size):
            feature, threshold = thresholds.at(number)
            np.testing.assert_array_equal(bins.is_above(number), X[:, feature] > threshold)
            assert above[number] == pytest.approx(np.sum(values[X[:, feature] > threshold]), abs=1e-12)


def test_a_perfect_threshold_ends_the_training() -> None:
    X = np.column_stack((DATA.X, DATA.y > 0))
    model = RankBoost(n_estimators=50).fit(X, DATA.y > 0, DATA.qid)
    assert model.features_.tolist() == [DATA.n_features] and model.alphas_.tolist() == [1.0]
    reverse = RankBoost(n_estimators=50).fit(-X, DATA.y > 0, DATA.qid)
    assert reverse.alphas_.tolist() == [-1.0]
    assert reverse.score(-X, DATA.y > 0, DATA.qid) == pytest.approx(model.score(X, DATA.y > 0, DATA.qid))


def test_separable_data_does_not_overflow() -> None:
    """Nor does what is left of the loss, when it can hardly be told from 0, undo what was learned."""
    grades = np.tile(np.arange(4.0), 2)
    X, qid = (grades + 0.1)[:, None], np.repeat([1, 2], 4)
    model = RankBoost(n_estimators=100_000).fit(X, grades, qid)
    assert len(model.history_) < 1000 and model.history_[-1].info["loss"] > 0 and np.all(model.alphas_ > 0)
    assert model.score(X, grades, qid) == 1


def test_constant_features_equal_grades_one_document_and_nothing_at_all() -> None:
    with pytest.warns(UserWarning, match="RankBoost learned nothing"):
        model = RankBoost(n_estimators=5).fit(np.ones((len(DATA), 2)), DATA.y, DATA.qid)
    assert not model.predict(np.ones((3, 2))).any()
    with pytest.raises(InputError, match="there is nothing to learn from"):
        RankBoost(n_estimators=5).fit(DATA.X, np.ones(len(DATA)), DATA.qid)
    with pytest.raises(InputError, match="there is nothing to learn from"):
        RankBoost(n_estimators=5).fit(DATA.X, DATA.y, np.arange(len(DATA)))
    with pytest.raises(InputError, match="thresholds must be an integer of at least 1, not 0"):
        RankBoost(n_estimators=5, thresholds=0).fit(DATA.X, DATA.y, DATA.qid)
    duplicates = RankBoost(n_estimators=5).fit(np.repeat(DATA.X[:, :2], 3, axis=1), DATA.y, DATA.qid)
    assert set(duplicates.features_) <= {0, 3}


def test_stages_and_validation() -> None:
    train, other = make_ranking(30, random_state=0), make_ranking(30, random_state=1)
    model = RankBoost("AP", n_estimators=40).fit(train.X, train.y, train.qid, eval_set=(other.X, other.y, other.qid))
    values = [step.evals["validation"]["AP"] for step in model.history_]
    assert model.features_.size == model.best_iteration_ == int(np.argmax(values)) + 1 < 40
    assert model.best_score_ == max(values) and all(step.n_steps == 40 for step in model.history_)
    assert model.score(other.X, other.y, other.qid) == pytest.approx(max(values))
    stages = list(model.staged_predict(sparse.csr_array(other.X)))
    assert len(stages) == model.features_.size
    np.testing.assert_allclose(stages[-1], model.predict(other.X))


def test_ctrl_c_keeps_the_rounds_so_far() -> None:
    def interrupt(progress: Progress) -> None:
        if progress.step == 2:
            raise KeyboardInterrupt

    model = RankBoost()
    with pytest.raises(KeyboardInterrupt):
        model.fit(DATA.X, DATA.y, DATA.qid, callbacks=[interrupt], keep_partial=True)
    assert model.interrupted_ and model.features_.size == 2


def test_a_weight_of_two_is_a_query_twice() -> None:
    twice = DATA.qid <= 10
    weighted = RankBoost(n_estimators=20).fit(DATA.X, DATA.y, DATA.qid, query_weight=1.0 + twice)
    more = RankBoost(n_estimators=20).fit(
        np.vstack((DATA.X, DATA.X[twice])), np.append(DATA.y, DATA.y[twice]), np.append(DATA.qid, DATA.qid[twice] + 1000)
    )
    assert weighted.features_.tolist() == more.features_.tolist()
    np.testing.assert_allclose(weighted.alphas_, more.alphas_, rtol=1e-9)


def test_no_warning_on_ordinary_data() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        RankBoost(n_estimators=5).fit(DATA.X.astype(np.float32), DATA.y, DATA.qid)


def test_a_feature_that_is_mostly_0_has_all_its_thresholds() -> None:
    random = np.random.default_rng(0)
    column = np.where(random.random(20_000) < 0.01, random.random(20_000), 0.0)
    (thresholds,) = placed(column[:, None], 50).by_feature
    assert thresholds.size == 50 and np.all(np.diff(thresholds) > 0)


def test_features_as_large_as_numbers_are() -> None:
    """A threshold between values whose difference is beyond a float; all warnings are errors here."""
    X = np.where(DATA.y > 0, 1.7e308, -1.7e308)[:, None]
    model = RankBoost(n_estimators=3).fit(X, DATA.y, DATA.qid)
    assert model.score(X, DATA.y > 0, DATA.qid) == RankBoost(n_estimators=3).fit(np.sign(X), DATA.y, DATA.qid).score(
        np.sign(X), DATA.y > 0, DATA.qid
    )
    assert np.all(np.isfinite(model.predict(X)))
