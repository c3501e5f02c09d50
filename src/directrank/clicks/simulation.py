"""Click logs, simulated from graded data and a ranking."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..arrays import Bools, Ints
from ..data import InputError, RankingData
from ..data.checked_arrays import as_scores
from .click_log import ClickLog, Pairs
from .simulated_users import CascadeUser, DBNUser, PositionBasedUser, SimulatedUser, TrustBiasUser, click_relevance

#: How the rankings of a share of the sessions are changed at random.
RANDOMISATIONS = ("shuffle", "swap")

#: Name of the ranker, if there is one only, and of the sessions that are randomised.
PRODUCTION, RANDOM = "production", "random"


def simulate_clicks(
    data: RankingData,
    scores: ArrayLike | Mapping[str, ArrayLike],
    *,
    model: str | SimulatedUser = "pbm",
    n_sessions: int = 10_000,
    n_ranks: int = 10,
    eta: float = 1.0,
    noise: float = 0.1,
    randomised: float = 0.0,
    randomisation: str = "shuffle",
    query_weight: ArrayLike | None = None,
    random_state: int | np.random.Generator = 0,
) -> ClickLog:
    r"""Simulate what users click on the rankings of graded data.

    Each session has one query, drawn at random, and shows the documents with the highest scores; tied ones are in the order
    of their rows, and those of score -inf are not shown. A document of grade g is clicked, if the user examines it, with the
    probability :math:`\epsilon + (1 - \epsilon)(2^g - 1)/(2^{g_{max}} - 1)`, its relevance.

    Parameters
    ----------
    data : RankingData
        Documents with grades. Those without a `docno` are named by the number of their row, from 0.
    scores : array, or mapping of name to array
        Score of each row; or of several rankers by name, one of which, drawn at random, serves each session.
    model : {"pbm", "cascade", "dbn", "trust"} or user
        How users click: `PositionBasedUser`, `CascadeUser`, `DBNUser`, `TrustBiasUser`; or one of these with its parameters,
        or an object of your own with the methods of `SimulatedUser`.
    n_sessions : int
    n_ranks : int
        Number of documents that are shown, at most.
    eta : float
        Strength of the position bias of "pbm" and "trust", whose users examine rank k with the probability
        :math:`(1/k)^{\eta}`. A user that is given as an object has its own.
    noise : float
        The probability :math:`\epsilon` of a click on an examined document of grade 0.
    randomised : float
        Share of the sessions whose ranking is changed at random, so that the position bias can be estimated. Their ranker is
        named "random".
    randomisation : {"shuffle", "swap"}
        Whether their documents are shuffled, or neighbours are swapped: ranks 1 and 2, 3 and 4 and so on, or 2 and 3, 4 and
        5 and so on, by a coin for each session, and each such pair by a coin (Radlinski & Joachims 2006).
    query_weight : array, optional
        How often each query is asked, in proportion, in the order of their first rows; equally often by default.
    random_state : int or Generator
        Random seed.

    Examples
    --------
    >>> data = RankingData([[0.9], [0.4], [0.2]], y=[0, 1, 0], qid=["a", "a", "a"], docno=["x", "y", "z"])
    >>> log = simulate_clicks(data, data.X[:, 0], n_sessions=1000)
    >>> log.n_impressions, log.pairs.docno.tolist()
    (3000, ['x', 'y', 'z'])
    >>> [round(float(log.click[log.rank == rank].mean()), 2) for rank in (1, 2, 3)]
    [0.11, 0.51, 0.04]
    """
    rankings = _rank(data, scores, n_ranks)
    _check(n_sessions, noise, randomised, randomisation, rankings)
    user = _as_user(model, eta)
    random = np.random.default_rng(random_state)
    query = _draw_queries(data.n_queries, query_weight, n_sessions, random)
    ranker = random.integers(len(rankings.names), size=n_sessions)
    rows, sizes = rankings.rows[ranker, query], rankings.sizes[ranker, query]
    chosen = np.flatnonzero(random.random(n_sessions) < randomised)
    rows[chosen] = np.take_along_axis(rows[chosen], _changed_order(randomisation, rows.shape[1], sizes[chosen], random), 1)
    ranker[chosen] = len(rankings.names)
    is_shown = np.arange(rows.shape[1]) < sizes[:, None]
    relevance = np.where(is_shown, click_relevance(data.y, noise)[rows], 0.0)
    clicked = user.click(relevance, random)[is_shown]
    names = [*rankings.names, RANDOM] if randomised else rankings.names
    return _as_log(data, query, rows[is_shown], sizes, clicked, names, ranker)


class _Rankings(NamedTuple):
    """The documents that rankers show for each query.

    Attributes
    ----------
    names : list of str
        Names of the rankers.
    rows : int64 array, rankers x queries x ranks
        Row of the document at each rank; any row beyond the last document.
    sizes : int64 array, rankers x queries
        Number of documents that are shown.
    """

    names: list[str]
    rows: NDArray[np.int64]
    sizes: NDArray[np.int64]


def _rank(data: RankingData, scores: ArrayLike | Mapping[str, ArrayLike], n_ranks: int) -> _Rankings:
    """Rank the documents of each query by the scores of each ranker."""
    if n_ranks < 1:
        raise InputError(f"n_ranks must be at least 1, not {n_ranks}")
    by_name = dict(scores) if isinstance(scores, Mapping) else {PRODUCTION: scores}
    if not by_name:
        raise InputError("scores names no ranker; give the scores of at least one")
    queries = data.by_query()
    lengths = np.diff(queries.offsets)
    query = np.repeat(np.arange(lengths.size), lengths)
    places = queries.offsets[:-1, None] + np.minimum(np.arange(min(n_ranks, lengths.max())), lengths[:, None] - 1)
    rows, sizes = [], []
    for name, given in by_name.items():
        values = queries.to_query_order(as_scores(given, len(data), f"the scores of ranker {name!r}"))
        rows.append(queries.order[np.lexsort((-values, query))][places])
        sizes.append(np.minimum(np.bincount(query[values > -np.inf], minlength=lengths.size), n_ranks))
        if not sizes[-1].all():
            empty = queries.ids[np.argmin(sizes[-1])]
            raise InputError(f"ranker {name!r} returns no document for query {empty}: all its scores are -inf; leave it out")
    return _Rankings([str(name) for name in by_name], np.array(rows), np.array(sizes))


def _check(n_sessions: int, noise: float, randomised: float, randomisation: str, rankings: _Rankings) -> None:
    if n_sessions < 1:
        raise InputError(f"n_sessions must be at least 1, not {n_sessions}")
    for name, value in {"noise": noise, "randomised": randomised}.items():
        if not 0 <= value <= 1:
            raise InputError(f"{name} must be from 0 to 1, not {value}")
    if randomisation not in RANDOMISATIONS:
        raise InputError(f"randomisation must be {' or '.join(RANDOMISATIONS)}, not {randomisation!r}")
    if randomised and RANDOM in rankings.names:
        raise InputError(f"a ranker is named {RANDOM!r}, as randomised sessions are; give it another name")


def _as_user(model: str | SimulatedUser, eta: float) -> SimulatedUser:
    if isinstance(model, SimulatedUser) and not isinstance(model, type):
        return model
    users: dict[str, SimulatedUser] = {
        "pbm": PositionBasedUser(eta),
        "cascade": CascadeUser(),
        "dbn": DBNUser(),
        "trust": TrustBiasUser(eta),
    }
    if not isinstance(model, str) or model not in users:
        raise InputError(f"model must be {', '.join(users)}, or a user with click_probabilities and click, not {model!r}")
    return users[model]


def _draw_queries(n_queries: int, weight: ArrayLike | None, n_sessions: int, random: np.random.Generator) -> Ints:
    """Draw the query of each session."""
    if weight is None:
        return random.integers(n_queries, size=n_sessions)
    weights = np.asarray(weight, np.float64)
    if weights.shape != (n_queries,) or not np.all((weights >= 0) & (weights < np.inf)) or not weights.any():
        raise InputError(f"query_weight must be {n_queries:,} numbers, one for each query, not negative and not all 0")
    return random.choice(n_queries, n_sessions, p=weights / weights.sum())


def _changed_order(kind: str, n_ranks: int, sizes: Ints, random: np.random.Generator) -> Ints:
    """Column whose document moves to each rank, of each session; documents stay above the end of their page."""
    rank = np.arange(n_ranks)
    if kind == "shuffle":
        keys = np.where(rank < sizes[:, None], random.random((sizes.size, n_ranks)), 1.0)
        return np.argsort(keys, axis=1)
    first = random.integers(2, size=(sizes.size, 1))
    moves_down = ((rank - first) % 2 == 0) & (rank + 1 < sizes[:, None]) & (random.random((sizes.size, n_ranks)) < 0.5)
    moves_up = np.roll(moves_down, 1, axis=1)
    return rank + moves_down - moves_up.astype(np.int64)


def _as_log(
    data: RankingData, query: Ints, rows: Ints, sizes: Ints, clicked: Bools, rankers: list[str], ranker: Ints
) -> ClickLog:
    """The log of sessions whose impressions are laid out one after another, from the top."""
    grouping = data.by_query()
    query_of_row = grouping.to_row_order(np.repeat(np.arange(data.n_queries), np.diff(grouping.offsets)))
    asked, query = _renumber(query, data.n_queries)
    shown, pair = _renumber(rows, len(data))
    docnos = shown if data.docno is None else data.docno[shown]
    ids = grouping.ids[asked]
    pairs = Pairs(np.searchsorted(asked, query_of_row[shown]), np.array(docnos.tolist(), object))
    _check_distinct(pairs, ids)
    offsets = np.concatenate(([0], np.cumsum(sizes)))
    return ClickLog(
        offsets=offsets,
        sessions=np.arange(1, query.size + 1).astype(object),
        queries=np.array(ids.tolist(), object),
        query=query,
        pairs=pairs,
        pair=pair,
        rank=np.arange(1, rows.size + 1) - np.repeat(offsets[:-1], sizes),
        click=clicked.astype(np.float64),
        rankers=np.array(rankers, object),
        ranker=ranker,
    )


def _renumber(numbers: Ints, n_numbers: int) -> tuple[Ints, Ints]:
    """The numbers that are there, ascending, and the place of each number among them."""
    is_there = np.zeros(n_numbers, np.bool_)
    is_there[numbers] = True
    return np.flatnonzero(is_there), (np.cumsum(is_there) - 1)[numbers]


def _check_distinct(pairs: Pairs, ids: NDArray[Any]) -> None:
    """Raise if a document is there twice for a query."""
    seen: set[tuple[int, Any]] = set()
    for pair in zip(pairs.query.tolist(), pairs.docno.tolist(), strict=True):
        if pair in seen:
            raise InputError(f"document {pair[1]} is there twice for query {ids[pair[0]]}; keep one of its rows")
        seen.add(pair)
