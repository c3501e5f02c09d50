"""The most violated ranking for measures that depend only on how relevant and non-relevant documents interleave.

Rankings are compared by Psi(y) = 1/(R N) sum_ij y_ij (x_i - x_j) over the R relevant documents i and the N others j, with
y_ij = +1 where i ranks above j and -1 where it ranks below (Yue et al. 2007, section 3).

(Psi = sum_i D(rank_i) x_i would need no interleaving: one sort finds the ranking. But the best ranking by score always beats
the mean of the right ones in it, and with a little noise w = 0 is the optimum.)
"""

from __future__ import annotations

from ...arrays import Bools, Floats, Ints
from ...core import interleaving as kernels
from ..capabilities import Violation
from ..pairs.precision_swaps import Earnings


def most_violated_gains(
    scores: Floats, gains: Floats, offsets: Ints, to_rank: Floats, minorant: Floats, n_equal_ranks: int
) -> Violation:
    """The most violated output of a normalised sum of gain times discount.

    With a single gain above 0 it is an interleaving. Several gains are decomposed: a gain is a sum of steps, each shared by
    all documents from some gain up, so the loss is a weighted mean of losses with a single gain. Each of them gets its own
    interleaving, as each pair does in the ROC area: the slack still bounds the loss.

    The lemma behind the interleaving needs a convex discount. A discount with a cut-off, or one that is flat at first, is
    not convex: it is replaced by its convex minorant, which makes the loss of each output larger, never smaller. So again
    the slack is a bound.

    Parameters
    ----------
    to_rank : float64 array
        Sums of the discounts of the first 0, 1, 2, ... ranks, up to the longest query.
    minorant : float64 array
        Convex minorant of the discounts, by rank; index 0 is not used.
    n_equal_ranks : int
        In queries with at most this many documents all ranks have the same discount, which is its own minorant.
    """
    return Violation(*kernels.most_violated_gains(scores, gains, offsets, to_rank, minorant, n_equal_ranks))


def most_violated_first_ranks(scores: Floats, relevant: Bools, offsets: Ints, depths: Ints) -> Violation:
    """The most violated output for a discount of 1 at the first ``depths[q]`` ranks of query q, and 0 beyond.

    The convex minorant of a discount of 1 at ranks 1 to k and 0 at k + 1 is the line between, (k + 1 - r)/k. Losses are
    relative to the best ranking.
    """
    return Violation(*kernels.most_violated_first_ranks(scores, relevant, offsets, depths))


def most_violated_precisions(scores: Floats, relevant: Bools, offsets: Ints, earnings: Earnings, table: Floats) -> Violation:
    """The most violated output for a mean of g(r) + A h(r) over the relevant documents.

    Parameters
    ----------
    earnings : Earnings
        g and h of each rank.
    table : float64 array
        By rank; index 0 is not used. The loss caused by the j-th other document, placed below k relevant ones, must be
        ``((k + 1) h(j + k) + table[j + k])/R`` up to a term without k.
    """
    return Violation(*kernels.most_violated_precisions(scores, relevant, offsets, *earnings, table))


def most_violated_first_relevant(scores: Floats, relevant: Bools, offsets: Ints, k: int) -> Violation:
    """The most violated output for the reciprocal rank of the first relevant document, 0 beyond rank k.

    Some number of other documents rank above all relevant ones, the rest by score.
    """
    return Violation(*kernels.most_violated_first_relevant(scores, relevant, offsets, k))
