"""Charts of all rankings by one measure: means, and distributions over the queries."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ..named_measures import MeasureLike
from .requirement import alt
from .theme import BLUE, FAINT, INK, LINE, ORANGE, SHORTENED, WIDTH, Row, finished, inline

if TYPE_CHECKING:
    from ..report import Report

TICKS = 8


def means(report: Report, measure: MeasureLike) -> alt.LayerChart:
    """Mean of each ranking with its 95 % interval, best first."""
    return means_chart(means_rows(report, measure), report.name_of(measure))


def distribution(report: Report, measure: MeasureLike) -> alt.LayerChart:
    """Box plots of each ranking's values over the queries, with the mean as a dot, best mean first."""
    return distribution_chart(distribution_rows(report, measure), report.name_of(measure))


def means_rows(report: Report, measure: MeasureLike) -> list[Row]:
    """See `means_chart`."""
    found = report.means[report.name_of(measure)]
    rows = [{"ranking": name, "mean": mean.value, **mean.interval._asdict()} for name, mean in found.items()]
    return sorted(rows, key=lambda row: -row["mean"])


def distribution_rows(report: Report, measure: MeasureLike) -> list[Row]:
    """See `distribution_chart`."""
    values = dict(zip(report.names, report.values[report.name_of(measure)].tolist(), strict=True))
    best_first = [row["ranking"] for row in means_rows(report, measure)]
    return [{"ranking": name, "value": value} for name in best_first for value in values[name]]


def means_chart(rows: Sequence[Row], measure: str) -> alt.LayerChart:
    """Means with their intervals.

    Parameters
    ----------
    rows : list of dict
        ``{ranking, mean, low, high}``, in drawing order.
    measure : str
        Title of the axis.
    """
    figures = [alt.Tooltip(field, type="quantitative", format=".4f") for field in ("mean", "low", "high")]
    base = alt.Chart(inline(rows)).encode(y=_by_ranking(), tooltip=[alt.Tooltip("ranking:N"), *figures])
    across = alt.Scale(zero=False)
    intervals = base.mark_rule(color=BLUE, strokeWidth=2).encode(
        x=alt.X("low:Q", title=f"mean {measure}, 95 % interval", scale=across, axis=alt.Axis(tickCount=TICKS)), x2="high:Q"
    )
    dots = base.mark_point(filled=True, size=70, color=BLUE, opacity=1).encode(x=alt.X("mean:Q", scale=across))
    chart = alt.layer(intervals, dots).properties(width=WIDTH, height=alt.Step(LINE))
    return finished(chart, "The mean of each ranking with its 95 % interval")


def distribution_chart(rows: Sequence[Row], measure: str) -> alt.LayerChart:
    """Box plots: the box spans the middle half, the whiskers the last value within 1.5 times its length.

    Parameters
    ----------
    rows : list of dict
        ``{ranking, value}``, one for each query, rankings in drawing order.
    measure : str
        Title of the axis.

    Notes
    -----
    The rankings are drawn in the order of the parameter "rankings".
    """
    legend = ["box: middle half of the queries", "line: median; dot: mean"]
    # The order is explicit: Vega-Lite would put rankings with outliers first.
    order = alt.param(name="rankings", value=list(dict.fromkeys(row["ranking"] for row in rows)))
    base = alt.Chart(inline(rows)).encode(y=_by_ranking(scale=alt.Scale(domain=alt.ExprRef("rankings"))))
    boxes = base.mark_boxplot(
        size=LINE * 0.55,
        box={"fill": BLUE, "fillOpacity": 0.45, "stroke": None},
        median={"color": BLUE, "thickness": 3},
        rule={"color": INK},
        outliers={"color": INK, "size": 12, "opacity": 0.6, "filled": True},
    ).encode(x=alt.X("value:Q", axis=alt.Axis(title=[measure, *legend], tickCount=TICKS)))
    dots = base.mark_point(filled=True, size=45, color=ORANGE, opacity=1, stroke=FAINT).encode(
        x=alt.X("mean(value):Q"), tooltip=["ranking:N", alt.Tooltip("mean(value):Q", title="mean", format=".4f")]
    )
    chart = alt.layer(boxes, dots).add_params(order).properties(width=WIDTH, height=alt.Step(LINE))
    return finished(chart, "A box plot of the values of each ranking over the queries")


def _by_ranking(**also: Any) -> alt.Y:
    return alt.Y("ranking:N", title=None, sort=None, axis=alt.Axis(labelExpr=SHORTENED), **also)
