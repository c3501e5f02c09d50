"""The structural SVMs: their optimum, their bounds, their path."""

from __future__ import annotations

import itertools
import signal
import threading
import time
import warnings
from pathlib import Path
from types import SimpleNamespace

import clarabel
import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.kernel_approximation import Nystroem
from sklearn.pipeline import make_pipeline
from sklearn.svm import LinearSVC

from directrank import InputError, MultivariateSVC, OneVsRestSVM, RankSVM, SVMRanker, evaluate, read_letor
from directrank.data.ranking_data import group_rows
from directrank.datasets import make_ranking
from directrank.learners import Progress
from directrank.learners.core import task
from directrank.learners.core.monitoring import Monitor
from directrank.learners.core.shards import LocalShards, weighted_for_training
from directrank.learners.core.task import make_task
from directrank.learners.svm.model_selection import Solver, _best_by_folds
from directrank.measures import as_measure
from directrank.models import dumps, loads

DATA = make_ranking(40, (5, 40), random_state=3)


def solve_plainly(queries: list[tuple[np.ndarray, np.ndarray]], C: float) -> tuple[np.ndarray, float]:
    """min |w|^2/2 + C/n sum xi with all constraints written out: for each query, planes a and losses b, xi >= b - a w."""
    d, n = queries[0][0].shape[1], len(queries)
    P = sparse.csc_array(sparse.block_diag([sparse.eye_array(d), sparse.csc_array((n, n))]))
    rows, right = [], []
    for q, (planes, losses) in enumerate(queries):
        slack = np.zeros((losses.size, n))
        slack[:, q] = -1
        rows.append(np.hstack((-planes, slack)))
        right.append(-losses)
    rows.append(np.hstack((np.zeros((n, d)), -np.eye(n))))
    right.append(np.zeros(n))
    A, b = sparse.csc_array(np.vstack(rows)), np.concatenate(right)
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    linear = np.concatenate((np.zeros(d), np.full(n, C / n)))
    solution = clarabel.DefaultSolver(P, linear, A, b, [clarabel.NonnegativeConeT(b.size)], settings).solve()
    return np.array(solution.x[:d]), solution.obj_val


def all_rankings(X: np.ndarray, grades: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Psi(y*) - Psi(y) and the AP loss of every ranking y of a query."""
    relevant, others = np.flatnonzero(grades > 0), np.flatnonzero(grades == 0)
    planes, losses = [], []
    for ranking in itertools.permutations(range(grades.size)):
        rank = np.argsort(ranking)
        swapped = [(i, j) for i in relevant for j in others if rank[i] > rank[j]]
        planes.append(sum((X[i] - X[j] for i, j in swapped), np.zeros(X.shape[1])) * 2 / (relevant.size * others.size))
        losses.append(1 - evaluate(grades, -rank, measures="AP")["AP"])
    return np.array(planes), np.array(losses)


@pytest.mark.parametrize("C", [0.1, 10.0, 1000.0])
def test_optimum_against_a_general_solver(C: float) -> None:
    random = np.random.default_rng(0)
    X, qid = random.standard_normal((20, 3)), np.repeat(np.arange(4), 5)
    y = np.tile([1.0, 0, 0, 1, 0], 4)
    wanted, value = solve_plainly([all_rankings(X[qid == q], y[qid == q]) for q in range(4)], C)
    model = SVMRanker("AP", C=C, tol=1e-9, max_iter=5000, scaling="none").fit(X, y, qid)
    assert model.objective_ == pytest.approx(value, rel=1e-6)
    np.testing.assert_allclose(model.coef_, wanted, atol=1e-4 * np.abs(wanted).max())


@pytest.mark.parametrize("name", ["F1", "Jaccard", "BalancedAccuracy", "GMean", "MCC"])
@pytest.mark.parametrize("C", [0.01, 1.0, 50.0])
def test_multivariate_optimum_against_a_general_solver(name: str, C: float) -> None:
    random = np.random.default_rng(1)
    X, y = random.standard_normal((8, 2)), np.array([1, 0, 0, 1, 0, 1, 0, 0])
    sign = 2 * y - 1
    labels = [np.array(label) for label in itertools.product([-1, 1], repeat=8)]
    losses = [100 * (1 - evaluate(y, label, measures=name)[name]) for label in labels]
    planes = [(sign - label) @ X for label in labels]
    wanted, value = solve_plainly([(np.array(planes, float), np.array(losses))], C)
    model = MultivariateSVC(name, C=C, fit_intercept=False, tol=1e-9, max_iter=5000, scaling="none").fit(X, y)
    assert model.objective_ == pytest.approx(value, rel=1e-6)
    np.testing.assert_allclose(model.coef_[0], wanted, atol=1e-4 * np.abs(wanted).max())


@pytest.mark.parametrize("C", [0.01, 0.1, 1.0])
def test_theorem_3_of_joachims(C: float) -> None:
    """With the error rate as loss, the multivariate SVM is the ordinary one with twice the C."""
    random = np.random.default_rng(2)
    X = random.standard_normal((300, 5))
    y = (X @ [1, -1, 0.5, 0, 0] + random.standard_normal(300) > 0.3).astype(int)
    ordinary = LinearSVC(loss="hinge", C=2 * C, fit_intercept=False, tol=1e-8, max_iter=10**6, random_state=0).fit(X, y)
    ours = MultivariateSVC("Accuracy", C=C, fit_intercept=False, tol=1e-7, max_iter=5000, scaling="none").fit(X, y)
    np.testing.assert_allclose(ours.coef_, ordinary.coef_, atol=1e-3)


def test_ranksvm_against_the_ordinary_svm_of_differences() -> None:
    data, C = make_ranking(8, (4, 8), random_state=5), 20.0
    differences = np.array(
        [
            data.X[i] - data.X[j]
            for i, j in itertools.permutations(range(len(data)), 2)
            if data.qid[i] == data.qid[j] and data.y[i] > data.y[j]
        ]
    )
    signs = np.where(np.arange(len(differences)) % 2, 1, -1)
    ordinary = LinearSVC(loss="hinge", C=C / len(differences), fit_intercept=False, tol=1e-9, max_iter=10**6, random_state=0)
    ordinary.fit(differences * signs[:, None], signs)
    ours = RankSVM(C=C, tol=1e-8, max_iter=5000, scaling="none").fit(data.X, data.y, data.qid)
    np.testing.assert_allclose(ours.coef_, ordinary.coef_[0], atol=1e-3)
    hinge = np.maximum(0, 1 - differences @ ours.coef_).mean()
    assert ours.slack_ == pytest.approx(hinge, rel=1e-6)
    assert ours.objective_ == pytest.approx(0.5 * ours.coef_ @ ours.coef_ + C * hinge, rel=1e-6)


MEASURES = ["AP", "nDCG", "nDCG@10", "RR", "P@5", "R@5", "Success@1", "Rprec", "AUC"]


@pytest.mark.filterwarnings("ignore:SVMRanker learned nothing")
@pytest.mark.parametrize("name", MEASURES)
@pytest.mark.parametrize("C", [1.0, 100.0])
def test_the_slack_bounds_the_training_loss(real_data: Path, name: str, C: float) -> None:
    """Yue's Proposition 1, on real data; the loss is how far each query is below the best it can have."""
    data = read_letor(real_data / "OHSUMED" / "S1.txt.gz")
    model = SVMRanker(name, C=C, bound="convex", tol=0.01, scaling="none").fit(data.X, data.y, data.qid)
    values = evaluate(data.y, model.predict(data.X), data.qid, name)
    best = evaluate(data.y, data.y, data.qid, name)
    queries = data.by_query()
    informative = [np.ptp(queries.to_query_order(data.y)[lo:hi]) > 0 for lo, hi in itertools.pairwise(queries.offsets)]
    losses = next(iter(best.per_query.values())) - next(iter(values.per_query.values()))
    assert losses[informative].mean() <= model.slack_ + 1e-9
    assert model.slack_ < 1 + 1e-9


@pytest.mark.filterwarnings("ignore:MultivariateSVC learned nothing")
@pytest.mark.parametrize("name", ["F1", "MCC", "GMean", "PRBEP", "R@2p", "P@10", "Accuracy", "AUC"])
def test_the_slack_bounds_the_multivariate_loss(name: str) -> None:
    """Joachims' Theorem 1."""
    data = make_ranking(40, random_state=1)
    y = (data.y > 0).astype(int)
    model = MultivariateSVC(name, C=0.1, scaling="none").fit(data.X, y)
    best = next(iter(evaluate(y, 2.0 * y - 1, measures=name).means.values()))
    assert best - model.measure_score(data.X, y) <= model.slack_ + 1e-9


@pytest.mark.filterwarnings("ignore:MultivariateSVC learned nothing")
def test_theorem_1_of_joachims_does_not_hold_for_precision_at_k_as_he_has_it() -> None:
    """With labellings of exactly k the right labels are none of them. Ours, over rankings, does bound the loss."""
    X, y, k = np.array([[10.0, 0], [9, 1], [9, -1], [9, 0], [9, 0], [9, 0], [0, 0]]), np.array([0, 1, 1, 1, 1, 1, 0]), 1
    sign = 2 * y - 1
    labels = [np.where(np.isin(np.arange(7), chosen), 1, -1) for chosen in itertools.combinations(range(7), k)]
    planes = np.array([(sign - label) @ X for label in labels])
    losses = np.array([100.0 * (1 - y[label > 0].mean()) for label in labels])
    w, _ = solve_plainly([(planes, losses)], C=1.0)
    slack = max(0.0, np.max(losses - planes @ w)) / 100
    assert slack < 1e-6 and evaluate(y, X @ w, measures="P@1")["P@1"] == 0
    ours = MultivariateSVC("P@1", C=1.0, scaling="none").fit(X, y)
    assert 1 - ours.measure_score(X, y) <= ours.slack_ + 1e-9


@pytest.mark.filterwarnings("ignore:MultivariateSVC learned nothing")
@pytest.mark.parametrize("noise", [0.0, 0.3, 1.0])
@pytest.mark.parametrize("name", ["P@5", "P@60", "P@300", "R@5", "R@60", "R@300", "P@0.5p", "R@2p"])
def test_with_a_cutoff_the_slack_bounds_the_loss_against_the_best_ranking(name: str, noise: float) -> None:
    """Not 1 - P@k where fewer than k are positive, nor 1 - R@k where more are: no ranking has that."""
    data = make_ranking(15, noise=noise, random_state=1)
    y = (data.y > 0).astype(int)
    assert 60 < y.sum() < 300 < y.size
    model = MultivariateSVC(name, C=0.1, scaling="none").fit(data.X, y)
    best, value = evaluate(y, y, measures=name)[name], model.measure_score(data.X, y)
    assert best - value <= model.slack_ + 1e-9
    assert model.slack_ <= best + 1e-9  # that of w = 0 at most
    if best < 0.5 and noise == 0:
        assert model.slack_ < 1 - best <= 1 - value


@pytest.mark.parametrize("name", ["AP", "AUC", "nDCG"])
def test_the_gap_is_a_true_bound(name: str) -> None:
    rough = SVMRanker(name, C=10, tol=1e-2, scaling="none").fit(DATA.X, DATA.y, DATA.qid)
    fine = SVMRanker(name, C=10, tol=1e-6, max_iter=5000, scaling="none").fit(DATA.X, DATA.y, DATA.qid)
    assert rough.gap_ <= 1e-2 and fine.gap_ <= 1e-6
    for step in rough.history_:
        assert step.info["lower bound"] <= fine.objective_ + 1e-9
    assert rough.objective_ - fine.objective_ <= 10 * rough.gap_ + 1e-9
    assert rough.n_iter_ == len(rough.history_) < fine.n_iter_
    assert np.all(np.diff([step.info["objective"] for step in fine.history_]) <= 1e-12)


@pytest.mark.parametrize(
    ("learner", "unit_of_loss"),
    [
        (SVMRanker("AP", C=10, scaling="none"), 1),
        (SVMRanker("nDCG", C="auto", bound="convex", Cs=[0.1, 10.0], cv=2, scaling="none"), 1),
        (RankSVM(C=10, scaling="none"), 1),
        (MultivariateSVC("F1", C=1, scaling="none"), 100),
    ],
    ids=["SVMRanker", "auto", "RankSVM", "MultivariateSVC"],
)
def test_the_curves_close_in_on_the_objective(learner, unit_of_loss: float) -> None:
    grades = (DATA.X[:, 0] > 1,) if isinstance(learner, MultivariateSVC) else (DATA.y, DATA.qid)
    model = clone(learner).fit(DATA.X, *grades)
    origin = model.model_.provenance
    objective, bound, gap = (np.array(origin.history[name]) for name in ("objective", "lower bound", "gap"))
    assert objective.size == model.n_iter_ > 1
    assert np.all(bound <= objective + 1e-9) and np.all(np.diff(objective) <= 1e-12) and np.all(np.diff(bound) >= 0)
    assert objective[-1] == pytest.approx(model.objective_) and gap[-1] == model.gap_ <= model.tol
    np.testing.assert_allclose(objective - bound, origin.training["C"] * unit_of_loss * gap, atol=1e-9)


def test_large_c_does_not_blow_up() -> None:
    model = SVMRanker("AP", C=1e4, tol=1e-3, scaling="none").fit(DATA.X, DATA.y, DATA.qid)
    assert model.gap_ <= 1e-3 and np.all(np.isfinite(model.coef_))


def test_a_bound_too_loose_to_learn_from_warns() -> None:
    """The bounds of measures that see only the top of a ranking are loose: with noise, w = 0 minimises them."""
    random = np.random.default_rng(0)
    X, y, qid = random.standard_normal((2000, 3)), random.integers(0, 2, 2000), np.repeat(np.arange(20), 100)
    said = (
        "SVMRanker learned nothing: w = 0 is the best for the convex bound of P@5 on this data, at any C; try bound='ramp'"
    )
    for C in (0.01, 1.0, 1e4):
        with pytest.warns(UserWarning, match=said):
            model = SVMRanker("P@5", C=C, bound="convex", scaling="none").fit(X, y, qid)
        assert np.abs(model.coef_).max() < 1e-3
    with pytest.warns(UserWarning, match=said) as caught:
        path = SVMRanker("P@5", bound="convex", scaling="none").path(X, y, qid)
    assert len(caught) == 1 and caught[0].filename == __file__ and not path.coefs.any()
    with pytest.warns(UserWarning, match="RankSVM learned nothing: w = 0 is the best for the convex bound of AUC") as caught:
        RankSVM(scaling="none").path(np.ones((2000, 1)), y, qid)
    assert len(caught) == 1 and caught[0].filename == __file__


def test_failure_to_converge_warns() -> None:
    with pytest.warns(ConvergenceWarning, match=r"SVMRanker did not converge; .* after 2 iterations the gap is"):
        model = SVMRanker("AP", C=1000, tol=1e-6, max_iter=2, scaling="none").fit(DATA.X, DATA.y, DATA.qid)
    assert model.n_iter_ == 2 and model.coef_.any()


def test_ctrl_c_keeps_the_best_model_so_far() -> None:
    def interrupt(progress: Progress) -> None:
        if progress.step == 3:
            raise KeyboardInterrupt

    model = SVMRanker("AP", C=1000, tol=1e-6, scaling="none")
    with pytest.raises(KeyboardInterrupt):
        model.fit(DATA.X, DATA.y, DATA.qid, callbacks=[interrupt], keep_partial=True)
    assert model.interrupted_ and model.n_iter_ == 3
    assert model.objective_ == pytest.approx(model.history_[-1].info["objective"])


@pytest.mark.skipif(threading.current_thread() is not threading.main_thread(), reason="signals reach the main thread only")
def test_a_real_signal_keeps_the_model() -> None:
    def interrupt(progress: Progress) -> None:
        if progress.step == 3:
            threading.Thread(target=signal.raise_signal, args=(signal.SIGINT,)).start()
            time.sleep(0.1)

    model = SVMRanker("nDCG@5", C=1e6, bound="convex", tol=1e-12, scaling="none")
    with pytest.raises(KeyboardInterrupt):
        model.fit(DATA.X, DATA.y, DATA.qid, callbacks=[interrupt], keep_partial=True)
    assert model.interrupted_ and 3 <= model.n_iter_ <= 4


def test_ctrl_c_during_auto_keeps_a_model() -> None:
    calls = []

    def interrupt(progress: Progress) -> None:
        calls.append(progress.step)
        if len(calls) == 12:
            raise KeyboardInterrupt

    model = SVMRanker("AP", C="auto", bound="convex", Cs=[0.1, 1.0, 10.0], cv=3, scaling="none")
    with pytest.raises(KeyboardInterrupt):
        model.fit(DATA.X, DATA.y, DATA.qid, callbacks=[interrupt], keep_partial=True)
    assert len(calls) == 12  # and no iteration more
    assert model.C_ in (0.1, 1.0, 10.0) and model.coef_.any()


def test_ctrl_c_ends_all_svms_of_one_vs_rest() -> None:
    calls = []

    def interrupt(progress: Progress) -> None:
        calls.append(progress.step)
        raise KeyboardInterrupt

    model = OneVsRestSVM(C="auto", scaling="none")
    with pytest.raises(KeyboardInterrupt):
        model.fit(DATA.X, DATA.y, DATA.qid, callbacks=[interrupt], keep_partial=True)
    assert model.interrupted_ and len(calls) == 1 and len(model.estimators_) == 1


def test_the_callback_is_in_the_units_of_the_history() -> None:
    steps: list[Progress] = []
    model = RankSVM(C=10, scaling="none").fit(DATA.X, DATA.y, DATA.qid, callbacks=[steps.append])
    assert steps == model.history_ and steps[-1].info["objective"] == pytest.approx(model.objective_)


def test_a_path_does_not_change_the_estimator() -> None:
    model = SVMRanker("AP", scaling="none").fit(DATA.X, DATA.y, DATA.qid)
    before = model.predict(DATA.X)
    model.path(DATA.X[:, :5], DATA.y, DATA.qid, Cs=[1.0])
    np.testing.assert_array_equal(model.predict(DATA.X), before)


def test_auto_takes_query_weights_and_few_queries() -> None:
    few = DATA.qid <= 3
    model = SVMRanker("AP", bound="convex", Cs=[1.0, 10.0], scaling="none").fit(
        DATA.X[few], DATA.y[few], DATA.qid[few], query_weight=np.ones(few.sum())
    )
    assert model.C_ in (1.0, 10.0)


@pytest.mark.parametrize(
    "learner",
    [SVMRanker("AP", scaling="none"), SVMRanker("AP", bound="ramp", scaling="none"), RankSVM(scaling="none")],
    ids=str,
)
def test_C_is_a_mid_range_default_if_it_cannot_be_selected(learner) -> None:
    one = DATA.qid == 3
    given = (DATA.X[one], DATA.y[one], DATA.qid[one])
    model = clone(learner).fit(*given)
    Cs = clone(learner).path(*given).Cs
    assert Cs.min() < model.C_ < Cs.max() and model.score(*given) > 0.9
    chosen = clone(learner).fit(*given, eval_set=(DATA.X, DATA.y, DATA.qid))
    assert chosen.score(DATA.X, DATA.y, DATA.qid) >= model.score(DATA.X, DATA.y, DATA.qid)


def test_queries_in_which_the_measure_sees_nothing_are_skipped() -> None:
    grades = np.where(DATA.qid % 2 == 0, np.minimum(DATA.y, 1), DATA.y)
    seen = DATA.qid % 2 == 1
    all_of_them = SVMRanker("AP(rel=2)", C=10, tol=1e-6, scaling="none").fit(DATA.X, grades, DATA.qid)
    half = SVMRanker("AP(rel=2)", C=10, tol=1e-6, scaling="none").fit(DATA.X[seen], DATA.y[seen], DATA.qid[seen])
    np.testing.assert_allclose(all_of_them.coef_, half.coef_, atol=5e-3 * np.abs(half.coef_).max())


@pytest.mark.parametrize("learner", [SVMRanker(C=None), SVMRanker(tol=0), MultivariateSVC(C=-1), MultivariateSVC(C="auto")])
def test_wrong_parameters(learner) -> None:
    with pytest.raises(InputError, match="must be a number above 0"):
        learner.fit(DATA.X, (DATA.y > 0).astype(int))


@pytest.mark.parametrize("exponent", [-120, 1, 20, 200])
@pytest.mark.parametrize(
    "learner",
    [SVMRanker("AP", C=5.0, scaling="none"), SVMRanker("nDCG", C=5.0, scaling="none"), RankSVM(C=5.0, scaling="none")],
    ids=str,
)
def test_the_scale_of_all_features_is_a_matter_of_c(learner: SVMRanker, exponent: int) -> None:
    """With X times s, C/s^2 has the solution w/s: up to rounding, as documents are summed in another order."""
    plain = learner.fit(DATA.X, DATA.y, DATA.qid)
    scaled = clone(learner).set_params(C=5.0 * 2.0 ** (-2 * exponent)).fit(DATA.X * 2.0**exponent, DATA.y, DATA.qid)
    np.testing.assert_allclose(scaled.coef_ * 2.0**exponent, plain.coef_, atol=1e-12 * np.abs(plain.coef_).max())
    assert scaled.slack_ == pytest.approx(plain.slack_, rel=1e-12)


LEARNERS = [
    SVMRanker("AP", C=1.0, scaling="none"),
    RankSVM(C=1.0, scaling="none"),
    MultivariateSVC("F1", scaling="none"),
    MultivariateSVC("AUC", scaling="none"),
]


@pytest.mark.parametrize("factor", [10.0, 1e3, 1e6])
@pytest.mark.parametrize("learner", LEARNERS, ids=str)
def test_large_features_are_learned_from(learner, factor: float) -> None:
    """All warnings are errors here: it converges, and does not claim that nothing was learned."""
    plain = clone(learner).fit(DATA.X, *labels_for(learner))
    large = clone(learner).fit(DATA.X * factor, *labels_for(learner))
    assert 0 <= large.gap_ <= large.tol and large.slack_ <= plain.slack_ + large.tol


@pytest.mark.parametrize("factor", [1e160, 1e300])
@pytest.mark.parametrize("learner", LEARNERS, ids=str)
def test_features_too_large_to_certify_are_learned_with_a_warning(learner, factor: float) -> None:
    plain = clone(learner).fit(DATA.X, *labels_for(learner))
    with pytest.warns(ConvergenceWarning, match="did not converge; .* scale the features"):
        large = clone(learner).fit(DATA.X * factor, *labels_for(learner))
    assert large.gap_ > large.tol and large.slack_ <= plain.slack_ + large.tol


def labels_for(learner) -> tuple[np.ndarray, ...]:
    noise = np.random.default_rng(0).standard_normal(DATA.y.size)
    return (DATA.y, DATA.qid) if isinstance(learner, (SVMRanker, RankSVM)) else (DATA.X[:, 0] + DATA.X[:, 1] + noise > 0,)


@pytest.mark.parametrize("size", [1e6, 1e8, 1e10, 1e11, 1e13])
@pytest.mark.parametrize("C", [1.0, 100.0])
def test_large_columns_whose_difference_counts(size: float, C: float) -> None:
    """The optimum is not far from w = (-v, v), and the gap says how far, however large the columns are."""
    signal, noise = DATA.X[:, 0], size * np.random.default_rng(0).standard_normal(DATA.y.size)
    alone = SVMRanker("AP", C=C, tol=1e-6, scaling="none").fit(signal[:, None], DATA.y, DATA.qid)
    reached = alone.objective_ + 0.5 * alone.coef_[0] ** 2  # the signal's weight costs twice as much
    with warnings.catch_warnings():
        warnings.simplefilter("error" if size <= 1e8 else "ignore")
        model = SVMRanker("AP", C=C, scaling="none").fit(np.column_stack((noise, noise + signal)), DATA.y, DATA.qid)
    assert model.gap_ >= 0 and model.objective_ - C * model.gap_ <= reached * (1 + 1e-6)
    assert model.objective_ <= reached + C * model.tol or size >= 1e10


@pytest.mark.parametrize("factor", [1e3, 1e8])
@pytest.mark.parametrize("C", [1.0, 1e3])
def test_one_large_column_of_noise_does_no_harm(factor: float, C: float) -> None:
    noise = np.random.default_rng(0).standard_normal((DATA.X.shape[0], 1))
    without = SVMRanker("AP", C=C, tol=1e-5, scaling="none").fit(DATA.X, DATA.y, DATA.qid)
    with_noise = SVMRanker("AP", C=C, tol=1e-5, scaling="none").fit(np.hstack((DATA.X, factor * noise)), DATA.y, DATA.qid)
    assert with_noise.objective_ <= without.objective_ + C * with_noise.tol  # its weight may always be 0
    assert with_noise.score(np.hstack((DATA.X, factor * noise)), DATA.y, DATA.qid) >= 0.97 * without.score(
        DATA.X, DATA.y, DATA.qid
    )


def test_small_features_are_learned_from() -> None:
    """With a C so small beside them that nothing but the direction of w is left."""
    plain = SVMRanker("AP", C=1e-9, scaling="none").fit(DATA.X, DATA.y, DATA.qid)
    small = SVMRanker("AP", C=1e-9, scaling="none").fit(DATA.X * 2.0**-500, DATA.y, DATA.qid)
    np.testing.assert_allclose(small.coef_ / np.linalg.norm(small.coef_), plain.coef_ / np.linalg.norm(plain.coef_))


def test_path_gives_the_models_of_single_fits() -> None:
    Cs = [100.0, 0.1, 1.0, 10.0]
    path = SVMRanker("AP", tol=1e-5, max_iter=5000, scaling="none").path(DATA.X, DATA.y, DATA.qid, Cs)
    assert path.Cs.tolist() == sorted(Cs)
    for C, coef in zip(path.Cs, path.coefs, strict=True):
        single = SVMRanker("AP", C=C, tol=1e-5, max_iter=5000, scaling="none").fit(DATA.X, DATA.y, DATA.qid)
        np.testing.assert_allclose(coef, single.coef_, atol=0.02 * np.abs(single.coef_).max() + 1e-4)
    once = SVMRanker("AP", C=100.0, tol=1e-5, max_iter=5000, scaling="none").fit(DATA.X, DATA.y, DATA.qid)
    assert sum(len(s.history) for s in path.solutions) < 4 * once.n_iter_


def test_auto_picks_by_the_measure() -> None:
    train, other = make_ranking(30, random_state=1), make_ranking(30, random_state=2)
    Cs = [0.01, 1.0, 100.0]
    svm = SVMRanker("AP", bound="convex", Cs=Cs, scaling="none")
    scores = [clone(svm).set_params(C=C).fit(train.X, train.y, train.qid).score(other.X, other.y, other.qid) for C in Cs]
    model = clone(svm).fit(train.X, train.y, train.qid, eval_set=(other.X, other.y, other.qid))
    assert Cs[int(np.argmax(scores))] == model.C_
    folded = clone(svm).set_params(cv=3).fit(train.X, train.y, train.qid)
    assert folded.C_ in Cs and folded.score(other.X, other.y, other.qid) > 0.9 * max(scores)


@pytest.mark.filterwarnings("ignore:MultivariateSVC learned nothing")
def test_exactly_k_are_labelled() -> None:
    data = make_ranking(20, noise=0.2, random_state=4)
    y = np.where(data.y > 0, "yes", "no")
    for name, k in (("P@10", 10), ("R@25", 25), ("PRBEP", (y == "yes").sum()), ("R@2p", 2 * (y == "yes").sum())):
        model = MultivariateSVC(name, C=0.01, scaling="none").fit(data.X, y)
        assert model.classes_.tolist() == ["no", "yes"]
        labels = model.predict(data.X)
        assert (labels == "yes").sum() == k
        assert (
            model.decision_function(data.X)[labels == "yes"].min() >= model.decision_function(data.X)[labels == "no"].max()
        )
    by_sign = MultivariateSVC("F1", C=0.01, scaling="none").fit(data.X, y)
    assert ((by_sign.decision_function(data.X) > 0) == (by_sign.predict(data.X) == "yes")).all()


@pytest.mark.filterwarnings("ignore:MultivariateSVC learned nothing")
@pytest.mark.parametrize("kernel", ["linear", "rbf"])
@pytest.mark.parametrize("name", ["P@10", "R@25", "R@2p", "PRBEP", "F1"])
def test_the_label_of_a_row_does_not_depend_on_its_batch(name: str, kernel: str) -> None:
    data, other = make_ranking(6, noise=0.2, random_state=4), make_ranking(6, noise=0.2, random_state=5)
    model = MultivariateSVC(name, C=1.0, kernel=kernel, gamma=0.01, scaling="none").fit(data.X, data.y > 0)
    labels = model.predict(other.X)
    assert 0 < labels.sum() < labels.size
    np.testing.assert_array_equal(labels, model.decision_function(other.X) > 0)
    np.testing.assert_array_equal(labels, [model.predict(row[None])[0] for row in other.X])
    np.testing.assert_array_equal(labels[::3], model.predict(other.X[::3]))
    np.testing.assert_array_equal(loads(dumps(model)).predict(other.X) > 0, labels)


@pytest.mark.filterwarnings("ignore:MultivariateSVC learned nothing")
@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("n_shards", [1, 3])
def test_k_of_the_rows_of_all_shards_are_labelled(n_shards: int, intercept: bool) -> None:
    data = make_ranking(12, noise=0.2, random_state=4)
    parts = [data.select_queries(part) for part in np.array_split(np.arange(data.n_queries), n_shards)]
    model = MultivariateSVC("P@10", C=0.01, fit_intercept=intercept, scaling="none")
    model.fit_shards(LocalShards.from_data(parts, as_measure("P@10")))
    assert model.predict(data.X).sum() == 10


def test_more_labels_than_rows_are_all_rows() -> None:
    data = make_ranking(5, noise=0.2, random_state=4)
    model = MultivariateSVC(f"R@{len(data) - 1}", C=0.01, scaling="none").fit(data.X, data.y > 0)
    assert model.predict(data.X).sum() == len(data) - 1
    everything = MultivariateSVC("R@9p", C=0.01, scaling="none").fit(data.X, data.y > 0)
    assert 9 * np.sum(data.y > 0) > len(data) and everything.predict(data.X).all()


def test_kernels_by_a_pipeline() -> None:
    """Relevance is the distance from a centre: no linear function ranks by it, one of Nystroem features does."""
    random = np.random.default_rng(0)
    X, qid = random.standard_normal((1200, 2)), np.repeat(np.arange(40), 30)
    y = (np.sum(X**2, axis=1) < 0.6).astype(float)
    train = qid < 20
    linear = SVMRanker("AP", C=100, scaling="none").fit(X[train], y[train], qid[train])
    kernel = make_pipeline(Nystroem(gamma=0.5, n_components=50, random_state=0), SVMRanker("AP", C=100, scaling="none"))
    kernel.fit(X[train], y[train], svmranker__qid=qid[train])
    ap = [evaluate(y[~train], model.predict(X[~train]), qid[~train], "AP")["AP"] for model in (linear, kernel)]
    assert ap[0] < 0.5 and ap[1] > 0.9


@pytest.mark.parametrize("ranker", [SVMRanker("AP", scaling="none"), RankSVM(scaling="none")], ids=["SVMRanker", "RankSVM"])
def test_solutions_of_a_path_are_on_the_scale_of_its_coefs(ranker) -> None:
    path = ranker.path(DATA.X, DATA.y, DATA.qid, Cs=[10.0, 0.1])
    assert path.Cs.tolist() == [0.1, 10.0]
    for C, coef, solution in zip(path.Cs, path.coefs, path.solutions, strict=True):
        np.testing.assert_array_equal(solution.coef, coef)
        assert solution.C == C and solution.converged
        assert solution.objective == pytest.approx(0.5 * coef @ coef + C * solution.slack)
        assert solution.history[-1].primal == pytest.approx(solution.objective)
        alone = clone(ranker).set_params(C=C, tol=1e-6).fit(DATA.X, DATA.y, DATA.qid)
        assert solution.objective == pytest.approx(alone.objective_, rel=0.02)


@pytest.mark.parametrize(
    "ranker",
    [
        SVMRanker("AP", bound="convex", scaling="none"),
        SVMRanker("AP", bound="ramp", scaling="none"),
        RankSVM(scaling="none"),
        OneVsRestSVM(scaling="none"),
    ],
    ids=str,
)
def test_data_is_grouped_once_in_a_fit(ranker, monkeypatch: pytest.MonkeyPatch) -> None:
    grouped = []

    def count(*arguments):
        grouped.append(1)
        return group_rows(*arguments)

    monkeypatch.setattr(task, "group_rows", count)
    ranker.fit(DATA.X, DATA.y, DATA.qid)
    assert len(grouped) == 1


def test_larger_values_of_c_are_not_tried_in_vain() -> None:
    """By folds, four in a row that are worse than the best end the search; values as good as the best do not."""
    tried = []

    class Path:
        def __init__(self, values):
            self.values = iter(values)

        def solve(self, C):
            tried.append(C)
            return SimpleNamespace(coef=np.full(1, next(self.values)))

    X = np.ones((4, 1))
    training = weighted_for_training(LocalShards([make_task(X, [0, 1, 0, 1], [1, 1, 2, 2], Score())]))
    values = [[0.3, 0.3, 0.3, 0.3, 0.3, 0.5, 0.4, 0.1, 0.1, 0.4, 0.9]] * 2
    paths = iter(Path(each) for each in values)
    problem = SimpleNamespace(path=lambda solver, shards: next(paths))
    assert _best_by_folds(problem, Solver(1e-3, 10, Monitor()), training, np.arange(1.0, 12.0), 5) == (6.0, None)
    assert tried == [C for C in np.arange(1.0, 11.0) for _ in range(2)]


class Score:
    """Its value is the highest score."""

    def evaluate(self, scores, grades, offsets):
        return scores[offsets[:-1]]
