"""Line charts, as in most figures of the papers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any


def line_chart(rows: Sequence[dict[str, Any]], x: str, y: str, line: str, *, is_ordinal: bool = False) -> Any:
    """Draw an Altair chart with a line for each value of a field.

    Parameters
    ----------
    rows : list of dict
        Records with the fields x, y and line, which name the axes.
    is_ordinal : bool
        Whether x is ordinal, in the order of the rows, rather than a number.
    """
    from ..evaluation.plots.requirement import alt
    from ..evaluation.plots.theme import HEIGHT, PALETTE, WIDTH, finished, inline

    lines = list(dict.fromkeys(row[line] for row in rows))
    across = (
        alt.X(f"{x}:N", sort=None, axis=alt.Axis(labelAngle=-20, labelOverlap=False))
        if is_ordinal
        else alt.X(f"{x}:Q", axis=alt.Axis(tickMinStep=1, format="d"), scale=alt.Scale(nice=False))
    )
    chart = (
        alt.Chart(inline(rows))
        .mark_line(strokeWidth=2, point={"size": 30, "filled": True})
        .encode(
            x=across,
            y=alt.Y(f"{y}:Q", scale=alt.Scale(zero=False)),
            color=alt.Color(
                f"{line}:N", scale=alt.Scale(domain=lines, range=list(PALETTE)), legend=alt.Legend(title=None, orient="top")
            ),
            tooltip=[f"{line}:N", f"{x}:{'N' if is_ordinal else 'Q'}", alt.Tooltip(f"{y}:Q", format=".4f")],
        )
        .properties(width=WIDTH, height=HEIGHT)
    )
    return finished(chart, f"{y} by {x}, for each {line}")
