"""The chart of Figure 1."""

from __future__ import annotations

from ...evaluation.plots.requirement import alt
from ...evaluation.plots.theme import FAINT, HEIGHT, PALETTE, WIDTH, finished, inline
from ..experiment import Figures
from .methods import MEASURES


def gains_chart(figures: Figures) -> alt.LayerChart:
    """A line for each measure over the bins of classes."""
    rows = [
        {"bin": name, "measure": measure, "gain": values[measure]}
        for name, values in figures.items()
        for measure in MEASURES
    ]
    base = alt.Chart(inline(rows), width=WIDTH, height=HEIGHT).encode(
        x=alt.X(
            "bin:N", title="classes, from the most to the least frequent", sort=list(figures), axis=alt.Axis(labelAngle=-15)
        ),
        y=alt.Y("gain:Q", title="mean improvement, in per cent"),
        color=alt.Color(
            "measure:N", title=None, scale=alt.Scale(domain=list(MEASURES), range=list(PALETTE[: len(MEASURES)]))
        ),
        shape=alt.Shape("measure:N", title=None, scale=alt.Scale(domain=list(MEASURES))),
    )
    zero = alt.Chart(inline([{"zero": 0}])).mark_rule(color=FAINT).encode(y="zero:Q")
    return finished(
        alt.layer(zero, base.mark_line(), base.mark_point(filled=True, size=70)),
        "How much better SVM-multi is than the ordinary SVM, by the frequency of the classes.",
    )
