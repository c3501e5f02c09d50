"""Chart of a measure around a model."""

from __future__ import annotations

from collections.abc import Sequence

from ..local_optimality import LocalOptimality
from .requirement import alt
from .theme import BLUE, HEIGHT, INK, WIDTH, Row, finished, inline


def local_optimality(result: LocalOptimality) -> alt.LayerChart:
    """Change of a measure by step size: mean, highest and lowest over random directions."""
    return local_optimality_chart(local_optimality_rows(result), result.measure)


def local_optimality_rows(result: LocalOptimality) -> list[Row]:
    """See `local_optimality_chart`."""
    changes = result.changes
    parts = (result.sizes, changes.mean(axis=0), changes.min(axis=0), changes.max(axis=0), result.shares)
    names = ("size", "mean", "lowest", "highest", "share")
    return [dict(zip(names, row, strict=True)) for row in zip(*(part.tolist() for part in parts), strict=True)]


def local_optimality_chart(rows: Sequence[Row], measure: str) -> alt.LayerChart:
    """A line within a band, and a rule at no change; everything above the rule is improvement.

    Parameters
    ----------
    rows : list of dict
        ``{size, mean, lowest, highest, share}``; `share` is the share of directions in which the measure rises.
    measure : str
    """
    x = alt.X("size:Q", title="step, as a share of the parameters' length", scale=alt.Scale(type="log", nice=False))
    band = alt.Chart().mark_area(opacity=0.25, color=BLUE).encode(x=x, y=alt.Y("lowest:Q"), y2="highest:Q")
    line = (
        alt.Chart()
        .mark_line(strokeWidth=2, color=BLUE, point={"size": 14, "filled": True})
        .encode(
            x=x,
            y=alt.Y("mean:Q", title=f"change of {measure}"),
            tooltip=[
                alt.Tooltip("size:Q", format=".2g"),
                *(alt.Tooltip(f"{name}:Q", format=".3g") for name in ("mean", "lowest", "highest")),
                alt.Tooltip("share:Q", title="improving", format=".1%"),
            ],
        )
    )
    rule = alt.Chart().mark_rule(color=INK, strokeDash=[4, 3]).encode(y=alt.datum(0))
    chart = alt.layer(band, rule, line, data=inline(rows)).properties(width=WIDTH, height=HEIGHT)
    return finished(chart, "The change of a measure in random directions away from a model")
