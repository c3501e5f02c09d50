r"""Values of each feature and their frequencies, merged from all shards in few numbers.

A summary has the distinct values of a feature, ascending, and how many rows have each. It is exact unless it is thinned to a
number of entries: half of them at evenly spaced ranks of the rows, half at evenly spaced ranks of the distinct values, so
that a feature that is mostly 0 keeps many of its other values. A row whose value goes is counted with the next higher one
that stays.

Let C(t) be how many of a shard's n rows have values up to t, and :math:`\tilde C(t)` how many the thinned summary counts.
With K entries by ranks of the rows, for every t

.. math:: \tilde C(t) \le C(t) < \tilde C(t) + n / K.

For let a be the highest value that stays and is at most t, so that :math:`\tilde C(t) = C(a)`, and j the largest integer
with :math:`C(a) \ge j n / K`; without such a value, take 0 for C(a). The lowest value b with
:math:`C(b) \ge (j + 1) n / K` stays and is above a, hence above t, so that
:math:`C(t) < (j + 1) n / K \le C(a) + n / K`. If there is no b, a is the highest value, and C(t) is C(a). Merged summaries
add up, and so do their bounds: for all shards, n is the number of all rows.

Hence a threshold t at a rank w of the rows, which stands just above the first entry v with :math:`\tilde C(v) \ge w`, has

.. math:: w \le C(t) < w + c + 2 n / K

where c rows have the value v: the entry counts fewer than c + n / K rows, those of lower entries are fewer than w, and
:math:`\tilde C(t) = \tilde C(v)`. Only where v is the highest value does the threshold stand below it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from ...arrays import Floats, Ints
from ...matrix.columns import Columns
from ..core.shards import Shards
from ..core.task import Task, count_documents

#: Number of entries of a thinned summary for each threshold to place.
ENTRIES_PER_THRESHOLD = 64


class Summary(NamedTuple):
    """Distinct values of a feature, ascending, and the number of rows that each stands for."""

    values: Floats
    counts: Ints


def column_summaries(training: Shards, thresholds: int | None) -> Iterator[Summary]:
    """Summary of each feature over all shards; a few features at a time.

    Parameters
    ----------
    thresholds : int, optional
        Maximum number of thresholds of a feature. With several shards, summaries are thinned to 64 entries
        for each of these, so that ranks among n rows are wrong by less than n / (32 thresholds). None thins nothing.
    """
    several = len(training.each(count_documents)) > 1
    n_entries = ENTRIES_PER_THRESHOLD * thresholds if several and thresholds is not None else None
    for start in range(0, training.n_features, Columns.BLOCK):
        for parts in zip(*training.each(_summaries_of_block, start, n_entries), strict=True):
            yield merged(parts)


def summary(column: Floats) -> Summary:
    """Exact summary of ascending values."""
    starts = _starts(column)
    return Summary(column[starts], np.diff(starts, append=column.size))


def thinned(whole: Summary, n_entries: int) -> Summary:
    """Summary with at most `n_entries` entries, an even number."""
    n_values, K = whole.values.size, n_entries // 2
    if n_values <= n_entries:
        return whole
    up_to = np.cumsum(whole.counts)
    ranks = -(-up_to[-1] * np.arange(1, K + 1) // K)  # rounded up
    stay = np.union1d(np.searchsorted(up_to, ranks), np.linspace(0, n_values - 1, K).astype(np.int64))
    return Summary(whole.values[stay], np.diff(up_to[stay], prepend=0))


def merged(summaries: Sequence[Summary]) -> Summary:
    """Summary of the rows of several summaries."""
    if len(summaries) == 1:
        return summaries[0]
    values, counts = (np.concatenate(parts) for parts in zip(*summaries, strict=True))
    order = np.argsort(values, kind="stable")  # which is fast where parts are in order already
    starts = _starts(values[order])
    return Summary(values[order[starts]], np.add.reduceat(counts[order], starts))


def _summaries_of_block(task: Task, start: int, n_entries: int | None) -> list[Summary]:
    block = task.columns.block(start)
    block.sort(axis=1)
    exact = (summary(column) for column in block)
    return list(exact if n_entries is None else (thinned(one, n_entries) for one in exact))


def _starts(ascending: Floats) -> Ints:
    """Index of the first occurrence of each distinct value."""
    is_first = np.ones(ascending.size, bool)
    is_first[1:] = ascending[1:] > ascending[:-1]
    return np.flatnonzero(is_first)
