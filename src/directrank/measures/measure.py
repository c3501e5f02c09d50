"""Measures: small immutable values with names that parse back."""

from __future__ import annotations

from dataclasses import dataclass, fields
from inspect import signature
from typing import Any, ClassVar, Self, dataclass_transform

import numpy as np

from ..arrays import Bools, Floats, Ints
from .bound import Bound
from .capabilities import Capability, TieRule
from .errors import MeasureError
from .naming import plain_number, qualified

#: Cut-off passed to kernels for a measure without one.
NO_CUTOFF = np.iinfo(np.int64).max

#: Highest cut-off.
MAX_CUTOFF = 2**62

#: Smallest grade that is relevant by default. Not 5e-324: a library that makes the processor flush subnormal numbers to
#: zero would turn every document relevant.
SMALLEST_RELEVANT = float(np.finfo(np.float64).tiny)


@dataclass_transform(frozen_default=True, eq_default=False, kw_only_default=True)
class Measure:
    """A measure of the quality of a ranking, or of a labelling, of each query's documents.

    A subclass declares its parameters as annotated class attributes with defaults, as in a dataclass, and inherits a
    constructor, immutability, a name that parses back, and equality and hashing by that name. A parameter called `k` is
    written as a cut-off: ``nDCG(k=10)`` is ``nDCG@10``.

    A custom measure needs only `evaluate`. `bind` joins a measure to the grades of some queries; the result is an instance
    of the class attribute `bound`, a `Bound`, whose optional methods are capabilities (see `supports`).
    """

    #: Classes by lower-case name and module.
    registry: ClassVar[dict[str, dict[str, type[Measure]]]] = {}
    bound: ClassVar[type[Bound]] = Bound

    #: Whether it distinguishes unjudged documents: their grade is NaN, or below 0 if they were pooled, rather than 0.
    sees_unjudged: ClassVar[bool] = False

    #: Whether it is commonly used on one set of rows without queries, so that learners do not ask for a qid.
    setwise: ClassVar[bool] = False

    #: Whether it depends on the order of documents; False for measures of labels, or of a set in any order.
    judges_order: ClassVar[bool] = True

    #: Whether it depends on the first relevant document alone, so that swaps of most pairs of documents do not change it.
    first_relevant_only: ClassVar[bool] = False

    #: Whether it depends on which documents are above its cut-off, and not on their order.
    set_above_cutoff: ClassVar[bool] = False

    #: Whether it has a cut-off k that may be left out.
    cutoff_is_optional: ClassVar[bool] = False

    #: Whether a query's value is the sum over its documents of gain times the weight of the rank, where the gain is the
    #: grade itself and the weight does not depend on any grade. Unbiased estimates of the gains, as from clicks, then give
    #: unbiased estimates of the value.
    additive: ClassVar[bool] = False

    #: Name of the additive measure to train for in its place, if there is one; see `additive_alternative`.
    nearest_additive: ClassVar[str | None] = None

    @property
    def truncated(self) -> bool:
        """Whether only the top of the ranking counts: ranks up to a cut-off, or down to where the user stops (RR, ERR)."""
        return getattr(self, "k", None) is not None

    @property
    def takes_negative_grades(self) -> bool:
        """Whether grades may be below 0, as estimated gains may be."""
        return self.additive

    @property
    def without_cutoff(self) -> Measure | None:
        """The same measure of whole rankings, which it may be itself; None if it needs a cut-off, or never has one."""
        if not self.cutoff_is_optional:
            return None
        return type(self)(**self.parameters() | {"k": None})

    @property
    def tie_rule(self) -> TieRule:
        """How the value at tied scores is defined; see `TieRule`. Only "custom" may depend on the order of the rows."""
        return "average" if self.bound.evaluate is not Bound.evaluate else "custom"

    @property
    def gain_formula(self) -> str | None:
        """Gain of a document of grade g, as in "2^g - 1", for measures that sum gains; None for others."""
        return None

    def supports(self, capability: Capability) -> bool:
        """Whether the measure has an optional capability, with its present parameters.

        Parameters
        ----------
        capability : {"lambdas", "most_violated", "smooth", "violation_units"}
            See `SupportsLambdas`, `SupportsMostViolated`, `SupportsSmooth` and `SupportsViolationUnits`.

        Examples
        --------
        >>> from directrank.measures import AP
        >>> AP().supports("most_violated"), AP(k=10).supports("most_violated")
        (True, False)
        """
        return self.has_method(capability) and self.bound.limitation(self, capability) is None

    @classmethod
    def has_method(cls, capability: Capability) -> bool:
        """Whether measures of this class have an optional capability with some parameters."""
        return hasattr(cls.bound, capability) or hasattr(cls, capability)

    def bind(self, grades: Floats, offsets: Ints) -> Bound:
        """Bind the measure to the grades of some queries."""
        return self.bound(self, grades, offsets)

    def evaluate(self, scores: Floats, grades: Floats, offsets: Ints) -> Floats:
        """Value of each query.

        Parameters
        ----------
        scores, grades : float64 arrays, laid out by query
            A custom measure gets each query's documents by descending score; the measures of this package take any order.
            A document with the score -inf was not ranked at all (a run did not return it): it counts among the query's
            documents but contributes nothing.
        offsets : int64 array, one longer than the number of queries
            Documents ``offsets[i]:offsets[i + 1]`` belong to query i.
        """
        # Not `self.bound`: a subclass whose own `evaluate` calls this one means the kernels of the family it extends.
        for cls in type(self).__mro__:
            family = vars(cls).get("bound", Bound)
            if family.evaluate is not Bound.evaluate:
                return family(self, grades, offsets).evaluate(scores)
        raise MeasureError(f"{type(self).__name__} extends no measure whose evaluate it could call")

    def __new__(cls, *_: Any, **__: Any) -> Self:
        if cls.evaluate is Measure.evaluate and cls.bound.evaluate is Bound.evaluate:
            raise MeasureError(
                f"{cls.__name__} is not a measure yet: give it a method evaluate(self, scores, grades, offsets)"
            )
        return super().__new__(cls)

    def __init_subclass__(cls, *, abstract: bool = False) -> None:
        """Register the class by its name, unless it is abstract: a base class for measures."""
        super().__init_subclass__()
        if "evaluate" in vars(cls) and "bound" not in vars(cls):
            cls.bound = Bound  # the kernels of the family do not compute this `evaluate`
            if "additive" not in vars(cls):
                cls.additive = False
        dataclass(frozen=True, eq=False, repr=False, kw_only=True)(cls)
        cls.__signature__ = signature(cls.__init__.__get__(cls))  # type: ignore[attr-defined]  # which __new__ would hide
        if abstract or cls.__name__.startswith("_"):
            return
        # A class of the same module replaces the earlier one: a notebook cell that is run twice.
        Measure.registry.setdefault(cls.__name__.lower(), {})[cls.__module__] = cls

    def __post_init__(self) -> None:
        for parameter, value in self.parameters().items():
            if parameter == "k" and value is not None:
                integer = isinstance(value, (int, np.integer)) and not isinstance(value, bool)
                self._check(integer and 1 <= value <= MAX_CUTOFF, "k", value, "an integer between 1 and 2^62")
            if parameter == "rel" and value is not None:
                self._check_number("rel", value)

    def relevant(self, grades: Floats) -> Bools:
        """Whether each document is relevant: of grade `rel` or more, by default of any grade above 0."""
        return grades >= self._threshold

    def parameters(self) -> dict[str, Any]:
        return {field.name: getattr(self, field.name) for field in fields(self)}  # type: ignore[arg-type]

    @property
    def name(self) -> str:
        """Name that `parse` reads back: ``AP(rel=2)``, ``nDCG(gain=linear)@10``."""
        defaults = {field.name: field.default for field in fields(self)}  # type: ignore[arg-type]
        changed = {p: v for p, v in self.parameters().items() if v != defaults[p]}
        cutoff = changed.pop("k", getattr(self, "k", None))
        inner = ", ".join(f"{p}={plain_number(v)}" for p, v in changed.items())
        return (
            type(self).__name__
            + (f"({inner})" if inner else "")
            + (f"@{plain_number(cutoff)}" if cutoff is not None else "")
        )

    @property
    def qualified_name(self) -> str:
        """Name that `parse` reads back in any process: with the module to import, for a custom measure."""
        return qualified(type(self), self.name)

    def __repr__(self) -> str:
        return self.name

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Measure) and self.qualified_name == other.qualified_name

    def __hash__(self) -> int:
        return hash(self.qualified_name)

    @property
    def _threshold(self) -> float:
        rel = getattr(self, "rel", None)
        return SMALLEST_RELEVANT if rel is None else float(rel)

    @property
    def _depth(self) -> int:
        k = getattr(self, "k", None)
        return NO_CUTOFF if k is None else int(k)

    def _check_number(self, parameter: str, value: object, highest: float = np.inf) -> None:
        right = _is_number(value) and bool(0 < value <= highest) and bool(value < np.inf)  # type: ignore[operator]
        limit = "" if highest == np.inf else f" and at most {highest:g}"
        self._check(right, parameter, value, f"a number above 0{limit}")

    def _check(self, right: bool, parameter: str, value: object, wanted: str) -> None:
        if not right:
            raise MeasureError(f"{type(self).__name__}: {parameter} must be {wanted}, not {value!r}")


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float, np.number)) and not isinstance(value, bool)
