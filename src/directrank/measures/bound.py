"""Bound measures: measures on the grades of some queries, with what depends on the grades alone computed once."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from inspect import signature
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from ..arrays import Bools, Floats, Ints
from ..caching import cached_property
from .capabilities import Capability, SupportsEvaluate
from .errors import MeasureError
from .naming import name_of
from .ranking.levels import Levels, count_by_query, levels_of
from .ranking.sorting import ranked

if TYPE_CHECKING:
    from .measure import Measure

#: Number of distinct grades per query, from the lowest, that the default `Bound.informative` tries on top of the ranking.
MAX_GRADES_ON_TOP = 16

#: Integers up to this one are distinct as float64.
MAX_EXACT_INTEGER = 2**53


class Bound:
    """A measure bound to the grades of some queries; values that depend on the grades alone are computed once, on first use.

    This class serves every measure that has `evaluate`. A family with more capabilities derives a class from it and adds the
    methods of `SupportsLambdas`, `SupportsMostViolated` or `SupportsSmooth`.

    Parameters
    ----------
    measure : Measure, or any object with `evaluate`
    grades : float64 array, in query order
        Not copied: do not change it afterwards.
    offsets : int64 array, one longer than the number of queries
        Documents ``offsets[i]:offsets[i + 1]`` belong to query i. A query may be empty: its value is 0.
    """

    def __init__(self, measure: Any, grades: Floats, offsets: Ints) -> None:
        self.measure = measure
        self.grades: Floats = np.ascontiguousarray(grades, dtype=np.float64)
        if not getattr(measure, "sees_unjudged", False):  # for which grades below 0 were not judged
            check_grades(measure, self.grades)
        self.offsets: Ints = np.ascontiguousarray(offsets, dtype=np.int64)

    def __init_subclass__(cls) -> None:
        """Check the scores in each method that takes them: a kernel would read past the end of too short an array."""
        super().__init_subclass__()
        for name in ("evaluate", "lambdas", "most_violated", "smooth"):
            if name in vars(cls):
                setattr(cls, name, _checked(vars(cls)[name]))

    @classmethod
    def limitation(cls, measure: Any, capability: Capability) -> str | None:
        """Reason why a measure with these parameters lacks a method of this class; None if it has it."""
        return None

    def has(self, capability: Capability) -> bool:
        """Whether this bound measure has a capability, parameters included."""
        return hasattr(self, capability) and self.limitation(self.measure, capability) is None

    def evaluate(self, scores: Floats) -> Floats:
        """Value of each query, given a score for each document in the order of the grades."""
        scores = self.check_scores(scores)
        return self.measure.evaluate(*ranked(scores, self.grades, self.offsets), self.offsets)

    def check_scores(self, scores: ArrayLike) -> Floats:
        """Scores as a float64 array, one for each document; NaN, which has no rank, is an error."""
        given = np.asarray(scores)
        checked: Floats = np.ascontiguousarray(given, dtype=np.float64)
        if checked.shape != self.grades.shape:
            raise MeasureError(f"there are {self.grades.size} documents, and the scores are of the shape {checked.shape}")
        # Of the integers given: 2^53 + 1 is 2^53 once it is a float64.
        if given.dtype.kind in "iu" and max(int(given.max(initial=0)), -int(given.min(initial=0))) > MAX_EXACT_INTEGER:
            raise MeasureError("scores are integers above 2^53, which double precision would make ties; pass their ranks")
        if np.isnan(checked.max(initial=-np.inf)):
            row = int(np.isnan(checked).argmax())
            query = int(np.searchsorted(self.offsets, row, side="right")) - 1
            raise MeasureError(f"the score of document {row - self.offsets[query]} of query {query} (counted from 0) is NaN")
        return checked

    @cached_property
    def informative(self) -> Bools:
        """Whether the measure distinguishes any two orders (or labellings) of each query.

        This default, which knows nothing but values, tries the orders by ascending and by descending grade, and with the
        documents of each of the query's lowest 16 grades on top.
        """
        by_grade, levels = self.evaluate(self.grades), levels_of(self.grades, self.offsets)
        informative = np.zeros(by_grade.size, bool)
        on_top = range(min(int(levels.n_levels.max(initial=0)), MAX_GRADES_ON_TOP))
        for order in (-self.grades, *((levels.level == number).astype(np.float64) for number in on_top)):
            values = self.evaluate(order)
            informative |= (values != by_grade) & np.isfinite(values) & np.isfinite(by_grade)
        return informative

    @cached_property
    def sizes(self) -> Ints:
        """Number of documents of each query."""
        return np.diff(self.offsets)

    @property
    def longest(self) -> int:
        """Number of documents of the longest query."""
        return int(self.sizes.max(initial=0))


def _checked(method: Callable[..., Any]) -> Callable[..., Any]:
    """A method of a `Bound` with its arguments checked, and the measure's parameters."""
    name, takes_distance = method.__name__, "by_distance" in signature(method).parameters

    @wraps(method)
    def checked(self: Bound, scores: ArrayLike, *args: Any, **named: Any) -> Any:
        limitation = self.limitation(self.measure, name)  # type: ignore[arg-type]
        if limitation is not None:
            raise MeasureError(f"{name_of(self.measure)} has no {name}; {limitation}")
        if name == "smooth":
            args, named = tuple(map(_check_width, args)), {key: _check_width(sigma) for key, sigma in named.items()}
        if name == "lambdas" and not takes_distance:
            if any((*args, *named.values())):
                raise MeasureError(
                    f"the lambdas of {name_of(self.measure)} do not count pairs by distance: give the method a parameter "
                    "by_distance, or train with normalize=False"
                )
            args, named = (), {}
        return method(self, self.check_scores(scores), *args, **named)

    return checked


def _check_width(sigma: Any) -> float:
    number = isinstance(sigma, (int, float, np.number)) and not isinstance(sigma, bool)
    if not (number and 0 < sigma < np.inf):
        raise MeasureError(f"sigma must be a number above 0, not {sigma!r}")
    return float(sigma)


class RelevanceBound(Bound):
    """A bound measure of binary relevance."""

    measure: Measure

    @cached_property
    def relevant(self) -> Bools:
        """Whether each document is relevant."""
        return self.measure.relevant(self.grades)

    @cached_property
    def n_relevant(self) -> Ints:
        """Number of relevant documents of each query."""
        return count_by_query(self.relevant, self.offsets)

    @cached_property
    def levels(self) -> Levels:
        """Relevant and non-relevant documents as two grades."""
        return levels_of(self.relevant.astype(np.float64), self.offsets)

    @cached_property
    def has_both(self) -> Bools:
        """Whether each query has both relevant and non-relevant documents."""
        return (self.n_relevant > 0) & (self.n_relevant < self.sizes)

    @cached_property
    def informative(self) -> Bools:
        """Queries with both relevant and non-relevant documents."""
        return self.has_both


def bind(measure: SupportsEvaluate, grades: Floats, offsets: Ints) -> Bound:
    """Bind a measure to the grades of some queries; an object that is not a `Measure` gets the default `Bound`."""
    own = getattr(measure, "bind", None)
    return Bound(measure, grades, offsets) if own is None else own(grades, offsets)


def supports(measure: SupportsEvaluate, capability: Capability) -> bool:
    """Whether a measure, or any object with `evaluate`, has an optional capability with its present parameters."""
    own = getattr(measure, "supports", None)
    if own is not None:
        return bool(own(capability))
    return hasattr(measure, capability) or hasattr(bind(measure, np.zeros(0), np.zeros(1, np.int64)), capability)


def check_grades(measure: SupportsEvaluate, grades: Floats) -> None:
    """Raise an error if there are grades below 0 and the measure does not take them (`Measure.takes_negative_grades`)."""
    if getattr(measure, "takes_negative_grades", False) or not grades.min(initial=0) < 0:
        return
    row = int(np.argmax(grades < 0))
    terms = [term for _, term in getattr(measure, "terms", ())]
    refusing = next((term for term in terms if not getattr(term, "takes_negative_grades", False)), measure)
    raise MeasureError(
        f"{name_of(refusing)} takes grades of at least 0, and row {row} has {grades[row]:g}; gains estimated from clicks "
        "are for measures that are sums over documents, such as DCG(gain=linear)@10"
    )


def grades_for(measure: SupportsEvaluate, judgments: Floats) -> Floats:
    """Grades as a measure takes them: 0 for unjudged documents, unless it distinguishes them (`Measure.sees_unjudged`)."""
    if getattr(measure, "sees_unjudged", False) or judgments.min(initial=0) >= 0:  # false if there is a NaN
        return judgments
    return np.where(judgments >= 0, judgments, 0.0)
