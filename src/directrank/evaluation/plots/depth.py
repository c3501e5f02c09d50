"""Charts of precision by recall and nDCG by depth."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any, TypeVar

from ...data import InputError
from ...measures import AP, Measure, MeasureError, nDCG, parse
from ..curves import RANKS, RECALLS, interpolated_precision, ndcg_at, ranks_of_curve
from ..evaluation_result import Ranking
from .requirement import alt
from .theme import BLUE, GREY, HEIGHT, PALETTE, SHORTENED, VERMILION, WIDTH, Row, finished, inline

if TYPE_CHECKING:
    from ..report import Report

Kind = TypeVar("Kind", bound=Measure)

DASHES = ([1, 0], [6, 3], [2, 2], [8, 2, 2, 2], [1, 0], [6, 3], [2, 2], [8, 2, 2, 2])
SHAPES = ("circle", "square", "triangle-up", "diamond", "cross", "triangle-down", "triangle-right", "triangle-left")

#: Longest name that fits side by side in a legend.
SHORT = 22


def precision_recall(report: Report, *, highlight: Sequence[str] | None = None) -> alt.LayerChart:
    """Interpolated precision of each ranking at eleven recalls, averaged over queries.

    Relevance is as in the report's AP, if it has one.

    Parameters
    ----------
    report : Report
    highlight : one or two names, optional
        Curves to highlight. Up to eight rankings have colours of their own; with more, only the highlighted ones have, by
        default the best ranking and the baseline, or the best two.
    """
    rows = precision_recall_rows(report)
    return precision_recall_chart(rows, report.names, *_highlighted(report, highlight, rows, "precision"))


def ndcg_at_k(report: Report, *, highlight: Sequence[str] | None = None) -> alt.LayerChart:
    """nDCG of each ranking by its cut-off k, up to 100 or the longest query.

    Gain and discount are as in the report's nDCG, if it has one. Parameters as for `precision_recall`.
    """
    rows = ndcg_at_k_rows(report)
    pair = _highlighted(report, highlight, rows, "value")
    return ndcg_at_k_chart(rows, report.names, *pair, measure=uncut_ndcg(report).name)


def precision_recall_rows(report: Report) -> list[Row]:
    """See `precision_recall_chart`. Queries missing from a ranking count 0."""
    measure = _measure(report, AP)
    return [
        {"ranking": name, "recall": recall, "precision": precision}
        for name, ranking in _rankings(report).items()
        for recall, precision in zip(
            RECALLS,
            (_share(report, ranking) * interpolated_precision(report.evaluations[name], measure)).tolist(),
            strict=True,
        )
    ]


def ndcg_at_k_rows(report: Report) -> list[Row]:
    """See `ndcg_at_k_chart`. Queries missing from a ranking count 0."""
    rankings, measure = _rankings(report), uncut_ndcg(report)
    ks = ranks_of_curve(list(rankings.values()))
    return [
        {"ranking": name, "k": k, "value": value}
        for name, ranking in rankings.items()
        for k, value in zip(ks, (_share(report, ranking) * ndcg_at(ranking, ks, measure)).tolist(), strict=True)
    ]


def precision_recall_chart(
    rows: Sequence[Row], rankings: Sequence[str], first: str = "", second: str = ""
) -> alt.LayerChart:
    """Curves of precision by recall.

    Parameters
    ----------
    rows : list of dict
        ``{ranking, recall, precision}``.
    rankings : list of str
        All rankings, in the order of the colours.
    first, second : str
        Values of the chart parameters of these names: the highlighted rankings; "" for none.
    """
    x = alt.X("recall:Q", scale=alt.Scale(domain=[0, 1]), axis=alt.Axis(values=list(RECALLS), format=".1f"))
    y = alt.Y("precision:Q", scale=alt.Scale(domain=[0, 1]))
    return _curves(rows, rankings, first, second, x, y, _tooltip("recall", "precision"))


def ndcg_at_k_chart(
    rows: Sequence[Row], rankings: Sequence[str], first: str = "", second: str = "", *, measure: str = "nDCG"
) -> alt.LayerChart:
    """Curves of nDCG by cut-off.

    Parameters
    ----------
    rows : list of dict
        ``{ranking, k, value}``.
    rankings, first, second
        As for `precision_recall_chart`.
    measure : str
        Name of the measure, without a cut-off.
    """
    x = alt.X("k:Q", scale=alt.Scale(type="log", nice=False), axis=alt.Axis(values=list(RANKS), format="d"))
    y = alt.Y("value:Q", title=f"{measure}@k", scale=alt.Scale(zero=False))
    return _curves(rows, rankings, first, second, x, y, _tooltip("k", "value"))


def uncut_ndcg(report: Report) -> nDCG:
    """The nDCG of the curve: the report's, if it has one, without its cut-off."""
    return _measure(report, nDCG)


def _curves(
    rows: Sequence[Row], rankings: Sequence[str], first: str, second: str, x: alt.X, y: alt.Y, tooltip: list[alt.Tooltip]
) -> alt.LayerChart:
    base = (
        alt.Chart(inline(rows))
        .transform_calculate(role="datum.ranking == first ? 'first' : datum.ranking == second ? 'second' : 'other'")
        .encode(x=x, y=y)
    )
    layers = _few(base, rankings, tooltip) if len(rankings) <= len(PALETTE) else _many(base, tooltip)
    pair = [alt.param(name="first", value=first), alt.param(name="second", value=second)]
    chart = alt.layer(*layers).add_params(*pair).properties(width=WIDTH, height=HEIGHT)
    return finished(chart, "A curve of each ranking")


def _few(base: alt.Chart, rankings: Sequence[str], tooltip: list[alt.Tooltip]) -> list[alt.Chart]:
    """Curves with a colour, dash and shape each; highlighted ones are thick, and the others then faint."""
    legend = _legend(columns=2 if max(map(len, rankings)) <= SHORT else 1)

    def distinct(values: Sequence[Any]) -> dict[str, Any]:
        return {"scale": alt.Scale(domain=list(rankings), range=list(values[: len(rankings)])), "legend": legend}

    base = base.encode(
        color=alt.Color("ranking:N", **distinct((BLUE, VERMILION) if len(rankings) == 2 else PALETTE)),
        opacity=_by_strength(1, 1, 0.5),
    )
    lines = base.mark_line().encode(
        strokeDash=alt.StrokeDash("ranking:N", **distinct(DASHES)),
        strokeWidth=_by_strength(3.5, 2, 1.5),
        tooltip="ranking:N",
    )
    points = base.mark_point(filled=True, size=50).encode(shape=alt.Shape("ranking:N", **distinct(SHAPES)), tooltip=tooltip)
    return [lines, points]


def _by_strength(strong: float, usual: float, faint: float) -> Any:
    """Values for highlighted curves, for all curves if none is highlighted, and for the others."""
    either = alt.when("datum.role != 'other'").then(alt.value(strong))
    return either.when("first == '' && second == ''").then(alt.value(usual)).otherwise(alt.value(faint))


def _many(base: alt.Chart, tooltip: list[alt.Tooltip]) -> list[alt.Chart]:
    """Thin grey curves, with the highlighted ones on top."""
    scale = alt.Scale(domain=["first", "second", "other"], range=[BLUE, VERMILION, GREY])
    label = "datum.label == 'first' ? first : datum.label == 'second' ? second : 'all others'"
    with_second = "second ? ['second', 'other'] : ['other']"
    shown = f"first && second ? ['first', 'second', 'other'] : first ? ['first', 'other'] : {with_second}"
    legend = _legend(label, columns=2, values=alt.ExprRef(shown))
    base = base.encode(color=alt.Color("role:N", scale=scale, legend=legend), detail="ranking:N")
    thin = base.transform_filter("datum.role == 'other'").mark_line(strokeWidth=1, opacity=0.6).encode(tooltip="ranking:N")
    strong = base.transform_filter("datum.role != 'other'")
    return [
        thin,
        strong.mark_line(strokeWidth=3).encode(tooltip="ranking:N"),
        strong.mark_point(filled=True, size=50, opacity=1).encode(tooltip=tooltip),
    ]


def _tooltip(x: str, y: str) -> list[alt.Tooltip]:
    return [
        alt.Tooltip("ranking:N"),
        alt.Tooltip(x, type="quantitative"),
        alt.Tooltip(y, type="quantitative", format=".4f"),
    ]


def _legend(label: str = SHORTENED, **also: Any) -> alt.Legend:
    return alt.Legend(title=None, orient="bottom", symbolOpacity=1, labelExpr=label, **also)


def _highlighted(report: Report, names: Sequence[str] | None, rows: Sequence[Row], field: str) -> tuple[str, str]:
    """Two names, "" for none; with many rankings the best by the mean of a field, and the baseline or the second best."""
    if names is not None:
        unknown = [name for name in names if name not in report.names]
        if unknown or isinstance(names, str) or len(names) > 2:
            raise InputError(f"highlight takes one or two of {', '.join(report.names)}, not {names!r}")
        return names[0] if names else "", names[1] if len(names) > 1 else ""
    if len(report.names) <= len(PALETTE):
        return "", ""
    total = dict.fromkeys(report.names, 0.0)
    for row in rows:
        total[row["ranking"]] += row[field]
    best, *others = sorted(total, key=lambda name: -total[name])
    return best, others[0] if report.baseline in (None, best) else report.baseline


def _rankings(report: Report) -> dict[str, Ranking]:
    found = {}
    for name, evaluation in report.evaluations.items():
        try:
            found[name] = evaluation.require_ranking()
        except InputError as error:
            raise InputError(f"{name}: {error}") from error
    return found


def _share(report: Report, ranking: Ranking) -> float:
    """Share of the report's queries that a ranking has."""
    return ranking.queries.ids.size / len(report.qid)


def _measure(report: Report, kind: type[Kind]) -> Kind:
    """The first measure of a kind in the report, without its cut-off."""
    for name in report.measures:
        with suppress(MeasureError):  # a custom measure that cannot be parsed from its name
            found = parse(name)
            if isinstance(found, kind):
                return kind(**{**found.parameters(), "k": None})
    return kind()
