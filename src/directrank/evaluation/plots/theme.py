"""The look that all charts share: legible on light and on dark, and for the colour-blind."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from .requirement import alt

Row = dict[str, Any]

#: Of Okabe and Ito (2008); but their black, which no dark page shows, is grey here, and their yellow darker.
BLUE, ORANGE, GREEN, PURPLE, SKY, VERMILION = "#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00"
GREY, YELLOW = "#7F7F7F", "#B8AC00"
PALETTE = (BLUE, ORANGE, GREEN, PURPLE, SKY, VERMILION, GREY, YELLOW)

#: About 4.5 : 1 on white, and 4 : 1 on nearly black.
INK = "#777777"
FAINT = "#88888844"

WIDTH, HEIGHT = 640, 300

#: The height of a line of a chart that has one for each name.
LINE = 22

#: A long name loses its middle, as names often differ in their ends; all of it is in the tooltip.
SHORTENED = "length(datum.label) > 44 ? slice(datum.label, 0, 24) + '…' + slice(datum.label, -19) : datum.label"

#: In pixels, for names in wide letters.
NAME_WIDTH = 320


def inline(rows: Iterable[Mapping[str, Any]]) -> alt.Data:
    """The one data set of a chart: no limit on its rows, and no file."""
    data = alt.Data(values=[])  # type: ignore[no-untyped-call]
    data["values"] = list(rows)  # past the check that each row is an object, which takes seconds
    return data


def finished(chart: Any, description: str) -> Any:
    """A whole chart in the shared look, described for those who do not see it.

    Its marks are not described one by one: Vega-Lite would do so by expressions that hold the titles of axes and tooltips,
    where a name with a backslash can end the string that it stands in. For the same reason no tooltip is titled by a name.
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
