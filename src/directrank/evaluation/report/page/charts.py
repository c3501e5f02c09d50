"""Specifications of the charts that the page redraws for each selection, with rows and names to fill in."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...plots.depth import ndcg_at_k_chart, precision_recall_chart, uncut_ndcg
from ...plots.distributions import distribution_chart, means_chart
from ...plots.paired_differences import differences_chart, scatter_chart
from ...plots.theme import HEIGHT

if TYPE_CHECKING:
    from ..report import Report

#: Placeholders for the selected measure and rankings.
MEASURE, FIRST, SECOND = "{measure}", "{first}", "{second}"


def chart_specs(report: Report) -> dict[str, dict[str, Any]]:
    """A specification for each chart, without rows."""
    names = report.names
    charts = {
        "means": means_chart([], MEASURE),
        "distribution": distribution_chart([], MEASURE),
        "differences": differences_chart([], MEASURE, FIRST, SECOND),
        "scatter": scatter_chart([], MEASURE, FIRST, SECOND).properties(height=HEIGHT),
        "precision_recall": precision_recall_chart([], names),
        "ndcg_at_k": ndcg_at_k_chart([], names, measure=uncut_ndcg(report).name),
    }
    return {name: chart.properties(width="container").to_dict() for name, chart in charts.items()}
