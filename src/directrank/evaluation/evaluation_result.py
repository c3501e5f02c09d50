"""Results of an evaluation: a value for each measure and query, and the ranking that was evaluated."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from ..arrays import Floats, Ints
from ..data import InputError, Queries
from ..data.parsing.byte_strings import ByteStrings
from .named_measures import TIE_RULES, AppliedTies, MeasureLike, column_of, shown_name

if TYPE_CHECKING:
    import pandas as pd

T = TypeVar("T")

#: Smallest value in a geometric mean, as in trec_eval, so that one query of value 0 does not make the whole mean 0.
MIN_IN_GEOMETRIC_MEAN = 1e-5


@dataclass(frozen=True, eq=False)
class Ranking:
    """Scores and grades of the documents of some queries, as evaluated.

    Attributes
    ----------
    queries : Queries
    scores, grades : arrays
        One for each row. A document that was not ranked has the score -inf.
    docno : array of strings, or ByteStrings, or None
    """

    queries: Queries
    scores: Floats
    grades: Floats
    docno: NDArray[Any] | ByteStrings | None

    def rows_by_rank(self) -> Ints:
        """All rows by query and descending score; tied documents keep the order of their rows."""
        order = self.queries.order
        query = np.repeat(np.arange(self.queries.ids.size), np.diff(self.queries.offsets))
        return order[np.lexsort((-self.scores[order], query))]

    def names(self, rows: Ints) -> list[str]:
        """Names of the documents in some rows: docnos, or row numbers from 1."""
        return [f"row {row + 1}" for row in rows.tolist()] if self.docno is None else self.docno[rows].tolist()


@dataclass(frozen=True, eq=False)
class Evaluation:
    """Value of each measure for each query.

    Attributes
    ----------
    qid : array
        Queries, by first appearance.
    per_query : dict of arrays
        Values for each query, by measure.
    no_relevant : dict of int
        Number of queries without a document that is relevant to the measure; they count 0 (except in Accuracy).
    ties : dict of str
        How equal scores were ranked, by measure: in trec_eval's order ("trec"), or by the measure's own rule, "average" for
        most (`directrank.measures.TieRule`). Empty if it is not known.
    gains : dict of str
        Gain of grade g, as in "2^g - 1", by measure: for measures that sum gains, where there are grades other than 0 and 1.
    ranking : Ranking, or None
        The ranking that was evaluated, which curves and the report page show: the score and the grade of every row, which
        ``dataclasses.replace(result, ranking=None)`` drops. None after an evaluation on a cluster, which leaves the rows on
        the workers; `require_ranking` raises an `InputError` then.
    missing : int
        Number of judged queries that are missing from a run; they count 0.
    geometric : frozenset of str
        Measures whose mean is geometric: trec_eval's ``gm_map``, whose value for a query is its AP.

    Examples
    --------
    >>> from directrank import evaluate
    >>> result = evaluate([1, 0, 0, 1], [0.9, 0.2, 0.7, 0.5], qid=[1, 1, 2, 2], measures=["AP", "RR"])
    >>> result.means
    {'AP': 0.75, 'RR': 0.75}
    >>> result["AP"]
    0.75
    >>> result.per_query["AP"]
    array([1. , 0.5])
    """

    qid: NDArray[Any]
    per_query: dict[str, Floats]
    no_relevant: dict[str, int]
    ties: dict[str, AppliedTies] = field(default_factory=dict)
    gains: dict[str, str] = field(default_factory=dict)
    ranking: Ranking | None = None
    missing: int = 0
    geometric: frozenset[str] = frozenset()

    @property
    def means(self) -> dict[str, float]:
        return {name: self._mean(name) for name in self.per_query}

    def __getitem__(self, measure: MeasureLike) -> float:
        """Mean of a measure."""
        return self._mean(self._require_column(measure))

    def values(self, measure: MeasureLike) -> Floats:
        """Values of a measure for each query."""
        return self.per_query[self._require_column(measure)]

    def column_of(self, measure: MeasureLike) -> str | None:
        """Name under which a measure was evaluated; None if it was not."""
        return column_of(measure, {name: self.ties.get(name) for name in self.per_query})

    def require_ranking(self) -> Ranking:
        """The ranking that was evaluated; raises an `InputError` if it was not kept."""
        if self.ranking is None:
            raise InputError("this Evaluation has no ranking to draw a curve of; make it by evaluate or evaluate_run")
        return self.ranking

    def geometric_mean(self, measure: MeasureLike) -> float:
        """Geometric mean of a measure, in which the worst queries weigh most; of AP it is trec_eval's ``gm_map``.

        Values below 0.00001 are raised to that.
        """
        return float(np.exp(np.log(np.maximum(self.values(measure), MIN_IN_GEOMETRIC_MEAN)).mean()))

    def _mean(self, name: str) -> float:
        return self.geometric_mean(name) if name in self.geometric else float(self.per_query[name].mean())

    def _require_column(self, measure: MeasureLike) -> str:
        name = self.column_of(measure)
        if name is None:
            raise InputError(f"{shown_name(measure)} was not evaluated; there are {', '.join(self.per_query)}")
        return name

    def notes(self) -> list[str]:
        """Sentences on the gains that were used, and on equal scores that were not averaged over all their orders."""
        return [*gain_notes(self.gains), *_tie_notes(self.ties)]

    def __repr__(self) -> str:
        shown = {name: f" (gain {formula})" for name, formula in self.gains.items()}
        means = ", ".join(f"{name} {mean:.4f}{shown.get(name, '')}" for name, mean in self.means.items())
        lacking = max(self.no_relevant.values(), default=0)
        return f"Evaluation({means}; {self.qid.size:,} queries, {lacking:,} without relevant documents)"

    def to_frame(self) -> pd.DataFrame:
        """A pandas frame with a row for each query and a column for each measure."""
        import pandas as pd

        return pd.DataFrame(self.per_query, index=pd.Index(self.qid.tolist(), name="qid"))


def gain_notes(gains: dict[str, str]) -> list[str]:
    """A sentence on the gains of measures, if any."""
    parts = [f"{', '.join(names)} with gain {formula}" for formula, names in _grouped(gains).items()]
    return [f"{'; '.join(parts)}, for grade g."] if parts else []


def tie_sentence(ties: dict[str, AppliedTies]) -> str:
    """How equal scores were ranked: one clause for all measures, or one for each rule."""
    rules = _grouped(ties)
    if len(rules) == 1:
        return TIE_RULES[next(iter(rules))]
    return "; ".join(f"{TIE_RULES[rule]} for {', '.join(names)}" for rule, names in rules.items())


def _tie_notes(ties: dict[str, AppliedTies]) -> list[str]:
    return [f"Equal scores: {tie_sentence(ties)}."] if set(ties.values()) - {"average"} else []


def _grouped(by_name: dict[str, T]) -> dict[T, list[str]]:
    """Names by their values."""
    found: dict[T, list[str]] = {}
    for name, value in by_name.items():
        found.setdefault(value, []).append(name)
    return found
