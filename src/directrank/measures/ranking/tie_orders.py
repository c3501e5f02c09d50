"""Means over the orders of tied documents, for measures that are defined on rankings without ties."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import chain, pairwise, product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...arrays import Floats, Ints

#: A measure by its definition: from the grades by rank, best first, and the grades of the documents without a rank.
Definition = Callable[[list[float], list[float]], float]


def average_over_ties(
    definition: Definition, scores: Floats, grades: Floats, offsets: Ints, *, max_orders: int = 1000
) -> Floats:
    """Value of each query: the mean of a definition over all orders of documents of equal score.

    The simplest `evaluate` that does not depend on the order of the rows. It calls `definition` once for each order, so a
    closed form is faster.

    Parameters
    ----------
    definition : callable
        ``definition(ranked, unranked)``: value of a ranking without ties, given the grades by rank, and the grades of the
        documents without a rank, whose score is -inf.
    scores, grades : float64 arrays, laid out by query
    offsets : int64 array, one longer than the number of queries
    max_orders : int
        For a query with more distinct orders of grades than this, the mean over `max_orders` random orders is taken, which
        do not depend on the order of the rows.

    Examples
    --------
    >>> import numpy as np
    >>> from directrank.measures.parts import average_over_ties
    >>> def reciprocal_rank(ranked, unranked):
    ...     return next((1 / rank for rank, grade in enumerate(ranked, 1) if grade > 0), 0.0)
    >>> scores, grades = np.array([1.0, 0.0, 0.0]), np.array([0.0, 0.0, 1.0])
    >>> average_over_ties(reciprocal_rank, scores, grades, np.array([0, 3])).round(4)  # (1/2 + 1/3) / 2
    array([0.4167])
    """
    values = np.zeros(offsets.size - 1)
    for query, (start, end) in enumerate(pairwise(offsets)):
        groups, unranked = _tie_groups(scores[start:end], grades[start:end])
        if math.prod(map(_n_arrangements, groups)) <= max_orders:
            orders: Iterator[list[float]] = (
                list(chain(*choice)) for choice in product(*(list(_arrangements(Counter(group))) for group in groups))
            )
        else:
            orders = _random_orders(groups, max_orders)
        values[query] = np.mean([definition(order, unranked) for order in orders]) if end > start else 0.0
    return values


def mean_gains_of_ties(gains: NDArray[Any], scores: Floats, offsets: Ints) -> Floats:
    """Mean gain of the documents that are tied with each document; 0 for documents without a rank.

    A measure that sums, over the ranks, gain times a weight of the rank is averaged over all orders of ties if it takes
    these gains: no orders need be tried.

    Parameters
    ----------
    gains, scores : arrays, laid out by query, the documents of each query by descending score
        As a custom `evaluate` gets them.
    offsets : int64 array, one longer than the number of queries

    Examples
    --------
    >>> import numpy as np
    >>> from directrank.measures.parts import mean_gains_of_ties
    >>> scores, gains = np.array([2.0, 1.0, 1.0, -np.inf]), np.array([0.0, 1.0, 0.0, 1.0])
    >>> mean_gains_of_ties(gains, scores, np.array([0, 4]))
    array([0. , 0.5, 0.5, 0. ])
    """
    if scores.size == 0:
        return np.zeros(0)
    is_first = np.append(True, scores[1:] != scores[:-1])
    is_first[offsets[:-1][np.diff(offsets) > 0]] = True
    starts = np.flatnonzero(is_first)
    sizes = np.diff(np.append(starts, scores.size))
    means = np.add.reduceat(np.where(scores > -np.inf, gains, 0.0), starts) / sizes
    return np.repeat(means, sizes)


def _tie_groups(scores: Floats, grades: Floats) -> tuple[list[list[float]], list[float]]:
    """Grades of each group of equal score, ascending, the highest score first; and grades of documents without a rank."""
    has_rank = scores > -np.inf
    distinct, group = np.unique(-scores[has_rank], return_inverse=True)
    ranked = grades[has_rank]
    return [np.sort(ranked[group == g]).tolist() for g in range(distinct.size)], np.sort(grades[~has_rank]).tolist()


def _n_arrangements(group: list[float]) -> int:
    """Number of distinct orders of a group's grades."""
    return math.factorial(len(group)) // math.prod(map(math.factorial, Counter(group).values()))


def _arrangements(counts: Counter[float]) -> Iterator[list[float]]:
    """All distinct orders of grades that occur as often as `counts` says; each is equally likely."""
    if not counts:
        yield []
    for grade in list(counts):
        rest = counts - Counter([grade])
        for arrangement in _arrangements(rest):
            yield [grade, *arrangement]


def _random_orders(groups: list[list[float]], n_orders: int) -> Iterator[list[float]]:
    random = np.random.default_rng(0)
    for _ in range(n_orders):
        yield [grade for group in groups for grade in random.permutation(group).tolist()]
