"""Measures of the set of ranked documents, in any order."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from ..arrays import Bools, Floats, Ints
from ..caching import cached_property
from .bound import Bound, RelevanceBound
from .measure import Measure
from .ranking.levels import count_by_query


class _BoundSet(RelevanceBound):
    def evaluate(self, scores: Floats) -> Floats:
        is_ranked = scores > -np.inf
        found = count_by_query(self.relevant & is_ranked, self.offsets)
        divisors = self._divisors(count_by_query(is_ranked, self.offsets))
        return np.divide(found, divisors, out=np.zeros(found.size), where=found > 0)

    def _divisors(self, n_ranked: Ints) -> Ints | Floats:
        """Divisor of the number of relevant ranked documents."""
        raise NotImplementedError

    @cached_property
    def informative(self) -> Bools:
        """No query: the order does not matter."""
        return np.zeros(self.sizes.size, bool)


class BoundSetP(_BoundSet):
    """`SetP`, bound to grades."""

    def _divisors(self, n_ranked: Ints) -> Ints | Floats:
        return n_ranked


class BoundSetR(_BoundSet):
    """`SetR`, bound to grades."""

    def _divisors(self, n_ranked: Ints) -> Ints | Floats:
        return self.n_relevant


class BoundSetF(_BoundSet):
    """`SetF`, bound to grades."""

    measure: SetF

    def _divisors(self, n_ranked: Ints) -> Ints | Floats:
        weight = self.measure.beta**2
        return (n_ranked + weight * self.n_relevant) / (1 + weight)


class SetP(Measure):
    """Precision of the set: the fraction of ranked documents that are relevant; trec_eval's ``set_P``.

    Parameters
    ----------
    rel : number, optional
        Smallest relevant grade; by default any grade above 0.
    """

    bound: ClassVar[type[Bound]] = BoundSetP
    judges_order: ClassVar[bool] = False

    rel: float | None = None


class SetR(Measure):
    """Recall of the set: the fraction of the query's relevant documents that are ranked; trec_eval's ``set_recall``.

    Parameters
    ----------
    rel : number, optional
        Smallest relevant grade; by default any grade above 0.
    """

    bound: ClassVar[type[Bound]] = BoundSetR
    judges_order: ClassVar[bool] = False

    rel: float | None = None


class SetF(Measure):
    r"""The F measure of the set of ranked documents; trec_eval's ``set_F``.

    .. math:: F_\beta = \frac{(1 + \beta^2) \, P \, R}{\beta^2 P + R}

    with its precision P and recall R. `F` is the F measure of the documents with a score above 0.

    Parameters
    ----------
    rel : number, optional
        Smallest relevant grade; by default any grade above 0.
    beta : number
        Weight of recall relative to precision.
    """

    bound: ClassVar[type[Bound]] = BoundSetF
    judges_order: ClassVar[bool] = False

    rel: float | None = None
    beta: float = 1.0

    def __post_init__(self) -> None:
        super().__post_init__()
        self._check_number("beta", self.beta)
