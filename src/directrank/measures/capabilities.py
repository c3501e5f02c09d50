"""Protocols for what a measure can do, and the results of each capability.

Every measure can be evaluated. The rest is optional: a learner names the capability that it needs, and
`Measure.supports` answers before a fit, parameters included.
"""

from __future__ import annotations

from typing import Literal, NamedTuple, Protocol, runtime_checkable

from ..arrays import Floats, Ints

#: Optional capabilities: methods of a bound measure, or (``violation_units``) of the measure itself.
Capability = Literal["lambdas", "most_violated", "smooth", "violation_units"]


#: Value at tied scores: the mean over all their orders ("average"), the value of the worst order ("worst"), with one
#: threshold for all of them ("threshold"), as in each term of a sum whose terms differ ("terms"), or as a custom `evaluate`
#: computes it, which gets tied documents in the order of the rows ("custom").
TieRule = Literal["average", "worst", "threshold", "terms", "custom"]


class Lambdas(NamedTuple):
    """Gradient and hessian of each document, laid out by query.

    Attributes
    ----------
    gradient : float64 array
        Derivative of the cost by the score: below 0 where the score should increase.
    hessian : float64 array
        Second derivative, never below 0.
    """

    gradient: Floats
    hessian: Floats


class Violation(NamedTuple):
    """The most violated output of each query: the one with the largest loss-augmented score.

    Attributes
    ----------
    coefficients : float64 array, one for each document, laid out by query
        With ``sum_i coefficients[i] * x_i = Psi(y*) - Psi(y^)`` over the documents of a query, for the right output y* and
        the most violated one y^. Where several outputs are right, Psi(y*) is their mean.
    losses : float64 array, one for each query
        Loss of y^: the best value minus the value of y^. In [0, 1] where values are.
    """

    coefficients: Floats
    losses: Floats


class Smoothed(NamedTuple):
    """A smoothed measure and its gradient.

    Attributes
    ----------
    values : float64 array, one for each query
    gradient : float64 array, one for each document, laid out by query
        Derivative of the query's value by the document's score.
    """

    values: Floats
    gradient: Floats


class ViolationUnits(NamedTuple):
    """Factors that undo the normalisation of `Violation`.

    Attributes
    ----------
    loss : float
        Factor of the losses.
    psi : float
        Factor of the coefficients.
    """

    loss: float
    psi: float


@runtime_checkable
class SupportsEvaluate(Protocol):
    """A measure: a `Measure`, or any object with this one method."""

    def evaluate(self, scores: Floats, grades: Floats, offsets: Ints) -> Floats:
        """Value of each query."""
        ...


@runtime_checkable
class SupportsLambdas(Protocol):
    """A bound measure with gradients for boosted trees (LambdaMART)."""

    def lambdas(self, scores: Floats, by_distance: bool = False) -> Lambdas:
        """Gradient and hessian of each document.

        By distance, the change of the measure by each swap is divided by 0.01 plus the distance of the two scores,
        unless all scores of the query are equal.
        """
        ...


@runtime_checkable
class SupportsMostViolated(Protocol):
    """A bound measure with a separation oracle for structural SVMs."""

    def most_violated(self, scores: Floats) -> Violation:
        """The most violated output of each query."""
        ...


@runtime_checkable
class SupportsSmooth(Protocol):
    """A bound measure that can be smoothed and differentiated (SmoothRank)."""

    def smooth(self, scores: Floats, sigma: float) -> Smoothed:
        """Values and gradient where scores closer than sigma, a width in units of the scores, are nearly tied.

        Scaling scores and sigma by the same factor leaves the values unchanged. As sigma goes to 0 they converge to
        the values of `evaluate`, unless scores are tied.
        """
        ...


@runtime_checkable
class SupportsViolationUnits(Protocol):
    """A measure of one set whose violations are published unnormalised, as in Joachims (2005)."""

    def violation_units(self, n_documents: int, n_relevant: int) -> ViolationUnits:
        """Factors that turn our normalised losses and coefficients into Joachims' (2005), for a set of this size."""
        ...


@runtime_checkable
class SupportsDepths(Protocol):
    """A measure of the first ranks, at a depth that may depend on the number of relevant documents."""

    def depths(self, n_relevant: Ints) -> Ints:
        """Number of ranks that count, for queries with these numbers of relevant documents."""
        ...
