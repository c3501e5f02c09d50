"""Number of planes of the cutting-plane method: Theorem 1 of Yue et al. (2007), Theorem 2 of Joachims (2005)."""

from __future__ import annotations

import itertools
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, strategies as st

from directrank import MultivariateSVC, RankSVM, SVMRanker
from directrank.datasets import make_ranking
from directrank.learners.svm.bundle import Bundle

pytestmark = pytest.mark.filterwarnings("ignore:.*learned nothing")

powers = st.floats(-3, 3).map(lambda exponent: 10.0**exponent)
tolerances = st.sampled_from([0.3, 0.1, 0.03, 0.01])


def check(history, n_iter: int, C: float, tol: float, loss: float, longest: float, unit: float = 1.0) -> float:
    """That no iteration raises the dual by less than the theorem's proof says, and how many there can be.

    The gaps of the history and the tolerance are in units of the measure; `loss`, `longest` and C are not.
    """
    for step, following in pairwise(history):
        gap = unit * step.info["gap"]
        assert gap > unit * tol
        rise = following.info["lower bound"] - step.info["lower bound"]
        assert rise >= min(C * gap / 2, gap**2 / (8 * longest**2)) * (1 - 1e-6) - 1e-9 * C * loss
    most = 1 + max(2 * loss / (unit * tol), 8 * C * loss * longest**2 / (unit * tol) ** 2)
    assert n_iter == len(history) <= most
    return most


# The largest loss, what a loss of 1 counts, and how many times the length of a row, summed over rows, a plane can have.
MULTIVARIATE = {"F1": (1, 100), "Jaccard": (1, 100), "MCC": (2, 100), "PRBEP": (1, 100), "Accuracy": (1, None)}


@pytest.mark.parametrize("name", MULTIVARIATE)
@given(seed=st.integers(0, 1000), n=st.integers(4, 25), C=powers, tol=tolerances)
def test_theorem_2_of_joachims(name: str, seed: int, n: int, C: float, tol: float) -> None:
    random = np.random.default_rng(seed)
    X, y = random.standard_normal((n, 3)), np.append([0, 1], random.integers(0, 2, n - 2))
    largest, percent = MULTIVARIATE[name]
    unit = percent or 2 * n
    model = MultivariateSVC(name, C=C, tol=tol, fit_intercept=False, max_iter=10_000, scaling="none").fit(X, y)
    longest = 2 * np.linalg.norm(X, axis=1).sum()  # all labels wrong, and all rows in one line
    most = check(model.history_, model.n_iter_, C, tol, largest * unit, longest, unit)
    assert model.gap_ <= tol and model.n_iter_ <= model.iteration_bound_ <= most * (1 + 1e-9)


@pytest.mark.parametrize("name", ["AP", "nDCG", "P@3", "AUC"])
@given(seed=st.integers(0, 1000), n_queries=st.integers(1, 6), C=powers, tol=tolerances)
def test_theorem_1_of_yue(name: str, seed: int, n_queries: int, C: float, tol: float) -> None:
    """One slack for the mean over queries: instead of n 2L/eps, 2L/eps."""
    random = np.random.default_rng(seed)
    X, y = random.standard_normal((6 * n_queries, 3)), np.tile([1.0, 0, 0, 1, 0, 0], n_queries)
    qid = np.repeat(np.arange(n_queries), 6)
    model = SVMRanker(name, C=C, tol=tol, bound="convex", max_iter=10_000, scaling="none").fit(X, y, qid)
    pairs = [
        np.linalg.norm(X[i] - X[j]) for i, j in itertools.product(*map(np.flatnonzero, (y, y == 0))) if qid[i] == qid[j]
    ]
    longest = 2 * np.mean(pairs)  # all pairs the wrong way round
    most = check(model.history_, model.n_iter_, C, tol, 1.0, longest)
    assert model.gap_ <= tol and model.n_iter_ <= model.iteration_bound_ <= most * (1 + 1e-9)


@pytest.mark.parametrize("name", ["AP", "nDCG@10", "P@5", "AUC"])
@pytest.mark.parametrize("C", [1.0, 100.0, 1e4])
def test_each_new_plane_is_above_the_others_at_their_optimum(name: str, C: float, monkeypatch: pytest.MonkeyPatch) -> None:
    """By more than the tolerance: the lemma behind both theorems, with steps of any length."""
    above, optimum = [], []
    add, optimise = Bundle.add, Bundle.optimise

    def adding(self, plane, loss):
        if optimum:
            w, value = optimum[-1]
            above.append(loss - plane @ w - (value - w @ w / 2) / C)
        add(self, plane, loss)

    def optimising(self, C):
        optimum.append(optimise(self, C))
        return optimum[-1]

    monkeypatch.setattr(Bundle, "add", adding)
    monkeypatch.setattr(Bundle, "optimise", optimising)
    data = make_ranking(40, (5, 40), random_state=3)
    model = SVMRanker(name, C=C, bound="convex", scaling="none").fit(data.X, data.y, data.qid)
    assert len(above) == model.n_iter_ - 1 > 3
    assert min(above) > model.tol * (1 - 1e-6)


def test_the_number_and_its_bound_are_reported() -> None:
    data = make_ranking(10, random_state=0)
    ranker = RankSVM(C=1.0, scaling="none").fit(data.X, data.y, data.qid)
    classifier = MultivariateSVC("F1", C=0.1, scaling="none").fit(data.X, data.y > 0)
    for model in (ranker, classifier):
        facts = model.model_.provenance.training
        assert (facts["iterations"], facts["iteration bound"]) == (model.n_iter_, model.iteration_bound_)
        assert model.n_iter_ <= model.iteration_bound_ < np.inf
    # The same problem in other units.
    other = RankSVM(C=1.0 / 64, scaling="none").fit(8 * data.X, data.y, data.qid)
    assert other.iteration_bound_ == pytest.approx(ranker.iteration_bound_)
    ramp = SVMRanker("AP", C=1.0, bound="ramp", scaling="none").fit(data.X, data.y, data.qid)
    assert ramp.iteration_bound_ == np.inf and "iteration bound" not in ramp.model_.provenance.training
