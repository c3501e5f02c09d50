"""Ensemble selection: Caruana's procedure in plain code, its promise, ties, bags and validation."""

from __future__ import annotations

import numpy as np
import plain
import pytest
from hypothesis import given, strategies as st

from directrank import EnsembleSelection, InputError
from directrank.data import RankingData
from directrank.datasets import make_ranking
from directrank.learners import Progress
from directrank.measures import parse

DATA = make_ranking(20, (4, 9), random_state=3)


def graded(data: RankingData) -> RankingData:
    """Without queries in which all orders are equally good."""
    kept = [q for q in np.unique(data.qid) if 0 < np.mean(data.y[data.qid == q] > 0) < 1]
    return data.select(np.isin(data.qid, kept))


def mean_measure(definition, data: RankingData, scores) -> float:
    rows = [np.flatnonzero(data.qid == q) for q in np.unique(data.qid)]
    return float(np.mean([plain.mean_over_orders(definition, scores[r].tolist(), data.y[r].tolist()) for r in rows]))


def features(history: list[Progress]) -> list[int]:
    return [step.info["feature"] for step in history]


def values(history: list[Progress], measure: str, on: str = "training") -> list[float]:
    return [step.evals[on][measure] for step in history]


def caruana(definition, data: RankingData, library: list[int], n_estimators: int, n_init: int) -> list[tuple[int, float]]:
    """The N best, for the best N, then the best addition, again and again; each with the measure that it gives."""

    def value(members: list[int]) -> float:
        return round(mean_measure(definition, data, data.X[:, members].sum(axis=1)), 9)

    best_first = sorted(library, key=lambda j: -value([j]))
    starts = [best_first[:n] for n in range(1, min(n_init, n_estimators, len(library)) + 1)]
    members = max(starts, key=value)
    found = [(j, value(members[: i + 1])) for i, j in enumerate(members)]
    while len(members) < n_estimators:
        best = max(library, key=lambda j: value([*members, j]))
        members = [*members, best]
        found.append((best, value(members)))
    return found


@pytest.mark.parametrize("n_init", [1, 4])
@pytest.mark.parametrize("name", ["AP", "nDCG@3", "RR"])
def test_each_step_is_the_best_addition(name: str, n_init: int) -> None:
    definition = {"AP": plain.ap(), "nDCG@3": plain.ndcg(k=3), "RR": plain.rr()}[name]
    data = graded(RankingData(DATA.X[:, 3:10], DATA.y, DATA.qid))
    model = EnsembleSelection(name, n_estimators=8, n_init=n_init).fit(data.X, data.y, data.qid)
    wanted = caruana(definition, data, list(range(7)), 8, n_init)
    assert features(model.history_) == [feature for feature, _ in wanted]
    np.testing.assert_allclose(values(model.history_, name), [value for _, value in wanted], atol=1e-8)
    kept = [feature for feature, _ in wanted][: int(np.argmax([value for _, value in wanted])) + 1]
    assert dict(zip(model.features_.tolist(), model.counts_.tolist(), strict=True)) == {j: kept.count(j) for j in kept}
    np.testing.assert_allclose(model.coef_, np.bincount(kept, minlength=7) / len(kept))


@given(st.integers(0, 10_000), st.sampled_from(["AP", "nDCG@5", "RR", "P@3", "AUC"]), st.integers(1, 6))
def test_it_is_never_worse_than_the_best_single_score(seed: int, name: str, n_init: int) -> None:
    data = graded(make_ranking(10, (4, 10), random_state=seed))
    queries = data.by_query()
    alone = [parse(name).evaluate(data.X[:, j], data.y, queries.offsets).mean() for j in range(data.n_features)]
    model = EnsembleSelection(name, n_estimators=6, n_init=n_init).fit(data.X, data.y, data.qid)
    best = max(values(model.history_, name))
    assert best >= max(alone) - 1e-12
    assert model.score(data.X, data.y, data.qid) == pytest.approx(best, abs=1e-9)
    assert model.coef_.sum() == pytest.approx(1) and model.coef_.min() >= 0


def test_the_first_of_equals_is_taken() -> None:
    X = np.repeat(DATA.X[:, 3:6], 3, axis=1)
    model = EnsembleSelection("AP", n_estimators=10, n_init=1).fit(X, DATA.y, DATA.qid)
    assert set(model.features_) <= {0, 3, 6}
    many = EnsembleSelection("AP", n_estimators=10, n_init=4).fit(X, DATA.y, DATA.qid)
    assert features(many.history_)[0] == features(model.history_)[0]


def test_bags_select_from_parts_of_the_library_and_are_averaged() -> None:
    data = graded(DATA)
    model = EnsembleSelection("AP", n_estimators=5, n_init=2, n_bags=4, bag_fraction=0.25, random_state=1)
    model.fit(data.X, data.y, data.qid)
    bags = [[step for step in model.history_ if step.info["bag"] == bag] for bag in (1, 2, 3, 4)]
    shares = []
    for bag in bags:
        assert 1 <= len(set(features(bag))) <= 4  # a quarter of 16
        kept = features(bag)[: int(np.argmax(np.round(values(bag, "AP"), 9))) + 1]
        shares.append(np.bincount(kept, minlength=16) / len(kept))
    np.testing.assert_allclose(model.coef_, np.mean(shares, axis=0))
    assert len({tuple(features(bag)) for bag in bags}) > 1
    again = EnsembleSelection("AP", n_estimators=5, n_init=2, n_bags=4, bag_fraction=0.25, random_state=2)
    assert again.fit(data.X, data.y, data.qid).coef_.tolist() != model.coef_.tolist()


def test_a_bag_selects_like_a_library_of_its_members() -> None:
    data = graded(DATA)
    model = EnsembleSelection("AP", n_estimators=5, n_bags=3, bag_fraction=0.2).fit(data.X, data.y, data.qid)
    for bag, library in enumerate(model._bags(16), 1):
        alone = EnsembleSelection("AP", n_estimators=5).fit(data.X[:, library], data.y, data.qid)
        found = features([step for step in model.history_ if step.info["bag"] == bag])
        assert found == library[features(alone.history_)].tolist()


def test_a_validation_set_chooses_the_ensemble() -> None:
    other = make_ranking(30, random_state=8)
    model = EnsembleSelection("AP", n_estimators=15).fit(DATA.X, DATA.y, DATA.qid, eval_set=(other.X, other.y, other.qid))
    reached = values(model.history_, "AP", on="validation")
    assert model.counts_.sum() == model.best_iteration_ == int(np.argmax(reached)) + 1
    assert model.score(other.X, other.y, other.qid) == pytest.approx(max(reached)) == model.best_score_


@pytest.mark.parametrize(
    ("learner", "sentence"),
    [
        (EnsembleSelection(n_estimators=0), "n_estimators must be an integer of at least 1, not 0"),
        (EnsembleSelection(n_init=0), "n_init must be an integer of at least 1, not 0"),
        (EnsembleSelection(n_bags=0.5), "n_bags must be an integer of at least 1, not 0.5"),
        (EnsembleSelection(bag_fraction=2), "bag_fraction must be a number above 0 and up to 1, not 2"),
        (EnsembleSelection(random_state=-1), "random_state must be an integer of at least 0, not -1"),
        (EnsembleSelection(random_state="0"), "random_state must be an integer of at least 0, not '0'"),
    ],
)
def test_invalid_parameters_are_rejected(learner, sentence: str) -> None:
    with pytest.raises(InputError, match=sentence):
        learner.fit(DATA.X, DATA.y, DATA.qid)


def test_scores_that_rank_nothing() -> None:
    with pytest.warns(UserWarning, match="EnsembleSelection learned nothing for AP: no feature ranks within queries"):
        EnsembleSelection("AP").fit(np.ones((len(DATA), 2)), DATA.y, DATA.qid)
