"""Single features as rankings."""

from __future__ import annotations

import numpy as np
import pytest

from directrank import InputError, RankingData, evaluate
from directrank.data import Qrels, Run
from directrank.evaluation import evaluate_run
from directrank.evaluation.feature_ranking import feature_scores, find_feature, scores_of_feature

NAN = np.nan


@pytest.mark.parametrize("ascending", [False, True])
@pytest.mark.parametrize("scale", [1e-30, 1.0, 1e30, 1e300])
def test_missing_values_are_last_in_both_directions(ascending: bool, scale: float) -> None:
    values = np.array([3.0, NAN, -5.0, 0.0, NAN]) * scale
    scores = feature_scores(values, ascending=ascending)
    present = ~np.isnan(values)
    assert scores[present].tolist() == (-values[present] if ascending else values[present]).tolist()
    assert np.isfinite(scores).all() and scores[1] == scores[4] < scores[present].min()


def test_no_value_at_all() -> None:
    assert np.unique(feature_scores(np.full(3, NAN))).size == 1


def test_missing_values_are_tied_and_returned() -> None:
    """The mean over both orders of the two documents below the first; a document that is not ranked would add nothing."""
    data = RankingData([[NAN], [1.0], [NAN]], [1, 0, 0], [1, 1, 1], ["a", "b", "c"])
    scores = scores_of_feature(data, 0)
    assert evaluate(data.y, scores, data.qid, "RR")["RR"] == pytest.approx((1 / 2 + 1 / 3) / 2)
    run = Run(["1"] * 3, ["a", "b", "c"], scores)
    assert evaluate_run(run, Qrels(["1"] * 3, ["a", "b", "c"], [1, 0, 0]), "recip_rank")["recip_rank"] == pytest.approx(
        1 / 3
    )


def test_features_are_found_by_name_or_number() -> None:
    named = RankingData(np.zeros((1, 3)), [1], feature_names=["title_bm25", "price", "body_bm25"])
    assert find_feature(named, "price") == 1
    with pytest.raises(InputError, match=r"there is no feature 'titel_bm25'; did you mean title_bm25 or body_bm25\?"):
        find_feature(named, "titel_bm25")
    with pytest.raises(InputError, match="there is no feature '2'; there are title_bm25, price, body_bm25"):
        find_feature(named, "2")
    unnamed = RankingData(np.zeros((1, 30)), [1])
    assert [find_feature(unnamed, each) for each in ("24", "f24", "feature 24")] == [23, 23, 23]
    with pytest.raises(InputError, match="there is no feature 31; there are 30, numbered from 1"):
        find_feature(unnamed, "31")
    with pytest.raises(InputError, match="the features have no names; give a number, such as 24 or f24"):
        find_feature(unnamed, "price")
