"""The C that fusion chooses: that of plain fits on each half of the queries, and nothing of those held out in it."""

from __future__ import annotations

import numpy as np
import pytest

from directrank import AdaRank, Qrels, RankSVM, Run, SVMRanker, evaluate
from directrank.data import QueryKFold
from directrank.datasets import make_ranking
from directrank.fusion import ScoreLearner, c_selection, fuse_learned
from directrank.fusion.c_selection import with_selected_C

DATA = make_ranking(15, noise=1.0, random_state=3)
CS = [0.01, 1.0, 100.0]


@pytest.mark.parametrize(
    "learner", [SVMRanker("AP", bound="convex", Cs=CS, tol=1e-5), RankSVM(Cs=CS, tol=1e-5)], ids=["AP", "pairs"]
)
def test_it_is_the_best_of_plain_fits(learner, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(c_selection, "HALF_TOL", 1e-5)  # so that both are the optimum
    ids = [qid for qid in DATA.by_query().ids if np.ptp(DATA.y[DATA.qid == qid]) > 0]
    first = np.isin(DATA.qid, ids[::2])
    means = []
    for C in CS:
        values = []
        for half in (first, ~first):
            fitted = type(learner)(**{**learner.get_params(), "C": C}).fit(DATA.X[half], DATA.y[half], DATA.qid[half])
            other = DATA.select(~half)
            name = getattr(learner.measure, "name", learner.measure)
            values.append(evaluate(other.y, fitted.predict(other.X), other.qid, name)[name])
        means.append(np.mean(values))
    assert max(means) - sorted(means)[-2] > 1e-3  # that there is something to choose
    best = CS[int(np.argmax(means))]
    assert np.isclose(with_selected_C(learner, DATA.X, DATA).C, best)


def test_measures_of_the_top_have_a_choice_too() -> None:
    chosen = with_selected_C(SVMRanker("P@5", bound="ramp"), DATA.X, DATA)
    assert chosen.C > 0 and chosen.fit(DATA.X, DATA.y, DATA.qid).coef_.any()


def test_what_is_not_open_stays() -> None:
    assert with_selected_C(SVMRanker("AP", C=3.0), DATA.X, DATA).C == 3.0
    assert not hasattr(with_selected_C(AdaRank("AP"), DATA.X, DATA), "C")
    few = DATA.select_queries(np.arange(3))
    assert with_selected_C(SVMRanker("AP"), few.X, few).C == "auto"
    with_kernel = SVMRanker("AP", kernel="rbf")
    assert with_selected_C(with_kernel, DATA.X, DATA).C == "auto"


def test_judgments_of_a_query_do_not_change_its_own_scores() -> None:
    random = np.random.default_rng(0)
    qid, docno = np.repeat(np.arange(20), 10).astype(str), np.tile([f"d{i}" for i in range(10)], 20)
    grades = (random.random(200) < 0.4).astype(float)
    runs = [Run(qid, docno, grades + noise * random.standard_normal(200), str(noise)) for noise in (0.5, 1.0)]
    _, held_out = next(iter(QueryKFold(4, shuffle=True, random_state=0).split(docno, qid=qid)))
    others = grades.copy()
    others[held_out] = 1 - others[held_out]
    learner = ScoreLearner(lambda: SVMRanker("AP", Cs=CS), thresholds=5)
    one, other = (fuse_learned(runs, Qrels(qid, docno, y), learner, "fused", folds=4).score for y in (grades, others))
    np.testing.assert_array_equal(one[held_out], other[held_out])
    assert not np.array_equal(one, other)
