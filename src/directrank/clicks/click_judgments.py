"""Judgments by a click model: the relevance of each logged pair, and how sure it is."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..arrays import Floats, Ints
from ..data.formats.file_format import Format, known_format
from ..data.formats.tables.writer import write_table
from ..data.io.files import PathLike
from .click_log import ClickLog
from .click_models import fit_click_model

#: Probability beyond either end of an interval.
TAIL = 0.025


class ClickJudgments(NamedTuple):
    """Relevance of the pairs of a log, by query as logged and descending relevance.

    Attributes
    ----------
    query, document : arrays
    relevance : array
        From 0 to 1, by the click model.
    low, high : arrays
        95 % interval: that of a probability of which as many examinations are known as the click model expects there were.
        It takes the examination of ranks as known and the model as right, so it is too narrow where they are not.
    impressions, clicks : int64 arrays
    """

    query: NDArray[Any]
    document: NDArray[Any]
    relevance: Floats
    low: Floats
    high: Floats
    impressions: Ints
    clicks: Ints

    def save(self, path: PathLike) -> None:
        """Write a table with these columns, in the format of the file's extension, or CSV; `join_table` takes it."""
        import pyarrow as pa

        format = known_format(Path(path))
        columns = {
            name: np.round(values, 4) if values.dtype.kind == "f" else values for name, values in self._asdict().items()
        }
        table = pa.table({name: pa.array(values.tolist()) for name, values in columns.items()})
        write_table(path, table, format if format is not None and format.is_table else Format.csv)


def judge_by_clicks(log: ClickLog, model: str = "SDBN") -> ClickJudgments:
    """Judge each pair of a log by a click model.

    Parameters
    ----------
    log : ClickLog
    model : {"PBM", "cascade", "DCM", "SDBN", "DBN", "UBM"}
        In capitals or not.

    Returns
    -------
    ClickJudgments
        The pairs that were shown, with their relevance and its 95 % interval.

    Examples
    --------
    >>> from directrank.clicks import ClickLog
    >>> log = ClickLog.from_arrays([1, 1, 2, 2], ["a"] * 4, ["x", "y", "x", "y"], [1, 2, 1, 2], [0, 1, 0, 1])
    >>> judge_by_clicks(log).document.tolist()
    ['y', 'x']
    """
    from scipy.stats import beta

    fitted, n_pairs = fit_click_model(log, model), log.pairs.query.size
    impressions = np.bincount(log.pair, minlength=n_pairs)
    shown = np.flatnonzero(impressions)
    relevance, known = fitted.relevance[shown], fitted.counts[shown]
    likely, unlikely = relevance * known + 1, (1 - relevance) * known + 1
    order = np.lexsort((-relevance, log.pairs.query[shown]))
    clicks = np.bincount(log.pair, log.clicked, n_pairs).astype(np.int64)
    return ClickJudgments(
        log.queries[log.pairs.query[shown]][order],
        log.pairs.docno[shown][order],
        relevance[order],
        np.minimum(beta.ppf(TAIL, likely, unlikely), relevance)[order],
        np.maximum(beta.ppf(1 - TAIL, likely, unlikely), relevance)[order],
        impressions[shown][order],
        clicks[shown][order],
    )
