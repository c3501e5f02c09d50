"""A user's class with `evaluate` alone, as a `Measure`."""

from __future__ import annotations

from typing import Any, cast

from ..arrays import Bools, Floats, Ints
from .bound import Bound, bind, supports
from .capabilities import Capability, SupportsEvaluate, TieRule
from .measure import Measure
from .naming import name_of, qualified_name_of


class AdaptedMeasure(Measure, abstract=True):
    """A measure that was named by its module and is not a `Measure` itself; `parse` returns it.

    Parameters
    ----------
    custom : object with `evaluate`
        The user's measure; its attributes are facts of this one.
    """

    custom: SupportsEvaluate | None = None

    def evaluate(self, scores: Floats, grades: Floats, offsets: Ints) -> Floats:
        return self._custom.evaluate(scores, grades, offsets)

    def bind(self, grades: Floats, offsets: Ints) -> Bound:
        return bind(self._custom, grades, offsets)

    def supports(self, capability: Capability) -> bool:
        return supports(self._custom, capability)

    def relevant(self, grades: Floats) -> Bools:
        own = getattr(self._custom, "relevant", None)
        return super().relevant(grades) if own is None else own(grades)

    @property
    def sees_unjudged(self) -> bool:  # type: ignore[override]
        return self._fact("sees_unjudged", False)

    @property
    def setwise(self) -> bool:  # type: ignore[override]
        return self._fact("setwise", False)

    @property
    def judges_order(self) -> bool:  # type: ignore[override]
        return self._fact("judges_order", True)

    @property
    def first_relevant_only(self) -> bool:  # type: ignore[override]
        return self._fact("first_relevant_only", False)

    @property
    def set_above_cutoff(self) -> bool:  # type: ignore[override]
        return self._fact("set_above_cutoff", False)

    @property
    def additive(self) -> bool:  # type: ignore[override]
        return self._fact("additive", False)

    @property
    def takes_negative_grades(self) -> bool:
        return self._fact("takes_negative_grades", self.additive)

    @property
    def nearest_additive(self) -> str | None:  # type: ignore[override]
        return cast(str | None, self._fact("nearest_additive", None))

    @property
    def without_cutoff(self) -> Measure | None:
        return cast(Measure | None, self._fact("without_cutoff", None))

    @property
    def truncated(self) -> bool:
        return self._fact("truncated", getattr(self._custom, "k", None) is not None)

    @property
    def tie_rule(self) -> TieRule:
        return cast(TieRule, self._fact("tie_rule", "custom"))

    @property
    def name(self) -> str:
        return name_of(self._custom)

    @property
    def qualified_name(self) -> str:
        return qualified_name_of(self._custom)

    @property
    def _custom(self) -> SupportsEvaluate:
        return cast(SupportsEvaluate, self.custom)

    def _fact(self, name: str, default: Any) -> Any:
        return getattr(self._custom, name, default)
