"""Coordinate ascent: it climbs, it is deterministic, and the scale of the features does not matter."""

from __future__ import annotations

import numpy as np
import pytest

from directrank import CoordinateAscent, InputError, Measure
from directrank.datasets import make_ranking
from directrank.learners import Progress
from directrank.measures import parse

DATA = make_ranking(30, (3, 20), random_state=7)


def reached(model: CoordinateAscent, on: str = "training") -> list[float]:
    """The measure after each sweep."""
    return [sweep.evals[on][str(model.measure)] for sweep in model.history_]


@pytest.mark.parametrize("measure", ["AP", "nDCG@5", "AUC"])
def test_every_sweep_climbs_and_no_feature_alone_is_better(measure: str) -> None:
    model = CoordinateAscent(measure, n_restarts=1).fit(DATA.X, DATA.y, DATA.qid)
    assert {sweep.info["start"] for sweep in model.history_} == {1, 2}
    for start in (1, 2):
        values = [value for value, sweep in zip(reached(model), model.history_, strict=True) if sweep.info["start"] == start]
        assert values == sorted(values)
    best = max(reached(model))
    assert best == model.best_score_ == pytest.approx(model.score(DATA.X, DATA.y, DATA.qid))
    # no step along one feature that the search tries is better: it is a maximum of its own search
    longer = CoordinateAscent(measure, n_restarts=0, tol=0, max_iter=200).fit(DATA.X, DATA.y, DATA.qid)
    values = reached(longer)
    assert values[-1] >= values[0] and values[-1] == values[-2]
    for j in range(DATA.n_features):
        alone = CoordinateAscent(measure, n_restarts=0).fit(DATA.X[:, [j]], DATA.y, DATA.qid)
        assert reached(alone)[-1] <= best + 1e-12


def test_it_beats_every_single_feature() -> None:
    """The grade is the sum of two features, one of them in reverse and a thousand times larger."""
    random = np.random.default_rng(0)
    X = random.normal(size=(200, 2))
    y = (X[:, 0] - X[:, 1] > 0.5).astype(float)
    qid = np.repeat(np.arange(20), 10)
    model = CoordinateAscent("AP", n_restarts=2).fit(X * [1, 1000], y, qid)
    assert max(reached(model)) > 0.99
    assert model.coef_[0] > 0 > model.coef_[1]


def test_the_scale_of_features_does_not_matter() -> None:
    scale = 2.0 ** np.arange(-8, 8)
    model = CoordinateAscent("AP", n_restarts=1).fit(DATA.X, DATA.y, DATA.qid)
    scaled = CoordinateAscent("AP", n_restarts=1).fit(DATA.X * scale, DATA.y, DATA.qid)
    np.testing.assert_allclose(scaled.coef_ * scale, model.coef_, rtol=1e-9)


@pytest.mark.parametrize("scale", [1e160, 1e-160])
def test_extreme_scales(scale: float) -> None:
    model = CoordinateAscent("AP", n_restarts=0).fit(DATA.X * scale, DATA.y, DATA.qid)
    assert model.coef_.any() and np.all(np.isfinite(model.coef_))


def test_features_that_vary_too_little_for_a_weight_are_constant() -> None:
    X = DATA.X.copy()
    X[:, 2] *= 1e-310
    model = CoordinateAscent("AP", n_restarts=0).fit(X, DATA.y, DATA.qid)
    assert model.coef_[2] == 0 and model.coef_.any() and np.all(np.isfinite(model.coef_))


def test_ctrl_c_in_the_first_sweep_keeps_the_start() -> None:
    class Impatient(Measure):
        def evaluate(self, scores, grades, offsets):
            calls.append(1)
            if len(calls) == 100:
                raise KeyboardInterrupt
            return parse("AP").evaluate(scores, grades, offsets)

    calls: list[int] = []
    try:
        model = CoordinateAscent(Impatient())
        with pytest.raises(KeyboardInterrupt):
            model.fit(DATA.X, DATA.y, DATA.qid, keep_partial=True)
    finally:
        del Measure.registry["impatient"]
    assert model.interrupted_ and not model.history_ and model.coef_.any()


def test_the_same_seed_gives_the_same_model_and_another_one_another() -> None:
    fits = [CoordinateAscent("AP", random_state=seed).fit(DATA.X, DATA.y, DATA.qid).coef_ for seed in (0, 0, 1)]
    np.testing.assert_array_equal(fits[0], fits[1])
    assert np.any(fits[0] != fits[2])


def test_the_validation_set_chooses_the_sweep() -> None:
    train, other = make_ranking(30, random_state=0), make_ranking(30, random_state=1)
    model = CoordinateAscent("AP").fit(train.X, train.y, train.qid, eval_set=(other.X, other.y, other.qid))
    values = reached(model, on="validation")
    assert model.best_iteration_ == int(np.argmax(values)) + 1 and model.best_score_ == max(values)
    assert model.score(other.X, other.y, other.qid) == pytest.approx(max(values))


def test_constant_and_duplicate_features_and_one_query() -> None:
    X = np.column_stack((np.ones(len(DATA)), DATA.X, DATA.qid))  # the last varies between queries only
    model = CoordinateAscent("AP", n_restarts=1).fit(X, DATA.y, DATA.qid)
    assert model.coef_[0] == 0 and model.coef_[-1] == 0 and np.any(model.coef_)
    with pytest.warns(UserWarning, match="CoordinateAscent learned nothing: no feature varies within a query"):
        CoordinateAscent("AP").fit(X[:, [0, -1]], DATA.y, DATA.qid)
    assert CoordinateAscent("AP", n_restarts=0).fit(DATA.X[:, [1, 1]], DATA.y, np.zeros(len(DATA))).coef_.any()
    with pytest.raises(InputError, match="n_restarts must be an integer of at least 0, not -1"):
        CoordinateAscent(n_restarts=-1).fit(DATA.X, DATA.y, DATA.qid)


def test_ctrl_c_keeps_the_best_so_far() -> None:
    def interrupt(progress: Progress) -> None:
        raise KeyboardInterrupt

    model = CoordinateAscent("AP")
    with pytest.raises(KeyboardInterrupt):
        model.fit(DATA.X, DATA.y, DATA.qid, callbacks=[interrupt], keep_partial=True)
    assert model.interrupted_ and len(model.history_) == 1 and model.coef_.any()
