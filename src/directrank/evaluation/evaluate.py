"""Evaluation of scores and of TREC runs."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..arrays import Floats
from ..data import InputError, Qrels, Queries, Run
from ..data.checked_arrays import as_docno, as_gains, as_qid, as_scores
from ..data.formats.trec.joining import judge_pairs, select_judged
from ..data.formats.trec.ranking_order import trec_order
from ..data.parsing.byte_strings import ByteStrings
from ..data.ranking_data import group_rows
from ..measures import Measure, MeasureError, SupportsEvaluate
from ..measures.bound import check_grades, grades_for
from ..measures.ranking.sorting import ranked
from .evaluation_result import Evaluation, Ranking
from .named_measures import MeasureLike, NamedMeasure, Ties, applied_ties, named_measures

QueriesOf = Literal["qrels", "run"]

DEFAULT_MEASURES = ("AP", "nDCG@10", "RR")


def evaluate(
    y: ArrayLike,
    scores: ArrayLike,
    qid: ArrayLike | None = None,
    measures: MeasureLike | Iterable[MeasureLike] = DEFAULT_MEASURES,
    *,
    ties: Ties | None = None,
    docno: ArrayLike | None = None,
    judged: ArrayLike | None = None,
) -> Evaluation:
    """Evaluate a ranking by score.

    Parameters
    ----------
    y : array of grades
        Numbers of at least 0; estimated gains may be below 0 if all measures are sums over documents.
    scores : array
        Higher is better. A score of -inf means that a document was not ranked at all.
    qid : array of integers or strings, optional
        Query of each row, in any order; None means that all rows are one query.
    measures : names or measures
        See `directrank.measures`; any object with a method ``evaluate(scores, grades, offsets)`` is a measure. Names may
        be one string with commas: ``"AP,nDCG@10"``.
    ties : {"average", "trec"}, optional
        Equal scores: the mean over all their orders, or trec_eval's order, which compares scores in single precision and
        breaks ties by descending `docno`. By default the mean; with `docno`, trec_eval's order for measures that are named
        as trec_eval names them (``map``, ``ndcg_cut_10``), whatever else is in the list.
    docno : array of strings, optional
        Name of each document; needed for ``ties="trec"``.
    judged : array of bool, optional
        Whether each document was judged, by default all. Unjudged documents count as grade 0, except for measures that
        distinguish them (Bpref, infAP, Judged).
    """
    chosen = named_measures(measures)
    grades = as_gains(y)
    for measure, *_ in chosen.values():
        check_grades(measure, grades)
    judgments = _judgments(grades, judged)
    values = as_scores(scores, grades.size).copy()  # the result keeps them, and the caller may change theirs
    queries = group_rows(None if qid is None else as_qid(qid, grades.size), grades.size)
    if ties == "trec" and docno is None:
        raise InputError("ties='trec' breaks ties by docno; pass the documents' names, or use ties='average'")
    names = None if docno is None else as_docno(docno, grades.size)
    return _evaluate(judgments, values, queries, chosen, ties, names, are_gains=bool(grades.min(initial=0) < 0))


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
    chosen: dict[str, NamedMeasure],
    ties: Ties | None,
    docno: NDArray[Any] | ByteStrings | None,
    *,
    are_gains: bool = False,
) -> Evaluation:
    """See `evaluate`; the grade of a document that was not judged is NaN, or below 0 if it was pooled.

    Of gains, those below 0 count as they are.
    """
    if ties not in ("average", "trec", None):
        raise InputError(f"ties must be 'average' or 'trec', not {ties!r}")
    grades = np.nan_to_num(judgments) if are_gains else np.where(judgments >= 0, judgments, 0.0)
    named: dict[str, Ties] = {name: each.ties if docno is not None else "average" for name, each in chosen.items()}
    breaks = named if ties is None else dict.fromkeys(named, ties)
    # Ranked once with and once without ties, so that no measure has to sort again.
    rankings = {each: _ranked(each, judgments, values, queries, docno) for each in dict.fromkeys(breaks.values())}
    per_query, no_relevant = {}, {}
    for name, (measure, *_) in chosen.items():
        _, scores, judgments_by_rank = rankings[breaks[name]]
        seen = np.nan_to_num(judgments_by_rank) if are_gains else grades_for(measure, judgments_by_rank)
        per_query[name] = _values(measure, name, scores, seen, queries)
        no_relevant[name] = _count_no_relevant(measure, seen, queries)
    shown = rankings.get("average", next(iter(rankings.values())))
    rules = {
        name: "trec" if breaks[name] == "trec" else applied_ties(name, measure) for name, (measure, *_) in chosen.items()
    }
    ranking = Ranking(queries, shown.scores, grades, docno)
    geometric = frozenset(name for name, each in chosen.items() if each.is_geometric)
    return Evaluation(queries.ids, per_query, no_relevant, rules, _gains(chosen, grades), ranking, geometric=geometric)


class _Ranked(NamedTuple):
    """Scores by row, without ties where they are broken; and scores and judgments by query and rank."""

    scores: Floats
    by_rank: Floats
    judgments: Floats


def _ranked(
    ties: Ties, judgments: Floats, values: Floats, queries: Queries, docno: NDArray[Any] | ByteStrings | None
) -> _Ranked:
    order: Any = slice(None) if queries.permutation is None else queries.permutation
    if ties == "trec":
        assert docno is not None
        names = docno if isinstance(docno, ByteStrings) else ByteStrings.from_strings(docno)
        values, order = _without_ties(values, names, queries)
    return _Ranked(values, *ranked(values[order], judgments[order], queries.offsets))


def _gains(chosen: dict[str, NamedMeasure], grades: Floats) -> dict[str, str]:
    """Formulas of the gains that were used; grades 0 and 1 have the same gains in all of them."""
    if not np.any((grades != 0) & (grades != 1)):
        return {}
    found = {name: getattr(measure, "gain_formula", None) for name, (measure, *_) in chosen.items()}
    return {name: formula for name, formula in found.items() if formula is not None}


def evaluate_run(
    run: Run,
    qrels: Qrels,
    measures: MeasureLike | Iterable[MeasureLike] = DEFAULT_MEASURES,
    *,
    ties: Ties | None = None,
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
    ties : {"average", "trec"}, optional
        As in `evaluate`. With "trec" the values are trec_eval's.
    queries : {"qrels", "run"}
        Queries that count: all judged queries, where those missing from the run count 0, as in ``trec_eval -c``; or the
        judged queries of the run, as in trec_eval without ``-c``, for a run of test queries only.
    """
    return evaluate_run_by(named_measures(measures), run, qrels, ties, queries)


def evaluate_run_by(
    chosen: dict[str, NamedMeasure], run: Run, qrels: Qrels, ties: Ties | None, queries: QueriesOf
) -> Evaluation:
    """Evaluate a TREC run by measures under any names; see `evaluate_run`."""
    if queries not in ("qrels", "run"):
        raise InputError(f"queries must be 'qrels' or 'run', not {queries!r}")
    judged = judge_pairs(run, qrels if queries == "qrels" else select_judged(qrels, run))
    found = _evaluate(judged.judgments, judged.scores, judged.queries, chosen, ties, judged.docno)
    lacking = np.maximum.reduceat(judged.scores, judged.queries.offsets[:-1]) == -np.inf
    # AUC and others are 1/2 where no document was ranked.
    per_query = {name: np.where(lacking, 0.0, each) for name, each in found.per_query.items()}
    return replace(found, per_query=per_query, missing=int(lacking.sum()))


def _values(measure: SupportsEvaluate, name: str, scores: Floats, grades: Floats, queries: Queries) -> Floats:
    values = np.asarray(measure.evaluate(scores, grades, queries.offsets), dtype=np.float64)
    if values.shape != queries.ids.shape:
        raise MeasureError(f"{name}.evaluate gave {values.shape} values where there are {queries.ids.size} queries")
    return values


def _count_no_relevant(measure: SupportsEvaluate, grades: Floats, queries: Queries) -> int:
    relevant = measure.relevant(grades) if isinstance(measure, Measure) else grades > 0
    return int(np.sum(~np.logical_or.reduceat(relevant, queries.offsets[:-1])))


def _without_ties(scores: Floats, names: ByteStrings, queries: Queries) -> tuple[Floats, NDArray[np.int32]]:
    """Scores in trec_eval's order, all distinct within a query, and the rows of each query in that order.

    Scores above 0 remain above 0.
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
