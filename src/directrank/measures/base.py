"""What a measure is: a small immutable value with a name, and one required method, `evaluate`."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any, ClassVar, NamedTuple, Protocol, dataclass_transform, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from ..arrays import Bools, Floats, Ints
from .ranking.ties import ranked

#: Beyond so many grades, not each is put on top to see whether a measure tells orders apart.
MANY_GRADES = 16

#: Passed to kernels where a measure has no cut-off.
NO_CUTOFF = np.iinfo(np.int64).max

#: The smallest grade that is relevant by default. Not 5e-324: a library that makes the processor flush subnormal numbers
#: to zero would turn every document relevant.
SMALLEST_RELEVANT = float(np.finfo(np.float64).tiny)


class Violation(NamedTuple):
    """What the structural SVM learns from: the output of each query that violates its margin most.

    Attributes
    ----------
    coefficients : float64 array, one for each document, laid out by query
        With ``sum_i coefficients[i] * x_i = Psi(y*) - Psi(y^)`` over the documents of a query, for the right output y* and
        the most violated one y^. Where several outputs are right, Psi(y*) is their mean.
    losses : float64 array, one for each query
        The loss of y^, in [0, 1]: how far its value is below the best one.
    """

    coefficients: Floats
    losses: Floats


@runtime_checkable
class Evaluates(Protocol):
    """Whatever can be evaluated: a `Measure`, or any object with this one method."""

    def evaluate(self, scores: Floats, grades: Floats, offsets: Ints) -> Floats: ...


class MeasureError(ValueError):
    """A measure was named, set up or used wrongly; the message says how to put it right."""


class Bound:
    """A measure bound to the grades of some queries: what depends on the grades alone is computed once, here.

    Parameters
    ----------
    measure : Measure, or any object with `evaluate`
    grades : float64 array, in query order
    offsets : int64 array, one longer than the number of queries
        Documents ``offsets[i]:offsets[i + 1]`` are those of query i.
    """

    def __init__(self, measure: Evaluates, grades: Floats, offsets: Ints) -> None:
        self.measure, self.grades, self.offsets = measure, grades, offsets

    def evaluate(self, scores: Floats) -> Floats:
        """The value of each query, at a score for each document in the order of the grades."""
        return self.measure.evaluate(*ranked(scores, self.grades, self.offsets), self.offsets)

    def __getattr__(self, method: str) -> Any:  # until every family has a Bound of its own
        if method in ("lambdas", "most_violated") and hasattr(self.measure, method):
            return lambda scores: getattr(self.measure, method)(scores, self.grades, self.offsets)
        if method == "pairs" and hasattr(self.measure, method):
            return self.measure.pairs(self.grades, self.offsets)
        raise AttributeError(method)

    @cached_property
    def informative(self) -> Bools:
        """Which queries have orders that the measure tells apart.

        The orders tried are by ascending and by descending grade, and with the documents of any one grade on top. Where
        these find no such query, those whose grades differ: that they teach nothing is then for the learner to find.
        """
        by_grade = self.evaluate(self.grades)
        informative = np.zeros(by_grade.size, bool)
        tops = ((self.grades == grade).astype(np.float64) for grade in np.unique(self.grades)[:MANY_GRADES])
        for order in (-self.grades, *tops):
            values = self.evaluate(order)
            informative |= (values != by_grade) & np.isfinite(values) & np.isfinite(by_grade)
        return informative if informative.any() else grades_differ(self.grades, self.offsets)


def grades_differ(grades: Floats, offsets: Ints) -> Bools:
    """Which queries have documents of different grades."""
    return np.maximum.reduceat(grades, offsets[:-1]) > np.minimum.reduceat(grades, offsets[:-1])


def bind(measure: Evaluates, grades: Floats, offsets: Ints) -> Any:
    """A measure on queries of these grades; an object that is no `Measure` gets the default `Bound`."""
    own = getattr(measure, "bind", None)
    return Bound(measure, grades, offsets) if own is None else own(grades, offsets)


@dataclass_transform(frozen_default=True, eq_default=False, kw_only_default=True)
class Measure(ABC):
    """A measure of the quality of a ranking, or of a labelling, of each query's documents.

    A subclass declares its parameters as annotated class attributes with defaults, as in a dataclass, and gets from here
    its constructor, immutability, a name that parses back, and equality and hashing by that name. A parameter called `k`
    is written as a cut-off: ``nDCG(k=10)`` is ``nDCG@10``.

    A custom measure needs `evaluate` only. `bind` joins a measure to the grades of some queries; what that gives is an
    instance of the class's attribute `bound`, a `Bound`. Two optional methods serve learners, which name the one they need:

    - ``joachims_scale(n_documents, n_relevant)`` gives the factors that turn its losses and its coefficients, which are
      normalised, into those of Joachims (2005), so that C means there what it means in the paper;
    - ``labelled(n_relevant)`` gives how many documents the measure wants labelled relevant, if it wants a number.
    """

    registry: ClassVar[dict[str, type[Measure]]] = {}
    bound: ClassVar[type[Bound]] = Bound

    def bind(self, grades: Floats, offsets: Ints) -> Bound:
        """The measure on queries of these grades; see `Bound`."""
        return self.bound(self, grades, offsets)

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        dataclass(frozen=True, eq=False, repr=False, kw_only=True)(cls)
        if cls.__name__.startswith("_"):
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
                self._check(
                    isinstance(value, (int, np.integer)) and bool(value >= 1), "k", value, "a whole number from 1 up"
                )
            if parameter == "rel" and value is not None:
                self._check_number("rel", value)

    @abstractmethod
    def evaluate(self, scores: Floats, grades: Floats, offsets: Ints) -> Floats:
        """The value of each query.

        Parameters
        ----------
        scores, grades : float64 arrays, laid out by query
            Each query's documents come by descending score. A score of -inf says that the document was not ranked at all
            (a run did not return it): it counts among the query's documents but earns nothing.
        offsets : int64 array, one longer than the number of queries
            Documents ``offsets[i]:offsets[i + 1]`` are those of query i.
        """

    def relevant(self, grades: Floats) -> NDArray[np.bool_]:
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
        inner = ", ".join(f"{p}={_plain(v)}" for p, v in changed.items())
        return type(self).__name__ + (f"({inner})" if inner else "") + (f"@{cutoff}" if cutoff is not None else "")

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
        right = isinstance(value, (int, float, np.number)) and bool(0 < value <= highest) and bool(value < np.inf)
        limit = "" if highest == np.inf else f" and at most {highest:g}"
        self._check(right, parameter, value, f"a number above 0{limit}")

    def _check(self, right: bool, parameter: str, value: object, wanted: str) -> None:
        if not right:
            raise MeasureError(f"{type(self).__name__}: {parameter} must be {wanted}, not {value!r}")


def _plain(value: object) -> str:
    """A parameter's value as it is written in a name: 2 rather than 2.0."""
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value)
