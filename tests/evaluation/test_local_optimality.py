"""Local optimality: at optima found by brute force, and beside them; and the derivatives that the steps are made with."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from scipy import sparse
from sklearn.linear_model import Ridge

from directrank import (
    AdaRank,
    InputError,
    LambdaMART,
    ModelError,
    OneVsRestSVM,
    RankBoost,
    RankingData,
    RankSVM,
    SVMRanker,
    evaluate,
    local_optimality,
)
from directrank.datasets import make_ranking
from directrank.evaluation import plots
from directrank.evaluation.plots.optimality_chart import local_optimality_rows
from directrank.models import LinearModel, SelectedFeatures

DATA = make_ranking(25, (5, 15), random_state=6)
PLANE = RankingData(DATA.X[:, :2], DATA.y, DATA.qid)


@cache
def by_angle(n: int = 2001) -> tuple[np.ndarray, np.ndarray]:
    """AP of every ranking that two weights can make, but for very narrow ones."""
    angles = np.linspace(0, 2 * np.pi, n)
    weights = np.column_stack((np.cos(angles), np.sin(angles)))
    return angles, np.array([evaluate(PLANE.y, PLANE.X @ w, PLANE.qid, "AP")["AP"] for w in weights])


def at(angle: float) -> LinearModel:
    return LinearModel(np.array([np.cos(angle), np.sin(angle)]))


def test_at_the_best_of_all_angles_no_direction_improves() -> None:
    angles, values = by_angle()
    best = np.flatnonzero(values >= values.max() - 1e-12)
    result = local_optimality(at(angles[best[best.size // 2]]), PLANE, "AP", 100)
    assert result.value == pytest.approx(values.max())
    assert result.n_improving == 0 and result.bound == pytest.approx(1 - 0.01 ** (1 / 100))
    assert result.changes.max() <= 1e-12 and result.changes.min() < 0  # and not because nothing happens


def test_beside_a_better_angle_half_of_the_directions_improve() -> None:
    """Of two weights, every direction turns one way or the other."""
    angles, values = by_angle()
    i = np.flatnonzero(np.diff(values) > 0.003)[0]
    low, high = angles[i], angles[i + 1]  # the step is somewhere between, and up to the right
    result = local_optimality(at(low), PLANE, "AP", 200, sizes=[(high - low)])
    assert 0.2 < result.share_improving < 0.5
    assert result.share_improving < result.bound < result.share_improving + 0.12
    assert result.changes.max() >= values[i + 1] - values[i] - 1e-12


def test_leaves_of_perfect_trees_are_at_an_optimum_and_two_that_are_swapped_are_not() -> None:
    X = np.repeat([0.0, 1.0, 2.0], 4)[:, None]
    data = RankingData(X, np.repeat([0.0, 1.0, 2.0], 4), np.tile([1, 2], 6))
    ours = {"n_estimators": 1, "num_leaves": 3, "min_child_samples": 1, "extra_trees": False}
    model = LambdaMART("nDCG", lightgbm={"min_sum_hessian_in_leaf": 0.0}, **ours).fit(data.X, data.y, data.qid).model_
    tree = model.trees[0]
    assert tree.n_leaves == 3
    value_of = dict(zip(model.derivatives([[0.0], [1.0], [2.0]]).indices.tolist(), (0.0, 1.0, 2.0), strict=True))
    perfect = np.array([value_of[leaf] for leaf in range(3)])

    def with_leaves(values: np.ndarray):
        return replace(model, trees=(replace(tree, leaf_value=values),))

    result = local_optimality(with_leaves(perfect), data, n_directions=50)
    assert result.value == 1.0 and result.n_improving == 0 and result.measure == "nDCG" and result.n_parameters == 3
    nearly = np.where(perfect == 2, 0.999, perfect)  # the two upper leaves the wrong way round, and close
    swapped = local_optimality(with_leaves(nearly), data, n_directions=50, sizes=[1e-5, 1e-2])
    assert swapped.shares[0] == 0 and 0.3 < swapped.shares[1] < 0.7 and swapped.value < 1


@pytest.mark.parametrize(
    "learner",
    [
        RankSVM(C=1.0),
        OneVsRestSVM(C=1.0),
        AdaRank("AP"),
        AdaRank("AP", weak_ranker=RankSVM(C=1.0), n_estimators=2),
        RankBoost(n_estimators=10),
        SVMRanker("AP", C=10.0, kernel="rbf"),
        LambdaMART("AP", n_estimators=10),
        LambdaMART("AP", n_estimators=5, lightgbm={"linear_tree": True}),
        LambdaMART("AP", n_estimators=3, init=RankSVM(C=1.0)),
    ],
    ids=str,
)
def test_scores_are_linear_in_the_parameters(learner) -> None:
    """Moved by d, they change by the derivatives times d; of models without a constant they are those times parameters."""
    model = learner.fit(DATA.X, DATA.y, DATA.qid).model_
    derivatives = model.derivatives(DATA.X)
    assert derivatives.shape == (len(DATA), model.parameters.size)
    if not any(tree.linear for tree in getattr(model, "trees", ())):
        np.testing.assert_allclose(derivatives @ model.parameters, model.predict(DATA.X), atol=1e-9)
    as_sparse = model.derivatives(sparse.csr_array(DATA.X))
    np.testing.assert_allclose(
        as_sparse.toarray() if sparse.issparse(as_sparse) else as_sparse,
        derivatives.toarray() if sparse.issparse(derivatives) else derivatives,
        atol=1e-12,
    )


def test_derivatives_by_differences() -> None:
    model = LambdaMART("AP", n_estimators=4, lightgbm={"linear_tree": True}).fit(DATA.X, DATA.y, DATA.qid).model_
    random, derivatives = np.random.default_rng(0), model.derivatives(DATA.X)
    step = random.normal(size=model.parameters.size)
    parts = iter(np.split(step, np.cumsum([tree.n_leaves for tree in model.trees])[:-1]))
    moved = [replace(tree, linear=_shifted(tree, next(parts))) for tree in model.trees]
    found = replace(model, trees=tuple(moved)).predict(DATA.X) - model.predict(DATA.X)
    np.testing.assert_allclose(derivatives @ step, found, atol=1e-12)


def _shifted(tree, by: np.ndarray):
    return replace(tree.linear, constant=tree.linear.constant + by)


def test_a_model_of_selected_features_has_the_parameters_of_its_own() -> None:
    inner = LinearModel(np.array([1.0, -2.0]))
    model = SelectedFeatures(inner, np.array([3, 5]), DATA.n_features)
    np.testing.assert_array_equal(model.derivatives(DATA.X), DATA.X[:, [3, 5]])
    assert local_optimality(model, DATA, "AP", 5).n_parameters == 2


def test_a_seed_gives_the_same_directions_and_another_one_others() -> None:
    model = SVMRanker("AP", C=10.0).fit(DATA.X, DATA.y, DATA.qid)
    one, again, other = (local_optimality(model, DATA, n_directions=20, random_state=seed) for seed in (3, 3, 4))
    np.testing.assert_array_equal(one.changes, again.changes)
    assert not np.array_equal(one.changes, other.changes)
    assert one.measure == "AP" and one.value == pytest.approx(model.score(DATA.X, DATA.y, DATA.qid))
    assert repr(one).startswith(f"LocalOptimality(AP {one.value:.4f}, 16 parameters: it rises in {one.n_improving} of 20")


def test_the_steps_are_shares_of_the_length() -> None:
    model = SVMRanker("AP", C=10.0).fit(DATA.X, DATA.y, DATA.qid).model_
    longer = replace(model, coef=1000 * model.coef)
    ours, theirs = (local_optimality(m, DATA, n_directions=10) for m in (model, longer))
    np.testing.assert_allclose(ours.changes, theirs.changes, atol=1e-12)


def test_the_picture_has_mean_and_envelope() -> None:
    result = local_optimality(at(0.3), PLANE, "AP", 30)
    rows = local_optimality_rows(result)
    assert [row["size"] for row in rows] == sorted(row["size"] for row in rows) == result.sizes.tolist()
    assert all(row["lowest"] <= row["mean"] <= row["highest"] for row in rows)
    np.testing.assert_allclose([row["mean"] for row in rows], result.changes.mean(axis=0))
    chart = plots.local_optimality(result).to_dict()
    assert chart["data"]["values"] == rows and "change of AP" in str(chart)


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"n_directions": 0}, "n_directions must be an integer of at least 1, not 0"),
        ({"n_directions": 2.5}, "n_directions must be an integer of at least 1, not 2.5"),
        ({"n_directions": "3"}, "n_directions must be an integer of at least 1, not '3'"),
        ({"sizes": []}, "sizes must be a list of numbers above 0"),
        ({"sizes": [0.1, -1.0]}, "sizes must be a list of numbers above 0"),
        ({"sizes": 0.1}, "sizes must be a list of numbers above 0, not 0.1"),
        ({"sizes": np.array(0.1)}, "sizes must be a list of numbers above 0"),
        ({"sizes": "0.1"}, "sizes must be a list of numbers above 0"),
        ({"confidence": 1.0}, "confidence must be between 0 and 1, not 1.0"),
        ({"confidence": "0.9"}, "confidence must be between 0 and 1, not '0.9'"),
        ({"data": (PLANE.X, PLANE.y, PLANE.qid)}, "data must be RankingData, as .*, not tuple"),
        ({"model": SVMRanker("AP")}, "SVMRanker is neither a model nor a fitted learner of directrank"),
        ({"model": Ridge().fit(PLANE.X, PLANE.y)}, "Ridge is neither a model nor a fitted learner of directrank"),
        ({"measure": None}, "the model does not say which measure it was trained for; name one"),
    ],
)
def test_bad_parameters_get_a_clear_sentence(given: dict, sentence: str) -> None:
    with pytest.raises((InputError, ModelError), match=sentence):
        local_optimality(**{"model": at(0.3), "data": PLANE, "measure": "AP"} | given)
