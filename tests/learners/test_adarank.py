"""AdaRank: Figure 1 in plain code, Theorem 1 at each round, and choices that the paper leaves open."""

from __future__ import annotations

import itertools
import math
import warnings
from functools import partial

import numpy as np
import plain
import pytest
from hypothesis import given, strategies as st

from directrank import AdaRank, InputError, Measure, evaluate, read_letor
from directrank.data import RankingData
from directrank.datasets import make_ranking
from directrank.learners import Progress
from directrank.learners.boosting.distribution import distribution, no_model, with_step
from directrank.learners.boosting.weak_rankers import AllFeatures, SingleFeature
from directrank.learners.core.shards import LocalShards, weighted_for_training
from directrank.learners.core.task import Task
from directrank.measures import parse

DATA = make_ranking(25, (3, 20), random_state=3)

#: AdaRank on features as they are, as in the paper.
unscaled = partial(AdaRank, scaling="none")


def training_task(data: RankingData, measure: str) -> Task:
    return weighted_for_training(LocalShards.from_data([data], parse(measure))).tasks[0]


def reached(model: AdaRank, measure: str = "AP", on: str = "training") -> list[float]:
    """The measure after each round."""
    return [step.evals[on][measure] for step in model.history_]


def figure_1(
    definition, data, *, tol, n_estimators, set_aside, directions=(1,), patience=None, update="adarank"
) -> list[tuple[int, float]]:
    """The paper's Figure 1 with its rule of when to stop, query by query, ranking anew each time; up to the best round."""
    queries = [np.flatnonzero(data.qid == q) for q in dict.fromkeys(data.qid.tolist())]
    queries = [rows for rows in queries if len(set(data.y[rows] > 0)) > 1]

    def E(rows, scores) -> float:
        return plain.mean_over_orders(definition, scores[rows].tolist(), data.y[rows].tolist())

    weak = [(k, sign) for k in range(data.n_features) for sign in directions]
    P = [1 / len(queries)] * len(queries)
    f, rounds, so_far, aside = np.zeros(len(data)), [], [-math.inf], set()
    while len(rounds) < n_estimators and len(aside) < len(weak):
        values = {h: [E(rows, h[1] * data.X[:, h[0]]) for rows in queries] for h in weak if h not in aside}
        phis = {h: sum(p * e for p, e in zip(P, values[h], strict=True)) for h in values}
        h = max(phis, key=lambda h: (round(phis[h], 9), -weak.index(h)))
        alpha = 0.5 * math.log((1 + phis[h]) / (1 - phis[h]))
        f_t = f + alpha * h[1] * data.X[:, h[0]]
        now = [E(rows, f_t) for rows in queries]
        improves = sum(now) / len(now) > max(so_far) + tol
        aside = set() if improves else aside | {h} if set_aside else aside
        if not improves and patience is None:
            if set_aside:
                continue
            break
        f = f_t
        so_far.append(sum(now) / len(now))
        rounds.append((h[0], alpha * h[1]))
        P = (
            [math.exp(-e) for e in now]
            if update == "adarank"
            else [p * math.exp(-alpha * e) for p, e in zip(P, values[h], strict=True)]
        )
        P = [p / sum(P) for p in P]
        if patience is not None and len(so_far) - 1 - np.argmax(so_far) >= patience:
            break
    return rounds[: int(np.argmax(so_far))]


@pytest.mark.parametrize("update", ["adarank", "adaboost"])
@pytest.mark.parametrize("patience", [None, 1, 4])
@pytest.mark.parametrize("set_aside", [True, False])
@pytest.mark.parametrize("directions", ["forward", "both"])
@pytest.mark.parametrize("name", ["AP", "nDCG@3", "RR"])
def test_rounds_features_and_alphas_follow_figure_1(
    name: str, directions: str, set_aside: bool, patience: int | None, update: str
) -> None:
    data = make_ranking(25, (4, 9), random_state=1)
    data = RankingData(data.X[:, 3:12], data.y, data.qid)  # features of which none does it all
    definition = {"AP": plain.ap(), "nDCG@3": plain.ndcg(k=3), "RR": plain.rr()}[name]
    given = {"n_estimators": 8, "set_aside": set_aside, "update": update}
    model = unscaled(name, directions=directions, early_stopping_rounds=patience, **given).fit(data.X, data.y, data.qid)
    signs = (1,) if directions == "forward" else (1, -1)
    wanted = figure_1(definition, data, tol=1e-4, directions=signs, patience=patience, **given)
    assert model.features_.tolist() == [feature for feature, _ in wanted]
    np.testing.assert_allclose(model.alphas_, [alpha for _, alpha in wanted], rtol=1e-9)
    assert len(wanted) >= (2 if set_aside and patience is None else 1)


@pytest.mark.parametrize("both", [False, True])
def test_the_table_has_the_values_of_each_single_feature(both: bool) -> None:
    order = np.random.default_rng(0).permutation(len(DATA))
    shuffled = DATA.select(order)
    task = training_task(shuffled, "nDCG@5")
    values = AllFeatures(both).values(task)
    assert len(values) == (1 + both) * DATA.n_features
    for h in range(len(values)):
        feature, direction = (h // 2, 1 - 2 * (h % 2)) if both else (h, 1)
        for q, name in enumerate(task.queries.ids.tolist()):
            rows = shuffled.qid == name
            scores, grades = direction * shuffled.X[rows, feature], shuffled.y[rows]
            assert values[h, q] == pytest.approx(
                parse("nDCG@5").evaluate(scores, grades, np.array([0, rows.sum()]))[0], abs=1e-12
            )


def in_shards(data: RankingData, n: int) -> LocalShards:
    """Shards to train on, and one whose queries no measure tells orders of apart."""
    parts = [data.select_queries(part) for part in np.array_split(np.arange(data.n_queries), n)]
    alike = RankingData(parts[0].X, np.ones(len(parts[0])), parts[0].qid)
    return weighted_for_training(LocalShards.from_data([alike, *parts], parse("AP")))


@pytest.mark.parametrize("n_shards", [1, 3])
@pytest.mark.parametrize("update", ["adarank", "adaboost"])
def test_phi_is_the_mean_by_P_of_the_whole(update: str, n_shards: int) -> None:
    """After each step, though each shard knows only its own queries, and one has none of any weight."""
    task, both = training_task(DATA, "AP"), AllFeatures(both=True)
    table, f, exponents = both.values(task), np.zeros(len(DATA)), np.zeros(task.n_queries)
    shards = in_shards(DATA, n_shards)
    model = no_model(shards, update, both)
    np.testing.assert_allclose(model.phi, table @ task.weights)
    informative = task.weights > 0
    for number, alpha in ((3, 0.5), (8, 2.0), *[(2, 600.0)] * 8):  # in the end e to the exponents is beyond a float
        weak = SingleFeature(number, both=True)
        model = with_step(shards, model, weak, alpha, 0.1, both)
        f = f + alpha * weak.scores(task)
        exponents = task.values(f) if update == "adarank" else exponents + alpha * table[number]
        P = np.where(informative, task.weights * np.exp(np.minimum(exponents[informative].min() - exponents, 0)), 0.0)
        np.testing.assert_allclose(model.phi, table @ (P / P.sum()), rtol=1e-9)
        assert model.value == pytest.approx(np.sum(task.weights * task.values(f)))
        parts = shards.each(distribution, model)
        assert not parts[0].any()
        by_query = np.argsort(np.concatenate([part.queries.ids for part in shards.tasks[1:]]))
        wanted = (P / P.sum())[np.argsort(task.queries.ids)]
        np.testing.assert_allclose(np.concatenate(parts[1:])[by_query], wanted, rtol=1e-9, atol=1e-300)
    assert update == "adarank" or model.log_normalizer < np.log(np.finfo(float).tiny)


@pytest.mark.parametrize("update", ["adarank", "adaboost"])
def test_a_shard_without_an_informative_query_changes_nothing(update: str) -> None:
    alike = RankingData(DATA.X[:9], np.ones(9), DATA.qid[:9] + 1000)
    learner = unscaled("AP", update=update, early_stopping_rounds=4)
    whole = learner.fit(DATA.X, DATA.y, DATA.qid).coef_
    np.testing.assert_allclose(learner.fit_shards(LocalShards.from_data([alike, DATA], parse("AP"))).coef_, whole, rtol=1e-9)


@given(
    st.integers(0, 10_000),
    st.sampled_from(["AP", "nDCG@5", "RR", "P@3", "Success@1", "AUC", "MAUC"]),
    st.sampled_from(["forward", "both"]),
    st.sampled_from(["adarank", "adaboost"]),
    st.sampled_from([None, 5]),
)
def test_theorem_1_holds_at_every_round(seed: int, name: str, directions: str, update: str, patience: int | None) -> None:
    data = make_ranking(15, (2, 12), random_state=seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        learner = unscaled(name, directions=directions, update=update, early_stopping_rounds=patience)
        model = learner.fit(data.X, data.y, data.qid)
    for step in model.history_:
        assert step.evals["training"][name] >= step.info["bound"] - 1e-9
    history = model.model_.provenance.history
    assert len(history.get("training", [])) == len(model.history_)
    if model.history_:  # whose values are means over all queries, also those that teach nothing
        best = history["training"][model.alphas_.size - 1]
        assert best == pytest.approx(model.score(data.X, data.y, data.qid), abs=1e-9)
        assert best == model.best_score_ == model.evals_result_["training"][name][model.best_iteration_ - 1]
    for value, bound in zip(history.get("training", []), history.get("bound", []), strict=True):
        assert bound is None or bound <= value + 1e-9


def test_the_bound_is_that_of_the_paper() -> None:
    """1 - prod exp(-delta_min) sqrt(1 - phi^2), with phi = tanh(alpha), for the queries that are learned from."""
    y = np.where(DATA.qid == DATA.qid[0], 1.0, DATA.y)  # one query has the value 1 in any order
    model = unscaled("AP").fit(DATA.X, y, DATA.qid)
    task = training_task(RankingData(DATA.X, y, DATA.qid), "AP")
    informative = task.weights > 0
    assert not informative.all()
    f, values, product = np.zeros(len(DATA)), np.zeros(task.weights.size), 1.0
    for step in model.history_:
        feature, alpha = step.info["feature"], step.info["alpha"]
        weak = task.values(task.columns[feature])
        f = f + alpha * task.columns[feature]
        delta = task.values(f) - values - alpha * weak
        product *= np.exp(-delta[informative].min()) * np.sqrt(1 - np.tanh(alpha) ** 2)
        values = task.values(f)
        of_all = task.bound.evaluate(f)
        assert step.info["bound"] == pytest.approx(np.where(informative, 1 - product, of_all).mean())
        assert step.evals["training"]["AP"] == pytest.approx(of_all.mean())


def test_the_model_is_linear_in_the_end() -> None:
    model = unscaled("AP").fit(DATA.X, DATA.y, DATA.qid)
    coef = np.zeros(DATA.n_features)
    np.add.at(coef, model.features_, model.alphas_)
    np.testing.assert_allclose(model.coef_, coef)
    assert [step.info["feature"] for step in model.history_] == model.features_.tolist()
    assert all(before < after for before, after in itertools.pairwise(reached(model)))


def test_a_perfect_feature_is_the_whole_model() -> None:
    X = np.column_stack((DATA.X, DATA.y + 0.01 * np.arange(len(DATA)) / len(DATA)))
    model = unscaled("AP").fit(X, DATA.y, DATA.qid)
    assert model.features_.tolist() == [DATA.n_features] and model.alphas_.tolist() == [1.0]
    best = evaluate(DATA.y, DATA.y, DATA.qid, "AP")["AP"]
    assert reached(model)[0] == pytest.approx(best) and model.history_[0].info["bound"] <= best
    reverse = unscaled("AP", directions="both").fit(-X, DATA.y, DATA.qid)
    assert reverse.coef_[-1] == -1


def test_a_repeated_feature_ends_the_algorithm_of_the_paper_and_is_skipped_by_ours() -> None:
    """Two features: the better one, chosen twice, changes nothing; the other one then helps."""
    literal = unscaled("AP", set_aside=False).fit(DATA.X[:, :2], DATA.y, DATA.qid)
    assert literal.features_.size == 1
    ours = unscaled("AP").fit(DATA.X[:, :2], DATA.y, DATA.qid)
    assert set(ours.features_) == {0, 1} and reached(ours)[-1] > reached(literal)[-1]


@pytest.mark.parametrize(
    ("name", "columns"),
    [("one feature", lambda X: X[:, :1]), ("duplicates", lambda X: np.repeat(X[:, :2], 3, axis=1))],
)
def test_one_feature_and_duplicates(name: str, columns) -> None:
    model = unscaled("AP").fit(columns(DATA.X), DATA.y, DATA.qid)
    assert model.features_[0] == 0
    if name == "duplicates":  # the first of equals is taken
        assert set(model.features_) <= {0, 3}


def test_constant_features_one_document_equal_grades_and_one_query() -> None:
    X = np.column_stack((np.ones(len(DATA)), DATA.X))
    y, qid = DATA.y.copy(), DATA.qid.copy()
    y[qid == 2] = 1  # all relevant
    qid[qid == 3] = np.arange(1000, 1000 + np.sum(qid == 3))  # queries of one document
    model = unscaled("AP").fit(X, y, qid)
    kept = ~np.isin(DATA.qid, (2, 3))
    np.testing.assert_allclose(model.coef_, unscaled("AP").fit(X[kept], y[kept], qid[kept]).coef_, rtol=1e-12)
    assert unscaled("AP").fit(DATA.X, DATA.y, np.zeros(len(DATA))).features_.size >= 1  # one query
    with pytest.warns(UserWarning, match="AdaRank learned nothing"):
        unscaled("AP").fit(np.ones((len(DATA), 2)), DATA.y, DATA.qid)


def test_a_measure_of_ones_own_that_may_be_negative() -> None:
    class Agreement(Measure):
        """2 AUC - 1."""

        def evaluate(self, scores, grades, offsets):
            return 2 * parse("AUC").evaluate(scores, grades, offsets) - 1

    try:
        model = unscaled(Agreement()).fit(DATA.X, DATA.y, DATA.qid)
        bounds = [step.info["bound"] for step in model.history_]
        assert all(np.array(reached(model, "Agreement")) >= bounds) and np.all(model.alphas_ > 0)
        with pytest.warns(UserWarning, match="AdaRank learned nothing: no feature has a mean Agreement above 0"):
            nothing = unscaled(Agreement()).fit(-DATA.X[:, :1], DATA.y, DATA.qid)
        assert not nothing.coef_.any()
        assert unscaled(Agreement(), directions="both").fit(-DATA.X[:, :1], DATA.y, DATA.qid).coef_[0] < 0
    finally:
        del Measure.registry["agreement"]


def test_a_measure_beyond_1_is_rejected() -> None:
    with pytest.raises(InputError, match=r"AdaRank needs a measure with values in \[-1, 1\], and DCG has"):
        unscaled("DCG").fit(DATA.X, DATA.y, DATA.qid)
    with pytest.raises(InputError, match="directions must be 'forward' or 'both', not 'up'"):
        unscaled(directions="up").fit(DATA.X, DATA.y, DATA.qid)


def test_a_validation_set_chooses_the_round() -> None:
    train, other = make_ranking(30, random_state=0), make_ranking(30, random_state=1)
    model = unscaled("AP").fit(train.X, train.y, train.qid, eval_set=(other.X, other.y, other.qid))
    values = reached(model, on="validation")
    assert model.features_.size == model.best_iteration_ == int(np.argmax(values)) + 1
    assert model.best_score_ == max(values)
    assert model.score(other.X, other.y, other.qid) == pytest.approx(max(values))


def test_early_stopping_keeps_the_best_round_and_waits_for_it() -> None:
    train, other = make_ranking(30, random_state=0), make_ranking(30, random_state=1)
    for eval_set in (None, (other.X, other.y, other.qid)):
        model = unscaled("AP", early_stopping_rounds=4).fit(train.X, train.y, train.qid, eval_set=eval_set)
        values = reached(model, on="training" if eval_set is None else "validation")
        best = int(np.argmax(values)) + 1
        assert model.alphas_.size == model.best_iteration_ == best == len(values) - 4
        data = train if eval_set is None else other
        assert model.score(data.X, data.y, data.qid) == pytest.approx(max(values))
    assert any(after < before for before, after in itertools.pairwise(reached(model)))  # it went on nonetheless


def test_the_two_updates_are_the_same_where_the_measure_is_additive() -> None:
    """As they are for AdaBoost, says section 3.5; Theorem 1 then is the bound of AdaBoost."""

    class Margin(Measure):
        """The mean score of relevant documents less that of the others: linear in the scores."""

        def evaluate(self, scores, grades, offsets):
            queries = zip(np.split(scores, offsets[1:-1]), np.split(grades, offsets[1:-1]), strict=True)
            return np.array([s[g > 0].mean() - s[g == 0].mean() if 0 < np.mean(g > 0) < 1 else 0.0 for s, g in queries])

    X = DATA.X[:, 3:12] / (2 * np.abs(DATA.X).max())
    try:
        given = {"early_stopping_rounds": 5, "set_aside": False, "n_estimators": 20}
        adarank, adaboost = (
            unscaled(Margin(), update=update, **given).fit(X, DATA.y, DATA.qid) for update in ("adarank", "adaboost")
        )
        assert len(adarank.history_) >= 10 and adarank.features_.tolist() == adaboost.features_.tolist()
        np.testing.assert_allclose(adarank.alphas_, adaboost.alphas_, rtol=1e-9)
        factors = np.sqrt(1 - np.tanh(adarank.alphas_) ** 2)
        informative = np.mean(training_task(DATA, "AP").weights > 0)  # the others have the value 0
        bounds = np.array([step.info["bound"] for step in adarank.history_])
        np.testing.assert_allclose(1 - bounds / informative, np.cumprod(factors), rtol=1e-6)
    finally:
        del Measure.registry["margin"]
    ap = [unscaled("AP", update=update).fit(DATA.X, DATA.y, DATA.qid) for update in ("adarank", "adaboost")]
    assert ap[0].alphas_.tolist() != ap[1].alphas_.tolist()  # but not for AdaRank


def test_the_adaboost_update_continues_if_the_ranking_does_not_change() -> None:
    """By AdaRank's, a feature chosen twice in a row without a change of the ranking is chosen for ever."""
    two = DATA.X[:, :2]
    stuck, moving = (
        unscaled("AP", set_aside=False, early_stopping_rounds=20, update=update).fit(two, DATA.y, DATA.qid)
        for update in ("adarank", "adaboost")
    )
    chosen = [{step.info["feature"] for step in model.history_} for model in (stuck, moving)]
    assert chosen == [{0}, {0, 1}]


def test_ctrl_c_keeps_the_rounds_so_far() -> None:
    def interrupt(progress: Progress) -> None:
        if progress.step == 2:
            raise KeyboardInterrupt

    model = unscaled("AP")
    with pytest.raises(KeyboardInterrupt):
        model.fit(DATA.X, DATA.y, DATA.qid, callbacks=[interrupt], keep_partial=True)
    assert model.interrupted_ and model.features_.size == len(model.history_) == 2


def test_a_weight_of_two_is_a_query_twice() -> None:
    twice = DATA.qid <= 10
    weighted = unscaled("AP").fit(DATA.X, DATA.y, DATA.qid, query_weight=1.0 + twice)
    more = RankingData(
        np.vstack((DATA.X, DATA.X[twice])), np.append(DATA.y, DATA.y[twice]), np.append(DATA.qid, DATA.qid[twice] + 1000)
    )
    np.testing.assert_allclose(weighted.coef_, unscaled("AP").fit(more.X, more.y, more.qid).coef_, rtol=1e-9)


@pytest.mark.slow
def test_on_ohsumed_each_measure_is_best_learned_by_itself(real_data) -> None:
    """The paper's Figures 9 and 10, and Theorem 1 on real data."""
    parts = [read_letor(real_data / "OHSUMED" / f"S{i}.txt.gz") for i in range(1, 6)]
    values = []
    for fold in range(5):
        three = [parts[(fold + i) % 5] for i in range(3)]
        train = RankingData(*(np.concatenate([getattr(part, name) for part in three]) for name in ("X", "y", "qid")))
        models = {name: unscaled(name).fit(train.X, train.y, train.qid) for name in ("AP", "nDCG@5")}
        for model in models.values():
            assert all(step.evals["training"][model.measure] >= step.info["bound"] for step in model.history_)
        queries = train.by_query()
        values.append(
            [
                [parse(m).evaluate(train.X @ model.coef_, train.y, queries.offsets).mean() for m in models]
                for model in models.values()
            ]
        )
    (ap_by_ap, ndcg_by_ap), (ap_by_ndcg, ndcg_by_ndcg) = np.mean(values, axis=0)
    assert ap_by_ap > ap_by_ndcg + 0.001 and ndcg_by_ndcg > ndcg_by_ap + 0.001


def test_large_features_that_can_be_summed_are_learned_from() -> None:
    X = DATA.X / np.abs(DATA.X).max() * 1e300
    assert np.all(np.isfinite(unscaled("AP").fit(X, DATA.y, DATA.qid).predict(X)))
