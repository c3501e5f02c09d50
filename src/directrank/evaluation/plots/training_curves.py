"""Charts of training curves."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from ...data import InputError
from ...models import as_model
from .requirement import alt
from .theme import PALETTE, WIDTH, Row, finished, inline

#: Curves that share a scale and a panel; any other curve has its own panel.
PANELS = (("training", "validation", "bound"), ("objective", "lower bound"))

#: Curves that fall by orders of magnitude.
LOGARITHMIC = ("gap",)

#: Hides a bound below 0, which is vacuous and would squeeze the other curves.
NOT_VACUOUS = "datum.curve != 'bound' || datum.value >= 0"

PANEL_HEIGHT = 180


def training(source: Any) -> alt.VConcatChart:
    """Training curves, with one panel for each scale.

    Parameters
    ----------
    source : Model, fitted learner, or dict
        A dict maps the name of each curve to a number for each round, None where the curve has no value.
    """
    return training_chart(training_rows(source))


def training_rows(source: Any) -> list[Row]:
    """See `training_chart`."""
    history = source if isinstance(source, Mapping) else as_model(source).provenance.history
    rows = [
        {"curve": name, "step": step, "value": float(value)}
        for name, values in history.items()
        for step, value in enumerate(values, 1)
        if value is not None and math.isfinite(value)
    ]
    if not rows:
        raise InputError(f"this {type(source).__name__} has no training curves; pass a fitted model or learner")
    return rows


def training_chart(rows: Sequence[Row]) -> alt.VConcatChart:
    """Panels of curves, one below the other; the panel of the gap is logarithmic if the gap is always above 0.

    The bound of AdaRank's Theorem 1 is not drawn below 0, where it is vacuous.

    Parameters
    ----------
    rows : list of dict
        ``{curve, step, value}``, with steps from 1.
    """
    panels = [_panel(rows, curves) for curves in _panels(rows)]
    chart = alt.vconcat(*panels, data=inline(rows)).resolve_scale(color="independent")
    return finished(chart, "Training curves")


def _panels(rows: Sequence[Row]) -> list[list[str]]:
    """Curves of each panel, by first appearance."""
    curves = list(dict.fromkeys(row["curve"] for row in rows))
    shared = {curve: together for together in PANELS for curve in together}
    panels: dict[tuple[str, ...], list[str]] = {}
    for curve in curves:
        panels.setdefault(shared.get(curve, (curve,)), []).append(curve)
    return list(panels.values())


def _panel(rows: Sequence[Row], curves: list[str]) -> alt.Chart:
    lowest = min(row["value"] for row in rows if row["curve"] in curves)
    alone = len(curves) == 1
    colours = alt.Scale(domain=curves, range=list(PALETTE[: len(curves)]))
    legend = None if alone else alt.Legend(title=None, orient="top")
    return (
        alt.Chart()
        .transform_filter(alt.FieldOneOfPredicate(field="curve", oneOf=curves))
        .transform_filter(NOT_VACUOUS)
        .mark_line(strokeWidth=2, point={"size": 14, "filled": True})
        .encode(
            x=alt.X("step:Q", title="round", axis=alt.Axis(tickMinStep=1, format="d"), scale=alt.Scale(nice=False)),
            y=alt.Y("value:Q", title=curves[0] if alone else None, **_vertical(curves, lowest)),
            color=alt.Color("curve:N", scale=colours, legend=legend),
            tooltip=["curve:N", alt.Tooltip("step:Q", title="round"), alt.Tooltip("value:Q", format=".5g")],
        )
        .properties(width=WIDTH, height=PANEL_HEIGHT)
    )


def _vertical(curves: list[str], lowest: float) -> dict[str, Any]:
    """Vertical scale and axis of a panel."""
    if lowest > 0 and set(curves) <= set(LOGARITHMIC):
        return {"scale": alt.Scale(type="log"), "axis": alt.Axis(tickCount=5, format=".0e")}
    return {"scale": alt.Scale(zero=False), "axis": alt.Axis(tickCount=5)}
