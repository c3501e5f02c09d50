"""The picture of Figure 11."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ...evaluation.plots.requirement import alt
from ...evaluation.plots.theme import HEIGHT, PALETTE, WIDTH, finished, inline


def learning_curve_chart(curves: Mapping[str, Sequence[float]]) -> alt.Chart:
    """A line for each curve: MAP after each round."""
    rows = [
        {"stopping": name, "round": i, "MAP": value} for name, values in curves.items() for i, value in enumerate(values, 1)
    ]
    chart = (
        alt.Chart(inline(rows))
        .mark_line(strokeWidth=2, point={"size": 14, "filled": True})
        .encode(
            x=alt.X("round:Q", axis=alt.Axis(tickMinStep=1, format="d"), scale=alt.Scale(nice=False)),
            y=alt.Y("MAP:Q", scale=alt.Scale(zero=False)),
            color=alt.Color(
                "stopping:N", scale=alt.Scale(domain=list(curves), range=list(PALETTE)), legend=alt.Legend(orient="top")
            ),
            tooltip=["stopping:N", "round:Q", alt.Tooltip("MAP:Q", format=".4f")],
        )
        .properties(width=WIDTH, height=HEIGHT)
    )
    return finished(chart, "MAP on the training queries after each round of AdaRank")
