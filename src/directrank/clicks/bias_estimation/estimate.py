"""Estimation of position bias from a log, by the method that assumes least."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ...arrays import Bools, Floats
from ...data import InputError
from ..click_log import ClickLog
from ..position_bias import PositionBias
from .bias_fit import BiasFit, BiasMethod
from .click_rates import ClickRates
from .harvesting import Harvesting
from .position_based_em import PositionBasedEM
from .rank_counts import CellRows, summed
from .rank_exchanges import exchanged_rows
from .rank_notes import identification_error, method_note, rank_notes
from .regression_em import RegressionEM
from .session_bootstrap import bootstrap_intervals
from .trust_bias_em import TrustBiasEM

#: Methods of `estimate_bias`.
METHODS = ("auto", "harvesting", "swaps", "pbm", "regression", "trust")


class _Problem(NamedTuple):
    """A method, and the impressions that it uses."""

    method: str
    rows: CellRows


def estimate_bias(
    log: ClickLog,
    method: str = "auto",
    *,
    X: ArrayLike | None = None,
    randomised: str | None = None,
    n_bootstrap: int = 200,
    random_state: int = 0,
    assume: bool = False,
) -> PositionBias:
    """Estimate position bias, with 95 % bootstrap intervals by session.

    A click rate falls with the rank because less is examined there, and because less is relevant there. Only documents that
    the same query was shown at different ranks tell these apart; a log without any is refused.

    Parameters
    ----------
    log : ClickLog
        A reward above 0 is a click.
    method : str
        - "harvesting": all pairs of a query and a document that were shown at several ranks, best by rankers that were
          assigned to sessions at random (Agarwal et al. 2019);
        - "swaps": the same, from documents that exchanged ranks with each other, or from the sessions of `randomised`;
        - "pbm": the position-based model by maximum likelihood, from the same pairs; it overstates the examination of low
          ranks where pairs have few impressions each, as each has a parameter of its own;
        - "regression": the position-based model with relevance by a logistic regression on `X` (Wang et al. 2018), where
          one ranking was shown for each query; right as far as X explains relevance and does not tell the rank;
        - "trust": alpha and beta of the affine click model (Agarwal et al. 2019), from pairs shown at several ranks;
        - "auto": "swaps" if `randomised` is given, else "harvesting"; where these have nothing to compare, "regression" if
          X is given.
    X : array of shape (n_pairs, n_features), optional
        Features of ``log.pairs``, for "regression".
    randomised : str, optional
        Name of the ranker of a share of the sessions in which ranks were drawn at random, wholly or by swaps.
    n_bootstrap : int
        Number of resamples for the intervals; 0 for no intervals.
    random_state : int
        Random seed for the resamples.
    assume : bool
        Whether to assume equal relevance at all ranks where nothing tells position from relevance, which overstates position
        bias if the ranking is any good; a note says so.

    Returns
    -------
    PositionBias
        Its ranks end at the last one that comparisons link to rank 1; ranks below have the bias of that one.

    Raises
    ------
    InputError
        If nothing in the log tells position from relevance; the message says what to log.

    Examples
    --------
    >>> import numpy as np
    >>> from directrank.clicks import ClickLog, estimate_bias
    >>> random = np.random.default_rng(0)
    >>> docno = np.array([random.permutation(["a", "b"]) for _ in range(4000)])
    >>> click = random.random(docno.shape) < np.where(docno == "a", 0.8, 0.4) * [1.0, 0.5]
    >>> log = ClickLog.from_arrays(np.repeat(np.arange(4000), 2), np.repeat("q", 8000), docno.ravel(),
    ...                            np.tile([1, 2], 4000), click.ravel())
    >>> bias = estimate_bias(log)
    >>> bias.method, bias.alpha.round(2)
    ('harvesting', array([1. , 0.5]))
    >>> bool(bias.low[1] < 0.5 < bias.high[1])
    True
    """
    _check(log, method, n_bootstrap)
    features = None if X is None else _features(X, log)
    problem = _problem(log, method, features, randomised, assume)
    rows = problem.rows
    solver = _solver(problem, features)
    fit = solver.fit(rows.shown, rows.clicks)
    low = high = None
    if n_bootstrap:
        low, high = bootstrap_intervals(solver, rows, fit, log.n_sessions, n_bootstrap, random_state)
    return _by_rank(log, problem, fit, low, high)


def _problem(log: ClickLog, method: str, X: Floats | None, randomised: str | None, assume: bool) -> _Problem:
    """The method, and the impressions that it uses; refused if they do not identify the bias."""
    chosen = ("harvesting" if randomised is None else "swaps") if method == "auto" else method
    if chosen == "regression" and X is None:
        raise InputError("method='regression' needs X, the features of the pairs of the log")
    rows = CellRows.of_log(log, _chosen_rows(log, chosen, randomised))
    if chosen == "regression":
        return _Problem(chosen, _with_clicks(rows))
    linked = rows.linked()
    if linked.cells.size:
        return _Problem(chosen, linked)
    if method == "auto" and X is not None:
        return _Problem("regression", _with_clicks(CellRows.of_log(log)))
    if assume:
        return _Problem("click rates", _with_clicks(CellRows.of_log(log)))
    raise identification_error(chosen, rows, randomised)


def _chosen_rows(log: ClickLog, method: str, randomised: str | None) -> Bools | None:
    """The impressions that a method compares; None for all."""
    if randomised is not None:
        named = np.flatnonzero(log.rankers == randomised)
        if not named.size:
            names = ", ".join(map(str, log.rankers)) or "no rankers"
            raise InputError(f"randomised={randomised!r} must be the name of a ranker, and the log has {names}")
        return (log.ranker == named[0])[log.session]
    return exchanged_rows(log) if method == "swaps" else None


def _with_clicks(rows: CellRows) -> CellRows:
    """The impressions at ranks that have clicks."""
    clicked = summed(rows.cells.rank, rows.clicks, rows.cells.ranks.size) > 0
    if not clicked.any() or rows.cells.ranks[np.argmax(clicked)] != 1:
        raise InputError("the log has no click at rank 1, to which the bias of other ranks is relative; log more sessions")
    return rows.select(clicked[rows.cells.rank])


def _solver(problem: _Problem, X: Floats | None) -> BiasMethod:
    cells = problem.rows.cells
    match problem.method:
        case "harvesting" | "swaps":
            return Harvesting(cells)
        case "regression":
            assert X is not None
            return RegressionEM(cells, X[cells.pairs])
        case "trust":
            return TrustBiasEM(cells)
        case "click rates":
            return ClickRates(cells)
    return PositionBasedEM.of_cells(cells)


def _by_rank(log: ClickLog, problem: _Problem, fit: BiasFit, low: Floats | None, high: Floats | None) -> PositionBias:
    """The fit at all ranks from 1 to the last that has one, with interpolated values between those that have."""
    found = np.isfinite(fit.alpha) & (fit.alpha > 0)
    if not found[0]:
        raise InputError("rank 1 has no more clicks on relevant documents than on others, so that its bias is not defined")
    ranks = problem.rows.cells.ranks[found]
    every = np.arange(1, ranks[-1] + 1)
    alpha = np.exp(np.interp(np.log(every), np.log(ranks), np.log(fit.alpha[found])))
    alpha[ranks - 1] = fit.alpha[found]

    def ends(values: Floats | None) -> Floats | None:
        if values is None:
            return None
        spread = np.full(every.size, np.nan)
        spread[ranks - 1] = values[found]
        return spread

    notes = (method_note(problem.method, log, problem.rows), *rank_notes(problem.method, log, problem.rows, ranks))
    beta = np.interp(every, ranks, fit.beta[found])
    return PositionBias(alpha, beta, ends(low), ends(high), problem.method, log.n_sessions, notes)


def _check(log: ClickLog, method: str, n_bootstrap: int) -> None:
    if method not in METHODS:
        raise InputError(f"method must be one of {', '.join(METHODS)}, not {method!r}")
    if n_bootstrap < 0 or n_bootstrap == 1:
        raise InputError(f"n_bootstrap must be 0, for no intervals, or at least 2, not {n_bootstrap}")
    if not log.clicked.any():
        raise InputError("the log has no clicks, and position bias shows in clicks only; log more sessions")


def _features(X: ArrayLike, log: ClickLog) -> Floats:
    features = np.asarray(X, np.float64)
    if features.ndim != 2 or len(features) != log.pairs.query.size:
        wanted = f"a row of features for each of the {log.pairs.query.size} pairs of the log"
        raise InputError(f"X must have {wanted}, not the shape {features.shape}")
    if not np.isfinite(features).all():
        row = int(np.argmin(np.isfinite(features).all(axis=1)))
        raise InputError(f"X has a missing or infinite value for pair {row} (counted from 0); fill it in")
    return features
