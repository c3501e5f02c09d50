"""The official set of trec_eval's measures, by its names."""

from __future__ import annotations

import numpy as np

from ..data import Qrels, Run
from .evaluate import QueriesOf, evaluate_run

#: trec_eval's names and ours, in its order.
OFFICIAL = {
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
    found = evaluate_run(run, qrels, ["AP", *OFFICIAL.values()], ties="trec", queries=queries)
    ranking = found.require_ranking()
    returned, relevant = ranking.scores > -np.inf, ranking.grades > 0
    return {
        "num_q": found.qid.size,
        "num_ret": int(returned.sum()),
        "num_rel": int(relevant.sum()),
        "num_rel_ret": int((returned & relevant).sum()),
        "map": found["AP"],
        "gm_map": found.geometric_mean("AP"),
        **{theirs: found[ours] for theirs, ours in OFFICIAL.items()},
    }
