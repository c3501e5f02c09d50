"""Contents of a report's tables, independent of the format."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from ..significance import Comparison
    from .report import Interval, Report


class Cell(NamedTuple):
    """Mean of a ranking by a measure.

    Attributes
    ----------
    value : str
        Mean to four digits.
    marks : str
        Letters of the rankings that this one is significantly better than.
    best : bool
        Whether no ranking has a higher mean.
    """

    value: str
    marks: str
    best: bool


class Line(NamedTuple):
    """Line of a ranking in the table of means."""

    letter: str
    name: str
    cells: list[Cell]


def headline(report: Report) -> list[Line]:
    """Mean of each ranking by each measure."""
    best = {measure: set(report.best(measure)) for measure in report.measures}
    return [
        Line(letter, name, [_cell(report, measure, name, name in best[measure]) for measure in report.measures])
        for name, letter in report.letters.items()
    ]


def detail_columns(report: Report) -> list[str]:
    """Columns of `details`."""
    columns = ["", "mean", "95 % interval"]
    return columns if report.baseline is None else [*columns, "difference", "W/T/L", "effect", "p", "corrected p"]


def details(report: Report, measure: str) -> list[list[str]]:
    """Mean, interval and comparison with the baseline of each ranking, by one measure."""
    return [_detail(report, measure, name) for name in report.names]


def rows(report: Report) -> list[dict[str, Any]]:
    """All figures of each ranking by each measure, as flat rows."""
    return [_row(report, measure, name) for measure in report.measures for name in report.names]


def shown_p(p: float) -> str:
    """A p-value to three decimals, or to one digit if it is smaller."""
    return f"{p:.3f}" if p >= 0.001 else f"{p:.0e}" if p > 0 else "0"


def shown_interval(interval: Interval) -> str:
    return f"{interval.low:.4f} to {interval.high:.4f}"


def _cell(report: Report, measure: str, name: str, best: bool) -> Cell:
    return Cell(f"{report.means[measure][name].value:.4f}", marks(report, measure, name), best)


def marks(report: Report, measure: str, name: str) -> str:
    """Letters of the rankings that this one is significantly better than."""
    letters = report.letters
    found = [letters[other] for other in report.significantly_below(measure, name)]
    return (", " if any(len(letter) > 1 for letter in found) else "").join(found)


def _detail(report: Report, measure: str, name: str) -> list[str]:
    mean = report.means[measure][name]
    line = [name, f"{mean.value:.4f}", shown_interval(mean.interval)]
    if report.baseline is None:
        return line
    against = report.comparison(measure, name, report.baseline) if name != report.baseline else None
    return [*line, *([""] * 5 if against is None else _against(against))]


def _against(found: Comparison) -> list[str]:
    score = f"{found.wins}/{found.ties}/{found.losses}"
    return [f"{found.difference:+.4f}", score, f"{found.effect_size:+.2f}", shown_p(found.p), shown_p(found.corrected_p)]


def _row(report: Report, measure: str, name: str) -> dict[str, Any]:
    mean = report.means[measure][name]
    row: dict[str, Any] = {"ranking": name, "measure": measure, "mean": mean.value}
    row |= {"mean_low": mean.interval.low, "mean_high": mean.interval.high}
    row["better_than"] = report.significantly_below(measure, name)
    if report.baseline is None:
        return row
    if name == report.baseline:
        return row | dict.fromkeys(COMPARED)
    against, interval = report.comparison(measure, name, report.baseline), report.differences[measure][name]
    assert against is not None
    values = (against.difference, *interval, against.wins, against.ties, against.losses)
    return row | dict(zip(COMPARED, (*values, against.effect_size, against.p, against.corrected_p), strict=True))


#: Columns of a comparison with the baseline in flat rows.
COMPARED = (
    "difference",
    "difference_low",
    "difference_high",
    "wins",
    "ties",
    "losses",
    "effect_size",
    "p",
    "corrected_p",
)
