"""Measures of the set of documents that are ranked at all, whatever their order."""

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
        of_all = self._of_all(count_by_query(is_ranked, self.offsets))
        return np.divide(found, of_all, out=np.zeros(found.size), where=found > 0)

    def _of_all(self, n_ranked: Ints) -> Ints | Floats:
        """What the number of relevant documents among the ranked ones is divided by."""
        raise NotImplementedError

    @cached_property
    def informative(self) -> Bools:
        """None: the order does not matter."""
        return np.zeros(self.sizes.size, bool)


class BoundSetP(_BoundSet):
    """`SetP` on queries of some grades."""

    def _of_all(self, n_ranked: Ints) -> Ints | Floats:
        return n_ranked


class BoundSetR(_BoundSet):
    """`SetR` on queries of some grades."""

    def _of_all(self, n_ranked: Ints) -> Ints | Floats:
        return self.n_relevant


class BoundSetF(_BoundSet):
    """`SetF` on queries of some grades."""

    measure: SetF

    def _of_all(self, n_ranked: Ints) -> Ints | Floats:
        weight = self.measure.beta**2
        return (n_ranked + weight * self.n_relevant) / (1 + weight)


class SetP(Measure):
    """Precision of the set: the fraction of the ranked documents that is relevant; trec_eval's ``set_P``.

    Parameters
    ----------
    rel : number, optional
        The smallest grade that is relevant; by default any above 0.
    """

    bound: ClassVar[type[Bound]] = BoundSetP
    judges_order: ClassVar[bool] = False

    rel: float | None = None


class SetR(Measure):
    """Recall of the set: the fraction of the query's relevant documents that is ranked; trec_eval's ``set_recall``.

    Parameters
    ----------
    rel : number, optional
        The smallest grade that is relevant; by default any above 0.
    """

    bound: ClassVar[type[Bound]] = BoundSetR
    judges_order: ClassVar[bool] = False

    rel: float | None = None


class SetF(Measure):
    r"""The F measure of the set of ranked documents; trec_eval's ``set_F``.

    .. math:: F_\beta = \frac{(1 + \beta^2) \, P \, R}{\beta^2 P + R}

    with its precision P and recall R. `F` is that of the documents of a score above 0.

    Parameters
    ----------
    rel : number, optional
        The smallest grade that is relevant; by default any above 0.
    beta : number
        How much recall weighs against precision.
    """

    bound: ClassVar[type[Bound]] = BoundSetF
    judges_order: ClassVar[bool] = False

    rel: float | None = None
    beta: float = 1.0

    def __post_init__(self) -> None:
        super().__post_init__()
        self._check_number("beta", self.beta)
