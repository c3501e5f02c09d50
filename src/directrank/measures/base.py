"""What a measure is: a small immutable value with a name; and what it becomes when bound to the grades of some queries."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from functools import wraps
from inspect import signature
from typing import Any, ClassVar, NamedTuple, Protocol, Self, dataclass_transform, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike

from ..arrays import Bools, Floats, Ints
from ..caching import cached_property
from .ranking.levels import Levels, count_by_query, levels_of
from .ranking.sorting import ranked

#: Of more distinct grades than this in a query, the default `Bound.informative` puts only the lowest on top.
MAX_GRADES_ON_TOP = 16

#: Passed to kernels where a measure has no cut-off.
NO_CUTOFF = np.iinfo(np.int64).max

#: The highest cut-off.
MAX_CUTOFF = 2**62

#: The smallest grade that is relevant by default. Not 5e-324: a library that makes the processor flush subnormal numbers
#: to zero would turn every document relevant.
SMALLEST_RELEVANT = float(np.finfo(np.float64).tiny)


class Lambdas(NamedTuple):
    """What LambdaMART follows, for each document, laid out by query.

    Attributes
    ----------
    gradient : float64 array
        Of the cost: below 0 where the score should increase.
    hessian : float64 array
        The second derivative, never below 0.
    """

    gradient: Floats
    hessian: Floats


class Violation(NamedTuple):
    """What the structural SVM learns from: the output of each query that violates its margin most.

    Attributes
    ----------
    coefficients : float64 array, one for each document, laid out by query
        With ``sum_i coefficients[i] * x_i = Psi(y*) - Psi(y^)`` over the documents of a query, for the right output y* and
        the most violated one y^. Where several outputs are right, Psi(y*) is their mean.
    losses : float64 array, one for each query
        The loss of y^: how far its value is below the best one. In [0, 1] where values are.
    """

    coefficients: Floats
    losses: Floats


class Smoothed(NamedTuple):
    """A measure smoothed, as climbing it needs it.

    Attributes
    ----------
    values : float64 array, one for each query
    gradient : float64 array, one for each document, laid out by query
        The derivative of its query's value by its score.
    """

    values: Floats
    gradient: Floats


@runtime_checkable
class SupportsEvaluate(Protocol):
    """Whatever can be evaluated: a `Measure`, or any object with this one method."""

    def evaluate(self, scores: Floats, grades: Floats, offsets: Ints) -> Floats: ...


class MeasureError(ValueError):
    """A measure was named, set up or used wrongly; the message says how to fix it."""


class Bound:
    """A measure bound to the grades of some queries: what depends on the grades alone is computed once, at first use.

    This class serves every measure that has `evaluate`. A family that can do more derives its own from it and adds the
    optional methods, which learners ask for by name (see `require`):

    - ``lambdas(scores) -> Lambdas``, for LambdaMART;
    - ``most_violated(scores) -> Violation``, for the structural SVM;
    - ``smooth(scores, sigma) -> Smoothed``, for SmoothRank: as if scores nearer than sigma, a width in units of the scores,
      were all but equal. Scores and sigma times the same number give the same values, and as sigma goes to 0 they become
      those of `evaluate`, unless scores are equal.

    Parameters
    ----------
    measure : Measure, or any object with `evaluate`
    grades : float64 array, in query order
        Not copied: do not change it afterwards.
    offsets : int64 array, one longer than the number of queries
        Documents ``offsets[i]:offsets[i + 1]`` are those of query i. A query may be empty: its value is 0.
    """

    def __init__(self, measure: Any, grades: Floats, offsets: Ints) -> None:
        self.measure = measure
        self.grades: Floats = np.ascontiguousarray(grades, dtype=np.float64)
        self.offsets: Ints = np.ascontiguousarray(offsets, dtype=np.int64)

    def __init_subclass__(cls) -> None:
        """Have each method that takes scores check them: a kernel would read past the end of too few."""
        super().__init_subclass__()
        for name in ("evaluate", "lambdas", "most_violated", "smooth"):
            if name in vars(cls):
                setattr(cls, name, _checking_scores(vars(cls)[name]))

    def evaluate(self, scores: Floats) -> Floats:
        """The value of each query, at a score for each document in the order of the grades."""
        scores = self.check_scores(scores)
        return self.measure.evaluate(*ranked(scores, self.grades, self.offsets), self.offsets)

    def check_scores(self, scores: ArrayLike) -> Floats:
        """Scores as a float64 array, one for each document."""
        checked: Floats = np.ascontiguousarray(scores, dtype=np.float64)
        if checked.shape != self.grades.shape:
            raise MeasureError(f"there are {self.grades.size} documents, and the scores are of the shape {checked.shape}")
        return checked

    @cached_property
    def informative(self) -> Bools:
        """Which queries have orders (or labellings) that the measure tells apart.

        Here, where nothing is known but values, the orders tried are by ascending and by descending grade, and with the
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
        """The number of documents of each query."""
        return np.diff(self.offsets)

    @property
    def longest(self) -> int:
        """The number of documents of the longest query."""
        return int(self.sizes.max(initial=0))


def _checking_scores(method: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(method)
    def checked(self: Bound, scores: ArrayLike, *width: float, **named: float) -> Any:
        widths = {name: _check_width(sigma) for name, sigma in named.items()}
        return method(self, self.check_scores(scores), *map(_check_width, width), **widths)

    return checked


def _check_width(sigma: float) -> float:
    if not (_is_number(sigma) and 0 < sigma < np.inf):
        raise MeasureError(f"sigma must be a number above 0, not {sigma!r}")
    return float(sigma)


class RelevanceBound(Bound):
    """A bound measure that only tells relevant documents from non-relevant ones."""

    measure: Measure

    @cached_property
    def relevant(self) -> Bools:
        """Which documents are relevant."""
        return self.measure.relevant(self.grades)

    @cached_property
    def n_relevant(self) -> Ints:
        """The number of relevant documents of each query."""
        return count_by_query(self.relevant, self.offsets)

    @cached_property
    def levels(self) -> Levels:
        """Relevant and non-relevant documents as two grades."""
        return levels_of(self.relevant.astype(np.float64), self.offsets)

    @cached_property
    def has_both(self) -> Bools:
        """Which queries have both relevant and non-relevant documents."""
        return (self.n_relevant > 0) & (self.n_relevant < self.sizes)

    @cached_property
    def informative(self) -> Bools:
        """The queries with both relevant and non-relevant documents."""
        return self.has_both


def bind(measure: SupportsEvaluate, grades: Floats, offsets: Ints) -> Any:
    """A measure on queries of these grades; an object that is no `Measure` gets the default `Bound`."""
    own = getattr(measure, "bind", None)
    return Bound(measure, grades, offsets) if own is None else own(grades, offsets)


def grades_for(measure: SupportsEvaluate, judgments: Floats) -> Floats:
    """Judgments as a measure takes them: those that it does not see are 0."""
    if getattr(measure, "sees_unjudged", False) or judgments.min(initial=0) >= 0:  # false if there is a NaN
        return judgments
    return np.where(judgments >= 0, judgments, 0.0)


@dataclass_transform(frozen_default=True, eq_default=False, kw_only_default=True)
class Measure:
    """A measure of the quality of a ranking, or of a labelling, of each query's documents.

    A subclass declares its parameters as annotated class attributes with defaults, as in a dataclass, and gets from here
    its constructor, immutability, a name that parses back, and equality and hashing by that name. A parameter called `k`
    is written as a cut-off: ``nDCG(k=10)`` is ``nDCG@10``.

    A custom measure needs `evaluate` only. `bind` joins a measure to the grades of some queries; the result is an instance
    of the class attribute `bound`, a `Bound`. Two optional methods serve learners, which name the one they need:

    - ``joachims_scale(n_documents, n_relevant)`` gives the factors that turn its losses and its coefficients, which are
      normalised, into those of Joachims (2005), so that C means there what it means in the paper;
    - ``labelled(n_relevant)`` gives how many documents the measure wants labelled relevant, if it wants a number.
    """

    registry: ClassVar[dict[str, type[Measure]]] = {}
    bound: ClassVar[type[Bound]] = Bound

    #: Whether it is told which documents were not judged: their grade is then NaN, or below 0 if they were pooled. Else 0.
    sees_unjudged: ClassVar[bool] = False

    #: Whether it is usual on one set of rows without queries; a learner then takes a lack of qid for granted.
    setwise: ClassVar[bool] = False

    #: Whether it judges the order of documents; False where it judges labels, or a set in whatever order.
    judges_order: ClassVar[bool] = True

    @property
    def averages_ties(self) -> bool:
        """Whether equal scores count as the mean over all their orders; with an `evaluate` of its own, that is not known."""
        return self.bound.evaluate is not Bound.evaluate

    @property
    def guide(self) -> Measure | None:
        """A measure of whole rankings, if this one sees so little of a ranking that a learner had better follow both."""
        return None

    def bind(self, grades: Floats, offsets: Ints) -> Any:
        """The measure on queries of these grades; see `Bound`."""
        return self.bound(self, grades, offsets)

    def evaluate(self, scores: Floats, grades: Floats, offsets: Ints) -> Floats:
        """The value of each query.

        Parameters
        ----------
        scores, grades : float64 arrays, laid out by query
            A custom measure gets each query's documents by descending score; the measures of this package take any order.
            A score of -inf says that the document was not ranked at all (a run did not return it): it counts among the
            query's documents but earns nothing.
        offsets : int64 array, one longer than the number of queries
            Documents ``offsets[i]:offsets[i + 1]`` are those of query i.
        """
        # Not `self.bound`: a subclass with its own `evaluate` that calls this one means that of the family it extends.
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
        """A class that is abstract has no name: others derive measures from it."""
        super().__init_subclass__()
        if "evaluate" in vars(cls) and "bound" not in vars(cls):
            cls.bound = Bound  # the kernels of the measure it extends know nothing of its `evaluate`
        dataclass(frozen=True, eq=False, repr=False, kw_only=True)(cls)
        cls.__signature__ = signature(cls.__init__.__get__(cls))  # type: ignore[attr-defined]  # which __new__ would hide
        if abstract or cls.__name__.startswith("_"):
            return
        known = Measure.registry.get(cls.__name__.lower())
        # A class of the same module is the same one, defined again (a notebook cell run twice).
        if known is not None and known.__module__ != cls.__module__:
            raise MeasureError(
                f"a measure named {known.__name__} exists already, in {known.__module__}; choose another name"
            )
        Measure.registry[cls.__name__.lower()] = cls

    def __post_init__(self) -> None:
        for parameter, value in self.parameters().items():
            if parameter == "k" and value is not None:
                integer = isinstance(value, (int, np.integer)) and not isinstance(value, bool)
                self._check(integer and 1 <= value <= MAX_CUTOFF, "k", value, "an integer between 1 and 2^62")
            if parameter == "rel" and value is not None:
                self._check_number("rel", value)

    def relevant(self, grades: Floats) -> Bools:
        """Which documents count as relevant: those of grade `rel` or more, by default those of any grade above 0."""
        return grades >= self._threshold

    def parameters(self) -> dict[str, Any]:
        return {field.name: getattr(self, field.name) for field in fields(self)}  # type: ignore[arg-type]

    @property
    def name(self) -> str:
        """The name that `parse` reads back: ``AP(rel=2)``, ``nDCG(gain=linear)@10``."""
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
        """The name that `parse` reads back in any process: that of a custom measure says the module to import."""
        return qualified(type(self), self.name)

    def __repr__(self) -> str:
        return self.name

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Measure) and self.name == other.name

    def __hash__(self) -> int:
        return hash(self.name)

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


def name_of(measure: SupportsEvaluate) -> str:
    """A measure's name; for an object that is no `Measure` its attribute `name`, else that of its class."""
    name = getattr(measure, "name", None)
    return name if isinstance(name, str) else type(measure).__name__


def qualified_name_of(measure: SupportsEvaluate) -> str:
    """The name that `parse` reads back in any process; an object that is no `Measure` is named by its class."""
    if isinstance(measure, Measure):
        return measure.qualified_name
    return qualified(type(measure), type(measure).__name__)


def qualified(cls: type, name: str) -> str:
    """A name with the module of its class before it, unless that is one of this package."""
    return name if cls.__module__.split(".")[0] == __package__.split(".")[0] else f"{cls.__module__}:{name}"


def plain_number(value: object) -> str:
    """A parameter's value as it is written in a name: 2 rather than 2.0."""
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value)
