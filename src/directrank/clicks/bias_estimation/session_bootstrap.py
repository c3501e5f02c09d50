"""Bootstrap intervals of position bias, by session."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from scipy.sparse import csr_array

from ...arrays import Floats
from .bias_fit import BiasFit, BiasMethod
from .rank_counts import CellRows

#: Number of resamples that are counted together.
_BLOCK = 8

#: Smallest share of resamples with clicks at a rank for an interval there.
_MIN_SHARE = 0.9

#: 97.5 % quantile of the normal distribution.
_Z = 1.959964


def bootstrap_intervals(
    method: BiasMethod, rows: CellRows, fit: BiasFit, n_sessions: int, n_bootstrap: int, random_state: int
) -> tuple[Floats, Floats]:
    r"""95 % intervals :math:`\alpha_k e^{\pm 1.96 s_k}` with the standard deviation s of :math:`\log \alpha_k` in resamples.

    Sessions are drawn with replacement, as many as there are. The interval is NaN at a rank that has no clicks in more than
    a tenth of the resamples.
    """
    draws = np.array(
        [
            method.fit(shown, clicks, fit.parameters).alpha
            for shown, clicks in _resampled_counts(rows, n_sessions, n_bootstrap, np.random.default_rng(random_state))
        ]
    )
    with np.errstate(divide="ignore", invalid="ignore"):
        logs = np.where(draws > 0, np.log(draws), np.nan)
    found = np.isfinite(logs)
    n_found = np.maximum(found.sum(axis=0), 2)
    means = np.where(found, logs, 0).sum(axis=0) / n_found
    deviation = np.sqrt(np.square(np.where(found, logs - means, 0)).sum(axis=0) / (n_found - 1))
    deviation[found.mean(axis=0) < _MIN_SHARE] = np.nan
    return fit.alpha * np.exp(-_Z * deviation), fit.alpha * np.exp(_Z * deviation)


def _resampled_counts(
    rows: CellRows, n_sessions: int, n_draws: int, random: np.random.Generator
) -> Iterator[tuple[Floats, Floats]]:
    """Impressions and clicks of each cell in resamples of the sessions."""
    shape = (rows.cells.size, n_sessions)
    shown = csr_array((np.ones(rows.cell.size), (rows.cell, rows.session)), shape=shape)
    cell, session = rows.cell[rows.clicked], rows.session[rows.clicked]
    clicks = csr_array((np.ones(cell.size), (cell, session)), shape=shape)
    for start in range(0, n_draws, _BLOCK):
        weights = np.stack(
            [
                np.bincount(random.integers(n_sessions, size=n_sessions), minlength=n_sessions)
                for _ in range(min(_BLOCK, n_draws - start))
            ],
            axis=1,
        ).astype(np.float64)
        yield from zip(*(np.ascontiguousarray((table @ weights).T) for table in (shown, clicks)), strict=True)
