"""Generated data: what it promises."""

import numpy as np
import pytest

from directrank import InputError, evaluate
from directrank.datasets import make_ranking


def test_what_it_promises() -> None:
    data = make_ranking(300, random_state=0)
    sizes = np.diff(data.by_query().offsets)
    assert sizes.min() >= 10 and sizes.max() <= 120 and len(set(sizes.tolist())) > 30
    assert sorted(set(data.y.tolist())) == [0, 1, 2, 3]
    np.testing.assert_allclose(np.bincount(data.y.astype(int)) / len(data), [0.8, 0.13, 0.05, 0.02], atol=0.001)
    area = {name: evaluate(data.y, data.X[:, j], data.qid, "AUC") for j, name in enumerate(data.feature_names)}
    assert any(result.no_relevant["AUC"] for result in area.values())
    defined = area["good1"].per_query["AUC"] > 0
    mean = {name: result.per_query["AUC"][defined].mean() for name, result in area.items()}
    assert mean["good1"] > 0.65 and mean["reversed"] < 0.4
    assert all(abs(mean[f"noise{i}"] - 0.5) < 0.03 for i in range(1, 6))
    assert all(mean[f"mixed{i}"] > 0.55 for i in range(1, 5))


def test_a_seed_makes_the_same_data_again() -> None:
    a, b, c = (make_ranking(5, random_state=seed) for seed in (1, 1, 2))
    assert np.array_equal(a.X, b.X) and np.array_equal(a.y, b.y)
    assert a.X.shape != c.X.shape or not np.array_equal(a.X, c.X)


def test_bad_parameters() -> None:
    with pytest.raises(InputError, match="make_ranking needs"):
        make_ranking(0)
