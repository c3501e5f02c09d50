"""Charts of reports and of models, for notebooks, SVG and PNG (extra ``report``).

Each function gives an Altair chart, which a notebook shows and whose method ``save("name.svg")`` needs no browser.

Examples
--------
``directrank.plots.means(report, "nDCG@10").save("means.svg")``
"""

from .evaluation.plots import (
    differences,
    distribution,
    local_optimality,
    means,
    ndcg_at_k,
    precision_recall,
    scatter,
    training,
    weight_curves,
    weights,
)

__all__ = [
    "differences",
    "distribution",
    "local_optimality",
    "means",
    "ndcg_at_k",
    "precision_recall",
    "scatter",
    "training",
    "weight_curves",
    "weights",
]
