"""Rank-biased precision."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from ..arrays import Bools, Floats
from ..caching import cached_property
from ..core import rank_biased as kernels
from .bound import Bound
from .discounted_gains import BoundDiscountedGains, linear_gains
from .errors import MeasureError
from .measure import Measure

GAINS = ("binary", "linear")


class BoundRBP(BoundDiscountedGains):
    """Rank-biased precision, bound to grades."""

    measure: RBP

    def evaluate(self, scores: Floats) -> Floats:
        if self.measure.gain == "linear":
            return super().evaluate(scores)
        return kernels.evaluate(scores, self.relevant, self.offsets, self._discounts.to_rank)

    @cached_property
    def relevant(self) -> Bools:
        """Whether each document is relevant."""
        return self.measure.relevant(self.grades)


class RBP(Measure):
    r"""Rank-biased precision (Moffat & Zobel 2008), for a user who continues from each rank with probability p.

    .. math:: RBP = (1 - p) \sum_{r \le k} p^{\,r - 1} G(l_r)

    It is the expected fraction of relevant documents among those seen, or their mean gain. It is not normalised by the
    number of relevant documents: with gains of 0 and 1, even the best ranking has a value below 1.

    Parameters
    ----------
    rel : number, optional
        Smallest relevant grade; by default any grade above 0.
    p : number
        Persistence of the user, between 0 and 1.
    gain : {"binary", "linear"}
        G is 1 for relevant documents and 0 for others; or the grade itself, which makes RBP additive: gains may be
        estimates, also below 0.
    k : int, optional
        Cut-off: ranks beyond k contribute nothing.
    """

    bound: ClassVar[type[Bound]] = BoundRBP
    cutoff_is_optional: ClassVar[bool] = True

    rel: float | None = None
    p: float = 0.8
    gain: str = "binary"
    k: int | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        number = isinstance(self.p, (float, np.floating)) and bool(0 < self.p < 1)
        self._check(number, "p", self.p, "a number between 0 and 1")
        self._check(self.gain in GAINS, "gain", self.gain, " or ".join(GAINS))
        if self.rel is not None and self.gain == "linear":
            raise MeasureError("RBP takes rel or gain=linear, not both")

    @property
    def gain_formula(self) -> str | None:
        return "linear" if self.gain == "linear" else None

    @property
    def additive(self) -> bool:  # type: ignore[override]
        """Whether gains are linear."""
        return self.gain == "linear"

    @property
    def nearest_additive(self) -> str:  # type: ignore[override]
        """RBP with linear gains, for the same user."""
        return f"RBP(p={self.p!r}, gain=linear)"

    def _gains(self, grades: Floats) -> Floats:
        return linear_gains(grades, self.name) if self.gain == "linear" else self.relevant(grades).astype(np.float64)

    def _discount(self, ranks: Floats) -> Floats:
        """D, without the cut-off."""
        return (1 - float(self.p)) * float(self.p) ** (ranks - 1)

    @property
    def _first_convex_rank(self) -> int:
        """D is convex over all ranks."""
        return 2
