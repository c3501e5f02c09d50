"""Discounted cumulative gain, plain and normalised."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from ..arrays import Floats
from ..caching import cached_property
from ..core import dcg as kernels, elementary
from .bound import Bound
from .capabilities import Violation
from .discounted_gains import BoundDiscountedGains, linear_gains
from .errors import MeasureError
from .measure import Measure

GAINS = ("exp", "linear")
DISCOUNTS = ("log2", "jarvelin", "none")


class BoundnDCG(BoundDiscountedGains):
    """nDCG, bound to grades."""

    measure: nDCG

    def evaluate(self, scores: Floats) -> Floats:
        value = super().evaluate(scores)
        return np.minimum(np.divide(value, self.ideals, out=np.zeros_like(value), where=self.ideals > 0), 1.0)

    def most_violated(self, scores: Floats) -> Violation:
        """See `most_violated_gains`: exact with one grade above 0 and no cut-off, otherwise a bound."""
        return self._most_violated(scores, self.gains)

    @cached_property
    def ideals(self) -> Floats:
        """DCG of the best ranking of each query."""
        return kernels.ideal(self.gains, self.offsets, self._discounts.to_rank)

    @cached_property
    def _normalised_gains(self) -> Floats:  # type: ignore[override]
        return self.gains / np.repeat(np.where(self.ideals > 0, self.ideals, 1.0), self.sizes)


class DCG(Measure):
    r"""Discounted cumulative gain.

    .. math:: DCG = \sum_{r \le k} G(l_r) \, D(r)

    With linear gains it is additive, and gains may be estimates: any numbers, also below 0. With the others it is not:
    :math:`2^l - 1` of an unbiased estimate of l is a biased one.

    Parameters
    ----------
    gain : {"exp", "linear"}
        :math:`G(l) = 2^l - 1` (Burges et al. 2005), or :math:`G(l) = l`, as in trec_eval.
    discount : {"log2", "jarvelin", "none"}
        :math:`D(r) = 1/\log_2(1 + r)`, or the older :math:`D(1) = 1, D(r) = 1/\log_2 r`, which gives ranks 1 and 2 the same
        weight (Järvelin & Kekäläinen 2002, and the evaluation scripts of LETOR 3.0); or :math:`D(r) = 1`, the cumulative
        gain, which is k times P@k where grades are 0 and 1.
    k : int, optional
        Cut-off: ranks beyond k contribute nothing.
    """

    bound: ClassVar[type[Bound]] = BoundDiscountedGains
    cutoff_is_optional: ClassVar[bool] = True

    gain: str = "exp"
    discount: str = "log2"
    k: int | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        self._check(self.gain in GAINS, "gain", self.gain, " or ".join(GAINS))
        self._check(self.discount in DISCOUNTS, "discount", self.discount, "log2, jarvelin or none")

    @property
    def gain_formula(self) -> str:
        return "linear" if self.gain == "linear" else "2^g - 1"

    @property
    def additive(self) -> bool:  # type: ignore[override]
        """Whether gains are linear."""
        return self.gain == "linear"

    @property
    def nearest_additive(self) -> str:  # type: ignore[override]
        """DCG with linear gains and the same discount."""
        return f"DCG(gain=linear, discount={self.discount})"

    def _gains(self, grades: Floats) -> Floats:
        if self.gain == "linear":
            return linear_gains(grades, self.name)
        highest = grades.max(initial=0.0)
        if highest > 1000:
            raise MeasureError(f"{self.name}: the gain 2^{highest:g} is beyond what a float holds; use gain=linear")
        gains = elementary.exp2(grades)
        gains -= 1
        return gains

    def _discount(self, ranks: Floats) -> Floats:
        """D, without the cut-off."""
        if self.discount == "none":
            return np.ones_like(ranks)
        return 1 / elementary.log2(ranks + 1 if self.discount == "log2" else np.maximum(ranks, 2.0))

    @property
    def _first_convex_rank(self) -> int:
        """D is convex over rank 1 and the ranks from here on."""
        return 3 if self.discount == "jarvelin" else 2


class nDCG(DCG):
    """DCG divided by the DCG of the best ranking of the query's documents, at the same cut-off.

    Parameters as in `DCG`. The gain matters wherever there are grades above 1: it is 2^grade - 1 by default, as in LightGBM
    and LETOR; ``nDCG(gain=linear)`` is the ``ndcg`` of trec_eval, ranx and ir_measures.
    """

    bound: ClassVar[type[Bound]] = BoundnDCG

    @property
    def additive(self) -> bool:  # type: ignore[override]
        """Never: the normaliser depends on the grades of all documents."""
        return False
