"""Building blocks of the measures of this package, for custom measures.

A measure that sums gain times discount gets `lambdas` and `most_violated` from two calls each; the page "Writing and testing
a measure" of the documentation goes through an example. `directrank.measures.testing` checks measures against brute force.
"""

from .bound import RelevanceBound
from .pairs.pairwise import PairGroups, pair_groups, pairwise_lambdas
from .pairs.precision_swaps import Earnings, precision_swaps
from .pairs.swaps import DiscountTable, Swaps, discount_table, discounted_swaps
from .ranking.levels import Levels, count_by_query, levels_of, values_differ
from .ranking.sorting import ranked
from .ranking.tie_orders import average_over_ties, mean_gains_of_ties
from .violations.interleaving import most_violated_first_ranks, most_violated_gains, most_violated_precisions
from .violations.minorant import convex_minorant

__all__ = [
    "DiscountTable",
    "Earnings",
    "Levels",
    "PairGroups",
    "RelevanceBound",
    "Swaps",
    "average_over_ties",
    "convex_minorant",
    "count_by_query",
    "discount_table",
    "discounted_swaps",
    "levels_of",
    "mean_gains_of_ties",
    "most_violated_first_ranks",
    "most_violated_gains",
    "most_violated_precisions",
    "pair_groups",
    "pairwise_lambdas",
    "precision_swaps",
    "ranked",
    "values_differ",
]
