"""Fitting and scoring without qid: all rows are one query, with a warning if that may be an oversight."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from sklearn.model_selection import GridSearchCV, GroupKFold, cross_val_score

from directrank import (
    AdaRank,
    CoordinateAscent,
    LambdaMART,
    MultivariateSVC,
    SVMRanker,
    routing,
)
from directrank.data import QueryKFold
from directrank.datasets import make_ranking
from directrank.measures import known_names, parse
from directrank.measures.name_parser import measure_class

DATA = make_ranking(30, (5, 30), random_state=0)
NO_QID = rf"^no qid: all {len(DATA)} rows are taken as one query; pass qid, or zeros"
UNSCORED = r"was fitted on \d+ queries and is scored without qid, with all rows as one query; .*routing\(\)"


@pytest.mark.parametrize(
    "ranker",
    [SVMRanker("AP", C=1), AdaRank(), CoordinateAscent(n_restarts=0), LambdaMART("nDCG@10", n_estimators=5)],
    ids=str,
)
def test_fitting_without_qid_is_remarked_on(ranker) -> None:
    with pytest.warns(UserWarning, match=NO_QID) as caught:
        ranker.fit(DATA.X, DATA.y)
    assert [warning.filename for warning in caught] == [__file__]
    ranker.fit(DATA.X, DATA.y, np.zeros(len(DATA)))  # it is one query: silent
    ranker.score(DATA.X, DATA.y)
    assert ranker.n_queries_ == 1


ONE_SET = [SVMRanker("AUC", C=1), SVMRanker("F1", C=100.0), SVMRanker("PRBEP", C=100.0), LambdaMART("AUC", n_estimators=2)]


@pytest.mark.filterwarnings("ignore:SVMRanker learned nothing")
@pytest.mark.parametrize("ranker", ONE_SET, ids=str)
def test_one_set_of_a_setwise_measure_is_silent(ranker) -> None:
    ranker.fit(DATA.X, DATA.y)


def test_a_classifier_has_one_set() -> None:
    MultivariateSVC("F1").fit(DATA.X, DATA.y > 0)


def test_which_measures_are_setwise() -> None:
    setwise = {name.lower() for name in known_names() if measure_class(name).setwise}
    of_the_table = {"accuracy", "balancedaccuracy", "f", "f1", "gmean", "jaccard", "mcc"}
    of_grades = {"auc", "auprc", "mauc", "microp", "macrop", "microprecision", "macroprecision"}
    assert setwise == {*of_the_table, *of_grades, "prbep"}
    assert not parse("0.5*AP + 0.5*AUC").setwise


def test_a_path_without_qid() -> None:
    with pytest.warns(UserWarning, match=NO_QID):
        SVMRanker("AP").path(DATA.X, DATA.y, Cs=[0.1])


def test_an_eval_set_without_qid() -> None:
    with pytest.warns(UserWarning, match="eval_set has no qid, so all its rows are taken as one query"):
        AdaRank().fit(DATA.X, DATA.y, DATA.qid, eval_set=(DATA.X, DATA.y, None))
    AdaRank().fit(DATA.X, DATA.y, np.zeros(len(DATA)), eval_set=(DATA.X, DATA.y, None))


@pytest.mark.parametrize("ranker", [SVMRanker("AP", C=1), SVMRanker("AUC", C=1), LambdaMART("AP", n_estimators=5)], ids=str)
def test_scoring_without_qid_is_remarked_on(ranker) -> None:
    ranker.fit(DATA.X, DATA.y, DATA.qid)
    with pytest.warns(UserWarning, match=UNSCORED) as caught:
        ranker.score(DATA.X, DATA.y)
    assert caught[0].filename == __file__
    ranker.score(DATA.X, DATA.y, DATA.qid)


def test_a_search_without_routing() -> None:
    folds = list(QueryKFold(3).split(DATA.X, qid=DATA.qid))
    search = GridSearchCV(SVMRanker("AP"), {"C": [0.1, 1.0]}, cv=folds, refit=False)
    with pytest.warns(UserWarning, match=UNSCORED):
        search.fit(DATA.X, DATA.y, qid=DATA.qid)


def test_cross_validation_without_routing() -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        cross_val_score(SVMRanker("AP", C=1), DATA.X, DATA.y, groups=DATA.qid, cv=GroupKFold(3), params={"qid": DATA.qid})
    assert len(caught) == 3 and all("scored without qid" in str(warning.message) for warning in caught)


def test_groups_are_no_qid() -> None:
    """`groups` says where to split, and reaches neither fit nor score."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        cross_val_score(SVMRanker("AP", C=1), DATA.X, DATA.y, groups=DATA.qid, cv=GroupKFold(3))
    assert len(caught) == 3 and all("no qid" in str(warning.message) for warning in caught)


def test_with_routing_all_is_silent() -> None:
    with routing():
        params = {"qid": DATA.qid}
        found = cross_val_score(
            SVMRanker("AP", C=1), DATA.X, DATA.y, cv=GroupKFold(3), params={**params, "groups": DATA.qid}
        )
        GridSearchCV(SVMRanker("AP"), {"C": [0.1]}, cv=QueryKFold(3)).fit(DATA.X, DATA.y, **params)
    folds = GroupKFold(3).split(DATA.X, groups=DATA.qid)
    fitted = [(SVMRanker("AP", C=1).fit(DATA.X[a], DATA.y[a], DATA.qid[a]), b) for a, b in folds]
    assert found.tolist() == [model.score(DATA.X[b], DATA.y[b], DATA.qid[b]) for model, b in fitted]
