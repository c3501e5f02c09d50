"""Welleck's baseline: one ROC-area SVM for each grade."""

from __future__ import annotations

import numpy as np
import pytest

from directrank import InputError, MultivariateSVC, OneVsRestSVM, SVMRanker
from directrank.data import make_ranking
from directrank.measures import AUC

DATA = make_ranking(20, (5, 20), random_state=0)


def test_it_is_the_sum_of_an_svm_for_each_grade() -> None:
    model = OneVsRestSVM(C=10).fit(DATA.X, DATA.y, DATA.qid)
    assert model.grades_.tolist() == [1, 2, 3]
    coef = sum(c * SVMRanker(AUC(grade=c), C=10).fit(DATA.X, DATA.y, DATA.qid).coef_ for c in model.grades_.tolist())
    np.testing.assert_allclose(model.coef_, coef)


def test_without_queries_it_is_that_of_svm_perf() -> None:
    """One set: the SVMs are SVM-multi's for ROC area, whose C counts pairs."""
    model = OneVsRestSVM(C=5.0, tol=1e-6).fit(DATA.X, DATA.y)
    for grade, svm in zip(model.grades_, model.estimators_, strict=True):
        pairs = np.sum(DATA.y == grade) * np.sum(DATA.y != grade)
        other = MultivariateSVC("AUC", C=5.0 / pairs, tol=1e-6, fit_intercept=False).fit(DATA.X, DATA.y == grade)
        # Psi of the one is 1/pairs of the other's: w is the same for C times pairs, up to the scale of the hinge
        correlation = np.corrcoef(svm.coef_, other.coef_[0])[0, 1]
        assert correlation > 0.95


def test_one_grade_and_none() -> None:
    model = OneVsRestSVM(C=10).fit(DATA.X, DATA.y > 0, DATA.qid)
    np.testing.assert_allclose(model.coef_, SVMRanker("AUC", C=10).fit(DATA.X, DATA.y > 0, DATA.qid).coef_)
    with pytest.raises(InputError, match="no document has a grade above 0"):
        OneVsRestSVM().fit(DATA.X, np.zeros(len(DATA)), DATA.qid)


def test_fractions_are_grades_too() -> None:
    assert OneVsRestSVM().fit(DATA.X, DATA.y / 2, DATA.qid).grades_.tolist() == [0.5, 1.0, 1.5]
