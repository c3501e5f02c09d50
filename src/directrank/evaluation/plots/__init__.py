"""Altair charts of reports and models, for notebooks, SVG and PNG (extra ``report``).

Each function returns a chart, which a notebook shows and whose ``save("name.svg")`` needs no browser. A chart is built in
two steps: a function such as `means` turns a report into plain rows, and a builder in the same module, such as
`means_chart`, turns rows into a chart with all rows in ``spec["data"]["values"]``, so that the report page can replace
them.

Examples
--------
``plots.means(report, "nDCG@10").save("means.svg")``
"""

from .depth import ndcg_at_k, precision_recall
from .distributions import distribution, means
from .optimality_chart import local_optimality
from .paired_differences import differences, scatter
from .training_curves import training
from .weight_charts import weight_curves, weights

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


def __dir__() -> list[str]:
    return __all__
