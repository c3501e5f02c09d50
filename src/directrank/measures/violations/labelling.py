"""The most violated labelling of a set of documents, for measures of its contingency table.

Labellings are compared by Psi(y) = 1/n sum_i y_i x_i over the n documents of the query, with y_i = +1 for a document that
is labelled relevant and -1 for one that is not (Joachims 2005).
"""

from __future__ import annotations

from ...arrays import Bools, Floats, Ints
from ...core import labelling as kernels
from ..capabilities import Violation


def most_violated_break_even(scores: Floats, relevant: Bools, offsets: Ints) -> Violation:
    """The most violated labelling at the precision-recall break-even point: as many documents labelled as are relevant, R.

    Loss and score are both sums over the labelled documents, so those of highest 2 s_i/n - 1[relevant]/R are labelled.
    """
    return Violation(*kernels.most_violated_break_even(scores, relevant, offsets))


def most_violated_ratio(scores: Floats, relevant: Bools, offsets: Ints, gain: float, own: float, wanted: float) -> Violation:
    """The most violated labelling for a ratio ``gain a / (own a + wanted R + b)``.

    a and b are the numbers of true and false positives, R that of relevant documents: with 1 + beta^2, 1 and beta^2 it is F,
    with 1, 0 and 1 the Jaccard index.

    It takes one sweep over the numbers of true and false positives, where Joachims' Algorithm 2 tries all pairs of them.
    For each number of true positives the value is concave in the number of false ones, so that steps from any of these
    lead to the best. Of the Jaccard index the best never decreases as a increases. Of F it increases as long as a is small
    against it, which for beta >= 1 it always is, and may decrease after that: so a pointer goes up once and down once.
    """
    return Violation(*kernels.most_violated_ratio(scores, relevant, offsets, gain, own, wanted))
