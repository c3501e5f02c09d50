"""Charts of two rankings, query by query."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ...data import InputError
from ..named_measures import MeasureLike
from ..paired_tests import differences as signed_differences
from .requirement import alt
from .theme import BLUE, FAINT, HEIGHT, INK, SHORTENED, VERMILION, WIDTH, Row, finished, inline

if TYPE_CHECKING:
    from ..report import Report

#: Texts of tooltips.
TOLD = {
    "called": "datum.text ? datum.query + ': ' + datum.text : datum.query",
    "first_shown": "format(datum.first, '.4f') + ' (' + first + ')'",
    "second_shown": "format(datum.second, '.4f') + ' (' + second + ')'",
}

#: The better ranking, as an expression.
SIDE = "datum.difference > 0 ? 'first' : datum.difference < 0 ? 'second' : 'equal'"

#: The two sides of a scatter plot.
SQUARE = 420

#: Largest number of bars with room for gaps between them.
MAX_BARS_WITH_GAPS = 150


def differences(
    report: Report, measure: MeasureLike, first: str, second: str, *, queries: Mapping[str, str] | None = None
) -> alt.LayerChart:
    """Differences between two rankings, a bar for each query, the largest first.

    Parameters
    ----------
    report : Report
    measure : name or measure
    first, second : str
        Names of two rankings.
    queries : dict, optional
        Texts of the queries by qid, for the tooltip.
    """
    rows = differences_rows(report, measure, first, second, queries=queries)
    return differences_chart(rows, report.name_of(measure), first, second)


def scatter(
    report: Report, measure: MeasureLike, first: str, second: str, *, queries: Mapping[str, str] | None = None
) -> alt.LayerChart:
    """Values of each query in both rankings: above the diagonal the first is better. Parameters as for `differences`."""
    rows = scatter_rows(report, measure, first, second, queries=queries)
    return scatter_chart(rows, report.name_of(measure), first, second)


def differences_rows(
    report: Report, measure: MeasureLike, first: str, second: str, *, queries: Mapping[str, str] | None = None
) -> list[Row]:
    """See `differences_chart`."""
    rows = scatter_rows(report, measure, first, second, queries=queries)
    rows.sort(key=lambda row: -row["difference"])
    return [{**row, "position": position} for position, row in enumerate(rows)]


def scatter_rows(
    report: Report, measure: MeasureLike, first: str, second: str, *, queries: Mapping[str, str] | None = None
) -> list[Row]:
    """See `scatter_chart`."""
    values = report.values[report.name_of(measure)]
    texts = {str(qid): text for qid, text in (queries or {}).items()}
    ours, theirs = (values[_place(report, name)] for name in (first, second))
    columns = (each.tolist() for each in (ours, theirs, signed_differences(ours, theirs)))
    return [
        {"query": str(qid), "first": a, "second": b, "difference": difference, "text": texts.get(str(qid), "")}
        for qid, a, b, difference in zip(report.qid, *columns, strict=True)
    ]


def differences_chart(rows: Sequence[Row], measure: str, first: str, second: str) -> alt.LayerChart:
    """Bars of differences.

    The tooltip covers the whole column, even where the two rankings are equal and no bar is visible.

    Parameters
    ----------
    rows : list of dict
        ``{query, position, difference, first, second, text}``: name of the query, its position by descending difference
        from 0, the value in the first ranking minus the value in the second, both values, and the query's text or "".
    measure, first, second : str
        Names for titles, legend and tooltip.

    Notes
    -----
    The column at the position of the chart parameter "cursor" is outlined; -1 for none.
    """
    gap = f"(datum.bars > {MAX_BARS_WITH_GAPS} ? 0 : 0.1)"
    base = (
        alt.Chart(inline(rows))
        .transform_joinaggregate(bars="count()")
        .transform_calculate(left=f"datum.position + {gap}", right=f"datum.position + 1 - {gap}", side=SIDE, **TOLD)
    )
    x = alt.X(
        "left:Q",
        title="queries by difference",
        axis=alt.Axis(grid=False, tickMinStep=1, format="d"),
        scale=alt.Scale(nice=False),
    )
    y = alt.Y("difference:Q", title=f"difference of {measure}")
    # An outline of the same colour closes the seams between bars narrower than a pixel.
    closing = alt.when(f"datum.bars > {MAX_BARS_WITH_GAPS}").then(alt.value(0.7)).otherwise(alt.value(0))
    sides = _by_side("first", "second")
    bars = base.mark_rect().encode(
        x=x,
        x2="right:Q",
        y=y,
        y2=alt.datum(0),
        fill=alt.Fill("side:N", **sides),
        stroke=alt.Stroke("side:N", **sides),
        strokeWidth=closing,
    )
    at_cursor = alt.when("datum.position == cursor").then(alt.value(1)).otherwise(alt.value(0))
    columns = base.mark_rect(fill=FAINT, stroke=INK, strokeWidth=1.5).encode(
        x=x, x2="right:Q", opacity=at_cursor, tooltip=_tooltip()
    )
    params = [alt.param(name="cursor", value=-1), *_names(first, second)]
    chart = alt.layer(bars, columns).add_params(*params).properties(width=WIDTH, height=HEIGHT)
    return finished(chart, "The difference of two rankings for each query")


def scatter_chart(rows: Sequence[Row], measure: str, first: str, second: str) -> alt.LayerChart:
    """Points of queries, and the diagonal.

    Parameters
    ----------
    rows : list of dict
        ``{query, first, second, difference, text}``, as for `differences_chart`.
    measure, first, second : str
        Names for titles, legend and tooltip.
    """
    base = alt.Chart(inline(rows))
    # Both axes get the range of the diagonal.
    diagonal = (
        base.transform_calculate(low="min(0, datum.first, datum.second)", high="max(datum.first, datum.second)")
        .transform_aggregate(low="min(low)", high="max(high)")
        .mark_rule(color=INK, strokeDash=[4, 4])
        .encode(x=alt.X("low:Q"), y=alt.Y("low:Q"), x2="high:Q", y2="high:Q")
    )
    x, y = alt.X("second:Q", title=f"{measure} of {second}"), alt.Y("first:Q", title=f"{measure} of {first}")
    points = (
        base.transform_calculate(side=SIDE, **TOLD)
        .mark_point(filled=True, size=40, opacity=0.75)
        .encode(x=x, y=y, color=alt.Color("side:N", **_by_side("first", "second", "equal")), tooltip=_tooltip())
    )
    chart = alt.layer(diagonal, points).add_params(*_names(first, second)).properties(width=SQUARE, height=SQUARE)
    return finished(chart, "The values of two rankings for each query")


def _names(first: str, second: str) -> list[alt.Parameter]:
    """Names of the two rankings for the legend, as values, so that no name is evaluated as an expression."""
    return [alt.param(name="first", value=first), alt.param(name="second", value=second)]


def _by_side(*sides: str) -> dict[str, Any]:
    """Colours and legend for the better of the two rankings."""
    first, second = (SHORTENED.replace("datum.label", name) for name in ("first", "second"))
    label = f"datum.label == 'equal' ? 'equal' : (datum.label == 'first' ? ({first}) : ({second})) + ' better'"
    limits: dict[str, Any] = {"labelLimit": WIDTH - 40, "values": list(sides)}
    return {
        "scale": alt.Scale(domain=["first", "second", "equal"], range=[BLUE, VERMILION, INK]),
        "legend": alt.Legend(title=None, orient="top", direction="vertical", labelExpr=label, **limits),
    }


def _tooltip() -> list[alt.Tooltip]:
    texts = {"called": "query", "first_shown": "first", "second_shown": "second"}
    told = [alt.Tooltip(field, type="nominal", title=title) for field, title in texts.items()]
    return [*told, alt.Tooltip("difference:Q", format="+.4f")]


def _place(report: Report, name: str) -> int:
    if name not in report.names:
        raise InputError(f"there is no ranking {name!r}; there are {', '.join(map(str, report.names))}")
    return report.names.index(name)
