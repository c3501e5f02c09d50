"""Precision of a labelling with several grades, where scores are predicted grades, such as a classifier's."""

from __future__ import annotations

from typing import ClassVar

from ..arrays import Bools, Floats
from ..caching import cached_property
from ..core import multi_class as kernels
from .bound import Bound, RelevanceBound
from .measure import Measure
from .ranking.levels import levels_of


class BoundMultiClass(RelevanceBound):
    """Precision over the grades of a labelling, bound to grades."""

    measure: MicroPrecision

    def evaluate(self, scores: Floats) -> Floats:
        return kernels.evaluate(scores, self.grades, self.offsets, self.measure._threshold, self.measure._is_pooled)

    @cached_property
    def informative(self) -> Bools:
        """Queries with several grades, at least one of them a class."""
        return (levels_of(self.grades, self.offsets).n_levels > 1) & (self.n_relevant > 0)


class MicroPrecision(Measure):
    r"""Precision over the grades of a labelling, micro-averaged (Welleck 2015, eq. 1).

    .. math:: \frac{\sum_{c=1}^C TP_c}{\sum_{c=1}^C (TP_c + FP_c)}

    The score of a document is its predicted grade: it is labelled with the nearest of the query's grades, the lower one
    if two are equally near. TP_c counts the documents of grade c with the label c, FP_c the other documents with that label.
    The classes c are the C distinct grades above 0 of the query. If no document gets a label above 0 the value is 0. A
    document that was not ranked has no label.

    `microP` counts the documents in the first k ranks instead.

    Parameters
    ----------
    rel : number, optional
        Smallest grade that is a class; by default any grade above 0.
    """

    bound: ClassVar[type[Bound]] = BoundMultiClass
    setwise: ClassVar[bool] = True
    judges_order: ClassVar[bool] = False

    #: Whether counts are pooled over the classes.
    _is_pooled: ClassVar[bool] = True

    rel: float | None = None


class MacroPrecision(MicroPrecision):
    r"""Precision over the grades of a labelling, macro-averaged (Welleck 2015, eq. 3).

    .. math:: \frac1C \sum_{c=1}^C \frac{TP_c}{TP_c + FP_c}

    with labels and classes as in `MicroPrecision`. A class without labelled documents counts 0.
    """

    _is_pooled: ClassVar[bool] = False
