"""Welleck's baseline: one ROC-area SVM for each grade."""

from __future__ import annotations

import numpy as np
import pytest

from directrank import AdaRank, CoordinateAscent, InputError, MultivariateSVC, OneVsRestSVM, SVMRanker
from directrank.datasets import make_ranking
from directrank.learners import Progress
from directrank.measures import AUC

DATA = make_ranking(20, (5, 20), random_state=0)


def test_it_is_the_sum_of_an_svm_for_each_grade() -> None:
    model = OneVsRestSVM(C=10).fit(DATA.X, DATA.y, DATA.qid)
    assert model.grades_.tolist() == [1, 2, 3]
    coef = sum(
        c * SVMRanker(AUC(grade=c), C=10, bound="convex").fit(DATA.X, DATA.y, DATA.qid).coef_ for c in model.grades_.tolist()
    )
    np.testing.assert_allclose(model.coef_, coef)


def test_the_gap_of_each_grade_ends_where_its_svm_did() -> None:
    model = OneVsRestSVM(C=10).fit(DATA.X, DATA.y / 2, DATA.qid)
    history = model.model_.provenance.history
    assert list(history) == ["gap, grade 0.5", "gap, grade 1", "gap, grade 1.5"]
    for curve, svm in zip(history.values(), model.estimators_, strict=True):
        assert curve[: svm.n_iter_] == [step.info["gap"] for step in svm.history_]
        assert set(curve[svm.n_iter_ :]) <= {None}
    assert max(svm.n_iter_ for svm in model.estimators_) == len(curve) > min(svm.n_iter_ for svm in model.estimators_)


def test_without_queries_it_equals_svm_perf() -> None:
    """One set: the SVMs are SVM-multi's for ROC area, whose C counts pairs."""
    model = OneVsRestSVM(C=5.0, tol=1e-6).fit(DATA.X, DATA.y, np.zeros(len(DATA)))
    for grade, svm in zip(model.grades_, model.estimators_, strict=True):
        pairs = np.sum(DATA.y == grade) * np.sum(DATA.y != grade)
        other = MultivariateSVC("AUC", C=5.0 / pairs, tol=1e-6, fit_intercept=False).fit(DATA.X, DATA.y == grade)
        np.testing.assert_allclose(svm.coef_, other.coef_[0], atol=1e-9)  # whose Psi is `pairs` times as large


def test_one_grade_and_none() -> None:
    model = OneVsRestSVM(C=10).fit(DATA.X, DATA.y > 0, DATA.qid)
    np.testing.assert_allclose(model.coef_, SVMRanker("AUC", C=10, bound="convex").fit(DATA.X, DATA.y > 0, DATA.qid).coef_)
    with pytest.raises(InputError, match="there is nothing to learn from"):
        OneVsRestSVM().fit(DATA.X, np.zeros(len(DATA)), DATA.qid)


def test_fractions_are_grades_too() -> None:
    assert OneVsRestSVM().fit(DATA.X, DATA.y / 2, DATA.qid).grades_.tolist() == [0.5, 1.0, 1.5]


def test_a_grade_in_the_middle_of_a_balanced_query_teaches() -> None:
    """By ascending and by descending grade, AUC(grade=1) is 1/2 in each of these queries."""
    random = np.random.default_rng(0)
    y = np.tile([0.0, 1.0, 2.0], 40)
    X = np.column_stack((y == 1, random.normal(size=y.size))) + 0.1 * random.normal(size=(y.size, 2))
    qid = np.repeat(np.arange(40), 3)
    for learner in (SVMRanker(AUC(grade=1), C=100), AdaRank(AUC(grade=1)), CoordinateAscent(AUC(grade=1))):
        assert learner.fit(X, y, qid).score(X, y, qid) > 0.95


def test_a_rare_grade_and_weights_of_0() -> None:
    y = np.where(DATA.y > 2, 2, DATA.y)
    y[np.flatnonzero(DATA.qid == 5)[0]] = 9.0
    model = OneVsRestSVM(C="auto", Cs=[1.0, 10.0]).fit(DATA.X, y, DATA.qid)
    assert model.grades_.tolist() == [1, 2]
    alone = DATA.qid == 5
    single = OneVsRestSVM(C="auto", Cs=[1.0, 10.0]).fit(DATA.X[alone], y[alone], DATA.qid[alone])
    assert single.grades_.tolist() == np.unique(y[alone & (y > 0)]).tolist()
    weight = np.where(DATA.qid == 5, 0.0, 1.0)
    absent = DATA.qid != 5
    np.testing.assert_allclose(
        OneVsRestSVM(C=10).fit(DATA.X, y, DATA.qid, query_weight=weight).coef_,
        OneVsRestSVM(C=10).fit(DATA.X[absent], y[absent], DATA.qid[absent]).coef_,
        rtol=1e-6,
    )


def test_ctrl_c_ends_the_training() -> None:
    def interrupt(progress: Progress) -> None:
        if progress.step == 2:
            raise KeyboardInterrupt

    model = OneVsRestSVM(C=100)
    with pytest.raises(KeyboardInterrupt):
        model.fit(DATA.X, DATA.y, DATA.qid, callbacks=[interrupt], keep_partial=True)
    assert model.interrupted_ and len(model.estimators_) == 1 and model.grades_.tolist() == [1]
