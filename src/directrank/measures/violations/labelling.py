"""The most violated labelling of a set of documents, for measures of its contingency table.

Labellings are compared by Psi(y) = 1/n sum_i y_i x_i over the n documents of the query, with y_i = +1 for documents labelled
relevant and -1 for others (Joachims 2005).
"""

from __future__ import annotations

from ...arrays import Bools, Floats, Ints
from ...core import labelling as kernels
from ..capabilities import Violation


def most_violated_break_even(scores: Floats, relevant: Bools, offsets: Ints) -> Violation:
    """The most violated labelling at the precision-recall break-even point, with R labelled documents for R relevant ones.

    Loss and score are both sums over the labelled documents, so the R documents with the highest 2 s_i/n - 1[relevant]/R are
    labelled.
    """
    return Violation(*kernels.most_violated_break_even(scores, relevant, offsets))


def most_violated_ratio(scores: Floats, relevant: Bools, offsets: Ints, gain: float, own: float, wanted: float) -> Violation:
    """The most violated labelling for a ratio ``gain a / (own a + wanted R + b)``.

    a and b are the numbers of true and false positives, R the number of relevant documents: with 1 + beta^2, 1 and beta^2
    it is F, with 1, 0 and 1 the Jaccard index.

    One sweep over the numbers of true and false positives, where Joachims' Algorithm 2 tries all pairs. For each number of
    true positives the objective is concave in the number of false positives, so hill climbing finds the best. For the
    Jaccard index the best number never decreases as a increases. For F it increases as long as it is large relative to a,
    which for beta >= 1 is always, and may decrease after that: so a pointer goes up once and down once.
    """
    return Violation(*kernels.most_violated_ratio(scores, relevant, offsets, gain, own, wanted))
