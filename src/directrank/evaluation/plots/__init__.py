"""Charts of reports and of models, by Altair (extra ``report``).

A chart is made in two steps. A builder such as `means_chart` turns plain rows and labels into a chart, whose rows are all in
``spec["data"]["values"]``, so that a page can put others there; what is in a row is told by the builder. A function such as
`means` makes the rows of a report and calls the builder.
"""

from .depth import (
    ndcg_at_k,
    ndcg_at_k_chart,
    ndcg_at_k_rows,
    precision_recall,
    precision_recall_chart,
    precision_recall_rows,
    uncut_ndcg,
)
from .local_optimality import local_optimality, local_optimality_chart, local_optimality_rows
from .overview import distribution, distribution_chart, distribution_rows, means, means_chart, means_rows
from .pairs import differences, differences_chart, differences_rows, scatter, scatter_chart, scatter_rows
from .training import training, training_chart, training_rows
from .weights import weight_curves, weight_curves_chart, weight_curves_rows, weights, weights_chart, weights_rows

__all__ = [
    "differences",
    "differences_chart",
    "differences_rows",
    "distribution",
    "distribution_chart",
    "distribution_rows",
    "local_optimality",
    "local_optimality_chart",
    "local_optimality_rows",
    "means",
    "means_chart",
    "means_rows",
    "ndcg_at_k",
    "ndcg_at_k_chart",
    "ndcg_at_k_rows",
    "precision_recall",
    "precision_recall_chart",
    "precision_recall_rows",
    "scatter",
    "scatter_chart",
    "scatter_rows",
    "training",
    "training_chart",
    "training_rows",
    "uncut_ndcg",
    "weight_curves",
    "weight_curves_chart",
    "weight_curves_rows",
    "weights",
    "weights_chart",
    "weights_rows",
]
