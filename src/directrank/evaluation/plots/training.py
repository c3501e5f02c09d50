"""The course of a training."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from ...data import InputError
from .requirement import alt
from .theme import PALETTE, WIDTH, Row, finished, inline

#: Curves of one scale, which share a panel; any other has its own.
PANELS = (("training", "validation", "bound of Theorem 1"), ("objective", "lower bound"))

#: Curves that fall by orders of magnitude.
LOGARITHMIC = ("gap",)

PANEL_HEIGHT = 180

History = Mapping[str, Sequence[float | None]]


class Remembers(Protocol):
    """The provenance of a model that keeps the curves of its training."""

    @property
    def history(self) -> History: ...


class Trained(Protocol):
    """A model."""

    @property
    def provenance(self) -> Remembers | None: ...


class Fitted(Protocol):
    """A fitted learner."""

    @property
    def model_(self) -> Trained: ...


def training(source: History | Trained | Fitted) -> alt.VConcatChart:
    """The curves of a training, those of one scale in one panel.

    Parameters
    ----------
    source : model, fitted learner, or dict
        A dict has, by the name of each curve, a number for each round; None where a curve has no value.
    """
    return training_chart(training_rows(source))


def training_rows(source: History | Trained | Fitted) -> list[Row]:
    """See `training_chart`."""
    return [
        {"curve": name, "step": step, "value": float(value)}
        for name, values in _history(source).items()
        for step, value in enumerate(values, 1)
        if value is not None and math.isfinite(value)
    ]


def training_chart(rows: Sequence[Row]) -> alt.VConcatChart:
    """Panels of curves, one below the other; that of the gap is logarithmic if it is always above 0.

    Parameters
    ----------
    rows : list of dict
        ``{curve, step, value}``, steps from 1 on.
    """
    panels = [_panel(rows, curves) for curves in _panels(rows)]
    return finished(alt.vconcat(*panels, data=inline(rows)).resolve_scale(color="independent"))


def _panels(rows: Sequence[Row]) -> list[list[str]]:
    """The curves of each panel, by first appearance."""
    curves = list(dict.fromkeys(row["curve"] for row in rows))
    shared = {curve: together for together in PANELS for curve in together}
    panels: dict[tuple[str, ...], list[str]] = {}
    for curve in curves:
        panels.setdefault(shared.get(curve, (curve,)), []).append(curve)
    return list(panels.values())


def _panel(rows: Sequence[Row], curves: list[str]) -> alt.Chart:
    values = [row["value"] for row in rows if row["curve"] in curves]
    logarithmic = all(curve in LOGARITHMIC for curve in curves) and min(values) > 0
    scale = alt.Scale(type="log", nice=True) if logarithmic else alt.Scale(zero=False)
    of_curves = alt.Scale(domain=curves, range=list(PALETTE[: len(curves)]))
    one = len(curves) == 1
    legend = None if one else alt.Legend(title=None, orient="top")
    return (
        alt.Chart()
        .transform_filter(alt.FieldOneOfPredicate(field="curve", oneOf=curves))
        .mark_line(strokeWidth=2, point={"size": 14, "filled": True})
        .encode(
            x=alt.X(
                "step:Q", title="round", axis=alt.Axis(tickMinStep=1, format="d"), scale=alt.Scale(zero=False, nice=False)
            ),
            y=alt.Y("value:Q", title=curves[0] if one else None, scale=scale, axis=alt.Axis(**_few_ticks(logarithmic))),
            color=alt.Color("curve:N", scale=of_curves, legend=legend),
            tooltip=["curve:N", alt.Tooltip("step:Q", title="round"), alt.Tooltip("value:Q", format=".5g")],
        )
        .properties(width=WIDTH, height=PANEL_HEIGHT)
    )


def _few_ticks(logarithmic: bool) -> dict[str, Any]:
    return {"tickCount": 5, "format": ".0e"} if logarithmic else {"tickCount": 5}


def _history(source: Any) -> History:
    model = getattr(source, "model_", source)
    found = source if isinstance(source, Mapping) else getattr(getattr(model, "provenance", None), "history", None)
    if not found or all(value is None for values in found.values() for value in values):
        raise InputError(
            f"this {type(source).__name__} has no curves of a training; pass a model or learner that was fitted"
        )
    return found
