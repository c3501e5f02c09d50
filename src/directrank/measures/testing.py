"""Checks of measures against brute force: all orders of ties, all swaps, all rankings of small queries.

For authors of measures, in this package or in others. Each check raises an `AssertionError` that shows the smallest query on
which the measure is wrong; none needs a test framework. The queries are the same in every run, and you may pass others, for
example from Hypothesis. A cut-off beyond the longest query is an error, since it would not be tested.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ..arrays import Floats
from .bound import bind
from .capabilities import Lambdas, SupportsEvaluate
from .errors import MeasureError
from .naming import name_of
from .pairs.evaluated_swaps import MIN_DISTANCE
from .ranking.tie_orders import Definition

__all__ = ["SmallQuery", "check_evaluate", "check_lambdas", "check_most_violated", "small_queries"]


def __dir__() -> list[str]:
    return __all__


#: Largest number of documents of a generated query: they have 720 rankings.
MAX_DOCUMENTS = 6

#: Largest difference from brute force.
TOLERANCE = 1e-9


class SmallQuery(NamedTuple):
    """Scores and grades of a few documents."""

    scores: Floats
    grades: Floats


def small_queries(
    grades: Sequence[float] = (0, 0, 1, 2), *, count: int = 150, unranked: bool = False, random_state: int = 0
) -> list[SmallQuery]:
    """Random queries of one to six documents, the smallest first, half of them with ties.

    Parameters
    ----------
    grades : sequence of numbers
        Grades to draw from; a repeated grade is drawn more often.
    count : int
        Number of queries.
    unranked : bool
        Whether some documents have the score -inf, as if a run did not return them.
    random_state : int
        Random seed.
    """
    random = np.random.default_rng(random_state)
    few = np.array([-1.0, 0.0, 0.5, 2.0, *([-np.inf] * unranked)])
    made = []
    for number in range(count):
        n = 1 + number * MAX_DOCUMENTS // count
        scores = random.choice(few, n) if number % 2 else random.normal(size=n)
        made.append(SmallQuery(scores, random.choice(np.asarray(grades, np.float64), n)))
    return made


def check_evaluate(
    measure: SupportsEvaluate,
    definition: Definition,
    queries: Sequence[SmallQuery] | None = None,
    *,
    ties: Literal["mean", "worst"] = "mean",
) -> None:
    """Check values against a definition, over all orders of ties, for each query alone and for all together.

    Parameters
    ----------
    measure : Measure, or any object with `evaluate`
    definition : callable
        ``definition(ranked, unranked)``: the value of one ranking in slow and obvious code. `ranked` has the grades by rank,
        `unranked` for documents without a rank.
    queries : list of SmallQuery, optional
        By default `small_queries` with documents that have no rank.
    ties : {"mean", "worst"}
        Whether the value is the mean over the orders of ties, or the value of the worst order.
    """
    queries = _smallest_first(measure, small_queries(unranked=True) if queries is None else queries)
    together = _all_together(queries)
    values = bind(measure, together.grades, _offsets(queries)).evaluate(together.scores)
    for query, value in zip(queries, values, strict=True):
        by_order = [definition(*order) for order in _orders_of(query)]
        wanted = math.fsum(by_order) / len(by_order) if ties == "mean" else min(by_order)
        _assert_near(measure, "value", query, _bound(measure, query).evaluate(query.scores)[0], wanted)
        _assert_near(measure, "value among other queries", query, value, wanted)


def check_lambdas(
    measure: SupportsEvaluate,
    queries: Sequence[SmallQuery] | None = None,
    *,
    better: Callable[[Floats], ArrayLike] | None = None,
) -> None:
    r"""Check lambdas against sums over all pairs, with the measure evaluated for every swap.

    .. math:: g_i = \sum_{l_j > l_i} \frac{|\Delta_{ij}|}{1 + e^{s_j - s_i}}
                  - \sum_{l_j < l_i} \frac{|\Delta_{ij}|}{1 + e^{s_i - s_j}}

    and :math:`|\Delta_{ij}|\, p (1 - p)` for the hessian. For tied documents :math:`|\Delta|` is the mean over all their
    orders. By distance, each :math:`|\Delta|` is divided by :math:`0.01 + |s_i - s_j|` unless all scores are equal.

    Parameters
    ----------
    measure : Measure
        A measure that supports "lambdas". Its `evaluate` is assumed to be right: check that first.
    queries : list of SmallQuery, optional
    better : callable, optional
        ``better(grades)`` returns the keys by which documents are compared, NaN for documents that are not compared; by
        default the grades themselves.
    """
    for query in _smallest_first(measure, small_queries() if queries is None else queries):
        changes = np.mean([_changes(measure, query.grades, order) for order in _tied_orders(query.scores)], axis=0)
        keys = query.grades if better is None else np.asarray(better(query.grades), np.float64)
        weights = _weights_by_distance(query.scores)
        for found, wanted in (
            (_bound(measure, query).lambdas(query.scores), _summed(query.scores, keys, changes)),
            (_bound(measure, query).lambdas(query.scores, True), _summed(query.scores, keys, weights * changes)),
        ):
            for part, ours, theirs in zip(("gradient", "hessian"), found, wanted, strict=True):
                _assert_near(measure, part, query, ours, theirs)


def check_most_violated(measure: Any, queries: Sequence[SmallQuery] | None = None, *, exact: bool = True) -> None:
    r"""Check the properties of the most violated output that structural SVMs rely on.

    With the coefficients c and the loss :math:`\Delta` found at the scores s, the slack is
    :math:`H(s) = \Delta - c \cdot s`, and

    - :math:`H(s)` is at least the loss of the ranking by s: it bounds the loss;
    - :math:`H(s') \ge \Delta - c \cdot s'` for all other scores s': the same output is feasible there, so H is convex and a
      cutting plane cuts nothing off;
    - if exact, H(s) is the maximum over **all** rankings y of :math:`\Delta(y) - (\Psi(y^*) - \Psi(y)) \cdot s`, and c and
      the loss belong to one of them. :math:`\Psi` is Yue's (2007): :math:`\pm 1/(R N)` for each pair of a relevant and a
      non-relevant document.

    Queries that are not `informative` are left out, as in training.

    Parameters
    ----------
    measure : Measure
        A measure that supports "most_violated"; `relevant` says which documents are relevant.
    queries : list of SmallQuery, optional
    exact : bool
        False for a measure whose oracle is a bound only, as with several grades or a cut-off.
    """
    random = np.random.default_rng(0)
    for query in _smallest_first(measure, small_queries() if queries is None else queries):
        bound = _bound(measure, query)
        if not bound.informative[0]:
            continue
        coefficients, (loss,) = bound.most_violated(query.scores)
        slack = loss - coefficients @ query.scores
        lost = bound.evaluate(query.grades)[0] - bound.evaluate(query.scores)[0]
        _assert_at_least(measure, "slack is below the loss of the ranking by score", query, slack, lost)
        for scale in (0.1, 1.0, 10.0):
            other = scale * random.normal(size=query.scores.size)
            theirs, (their_loss,) = bound.most_violated(other)
            where = f"slack at {other.tolist()} is below the slack of the output found at the scores"
            _assert_at_least(measure, where, query, their_loss - theirs @ other, loss - coefficients @ other)
        if exact:
            _check_against_all_rankings(measure, query, coefficients, loss)


def _smallest_first(measure: SupportsEvaluate, queries: Sequence[SmallQuery]) -> list[SmallQuery]:
    """Queries by size; at least one must have a document beyond the measure's cut-off."""
    ordered = sorted(queries, key=lambda query: query.grades.size)
    longest, k = ordered[-1].grades.size if ordered else 0, getattr(measure, "k", None)
    if isinstance(k, int) and k >= longest:
        advice = f"check it with k below {longest}, or bring longer queries"
        raise MeasureError(
            f"{name_of(measure)}: no query has more than {longest} documents, so its cut-off cuts none; {advice}"
        )
    return ordered


def _check_against_all_rankings(measure: Any, query: SmallQuery, coefficients: Floats, loss: float) -> None:
    relevant = measure.relevant(query.grades)
    ranks = [np.array(order) for order in itertools.permutations(range(query.grades.size))]
    values = np.array([_bound(measure, query).evaluate(-rank.astype(np.float64))[0] for rank in ranks])
    psis = np.array([_psi(relevant, rank) for rank in ranks])
    right = _psi(relevant, np.argsort(np.argsort(~relevant, kind="stable")))
    losses, differences = values.max() - values, right - psis
    wanted = np.max(losses - differences @ query.scores)
    _assert_near(measure, "slack", query, loss - coefficients @ query.scores, wanted)
    same = (np.abs(losses - loss) < TOLERANCE) & (np.abs(differences - coefficients).max(axis=1) < TOLERANCE)
    _require(bool(same.any()), measure, "the loss and the coefficients belong to no ranking", query)


def _psi(relevant: Any, rank: Any) -> Floats:
    """Yue's Psi, as a coefficient of each document."""
    psi = np.zeros(relevant.size)
    for i, j in itertools.product(np.flatnonzero(relevant), np.flatnonzero(~relevant)):
        sign = 1 if rank[i] < rank[j] else -1
        psi[[i, j]] += np.array([sign, -sign]) / (relevant.sum() * (~relevant).sum())
    return psi


def _bound(measure: SupportsEvaluate, query: SmallQuery) -> Any:
    return bind(measure, query.grades, np.array([0, query.grades.size]))


def _all_together(queries: Sequence[SmallQuery]) -> SmallQuery:
    return SmallQuery(*(np.concatenate(part) for part in zip(*queries, strict=True)))


def _offsets(queries: Sequence[SmallQuery]) -> Any:
    return np.cumsum([0, *(query.grades.size for query in queries)])


def _tied_orders(scores: Floats) -> Iterator[list[int]]:
    """Documents by rank, in all orders that the scores allow."""
    groups = [np.flatnonzero(scores == score).tolist() for score in sorted(set(scores.tolist()), reverse=True)]
    for choice in itertools.product(*(itertools.permutations(group) for group in groups)):
        yield list(itertools.chain(*choice))


def _orders_of(query: SmallQuery) -> Iterator[tuple[list[float], list[float]]]:
    """Grades by rank in all orders that the scores allow, and the grades of documents without a rank."""
    has_rank = query.scores > -np.inf
    grades = query.grades[has_rank]
    for order in _tied_orders(query.scores[has_rank]):
        yield grades[order].tolist(), query.grades[~has_rank].tolist()


def _changes(measure: SupportsEvaluate, grades: Floats, order: list[int]) -> Floats:
    """Absolute change of the measure when two documents swap ranks, for each pair."""
    n = grades.size
    rank = np.empty(n)
    rank[order] = np.arange(n)
    bound = bind(measure, grades, np.array([0, n]))
    before, changes = bound.evaluate(-rank)[0], np.zeros((n, n))
    for i, j in itertools.combinations(range(n), 2):
        swapped = rank.copy()
        swapped[[i, j]] = rank[[j, i]]
        changes[i, j] = changes[j, i] = abs(bound.evaluate(-swapped)[0] - before)
    return changes


def _summed(scores: Floats, better: Floats, changes: Floats) -> Lambdas:
    found = Lambdas(np.zeros(scores.size), np.zeros(scores.size))
    for i, j in itertools.permutations(range(scores.size), 2):
        if better[i] > better[j]:
            p = 1 / (1 + math.exp(scores[i] - scores[j]))
            found.gradient[[i, j]] += changes[i, j] * p * np.array([-1, 1])
            found.hessian[[i, j]] += changes[i, j] * p * (1 - p)
    return found


def _weights_by_distance(scores: Floats) -> Floats:
    """Weight of each pair of documents: 1 over 0.01 plus the distance of their scores; 1 if all scores are equal."""
    distances: Floats = np.abs(scores[:, None] - scores)
    return 1 / (MIN_DISTANCE + distances) if distances.any() else np.ones_like(distances)


def _assert_near(measure: SupportsEvaluate, what: str, query: SmallQuery, found: Any, wanted: Any) -> None:
    right = np.shape(found) == np.shape(wanted) and np.allclose(found, wanted, rtol=0, atol=TOLERANCE)
    _require(right, measure, f"the {what} is {_shown(found)}, and by brute force {_shown(wanted)}", query)


def _assert_at_least(measure: SupportsEvaluate, what: str, query: SmallQuery, found: float, least: float) -> None:
    _require(found >= least - TOLERANCE, measure, f"the {what}: {_shown(found)} < {_shown(least)}", query)


def _shown(value: Any) -> str:
    return np.array2string(np.asarray(value), precision=6, separator=", ")


def _require(holds: bool, measure: SupportsEvaluate, fault: str, query: SmallQuery) -> None:
    """Raise an `AssertionError` unless the condition holds; ``python -O`` would skip an assert statement."""
    if not holds:
        where = f"at scores {query.scores.tolist()} of grades {query.grades.tolist()}"
        raise AssertionError(f"{name_of(measure)}: {fault}, {where}")
