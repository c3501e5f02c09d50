"""Values of measures, query by query and in the mean."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..arrays import Floats
from ..data import InputError, Qrels, Queries, Run
from ..data.bytes.names import Names
from ..data.checked_arrays import as_docno, as_grades, as_qid, as_scores
from ..data.formats.trec_joining import judge_pairs, of_queries
from ..data.formats.trec_order import trec_order
from ..data.ranking_data import group_rows
from ..measures import Measure, MeasureError, SupportsEvaluate, as_measure, name_of
from ..measures.bound import grades_for
from ..measures.name_parser import split_names
from ..measures.ranking.sorting import ranked
from .evaluated_ranking import Ranking

if TYPE_CHECKING:
    import pandas as pd

Ties = Literal["average", "trec"]
QueriesOf = Literal["qrels", "run"]
MeasureLike = str | type | SupportsEvaluate

DEFAULT_MEASURES = ("AP", "nDCG@10", "RR")

#: As in trec_eval, so that one query of value 0 does not make the whole mean 0.
LEAST_IN_GEOMETRIC_MEAN = 1e-5


@dataclass(frozen=True, eq=False)
class Evaluation:
    """The value of each measure for each query.

    Attributes
    ----------
    qid : array
        The queries, by first appearance.
    per_query : dict of arrays
        From the name of a measure to its value for each query.
    no_relevant : dict of int
        How many queries have no document that is relevant to the measure; they count 0 (but in Accuracy).
    ties : {"average", "trec"}
        How equal scores were ranked.
    ranking : Ranking, or None
        What was evaluated, for whoever wants to look at it; a report's page does.
    missing : int
        How many judged queries a run lacks; they count 0.

    Examples
    --------
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
    ties: Ties = "average"
    ranking: Ranking | None = None
    missing: int = 0

    @property
    def means(self) -> dict[str, float]:
        return {name: float(values.mean()) for name, values in self.per_query.items()}

    def __getitem__(self, measure: MeasureLike) -> float:
        """The mean of a measure."""
        return float(self.values(measure).mean())

    def values(self, measure: MeasureLike) -> Floats:
        """A measure's value for each query."""
        name = name_of(as_measure(measure)) if measure not in self.per_query else str(measure)
        if name not in self.per_query:
            raise KeyError(f"{name} was not evaluated; there are {', '.join(self.per_query)}")
        return self.per_query[name]

    def geometric_mean(self, measure: MeasureLike) -> float:
        """The geometric mean of a measure, in which the worst queries weigh most; that of AP is trec_eval's ``gm_map``.

        Values below 0.00001 count as that.
        """
        return float(np.exp(np.log(np.maximum(self.values(measure), LEAST_IN_GEOMETRIC_MEAN)).mean()))

    def __repr__(self) -> str:
        means = ", ".join(f"{name} {mean:.4f}" for name, mean in self.means.items())
        lacking = max(self.no_relevant.values(), default=0)
        return f"Evaluation({means}; {self.qid.size:,} queries, {lacking:,} without relevant documents)"

    def to_frame(self) -> pd.DataFrame:
        """A pandas frame with a row for each query and a column for each measure."""
        import pandas as pd

        return pd.DataFrame(self.per_query, index=pd.Index(self.qid.tolist(), name="qid"))


def evaluate(
    y: ArrayLike,
    scores: ArrayLike,
    qid: ArrayLike | None = None,
    measures: MeasureLike | Iterable[MeasureLike] = DEFAULT_MEASURES,
    *,
    ties: Ties = "average",
    docno: ArrayLike | None = None,
    judged: ArrayLike | None = None,
) -> Evaluation:
    """Evaluate a ranking by score.

    Parameters
    ----------
    y : array of grades
        Any non-negative numbers.
    scores : array
        Higher is better. A score of -inf says that a document was not ranked at all.
    qid : array of integers or strings, optional
        The query of each row, in any order; None means that all rows are one query.
    measures : names or measures
        See `directrank.measures`; any object with a method ``evaluate(scores, grades, offsets)`` is a measure. Names may
        be one text with commas: ``"AP,nDCG@10"``.
    ties : {"average", "trec"}
        Equal scores: the mean over all their orders, or trec_eval's order, which compares scores in single precision and
        breaks ties by descending `docno`.
    docno : array of strings, optional
        The name of each document; needed for ``ties="trec"``.
    judged : array of bool, optional
        Which documents were judged, by default all. The others count as grade 0, but to the measures that ask what was
        judged (Bpref, infAP, Judged).
    """
    chosen = measures_by_name(measures)
    grades = as_grades(y)
    judgments, values = _judgments(grades, judged), as_scores(scores, grades.size)
    queries = group_rows(None if qid is None else as_qid(qid, grades.size), grades.size)
    if ties == "trec" and docno is None:
        raise InputError("ties='trec' breaks ties by docno; pass the documents' names, or use ties='average'")
    return _evaluate(judgments, values, queries, chosen, ties, None if docno is None else as_docno(docno, grades.size))


def _judgments(grades: Floats, judged: ArrayLike | None) -> Floats:
    """Grades, with NaN for documents that were not judged."""
    if judged is None:
        return grades
    flags = np.asarray(judged)
    if flags.dtype != np.bool_ or flags.shape != grades.shape:
        raise InputError(f"judged must be an array of {grades.size} truth values, one for each row")
    return np.where(flags, grades, np.nan)


def _evaluate(
    judgments: Floats,
    values: Floats,
    queries: Queries,
    chosen: dict[str, SupportsEvaluate],
    ties: Ties,
    docno: NDArray[Any] | Names | None,
) -> Evaluation:
    """See `evaluate`; of a document that was not judged the grade is NaN, or below 0 if it was pooled."""
    grades = np.where(judgments >= 0, judgments, 0.0)
    order: Any = slice(None) if queries.permutation is None else queries.permutation
    if ties == "trec":
        assert docno is not None
        values, order = _without_ties(values, docno if isinstance(docno, Names) else Names.of(docno), queries)
    elif ties != "average":
        raise InputError(f"ties must be 'average' or 'trec', not {ties!r}")
    # Ranked here once, so that each measure finds it done.
    by_rank, of_ranks = ranked(values[order], judgments[order], queries.offsets)
    per_query, no_relevant = {}, {}
    for name, measure in chosen.items():
        seen = grades_for(measure, of_ranks)
        per_query[name] = _values(measure, name, by_rank, seen, queries)
        no_relevant[name] = _count_no_relevant(measure, seen, queries)
    return Evaluation(queries.ids, per_query, no_relevant, ties, Ranking(queries, values, grades, docno))


def evaluate_run(
    run: Run,
    qrels: Qrels,
    measures: MeasureLike | Iterable[MeasureLike] = DEFAULT_MEASURES,
    *,
    ties: Ties = "average",
    queries: QueriesOf = "qrels",
) -> Evaluation:
    """Evaluate a TREC run as trec_eval does.

    Relevant documents that the run did not return count among those to be found.

    Parameters
    ----------
    run : Run
    qrels : Qrels
    measures : names or measures
        As in `evaluate`.
    ties : {"average", "trec"}
        As in `evaluate`. With "trec" the values are those of trec_eval.
    queries : {"qrels", "run"}
        Which queries count: all that have judgments, where those that the run lacks count 0, as in ``trec_eval -c``; or
        those of the run that have judgments, as in trec_eval without ``-c``. A run of test queries is judged by its own.
    """
    if queries not in ("qrels", "run"):
        raise InputError(f"queries must be 'qrels' or 'run', not {queries!r}")
    judged = judge_pairs(run, qrels if queries == "qrels" else of_queries(qrels, run))
    found = _evaluate(judged.judgments, judged.scores, judged.queries, measures_by_name(measures), ties, judged.docno)
    lacking = np.maximum.reduceat(judged.scores, judged.queries.offsets[:-1]) == -np.inf
    # AUC and others give half to documents of which none was ranked.
    per_query = {name: np.where(lacking, 0.0, each) for name, each in found.per_query.items()}
    return replace(found, per_query=per_query, missing=int(lacking.sum()))


def measures_by_name(measures: MeasureLike | Iterable[MeasureLike]) -> dict[str, SupportsEvaluate]:
    """Measures by their names, which must differ."""
    if isinstance(measures, str):
        measures = split_names(measures)
    several = [measures] if isinstance(measures, (type, SupportsEvaluate)) else list(measures)
    if not several:
        raise MeasureError("no measure was named")
    chosen: dict[str, SupportsEvaluate] = {}
    for measure in map(as_measure, several):
        known = chosen.setdefault(name_of(measure), measure)
        if known != measure and not (type(known) is type(measure) and vars(known) == vars(measure)):
            raise MeasureError(f"two measures are named {name_of(measure)}; give them an attribute name that differs")
    return chosen


def _values(measure: SupportsEvaluate, name: str, scores: Floats, grades: Floats, queries: Queries) -> Floats:
    values = np.asarray(measure.evaluate(scores, grades, queries.offsets), dtype=np.float64)
    if values.shape != queries.ids.shape:
        raise MeasureError(f"{name}.evaluate gave {values.shape} values where there are {queries.ids.size} queries")
    return values


def _count_no_relevant(measure: SupportsEvaluate, grades: Floats, queries: Queries) -> int:
    relevant = measure.relevant(grades) if isinstance(measure, Measure) else grades > 0
    return int(np.sum(~np.logical_or.reduceat(relevant, queries.offsets[:-1])))


def _without_ties(scores: Floats, names: Names, queries: Queries) -> tuple[Floats, NDArray[np.int32]]:
    """Scores that stand in trec_eval's order and are all different within a query, and the rows of each query in that order.

    Scores above 0 stay so.
    """
    sizes = np.diff(queries.offsets)
    query = queries.to_row_order(np.repeat(np.arange(sizes.size), sizes))
    order = trec_order(scores, names, query, sizes.size)
    rank = np.arange(scores.size) - np.repeat(queries.offsets[:-1], sizes)
    with np.errstate(over="ignore"):
        above_zero = np.bincount(query[scores.astype(np.float32) > 0], minlength=sizes.size)
    untied = np.empty(scores.size)
    untied[order] = np.repeat(above_zero, sizes) - rank - 0.5
    return np.where(scores == -np.inf, -np.inf, untied), order
