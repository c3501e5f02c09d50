"""The official set of trec_eval's measures, by its names, and results in its format."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np

from ..arrays import Floats, Ints
from ..data import Qrels, Run
from ..measures import as_measure
from .evaluate import QueriesOf, evaluate_run_by
from .evaluation_result import Evaluation
from .named_measures import MeasureLike, NamedMeasure, named_measures

#: trec_eval's names of measures that are ours under another name or tie rule, in its order.
OFFICIAL = {
    "map": "AP",
    "gm_map": "AP",
    "Rprec": "Rprec",
    "bpref": "Bpref",
    "recip_rank": "RR",
    **{f"iprec_at_recall_{level / 10:.2f}": f"IPrec@{level / 10:g}" for level in range(11)},
    **{f"P_{k}": f"P@{k}" for k in (5, 10, 15, 20, 30, 100, 200, 500, 1000)},
}


def trec_eval_official(run: Run, qrels: Qrels, *, queries: QueriesOf = "qrels") -> dict[str, float]:
    """Values that ``trec_eval -c -m official`` prints for all queries together, by its names and in its order.

    With ``queries="run"``, the values of trec_eval without ``-c``: for the queries of the run only.

    ``num_q``, ``num_ret``, ``num_rel`` and ``num_rel_ret`` are sums, ``gm_map`` is a geometric mean, all others are means.
    ``iprec_at_recall`` differs where trec_eval's rounding is at fault; see `IPrec`.
    """
    found = evaluate_official(run, qrels, queries=queries)
    return {**total_counts(found), **found.means}


def evaluate_official(
    run: Run, qrels: Qrels, measures: Iterable[MeasureLike] = (), *, queries: QueriesOf = "qrels"
) -> Evaluation:
    """Evaluate a run by the official measures and others, under trec_eval's names."""
    official = {
        theirs: NamedMeasure(as_measure(ours), "trec", is_geometric=theirs == "gm_map") for theirs, ours in OFFICIAL.items()
    }
    others = list(measures)
    return evaluate_run_by({**official, **(named_measures(others) if others else {})}, run, qrels, None, queries)


def total_counts(found: Evaluation) -> dict[str, int]:
    """Number of queries, and of documents that were returned, are relevant, and both, by trec_eval's names."""
    return {"num_q": found.qid.size, **{name: int(counts.sum()) for name, counts in query_counts(found).items()}}


def query_counts(found: Evaluation) -> dict[str, Ints]:
    """Number of documents of each query that were returned, are relevant, and both, by trec_eval's names."""
    ranking = found.require_ranking()
    returned, relevant = ranking.scores > -np.inf, ranking.grades > 0
    flags = {"num_ret": returned, "num_rel": relevant, "num_rel_ret": returned & relevant}
    in_order = {name: ranking.queries.to_query_order(flag).astype(np.int64) for name, flag in flags.items()}
    return {name: np.add.reduceat(flag, ranking.queries.offsets[:-1]) for name, flag in in_order.items()}


def query_values(found: Evaluation, *, counts: bool = False) -> dict[str, Floats | Ints]:
    """Values of each query by all measures but geometric means, after numbers of documents if asked for."""
    measures = {name: values for name, values in found.per_query.items() if name not in found.geometric}
    return {**(query_counts(found) if counts else {}), **measures}


def trec_lines(found: Evaluation, run_name: str | None = None, *, counts: bool = False, per_query: bool = False) -> str:
    """Results as trec_eval prints them: name of the measure, query or ``all``, and value, between tabs.

    Parameters
    ----------
    found : Evaluation
    run_name : str, optional
        Name for a first line ``runid``, which trec_eval prints with its official measures.
    counts : bool
        Whether to print numbers of queries and documents.
    per_query : bool
        Whether to print each query before all together, as ``trec_eval -q``.
    """
    lines = [] if run_name is None else [_line("runid", "all", run_name)]
    lines += _query_lines(found, counts) if per_query else []
    totals = total_counts(found) if counts else {}
    return "".join([*lines, *(_line(name, "all", value) for name, value in {**totals, **found.means}.items())])


def _query_lines(found: Evaluation, counts: bool) -> Iterator[str]:
    values = {name: each.tolist() for name, each in query_values(found, counts=counts).items()}
    for qid, i in sorted((str(qid), i) for i, qid in enumerate(found.qid.tolist())):
        for name, each in values.items():
            yield _line(name, qid, each[i])


def _line(name: str, query: str, value: str | float) -> str:
    return f"{name:<22}\t{query}\t{f'{value:6.4f}' if isinstance(value, float) else value}\n"
