"""Set-wise measures of a labelling: a document is labelled relevant where its score is above 0.

They are meant for one set (``qid=None``), as in Joachims (2005); with queries, each query is a set of its own.
"""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np

from ..arrays import Bools, Floats, Ints
from ..caching import cached_property
from .bound import Bound, RelevanceBound
from .capabilities import Violation, ViolationUnits
from .errors import MeasureError
from .measure import Measure
from .precision_recall import Rprec
from .ranking.levels import count_by_query
from .violations.contingency_tables import Tables
from .violations.labelling import most_violated_ratio


class BoundContingency(RelevanceBound):
    """A measure of the contingency table, bound to grades."""

    measure: ContingencyMeasure

    def evaluate(self, scores: Floats) -> Floats:
        labelled = scores > 0
        missed = count_by_query(self.relevant & ~labelled, self.offsets)
        false = count_by_query(~self.relevant & labelled, self.offsets)
        return self._value(missed, false)

    def most_violated(self, scores: Floats) -> Violation:
        """See `contingency_tables`."""
        return self._tables.most_violated(scores, self.relevant, self.offsets)

    @cached_property
    def informative(self) -> Bools:
        """Queries with a relevant document whose labellings differ in value."""
        return self._tables.differ

    def _value(self, missed: Ints, false: Ints) -> Floats:
        """Value of each query, given its false negatives and false positives."""
        tables = np.stack((self.n_relevant - missed, false, missed, self._n_others - false)).astype(np.float64)
        values = np.zeros(self.sizes.size)
        values[self._counts] = self.measure._values(*tables[:, self._counts])
        return values

    @cached_property
    def _tables(self) -> Tables:
        return Tables(self.measure.name, self.measure._values, self.n_relevant, self._n_others)

    @cached_property
    def _n_others(self) -> Ints:
        return self.sizes - self.n_relevant

    @cached_property
    def _counts(self) -> Bools:
        """Whether a query's value depends on its labels."""
        return self.n_relevant > 0


class BoundRatio(BoundContingency):
    """A ratio of true positives to a weighted sum of true positives, false positives and misses, bound to grades."""

    measure: F | Jaccard

    def most_violated(self, scores: Floats) -> Violation:
        """See `most_violated_ratio`."""
        return most_violated_ratio(scores, self.relevant, self.offsets, *self.measure._factors)

    @cached_property
    def informative(self) -> Bools:
        """Queries with a relevant document."""
        return self._counts


class BoundAccuracy(BoundContingency):
    """A measure with the same loss for every wrong label of a class, bound to grades."""

    def most_violated(self, scores: Floats) -> Violation:
        """Each label on its own: wrong where y_i s_i is below its margin, half of its loss times n."""
        wrong = (self._labels * scores < self._margins) & np.repeat(self.informative, self.sizes)
        missed = count_by_query(wrong & self.relevant, self.offsets)
        false = count_by_query(wrong, self.offsets) - missed
        losses = self._value(0 * missed, 0 * false) - self._value(missed, false)
        return Violation(2 / np.repeat(self.sizes, self.sizes) * self._labels * wrong, losses)

    @cached_property
    def informative(self) -> Bools:
        """Queries with a document."""
        return self._counts

    @cached_property
    def _counts(self) -> Bools:
        return self.sizes > 0

    @cached_property
    def _margins(self) -> Floats:
        return np.full(self.grades.size, 0.5)

    @cached_property
    def _labels(self) -> Floats:
        return np.where(self.relevant, 1.0, -1.0)


class BoundBalancedAccuracy(BoundAccuracy):
    """`BalancedAccuracy`, bound to grades."""

    @cached_property
    def informative(self) -> Bools:
        """Queries with both relevant and non-relevant documents."""
        return self.has_both

    @cached_property
    def _counts(self) -> Bools:
        return self.has_both

    @cached_property
    def _margins(self) -> Floats:
        n_alike = np.where(self.relevant, *(np.repeat(count, self.sizes) for count in (self.n_relevant, self._n_others)))
        return np.repeat(self.sizes, self.sizes) / (4 * n_alike)


class ContingencyMeasure(Measure, abstract=True):
    r"""A measure of the contingency table: a subclass implements one function of it, `value`.

    The table counts the documents that are labelled relevant, with a score above 0, and the others (Joachims 2005):

    ==================  ========  ============
    ..                  relevant  not relevant
    ==================  ========  ============
    labelled relevant   a         b
    labelled otherwise  c         d
    ==================  ========  ============

    `MultivariateSVC` and `SVMRanker` learn it by the paper's Algorithm 2, whatever the function: the most violated labelling
    is found exactly, among all tables. With R relevant and N other documents there are (R + 1)(N + 1); all values are
    computed once, and after that bounds rule most tables out (`violations/contingency_tables.py`).

    A query without relevant documents counts 0. The loss of a labelling is the value of the right labels minus its own, so
    values need not lie in [0, 1]; but no labelling may have a higher value than the right one.

    Parameters
    ----------
    rel : number, optional
        Smallest relevant grade; by default any grade above 0.
    """

    setwise: ClassVar[bool] = True
    judges_order: ClassVar[bool] = False
    bound: ClassVar[type[Bound]] = BoundContingency

    rel: float | None = None

    def value(self, a: Floats, b: Floats, c: Floats, d: Floats) -> Floats:
        """Value of each table, given arrays of true positives, false positives, false negatives and true negatives.

        Arrays and result are float64 and of one length. NaN, as from 0/0, counts 0; infinite values are an error. A value
        must depend on its table alone.
        """
        raise NotImplementedError

    def violation_units(self, n_documents: int, n_relevant: int) -> ViolationUnits:
        """Losses in percent; Psi is not divided by the number of documents."""
        return ViolationUnits(loss=100.0, psi=n_documents)

    def __new__(cls, *_: Any, **__: Any) -> Self:
        if cls.value is ContingencyMeasure.value:
            raise MeasureError(f"{cls.__name__} is not a measure yet: give it a method value(self, a, b, c, d)")
        return super().__new__(cls)

    def __init_subclass__(cls, **options: bool) -> None:
        super().__init_subclass__(**options)
        if "value" in vars(cls) and "bound" not in vars(cls):
            cls.bound = BoundContingency  # closed forms of the parent need not hold for this `value`

    def _values(self, a: Floats, b: Floats, c: Floats, d: Floats) -> Floats:
        """Results of `value`, checked, with 0 where it is not defined."""
        try:
            with np.errstate(divide="ignore", invalid="ignore"):
                given = np.asarray(self.value(a, b, c, d))
            values = given.astype(np.float64, casting="unsafe" if given.dtype == object else "same_kind")
        except (TypeError, ValueError) as error:
            raise MeasureError(
                f"{self.name}: value(a, b, c, d) takes arrays and gives an array of numbers, so use np.where in place of "
                f"if; it failed with: {error}"
            ) from error
        if values.shape != a.shape:
            raise MeasureError(
                f"{self.name}: value(a, b, c, d) must give an array of as many values as there are tables, "
                f"{a.size}, not one of the shape {values.shape}"
            )
        if np.isinf(values).any():
            table = ", ".join(f"{n}={x[np.isinf(values)][0]:g}" for n, x in zip("abcd", (a, b, c, d), strict=True))
            raise MeasureError(f"{self.name}: the value of {table} is infinite; it must be a number, or NaN for 0")
        return np.where(np.isnan(values), 0.0, values)


class Accuracy(ContingencyMeasure):
    """The fraction of documents with the right label: 1 minus the error rate.

    The only measure of labels that can be above 0 in a query without relevant documents.

    Parameters
    ----------
    rel : number, optional
        Smallest relevant grade; by default any grade above 0.
    """

    bound: ClassVar[type[Bound]] = BoundAccuracy

    def value(self, a: Floats, b: Floats, c: Floats, d: Floats) -> Floats:
        return (a + d) / (a + b + c + d)

    def violation_units(self, n_documents: int, n_relevant: int) -> ViolationUnits:
        """Two for each error, so that the ordinary SVM arises (Theorem 3)."""
        return ViolationUnits(loss=2.0 * n_documents, psi=n_documents)


class BalancedAccuracy(ContingencyMeasure):
    r"""The mean of the accuracies of relevant and of other documents; 0 where a query lacks one of the two kinds.

    .. math:: \tfrac12 \left(\frac{a}{a + c} + \frac{d}{b + d}\right)

    Parameters
    ----------
    rel : number, optional
        Smallest relevant grade; by default any grade above 0.
    """

    bound: ClassVar[type[Bound]] = BoundBalancedAccuracy

    def value(self, a: Floats, b: Floats, c: Floats, d: Floats) -> Floats:
        return (a / (a + c) + d / (b + d)) / 2


class GMean(ContingencyMeasure):
    r"""The geometric mean of the accuracies of relevant and of other documents; 0 where a query lacks one of the two kinds.

    .. math:: \sqrt{\frac{a}{a + c} \cdot \frac{d}{b + d}}

    Kubat & Matwin (1997), Addressing the curse of imbalanced training sets.

    Parameters
    ----------
    rel : number, optional
        Smallest relevant grade; by default any grade above 0.
    """

    def value(self, a: Floats, b: Floats, c: Floats, d: Floats) -> Floats:
        return np.sqrt(a / (a + c) * d / (b + d))


class MCC(ContingencyMeasure):
    r"""Matthews correlation coefficient of labels and relevance, from -1 to 1; 0 if all labels or all grades are alike.

    .. math:: \frac{ad - bc}{\sqrt{(a + b)(a + c)(b + d)(c + d)}}

    Parameters
    ----------
    rel : number, optional
        Smallest relevant grade; by default any grade above 0.
    """

    def value(self, a: Floats, b: Floats, c: Floats, d: Floats) -> Floats:
        return (a * d - b * c) / np.sqrt((a + b) * (a + c) * (b + d) * (c + d))


class Jaccard(ContingencyMeasure):
    r"""Jaccard index of the documents labelled relevant and the relevant ones: intersection over union.

    .. math:: \frac{a}{a + b + c}

    Parameters
    ----------
    rel : number, optional
        Smallest relevant grade; by default any grade above 0.
    """

    bound: ClassVar[type[Bound]] = BoundRatio

    def value(self, a: Floats, b: Floats, c: Floats, d: Floats) -> Floats:
        return a / (a + b + c)

    @property
    def _factors(self) -> tuple[float, float, float]:
        return 1.0, 0.0, 1.0


class F(ContingencyMeasure):
    r"""F measure: the weighted harmonic mean of precision and recall.

    .. math:: F_\beta = \frac{(1 + \beta^2) \, a}{(1 + \beta^2) \, a + b + \beta^2 \, c}

    Parameters
    ----------
    rel : number, optional
        Smallest relevant grade; by default any grade above 0.
    beta : number
        Weight of recall relative to precision.
    """

    bound: ClassVar[type[Bound]] = BoundRatio

    beta: float = 1.0

    def __post_init__(self) -> None:
        super().__post_init__()
        self._check_number("beta", self.beta)

    def value(self, a: Floats, b: Floats, c: Floats, d: Floats) -> Floats:
        weight = self.beta**2
        return (1 + weight) * a / ((1 + weight) * a + b + weight * c)

    @property
    def name(self) -> str:
        return super().name if type(self) is not F or self.beta != 1 else "F1" + super().name.removeprefix("F")

    @property
    def _factors(self) -> tuple[float, float, float]:
        return 1 + self.beta**2, 1.0, self.beta**2


class F1(F):
    """F measure with equal weights of precision and recall: ``F(beta=1)``."""

    def __post_init__(self) -> None:
        super().__post_init__()
        self._check(self.beta == 1, "beta", self.beta, "1; write F(beta=...) for another")


class PRBEP(Rprec):
    """Precision-recall break-even point: with as many documents labelled relevant as are relevant, the two are equal.

    The documents with the highest scores are labelled relevant, whatever their sign: it is `Rprec` of one set.
    """

    setwise: ClassVar[bool] = True
