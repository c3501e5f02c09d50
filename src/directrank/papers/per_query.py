"""Values by query, as rows keep them, compared as rankings are."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from ..evaluation import Evaluation, Report, compare_all

#: The value of each query.
Values = Mapping[str, float]


def compared(
    rankings: Mapping[str, Values], measure: str, baseline: str | None = None, *, test: str = "wilcoxon", **how: Any
) -> Report:
    """The rankings by one measure, on the queries that the first of them has.

    Parameters
    ----------
    rankings : dict of dicts
        From the name of a ranking to the value of each of its queries.
    measure : str
        What the values are.
    baseline : str, optional
        That all others are compared with.
    test : str
        Test of significance; by default Wilcoxon's, which most of the papers used.
    **how
        See `compare_all`.
    """
    queries = list(next(iter(rankings.values())))
    evaluations = {name: as_evaluation({measure: values}, queries) for name, values in rankings.items()}
    return compare_all(evaluations, baseline, test=test, **how)


def as_evaluation(measures: Mapping[str, Values], queries: Sequence[str] | None = None) -> Evaluation:
    """From the values of each measure; of all queries, or of some."""
    chosen = list(next(iter(measures.values()))) if queries is None else list(queries)
    per_query = {measure: np.array([values[query] for query in chosen]) for measure, values in measures.items()}
    return Evaluation(np.array(chosen), per_query, dict.fromkeys(measures, 0))


def mean(values: Values) -> float:
    """Over the queries."""
    return float(np.mean(list(values.values())))


def joined(parts: Iterable[Values]) -> dict[str, float]:
    """The values of folds or trials, no two of which share a query."""
    return {query: value for part in parts for query, value in part.items()}
