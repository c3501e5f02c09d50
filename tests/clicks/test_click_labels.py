"""Rows of features joined with gains from clicks: by query and document, counted, in any order."""

from __future__ import annotations

import numpy as np
import pytest

from directrank import RankingData
from directrank.clicks.click_labels import label_by_clicks, pairs_of_rows, scores_of_pairs
from directrank.clicks.click_log import ClickLog
from directrank.data import InputError

LOG = ClickLog.from_arrays(
    [1, 1, 2, 2, 3, 3, 4],
    ["7", "7", "7", "7", "8", "8", "9"],
    ["a", "b", "b", "c", "a", "d", "e"],
    [1, 2, 1, 2, 1, 2, 1],
    [1, 0, 1, 0, 0, 1, 1],
)
GAINS = dict(zip(zip(LOG.queries[LOG.pairs.query], LOG.pairs.docno, strict=True), np.arange(1.0, 7.0), strict=True))
QID, DOCNO = [8, 7, 7, 5, 8, 7], ["a", "c", "x", "a", "y", "b"]


def rows(order=slice(None)) -> RankingData:
    X = np.arange(6.0)[:, None]
    return RankingData(X[order], None, np.array(QID)[order], docno=np.array(DOCNO)[order])


@pytest.mark.parametrize("order", [slice(None), [3, 5, 1, 0, 4, 2]])
def test_rows_get_the_gains_of_their_pairs(order) -> None:
    found = label_by_clicks(rows(order), LOG, list(GAINS.values()))
    expected = {i: GAINS[str(QID[i]), DOCNO[i]] for i in range(6) if (str(QID[i]), DOCNO[i]) in GAINS}
    got = dict(zip(found.data.X[:, 0].astype(int).tolist(), found.data.y.tolist(), strict=True))
    assert got == expected
    assert found.n_joined == 3 and found.n_unshown == 2 and found.n_unlogged_queries == 1
    assert found.n_unjoined_pairs == 3 and found.n_unjoined_clicks == 3  # a of 7, d of 8, e of 9
    weights = dict(zip(found.data.qid.tolist(), found.data.weight.tolist(), strict=True))
    assert weights == {7: 2 / 1.5, 8: 1 / 1.5}
    assert str(found) == (
        "rows that were shown in the log: 3 (of the same queries 2 were not, and are left out); "
        "shown pairs without a row: 3 (3 clicks); queries without a session: 1"
    )


def test_rows_that_were_not_shown_may_have_a_predicted_gain() -> None:
    found = label_by_clicks(rows(), LOG, list(GAINS.values()), unshown=np.arange(6) / 10)
    assert dict(zip(found.data.X[:, 0], found.data.y, strict=True))[2.0] == 0.2
    part = LOG.select_sessions([0, 1])  # nothing of query 8 was shown
    assert label_by_clicks(rows(), part, list(GAINS.values())).n_unlogged_queries == 2


def test_pairs_and_scores() -> None:
    pair = pairs_of_rows(rows(), LOG)
    for row, number in enumerate(pair.tolist()):
        known = (str(QID[row]), DOCNO[row]) in GAINS
        assert (number >= 0) == known
        if known:
            named = (LOG.queries[LOG.pairs.query[number]], LOG.pairs.docno[number])
            assert named == (str(QID[row]), DOCNO[row])
    scores = scores_of_pairs(rows(), LOG, [3.0, 2.0, -5.0, 9.0, 1.0, 4.0])
    assert scores[pair[0]] == 3.0 and scores[pair[5]] == 4.0 and np.sum(scores == -5.0) == 3
    with pytest.raises(InputError, match="scores has 2 rows; expected 6"):
        scores_of_pairs(rows(), LOG, [1.0, 2.0])
    with pytest.raises(InputError, match="scores is NaN in row 1"):
        scores_of_pairs(rows(), LOG, [0.0, np.nan, 0.0, 0.0, 0.0, 0.0])
    with pytest.raises(InputError, match="unshown has 1 rows; expected 6"):
        label_by_clicks(rows(), LOG, np.zeros(6), unshown=[1.0])


@pytest.mark.parametrize(
    ("data", "gains", "sentence"),
    [
        (rows(), [1.0], r"there are 6 pairs in the log, and the gains are of the shape \(1,\)"),
        (RankingData([[1.0]], None, [7]), None, "joined with clicks by query and document, and the data has no documents"),
        (RankingData([[1.0]], None, docno=["a"]), None, "and the data has no queries"),
        (RankingData([[1.0]] * 2, None, [7, 7], docno=["a", "a"]), None, "query 7 has the document 'a' in two rows"),
        (RankingData([[1.0]], None, ["seven"], docno=["a"]), None, "no row of the features was shown in the log; check"),
        (RankingData([[1.0]], None, ["7"], docno=["A"]), None, r"\(the log: '7', 'a'; the rows: '7', 'A'\)"),
    ],
)
def test_errors(data, gains, sentence: str) -> None:
    with pytest.raises(InputError, match=sentence):
        label_by_clicks(data, LOG, np.zeros(6) if gains is None else gains)
