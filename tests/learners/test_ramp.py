"""The ramp loss of the structural SVM: its value against all outputs, the theorem of its procedure, and its use."""

from __future__ import annotations

import itertools
import warnings

import numpy as np
import pytest
from hypothesis import given, strategies as st
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

from directrank import InputError, RankSVM, SVMRanker, evaluate
from directrank.datasets import make_ranking
from directrank.learners.core.monitoring import Monitor
from directrank.learners.core.shards import Folds, LocalShards, normalized, weighted_for_training
from directrank.learners.core.task import make_task
from directrank.learners.svm.bundle import Bundle
from directrank.learners.svm.ramp import halfway, minimise_ramp
from directrank.learners.svm.risk import Risk
from directrank.measures import AP, parse

DATA, HELD_OUT = make_ranking(40, (5, 40), random_state=3), make_ranking(20, (5, 40), random_state=4)
MEASURES = ["AP", "nDCG", "nDCG@3", "RR", "P@3", "R@3", "Success@1", "Rprec", "AUC"]


def risk_of(name: str, X: np.ndarray, y: np.ndarray, qid: np.ndarray) -> Risk:
    return Risk(normalized(weighted_for_training(LocalShards([make_task(X, y, qid, parse(name))]))))


def all_rankings(scores: np.ndarray, grades: np.ndarray, name: str) -> tuple[np.ndarray, np.ndarray]:
    """w^T Psi(y) and the loss of every ranking y of a query of two grades."""
    relevant, others = np.flatnonzero(grades > 0), np.flatnonzero(grades == 0)
    fits, losses = [], []
    best = next(iter(evaluate(grades, grades, measures=name).means.values()))
    for ranking in itertools.permutations(range(grades.size)):
        rank = np.argsort(ranking)
        signs = [(scores[i] - scores[j]) * (1 if rank[i] < rank[j] else -1) for i in relevant for j in others]
        fits.append(np.mean(signs))
        losses.append(best - next(iter(evaluate(grades, -rank, measures=name).means.values())))
    return np.array(fits), np.array(losses)


@given(
    st.sampled_from(["AP", "RR", "AUC", "Success@1"]),
    st.lists(st.sampled_from([-2.0, -0.5, 0.0, 0.25, 1.0, 3.0]), min_size=5, max_size=5),
    st.lists(st.booleans(), min_size=5, max_size=5).filter(lambda labels: 0 < sum(labels) < 5),
    st.sampled_from([1e-3, 0.3, 1.0, 20.0]),
)
def test_the_ramp_is_that_of_all_rankings(name: str, scores: list[float], labels: list[bool], factor: float) -> None:
    """With ties too: they change which ranking by score it is, not what it scores."""
    X, y = factor * np.array(scores)[:, None], np.array(labels, float)
    fits, losses = all_rankings(X[:, 0], y, name)
    ramp = risk_of(name, X, y, np.zeros(5)).ramp(np.ones(1))
    assert ramp.slack == pytest.approx(np.max(losses + fits) - np.max(fits), abs=1e-9)
    assert ramp.fit == pytest.approx(float(ramp.plane[0]), abs=1e-9)


@pytest.mark.parametrize("name", MEASURES)
def test_the_ramp_lies_between_the_loss_and_the_convex_risk(name: str) -> None:
    risk = risk_of(name, DATA.X, DATA.y, DATA.qid)
    bound = risk.shards.tasks[0].bound
    weights = risk.shards.tasks[0].weights
    random = np.random.default_rng(0)
    for size in (0.0, 0.1, 3.0, 100.0):
        w = size * random.standard_normal(DATA.X.shape[1])
        order = risk.shards.tasks[0].queries.to_query_order
        losses = bound.evaluate(order(DATA.y)) - bound.evaluate(order(DATA.X @ w))
        ramp = risk.ramp(w)
        assert np.sum(weights * losses) - 1e-9 <= ramp.slack <= ramp.point.risk + 1e-9
        other = w + random.standard_normal(w.size)
        elsewhere = risk.ramp(other)
        assert elsewhere.slack <= elsewhere.point.risk + other @ ramp.plane + 1e-9  # what a round minimises


@pytest.mark.parametrize("name", MEASURES)
def test_no_round_raises_the_objective(name: str) -> None:
    """The theorem of the concave-convex procedure, here for every iteration of every round."""
    risk = risk_of(name, DATA.X, DATA.y, DATA.qid)
    start = halfway(risk, RankSVM(C=100).fit(DATA.X, DATA.y, DATA.qid).coef_)
    before = risk.ramp(start)
    assert 0.2 < (before.slack - before.loss) / (risk.origin.risk - before.loss) <= 0.5
    for C in (0.5 * start @ start, 50 * start @ start):
        found = minimise_ramp(risk, C, start, tol=1e-4, max_iter=2000, monitor=Monitor(), bundle=Bundle(risk.n_weights))
        objectives = np.array([C * before.slack] + [step.primal for step in found.history])
        assert found.converged and np.all(np.diff(objectives) <= 1e-9 * C)
        w = found.best.w
        value = 0.5 * np.sum((w - start) ** 2) + C * risk.ramp(w).slack
        assert value <= objectives[-1] + 1e-9 * C and found.best.risk == pytest.approx(risk.ramp(w).slack)
        assert all(step.primal - step.dual == pytest.approx(C * step.gap, abs=1e-9 * C) for step in found.history)


@pytest.mark.parametrize("name", ["nDCG@10", "P@5", "RR", "AP"])
@pytest.mark.parametrize("given_C", [{}, {"C": 10}], ids=["auto", "C=10"])
def test_the_slack_bounds_the_training_loss(name: str, given_C: dict[str, float]) -> None:
    model = SVMRanker(name, bound="ramp", **given_C).fit(DATA.X, DATA.y, DATA.qid)
    risk = risk_of(name, DATA.X, DATA.y, DATA.qid)
    assert model.bound_ == "ramp" and model.coef_.any() and model.model_.provenance.parameters["bound"] == "ramp"
    task = risk.shards.tasks[0]
    best, found = (task.bound.evaluate(task.queries.to_query_order(s)) for s in (DATA.y, DATA.X @ model.coef_))
    assert np.sum(task.weights * (best - found)) <= model.slack_ + 1e-9
    assert model.slack_ == pytest.approx(risk.ramp(model.coef_).slack)
    assert model.slack_ <= risk.ramp(model.coef_).point.risk + 1e-9


def test_a_measure_of_the_top_is_learned_where_the_convex_bound_is_0() -> None:
    """By a given C and a chosen one, without a warning, and no worse than the Ranking SVM on the queries C is chosen by."""
    random = np.random.default_rng(0)
    X, qid = random.standard_normal((4000, 6)), np.repeat(np.arange(40), 100)
    y = (X[:, 0] + X[:, 1] + 2 * random.standard_normal(4000) > 3.5).astype(float)
    train, other = qid < 20, qid >= 20
    fit, eval_set = (X[train], y[train], qid[train]), (X[other], y[other], qid[other])
    with pytest.warns(UserWarning, match="learned nothing"):
        nothing = SVMRanker("P@5", C=10, bound="convex").fit(*fit)
    assert nothing.bound_ == "convex" and not nothing.coef_.any()
    ramp = SVMRanker("P@5", bound="ramp")
    by_C, chosen = clone(ramp).set_params(C=10).fit(*fit), clone(ramp).fit(*fit, eval_set=eval_set)
    assert by_C.bound_ == chosen.bound_ == "ramp"
    pairs = RankSVM().fit(*fit, eval_set=eval_set)
    measured = {m: evaluate(y[other], m.predict(X[other]), qid[other], "P@5")["P@5"] for m in (by_C, chosen, pairs)}
    assert measured[chosen] >= measured[pairs] and measured[by_C] > nothing.score(*eval_set) + 0.1
    path = ramp.path(*fit, [1.0, 10.0])
    assert np.all(np.any(path.coefs != 0, axis=1))
    np.testing.assert_allclose(path.coefs[1], by_C.coef_, rtol=0.05, atol=0.05 * np.abs(by_C.coef_).max())


def test_C_of_0_is_the_start() -> None:
    path = SVMRanker("nDCG@5", bound="ramp").path(DATA.X, DATA.y, DATA.qid)
    assert path.Cs[0] == 0 and path.Cs[-1] == pytest.approx(100)
    one = DATA.qid == DATA.qid[0]
    start = RankSVM(C="auto").fit(DATA.X[one], DATA.y[one], DATA.qid[one])
    ramp = SVMRanker("AP", bound="ramp").path(DATA.X[one], DATA.y[one], DATA.qid[one]).coefs[0]
    assert np.log2(np.linalg.norm(ramp) / np.linalg.norm(start.coef_)) == pytest.approx(
        round(np.log2(np.linalg.norm(ramp) / np.linalg.norm(start.coef_))), abs=1e-9
    )
    np.testing.assert_allclose(ramp / np.linalg.norm(ramp), start.coef_ / np.linalg.norm(start.coef_), atol=1e-12)


@pytest.mark.parametrize("learner", [SVMRanker("nDCG@5", bound="ramp"), SVMRanker("AP", bound="convex"), RankSVM()], ids=str)
def test_the_scale_of_standardized_features_does_not_matter(learner) -> None:
    learner = clone(learner).set_params(scaling="standard")
    factor, eval_set = 1000, (HELD_OUT.X, HELD_OUT.y, HELD_OUT.qid)
    plain = learner.fit(DATA.X, DATA.y, DATA.qid, eval_set=eval_set).predict(HELD_OUT.X)
    large = learner.fit(factor * DATA.X, DATA.y, DATA.qid, eval_set=(factor * HELD_OUT.X, HELD_OUT.y, HELD_OUT.qid))
    scores = large.predict(factor * HELD_OUT.X)
    np.testing.assert_allclose(scores / np.abs(scores).max(), plain / np.abs(plain).max(), atol=1e-3)


def test_features_that_tell_nothing() -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model = SVMRanker("P@5", bound="ramp").fit(np.ones((DATA.y.size, 2)), DATA.y, DATA.qid)
    assert not model.coef_.any()
    assert [str(w.message) for w in caught if "learned nothing" in str(w.message)] == [
        "SVMRanker learned nothing: w = 0 is the best for the convex bound of AUC, from which the ramp starts, on this "
        "data, at any C; features do not tell grades apart"
    ]


def test_by_default_the_bound_follows_the_measure(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(AP, "truncated", False, raising=False)
    assert SVMRanker("AP", C=1.0).fit(DATA.X, DATA.y, DATA.qid).bound_ == "convex"
    monkeypatch.setattr(AP, "truncated", True, raising=False)
    assert SVMRanker("AP", C=1.0).fit(DATA.X, DATA.y, DATA.qid).bound_ == "ramp"
    assert SVMRanker("AP", C=1.0, bound="convex").fit(DATA.X, DATA.y, DATA.qid).bound_ == "convex"


def test_an_unknown_bound_is_rejected() -> None:
    with pytest.raises(InputError, match="bound must be 'auto' or 'convex' or 'ramp', not 'tight'"):
        SVMRanker(bound="tight").fit(DATA.X, DATA.y, DATA.qid)


def test_a_large_feature_that_is_constant_within_queries_hides_no_other() -> None:
    X = np.column_stack((DATA.X, 1.7e12 + 1000 * DATA.qid))
    for learner in (SVMRanker("AP", bound="convex", Cs=[1.0]), SVMRanker("AP", bound="ramp", Cs=[1.0]), RankSVM(C=10.0)):
        assert learner.fit(X, DATA.y, DATA.qid).coef_[:-1].any()


def test_rounding_errors_become_exactly_0() -> None:
    random = np.random.default_rng(0)
    along, y, qid = np.array([1, 0.3, -0.3, -1]), np.tile([1.0, 0, 0, 1], 20), np.repeat(np.arange(20), 4)
    X = np.concatenate([a * along[:, None] + b for a, b in random.normal(size=(20, 2))])
    for learner in (RankSVM(C=10.0), SVMRanker("AUC", C=10.0, bound="convex"), SVMRanker("AUC", C=10.0, bound="ramp")):
        with pytest.warns(UserWarning, match="learned nothing"):
            model = learner.fit(X, y, qid)
        assert not model.coef_.any() and model.objective_ == pytest.approx(10 * model.slack_)


def test_C_of_0_may_be_given() -> None:
    given = DATA.X, DATA.y, DATA.qid
    ramp = SVMRanker("AP", bound="ramp", Cs=[0.0, 1.0])
    path = ramp.path(*given)
    assert path.Cs.tolist() == [0, 1] == SVMRanker("AP", bound="ramp", Cs=[1.0]).fit(*given).path(*given, [1, 0]).Cs.tolist()
    model = SVMRanker("AP", C=0.0, bound="ramp").fit(*given)
    assert model.C_ == model.objective_ == 0
    np.testing.assert_array_equal(model.coef_, path.coefs[0])
    for bound in ("auto", "convex"):
        with pytest.raises(InputError, match="C must be a number above 0 or 'auto', not 0"):
            SVMRanker("AP", C=0.0, bound=bound).fit(*given)
    with pytest.raises(InputError, match="C must be a number of at least 0 or 'auto', not -1"):
        SVMRanker("AP", C=-1, bound="ramp").fit(*given)


def test_the_path_has_the_Cs_of_the_estimator() -> None:
    given = DATA.X, DATA.y, DATA.qid
    learner = SVMRanker("AP", bound="convex", Cs=[2.0, 1.0])
    assert learner.path(*given).Cs.tolist() == [1, 2] and learner.path(*given, [3.0]).Cs.tolist() == [3]


def test_an_eval_set_that_the_measure_cannot_tell_orders_of_is_as_none() -> None:
    first = np.concatenate([rows[:9] for rows in (np.flatnonzero(HELD_OUT.qid == q) for q in np.unique(HELD_OUT.qid))])
    short = HELD_OUT.X[first], HELD_OUT.y[first], HELD_OUT.qid[first]
    one = DATA.qid == np.bincount(DATA.qid.astype(int)).argmax()
    learner = SVMRanker("P@10", bound="convex", Cs=[1e-5, 1e-4])
    of_the_middle = learner.fit(DATA.X[one], DATA.y[one], DATA.qid[one]).C_
    assert of_the_middle == learner.fit(DATA.X[one], DATA.y[one], DATA.qid[one], eval_set=short).C_ > 1e-4


def test_queries_of_weight_0_have_no_part_in_choosing_C() -> None:
    X, qid = np.concatenate((DATA.X, HELD_OUT.X)), np.concatenate((DATA.qid, HELD_OUT.qid + 1000))
    weight = np.concatenate((np.ones(DATA.y.size), np.zeros(HELD_OUT.y.size)))
    values = []
    for others in (HELD_OUT.y, HELD_OUT.y.max() - HELD_OUT.y):
        task = make_task(X, np.concatenate((DATA.y, others)), qid, parse("AP"), weight)
        values.append(Folds(weighted_for_training(LocalShards([task])), 2).value(0, np.ones(X.shape[1])))
    assert values[0] == values[1]


def test_rounds_that_did_not_end_are_said_to_be_that() -> None:
    fit = SVMRanker("AP", C=100, bound="ramp").fit(DATA.X, DATA.y, DATA.qid)
    assert set(fit.model_.provenance.history) == {"objective", "gap"}
    within = [number for number, step in enumerate(fit.history_[:-1], 1) if step.info["gap"] <= fit.tol]
    with pytest.warns(ConvergenceWarning, match=f"after {within[0]} iterations the rounds of the ramp still gain"):
        SVMRanker("AP", C=100, bound="ramp", max_iter=within[0]).fit(DATA.X, DATA.y, DATA.qid)
