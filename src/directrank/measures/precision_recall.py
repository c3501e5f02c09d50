"""Measures of the first k ranks: precision, recall, success, R-precision, and precision over several grades."""

from __future__ import annotations

import re
from typing import ClassVar

import numpy as np

from ..arrays import Bools, Floats, Ints
from ..caching import cached_property
from ..core import precision_recall as kernels
from .bound import Bound, RelevanceBound
from .capabilities import Capability, Lambdas, Smoothed, Violation, ViolationUnits
from .errors import MeasureError
from .measure import Measure
from .pairs.first_relevant import first_relevant_lambdas
from .pairs.pairwise import PairGroups, pair_groups, pairwise_lambdas
from .pairs.swaps import DiscountTable, discount_table, discounted_swaps
from .ranking.levels import levels_of
from .smoothing.smoothed_values import smoothed_cascade, smoothed_gains
from .smoothing.soft_ranking import SoftRanking
from .violations.interleaving import most_violated_first_ranks
from .violations.labelling import most_violated_break_even


class _BoundAtDepth(RelevanceBound):
    """A measure that counts the relevant documents in the first ranks, bound to grades."""

    measure: P | R | Rprec | Success

    def evaluate(self, scores: Floats) -> Floats:
        return kernels.relevant_in_first(scores, self.relevant, self.offsets, self.depths) / self._divisors

    def lambdas(self, scores: Floats, by_distance: bool = False) -> Lambdas:
        """See `pairwise`: a relevant document counts the same at each of the first ranks."""
        swaps = discounted_swaps(scores, self._gains, self.offsets, self._discounts, self.depths)
        return pairwise_lambdas(scores, self._pairs, swaps, by_distance)

    def smooth(self, scores: Floats, sigma: float) -> Smoothed:
        """See `soft_ranking`."""
        soft = SoftRanking(scores, self._gains, self.offsets, sigma, self.depths)
        return smoothed_gains(soft, self._discounts.at_rank)

    @cached_property
    def informative(self) -> Bools:
        """Queries with both relevant and non-relevant documents, and more documents than the depth."""
        return self.has_both & (self.depths < self.sizes)

    @cached_property
    def depths(self) -> Ints:
        """Number of ranks of each query that count."""
        return self.measure.depths(self.n_relevant)

    @cached_property
    def _divisors(self) -> Ints | Floats:
        """Divisor of the number of relevant documents in these ranks."""
        raise NotImplementedError

    @cached_property
    def _gains(self) -> Floats:
        return np.repeat(1 / self._divisors, self.sizes) * self.relevant

    @cached_property
    def _discounts(self) -> DiscountTable:
        return discount_table(np.ones(min(int(self.depths.max(initial=0)), self.longest)))

    @cached_property
    def _pairs(self) -> PairGroups:
        return pair_groups(self.levels, self.offsets)


class _BoundAtK(_BoundAtDepth):
    def most_violated(self, scores: Floats) -> Violation:
        """See `most_violated_first_ranks`. Exact for k = 1.

        Not Joachims' Psi = sum_i y_i x_i with exactly k documents labelled relevant: unless k documents are relevant, the
        right labels are not among these labellings, and compared with them the slack does not bound the loss (his Theorem
        1 fails). Compared with the best of these labellings it does; but there are many of them, the best one by
        score beats their mean, and with a little noise w = 0 is the optimum.
        """
        found = most_violated_first_ranks(scores, self.relevant, self.offsets, self.depths)
        best = np.minimum(self.depths, self.n_relevant) / self._divisors
        return Violation(found.coefficients * np.repeat(best, self.sizes), found.losses * best)


class BoundP(_BoundAtK):
    """Precision, bound to grades."""

    @cached_property
    def _divisors(self) -> Ints | Floats:
        return self.depths


class BoundR(_BoundAtK):
    """Recall, bound to grades."""

    @cached_property
    def _divisors(self) -> Ints | Floats:
        return np.maximum(self.n_relevant, 1)


class BoundRprec(_BoundAtDepth):
    """R-precision, bound to grades."""

    @cached_property
    def _divisors(self) -> Ints | Floats:
        return np.maximum(self.n_relevant, 1)

    def most_violated(self, scores: Floats) -> Violation:
        """See `most_violated_break_even`."""
        return most_violated_break_even(scores, self.relevant, self.offsets)


class BoundSuccess(RelevanceBound):
    """Success, bound to grades."""

    measure: Success

    @classmethod
    def limitation(cls, measure: Success, capability: Capability) -> str | None:
        if capability == "most_violated" and measure.k != 1:
            return f"the most violated ranking is known for Success@1 only: use P@{measure.k}"
        if capability == "lambdas" and measure._multiple is not None:
            return "lambdas are known for a k that is a number only: use Success@10"
        return super().limitation(measure, capability)

    def evaluate(self, scores: Floats) -> Floats:
        return kernels.any_in_first(scores, self.relevant, self.offsets, self.depths)

    def lambdas(self, scores: Floats, by_distance: bool = False) -> Lambdas:
        """See `first_relevant`."""
        values = np.ones(min(int(self.measure.k), self.longest))  # type: ignore[arg-type]
        return first_relevant_lambdas(scores, self.relevant, self.offsets, values, by_distance)

    def most_violated(self, scores: Floats) -> Violation:
        """As for ``P@1``, which is the same measure; not known for larger k."""
        return most_violated_first_ranks(scores, self.relevant, self.offsets, self.depths)

    def smooth(self, scores: Floats, sigma: float) -> Smoothed:
        """See `smoothed_cascade`: the user stops at the first relevant document, with value 1."""
        soft = SoftRanking(scores, self.relevant.astype(np.float64), self.offsets, sigma, self.depths)
        return smoothed_cascade(soft, np.ones(self.longest))

    @cached_property
    def informative(self) -> Bools:
        """Queries with a relevant document, and enough non-relevant ones to fill the first k ranks."""
        return (self.n_relevant > 0) & (self.sizes - self.n_relevant >= self.depths)

    @cached_property
    def depths(self) -> Ints:
        """Number of ranks of each query that count."""
        return self.measure.depths(self.n_relevant)


class BoundMicroP(BoundP):
    """`microP`, bound to grades."""

    @cached_property
    def _divisors(self) -> Ints | Floats:
        return self.depths * self.n_classes.astype(np.float64)

    @cached_property
    def n_classes(self) -> Ints:
        """Number of distinct relevant grades of each query, at least 1."""
        n_levels = levels_of(np.where(self.relevant, self.grades, 0.0), self.offsets).n_levels
        return np.maximum(n_levels - (self.n_relevant < self.sizes), 1)


class _AtK(Measure):
    """A measure of the first k ranks; k is a number, or a multiple of the query's relevant documents such as ``2p``."""

    set_above_cutoff: ClassVar[bool] = True
    nearest_additive: ClassVar[str | None] = "DCG(gain=linear, discount=none)@10"

    rel: float | None = None
    k: int | str | None = None

    def __post_init__(self) -> None:
        if self.k is None:
            raise MeasureError(f"{type(self).__name__} needs a cut-off: write {type(self).__name__}@10, for example")
        if self._multiple is None:
            super().__post_init__()

    @property
    def _multiple(self) -> float | None:
        match = re.fullmatch(r"(\d+(?:\.\d+)?)p", self.k) if isinstance(self.k, str) else None
        return float(match[1]) if match is not None and float(match[1]) > 0 else None

    def depths(self, n_relevant: Ints) -> Ints:
        """Number of ranks that count, for queries with these numbers of relevant documents."""
        if self._multiple is None:
            return np.full(n_relevant.size, int(self.k))  # type: ignore[arg-type]
        return np.maximum(np.round(self._multiple * n_relevant), 1).astype(np.int64)

    def violation_units(self, n_documents: int, n_relevant: int) -> ViolationUnits:
        """Losses in percent; a relevant document that changes sides altogether counts 2."""
        return ViolationUnits(loss=100.0, psi=n_relevant)


class P(_AtK):
    """Precision: the fraction of relevant documents in the first k ranks.

    The divisor is k even if fewer than k documents are ranked, as in trec_eval.

    Parameters
    ----------
    rel : number, optional
        Smallest relevant grade; by default any grade above 0.
    k : int or str
        Number of ranks, or a multiple of the number of relevant documents: ``2p`` is twice as many.
    """

    bound: ClassVar[type[Bound]] = BoundP


class R(_AtK):
    """Recall: the fraction of the query's relevant documents in the first k ranks. Parameters as in `P`."""

    bound: ClassVar[type[Bound]] = BoundR


class Rprec(Measure):
    """Precision at R, the number of the query's relevant documents. Over one set it is the break-even point, `PRBEP`.

    Parameters
    ----------
    rel : number, optional
        Smallest relevant grade; by default any grade above 0.
    """

    bound: ClassVar[type[Bound]] = BoundRprec
    nearest_additive: ClassVar[str | None] = "DCG(gain=linear)"

    rel: float | None = None

    def depths(self, n_relevant: Ints) -> Ints:
        """Number of ranks that count, for queries with these numbers of relevant documents."""
        return n_relevant

    def violation_units(self, n_documents: int, n_relevant: int) -> ViolationUnits:
        """Losses in percent; Psi is not divided by the number of documents."""
        return ViolationUnits(loss=100.0, psi=n_documents)

    @property
    def truncated(self) -> bool:
        return True


class Success(_AtK):
    """1 if a relevant document is in the first k ranks, else 0. ``Success@1`` is "winner takes all" (WTA).

    Parameters as in `P`.
    """

    bound: ClassVar[type[Bound]] = BoundSuccess
    first_relevant_only: ClassVar[bool] = True


class microP(P):
    r"""Precision over several grades, micro-averaged (Welleck 2015, eq. 2).

    .. math:: \frac{\sum_{c=1}^C |\{d_r : l_r = c,\ r \le k\}|}{C \, k}

    The classes c are the C distinct grades above 0 of the query (C is 1 if there are none): with grade 0 among them the
    value would be 1/C for every ranking. Over one set, ``qid=None``, they are the grades of the data, as in the paper.

    Parameters
    ----------
    rel : number, optional
        Smallest grade that is a class; by default any grade above 0.
    k : int
        Number of ranks.
    """

    bound: ClassVar[type[Bound]] = BoundMicroP
    setwise: ClassVar[bool] = True


class macroP(microP):
    """Precision over several grades, macro-averaged (Welleck 2015, eq. 4, with the 1/n that it lacks).

    The mean over the grades of TP/(TP + FP). In the first k ranks every class has TP + FP = k, so this equals `microP`: the
    two equations differ only in the order of their sums. Both names exist because the paper reports both.
    """
