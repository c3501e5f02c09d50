"""Charts of feature weights."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike

from ...data import InputError
from ...models import Importances, as_model
from .requirement import alt
from .theme import BLUE, LINE, ORANGE, SHORTENED, WIDTH, Row, finished, inline

#: Number of columns of small charts, and their size.
COLUMNS, SMALL_WIDTH, SMALL_HEIGHT = 3, 200, 150


class StepFunction(Protocol):
    """A step function of a score s: ``values[i]`` for ``thresholds[i - 1] < s <= thresholds[i]``."""

    @property
    def thresholds(self) -> ArrayLike: ...
    @property
    def values(self) -> ArrayLike: ...


def weights(source: Any, top: int = 30) -> alt.Chart:
    """Importances of the features, in descending order.

    Parameters
    ----------
    source : Model, fitted learner or Importances
    top : int
        Number of features to show.
    """
    if top < 1:
        raise InputError(f"top must be at least 1, not {top}")
    importances = _importances(source)
    rows = weights_rows(importances)
    shown = f"{top} of {len(rows):,} features" if len(rows) > top else ""
    return weights_chart(rows[:top], importances.kind, shown)


def weight_curves(curves: Mapping[str, StepFunction]) -> alt.FacetChart:
    """Contribution of each score to a linear model of binned scores (Yue et al. 2007, Figure 2).

    Parameters
    ----------
    curves : dict
        Curves from `ScoreBinner.weight_curve`, by name of the score.

    Examples
    --------
    ``weight_curves(dict(zip(names, binner.weight_curve(svm), strict=True)))``
    """
    return weight_curves_chart(weight_curves_rows(curves))


def weights_rows(source: Any) -> list[Row]:
    """See `weights_chart`."""
    found = _importances(source)
    rows = [{"feature": name, "value": float(value)} for name, value in zip(found.names, found.values, strict=True)]
    return sorted(rows, key=lambda row: -abs(row["value"]))


def weight_curves_rows(curves: Mapping[str, StepFunction]) -> list[Row]:
    """See `weight_curves_chart`."""
    if not curves:
        raise InputError("there is no curve; pass a dict from the name of each score to its curve")
    return [row for name, curve in curves.items() for row in _steps(name, curve)]


def weights_chart(rows: Sequence[Row], kind: str, title: str = "") -> alt.Chart:
    """Bars, with another colour below 0.

    Parameters
    ----------
    rows : list of dict
        ``{feature, value}``, in drawing order.
    kind : str
        Title of the axis.
    title : str
        Title of the chart.
    """
    colour = alt.when("datum.value < 0").then(alt.value(ORANGE)).otherwise(alt.value(BLUE))
    chart = (
        alt.Chart(inline(rows))
        .mark_bar(size=LINE * 0.65)
        .encode(
            x=alt.X("value:Q", title=kind, axis=alt.Axis(tickCount=8)),
            y=alt.Y("feature:N", title=None, sort=None, axis=alt.Axis(labelExpr=SHORTENED)),
            color=colour,
            tooltip=["feature:N", alt.Tooltip("value:Q", format=".5g")],
        )
        .properties(width=WIDTH, height=alt.Step(LINE), **({"title": title} if title else {}))
    )
    return finished(chart, "How much each feature counts")


def weight_curves_chart(rows: Sequence[Row]) -> alt.FacetChart:
    """A small step function for each score, with a common scale.

    Parameters
    ----------
    rows : list of dict
        ``{score, x, value}``: the value holds between the x of the previous row, exclusive, and its own, inclusive.
    """
    steps = (
        alt.Chart()
        .mark_line(interpolate="step-before", strokeWidth=2, color=BLUE)
        .encode(
            x=alt.X("x:Q", title="score", scale=alt.Scale(zero=False, nice=False), axis=alt.Axis(tickCount=4)),
            y=alt.Y("value:Q", title="contribution"),
        )
        .properties(width=SMALL_WIDTH, height=SMALL_HEIGHT)
    )
    scores = list(dict.fromkeys(row["score"] for row in rows))
    panels = steps.facet(
        facet=alt.Facet("score:N", title=None, sort=scores, header=alt.Header(labelLimit=SMALL_WIDTH)),
        columns=COLUMNS,
        data=inline(rows),
    )
    return finished(panels.resolve_scale(x="independent"), "What each score contributes")


def _steps(score: str, curve: StepFunction) -> list[Row]:
    """A row for each threshold, and one on either side to show the outer values."""
    thresholds, values = np.asarray(curve.thresholds, np.float64), np.asarray(curve.values, np.float64)
    if values.shape != (thresholds.size + 1,) or not np.all(np.isfinite(values)):
        raise InputError(f"{score}: {thresholds.size} thresholds go with {thresholds.size + 1} finite values")
    span = np.ptp(thresholds) if thresholds.size else 0.0
    margin = 0.05 * span or 1.0
    low, high = (thresholds[0] - margin, thresholds[-1] + margin) if thresholds.size else (0.0, 1.0)
    places = np.concatenate(([low], thresholds, [high]))
    held = np.concatenate((values[:1], values))
    return [{"score": score, "x": x, "value": value} for x, value in zip(places.tolist(), held.tolist(), strict=True)]


def _importances(source: Any) -> Importances:
    return source if isinstance(source, Importances) else as_model(source).importances()
