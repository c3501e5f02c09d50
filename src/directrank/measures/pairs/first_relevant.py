r"""Lambdas of measures that see only the first relevant document: RR and Success@k.

Their value is h(r) at the rank r of that document, with h non-increasing: 1/r, or 1 up to rank k. Ties are averaged over
all their orders. If the first tie group with relevant documents starts below rank a, and n of its m documents are relevant,
the value is

.. math:: V = \sum_{x=0}^{m-n} \Pr[\text{the first of the } n \text{ is at place } x]\, h(a + 1 + x), \qquad
          \Pr = \frac{n}{m - x} \prod_{y<x} \frac{m - y - n}{m - y}

A swap of a relevant and a non-relevant document moves one relevant document from its tie group to another, so it changes
the value by a difference of two such V. It changes nothing unless the upper document is in the first group with relevant
documents or above it, so few pairs of groups count.
"""

from __future__ import annotations

from ...arrays import Bools, Floats, Ints
from ...core import first_relevant as kernels
from ..capabilities import Lambdas


def first_relevant_lambdas(scores: Floats, relevant: Bools, offsets: Ints, values: Floats, by_distance: bool) -> Lambdas:
    """Sums over all pairs of a relevant and a non-relevant document.

    Parameters
    ----------
    values : array
        h for each rank; 0 beyond.
    by_distance : bool
        See `SupportsLambdas`.
    """
    return Lambdas(*kernels.lambdas(scores, relevant, offsets, values, by_distance))
