r"""Sums over pairs of documents: the lambdas of LambdaMART (Burges 2010).

.. math:: \lambda_{ij} = \frac{|\Delta_{ij}|}{1 + e^{s_i - s_j}}, \qquad
          g_i = \sum_{l_j > l_i} \lambda_{ji} - \sum_{l_j < l_i} \lambda_{ij}

over the pairs of a query with l_i > l_j, where Delta is the change of the measure when the two swap ranks. The hessian is
the sum of :math:`|\Delta_{ij}|\, p (1 - p)` with :math:`p = 1/(1 + e^{s_i - s_j})`, over all pairs that a document is in.
For tied documents \|Delta\| is averaged over all their orders, so that the order of the rows does not matter.

By distance, each \|Delta\| is divided by :math:`0.01 + |s_i - s_j|`, unless all scores of the query are equal, as in
LightGBM: close pairs count more as training goes on, and pairs that are far apart hardly at all.

For most measures \|Delta\| is \|gain_i - gain_j\| (upper_i + lower_j), where i ranks above j: a measure describes its swaps
by `Swaps`, and one kernel sums over the pairs. Short queries are distributed over the cores; a long query is parallelised
itself, and where it has too many pairs to visit, `core/measures/pairs/long_queries.hpp` sums them to seven digits, but
not by distance.

Where that is not possible (more than 16 grades, by distance, or swaps that are not gain times discount, as in AP) and a
query has more than 2^30 pairs, the sums are estimated: its documents are dealt to strata, each with its share of all
grades and scores and at least 2048 documents, and the pairs within each stratum stand for all. The time of a round is then
linear in the number of documents.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...arrays import Floats, Ints
from ...core import pairwise as kernels
from ..capabilities import Lambdas
from ..ranking.levels import Levels
from .swaps import Swaps

#: Queries with more documents are parallelised themselves.
MAX_SHORT_QUERY = 2048

#: With more pairs of documents of two grades, sums are approximate; see `long_queries.hpp`.
MAX_EXACT_PAIRS = 2**22

#: Of more other pairs of one query, a sample is visited; see `strata.hpp`.
MAX_VISITED_PAIRS = 2**30


class PairGroups(NamedTuple):
    """Documents of each query by grade, for sums over pairs of unequal grade.

    Attributes
    ----------
    offsets : int64 array
    by_level : int32 array
        Documents of each query by ascending grade, numbered within the query.
    level, n_levels : arrays
        As in `Levels`.
    """

    offsets: Ints
    by_level: NDArray[np.int32]
    level: NDArray[np.int32]
    n_levels: Ints


def pair_groups(levels: Levels, offsets: Ints) -> PairGroups:
    """Documents by grade, as `pairwise_lambdas` takes them; independent of the scores, so computed once."""
    return PairGroups(offsets, kernels.order_by_level(*levels, offsets), *levels)


def pairwise_lambdas(scores: Floats, groups: PairGroups, swaps: Swaps, by_distance: bool = False) -> Lambdas:
    """Sums over all pairs of unequal grade; see `SupportsLambdas` for `by_distance`."""
    offsets, by_level, level, _ = groups
    return Lambdas(*kernels.lambdas(scores, offsets, by_level, level, *swaps, *limits(), by_distance))


def limits() -> tuple[int, int, int]:
    """Limits on the work for one query, as the kernels take them."""
    return MAX_SHORT_QUERY, MAX_EXACT_PAIRS, MAX_VISITED_PAIRS
