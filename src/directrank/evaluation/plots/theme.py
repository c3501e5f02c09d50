"""Shared theme of all charts: legible on light and dark backgrounds, and colour-blind safe."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from .requirement import alt

Row = dict[str, Any]

#: Colours of Okabe and Ito (2008), with grey for black, which is invisible on dark pages, and a darker yellow.
BLUE, ORANGE, GREEN, PURPLE, SKY, VERMILION = "#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00"
GREY, YELLOW = "#7F7F7F", "#B8AC00"
PALETTE = (BLUE, ORANGE, GREEN, PURPLE, SKY, VERMILION, GREY, YELLOW)

#: Contrast about 4.5 : 1 on white, and 4 : 1 on nearly black.
INK = "#777777"
FAINT = "#88888844"

WIDTH, HEIGHT = 640, 300

#: Height of a line in charts with a line for each name.
LINE = 22

#: Shortens long names in the middle, as names often differ at their ends; tooltips show the whole name.
SHORTENED = "length(datum.label) > 44 ? slice(datum.label, 0, 24) + '…' + slice(datum.label, -19) : datum.label"

#: Label limit in pixels, for names in wide letters.
NAME_WIDTH = 320


def inline(rows: Iterable[Mapping[str, Any]]) -> alt.Data:
    """Inline data of a chart, without a limit on the number of rows."""
    data = alt.Data(values=[])  # type: ignore[no-untyped-call]
    data["values"] = list(rows)  # bypasses a check of each row that takes seconds
    return data


def finished(chart: Any, description: str) -> Any:
    """A complete chart in the shared theme, with a description for screen readers.

    Marks are not described one by one: Vega-Lite would build expressions from the titles of axes and tooltips, where a name
    with a backslash can end its string. For the same reason no tooltip has a name as its title.
    """
    return chart.properties(description=description).configure(
        background="white",
        font="system-ui, -apple-system, 'Segoe UI', Helvetica, Arial, sans-serif",
        view={"stroke": None},
        mark={"aria": False},
        axis={
            "labelColor": INK,
            "titleColor": INK,
            "gridColor": FAINT,
            "domainColor": FAINT,
            "tickColor": FAINT,
            "labelFontSize": 12,
            "titleFontSize": 12,
            "titleFontWeight": "normal",
            "labelLimit": NAME_WIDTH,
            "labelFlush": False,
            "labelOverlap": "greedy",
            "labelSeparation": 4,
            "titleLimit": HEIGHT,
        },
        legend={
            "labelColor": INK,
            "titleColor": INK,
            "labelFontSize": 12,
            "titleFontSize": 12,
            "labelLimit": NAME_WIDTH,
            "symbolLimit": 0,
        },
        header={"labelColor": INK, "titleColor": INK, "labelFontSize": 12},
        title={"color": INK, "subtitleColor": INK, "fontSize": 13, "anchor": "start"},
    )
