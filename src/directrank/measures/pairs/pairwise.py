r"""Sums over pairs of documents: the lambdas that LambdaMART follows (Burges 2010).

.. math:: \lambda_{ij} = \frac{|\Delta_{ij}|}{1 + e^{s_i - s_j}}, \qquad
          g_i = \sum_{l_j > l_i} \lambda_{ji} - \sum_{l_j < l_i} \lambda_{ij}

over the pairs of a query with l_i > l_j, where Delta is the change of the measure when the two swap ranks. The hessian is
the sum of :math:`|\Delta_{ij}|\, p (1 - p)` with :math:`p = 1/(1 + e^{s_i - s_j})`, over all pairs that a document is in.
Of documents of equal score the mean of \|Delta\| over all their orders is taken, so that the order of the rows leaves no
trace.

For most measures \|Delta\| is \|gain_i - gain_j\| (upper_i + lower_j), where i stands above j: a measure describes its
swaps by `Swaps`, and one kernel sums over the pairs. Short queries are spread over the cores; a long one has all cores to
itself, and where it has too many pairs to visit, `core/measures/pairs/long_queries.hpp` sums them.
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

#: Queries of more documents have all cores to themselves.
MAX_SHORT_QUERY = 2048

#: Above this many pairs of documents of two grades, sums are approximate; see `long_queries.hpp`.
MAX_EXACT_PAIRS = 2**22


class PairGroups(NamedTuple):
    """The documents of each query by grade, for sums over its pairs of unequal grade.

    Attributes
    ----------
    offsets : int64 array
    by_level : int32 array
        The documents of each query by ascending grade, numbered within it.
    level, n_levels : arrays
        As in `Levels`.
    """

    offsets: Ints
    by_level: NDArray[np.int32]
    level: NDArray[np.int32]
    n_levels: Ints


def pair_groups(levels: Levels, offsets: Ints) -> PairGroups:
    """The documents by grade, as `pairwise_lambdas` takes them; compute it once, as it does not depend on scores."""
    return PairGroups(offsets, kernels.order_by_level(*levels, offsets), *levels)


def pairwise_lambdas(scores: Floats, groups: PairGroups, swaps: Swaps) -> Lambdas:
    """The sums over all pairs of unequal grade."""
    offsets, by_level, level, _ = groups
    return Lambdas(*kernels.lambdas(scores, offsets, by_level, level, *swaps, MAX_SHORT_QUERY, MAX_EXACT_PAIRS))
