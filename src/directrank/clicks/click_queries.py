r"""One query for each clicked pair, as SVM PropRank learns from clicks (Joachims, Swaminathan & Schnabel 2017).

With clicks on documents i of queries q at examination probabilities p, it minimises

.. math:: \tfrac12 |w|^2 + \frac{C}{n} \sum_{(q, i)} \frac{1}{p_{qi}} \sum_{j \in q, j \ne i} \max(0,\ 1 - w^T (x_i - x_j)),

whose sum of hinges bounds the rank of the clicked document. It is `RankSVM` on queries with one relevant document each, as
each pair of documents counts by the weight of its query.
"""

from __future__ import annotations

import numpy as np

from ..data import InputError, RankingData
from .click_labels import pairs_of_rows
from .click_log import ClickLog
from .estimators import evidence
from .position_bias import PositionBias


def one_query_per_click(data: RankingData, log: ClickLog, bias: PositionBias, *, clip: float | str = "auto") -> RankingData:
    """Rows of features with a query for each clicked pair, for SVM PropRank.

    Parameters
    ----------
    data : RankingData
        Rows with queries and documents. All rows of a query compete with each clicked one, also those never shown; the
        result has a copy of them for each clicked one, so that it is large where many documents of long lists were clicked.
    log : ClickLog
    bias : PositionBias
        Without trust bias.
    clip : float or "auto"
        Smallest alpha that counts; see `gains`.

    Returns
    -------
    RankingData
        For each clicked pair with a row, a copy of the rows of its query, with the label 1 for the clicked document; queries
        are numbered from 0. The weight of a query is the sum of click/alpha over the pair's impressions, divided by the
        mean.

    Examples
    --------
    >>> from directrank import RankSVM
    >>> from directrank.clicks import ClickLog, PositionBias
    >>> log = ClickLog.from_arrays([1, 1, 2, 2], ["a"] * 4, ["x", "y", "x", "y"], [1, 2, 1, 2], [1, 0, 0, 1])
    >>> rows = RankingData([[0.3], [0.1]], None, ["a", "a"], docno=["y", "x"])
    >>> clicked = one_query_per_click(rows, log, PositionBias.power(1.0, 2))
    >>> clicked.y.tolist(), clicked.qid.tolist(), clicked.weight.round(2).tolist()
    ([1.0, 0.0, 0.0, 1.0], [0, 0, 1, 1], [1.33, 1.33, 0.67, 0.67])
    >>> model = RankSVM(C=1.0).fit(clicked.X, clicked.y, clicked.qid, query_weight=clicked.weight)
    """
    if bias.has_trust_bias:
        raise InputError("SVM PropRank takes no trust bias; estimate the position bias by another method than trust")
    pair, weights = pairs_of_rows(data, log), evidence(log, bias, clip).weighted
    clicked = np.flatnonzero((pair >= 0) & (np.where(pair >= 0, weights[pair], 0.0) > 0))
    if not clicked.size:
        raise InputError("no row was clicked in the log; check that both name queries and documents alike")
    queries = data.by_query()
    query_of_row = queries.to_row_order(np.repeat(np.arange(queries.ids.size), np.diff(queries.offsets)))
    clicked = clicked[np.lexsort((clicked, query_of_row[clicked]))]
    query = query_of_row[clicked]
    sizes = np.diff(queries.offsets)[query]
    qid = np.repeat(np.arange(clicked.size), sizes)
    first = np.cumsum(sizes) - sizes
    rows = queries.order[np.repeat(queries.offsets[:-1][query] - first, sizes) + np.arange(qid.size)]
    weight = weights[pair[clicked]]
    y = (rows == clicked[qid]).astype(np.float64)
    return data.select(rows).replace(y=y, qid=qid, weight=(weight / weight.mean())[qid])
