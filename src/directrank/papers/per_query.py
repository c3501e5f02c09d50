"""Values per query, as rows store them, and their comparison."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from ..evaluation import Evaluation, Report, compare_all

#: Values by query.
Values = Mapping[str, float]


def compare_rankings(
    rankings: Mapping[str, Values], measure: str, baseline: str | None = None, *, test: str = "wilcoxon", **options: Any
) -> Report:
    """Compare rankings by one measure, on the queries of the first ranking.

    Parameters
    ----------
    rankings : dict of dicts
        Values by query, by the name of a ranking.
    measure : str
        Name of the measure.
    baseline : str, optional
        Ranking that all others are compared with.
    test : str
        Significance test; by default Wilcoxon's, which most of the papers used.
    **options
        See `compare_all`.
    """
    queries = list(next(iter(rankings.values())))
    evaluations = {name: as_evaluation({measure: values}, queries) for name, values in rankings.items()}
    return compare_all(evaluations, baseline, test=test, **options)


def as_evaluation(measures: Mapping[str, Values], queries: Sequence[str] | None = None) -> Evaluation:
    """Make an evaluation from the values of each measure, for all queries or some."""
    chosen = list(next(iter(measures.values()))) if queries is None else list(queries)
    per_query = {measure: np.array([values[query] for query in chosen]) for measure, values in measures.items()}
    return Evaluation(np.array(chosen), per_query, dict.fromkeys(measures, 0))


def mean(values: Values) -> float:
    """Mean over the queries."""
    return float(np.mean(list(values.values())))


def merge(parts: Iterable[Values]) -> dict[str, float]:
    """Merge the values of folds or trials with disjoint queries."""
    return {query: value for part in parts for query, value in part.items()}
