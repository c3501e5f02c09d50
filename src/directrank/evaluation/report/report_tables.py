"""Contents of a report's tables, independent of the format."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from ..significance import Comparison
    from .report import Interval, Report


#: Headers of the 95 % interval of a difference, and of the numbers of queries won, tied and lost.
INTERVAL, TALLY = "95 % interval", "W/T/L"


class Cell(NamedTuple):
    """Mean of a ranking by a measure.

    Attributes
    ----------
    value : str
        Mean to four digits.
    marks : str
        Letters of the rankings that this one is significantly better than; see `marks`.
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


def differences(report: Report) -> list[tuple[str, list[str]]]:
    """For two rankings, lines below their means: a label, and a cell for each measure; else empty."""
    if len(report.names) != 2:
        return []
    (first,) = [name for name in report.names if name != report.baseline]
    found = [report.comparison(measure, first, str(report.baseline)) for measure in report.measures]
    against = [_against(each) for each in found if each is not None]
    intervals = [_shown_interval(report.differences[measure][first]) for measure in report.measures]
    letters = f"{report.letters[first]} - {report.letters[str(report.baseline)]}"
    return [
        (f"difference {letters}", [each.difference for each in against]),
        (INTERVAL, intervals),
        (TALLY, [each.tally for each in against]),
        ("effect", [each.effect for each in against]),
        ("p", [each.corrected_p for each in against]),  # which is p itself, for one comparison
    ]


def has_details(report: Report) -> bool:
    """Whether `details` are a table of their own: there is a baseline, and more than one other ranking."""
    return report.baseline is not None and len(report.names) > 2


def detail_columns(report: Report) -> list[str]:
    """Columns of `details`."""
    return ["", "difference", INTERVAL, TALLY, "effect", "p", *(["corrected p"] if _is_corrected(report) else [])]


def details(report: Report, measure: str) -> list[list[str]]:
    """Difference of each other ranking from the baseline, by one measure."""
    return [_detail(report, measure, name) for name in report.names if name != report.baseline]


def rows(report: Report) -> list[dict[str, Any]]:
    """All figures of each ranking by each measure, as flat rows."""
    return [_row(report, measure, name) for measure in report.measures for name in report.names]


def shown_p(p: float) -> str:
    """A p-value to three decimals, or to one digit if it is smaller."""
    return f"{p:.3f}" if p >= 0.001 else f"{p:.0e}" if p > 0 else "0"


def _shown_interval(interval: Interval) -> str:
    return f"{interval.low:+.4f} to {interval.high:+.4f}"


def _cell(report: Report, measure: str, name: str, best: bool) -> Cell:
    return Cell(f"{report.means[measure][name].value:.4f}", marks(report, measure, name), best)


def marks(report: Report, measure: str, name: str) -> str:
    """Letters of the rankings that this one is significantly better than, in order; ``a-d`` for neighbours, if shorter."""
    letters, below = list(report.letters.values()), set(report.significantly_below(measure, name))
    runs: list[list[str]] = [[]]
    for letter, other in zip(letters, report.letters, strict=True):
        if other in below:
            runs[-1].append(letter)
        elif runs[-1]:
            runs.append([])
    between = "" if letters[0].isalpha() else ", "
    ranges = [f"{run[0]}-{run[-1]}" if run else "" for run in runs]
    parts = [
        part
        for run, whole in zip(runs, ranges, strict=True)
        for part in ([whole] if len(whole) < len(between.join(run)) else run)
    ]
    return (", " if any(len(part) > 1 for part in parts) else "").join(parts)


class _Against(NamedTuple):
    """A comparison as text."""

    difference: str
    tally: str
    effect: str
    p: str
    corrected_p: str


def _detail(report: Report, measure: str, name: str) -> list[str]:
    found = report.comparison(measure, name, str(report.baseline))
    assert found is not None
    against, interval = _against(found), _shown_interval(report.differences[measure][name])
    corrected = [against.corrected_p] if _is_corrected(report) else []
    return [name, against.difference, interval, against.tally, against.effect, against.p, *corrected]


def _against(found: Comparison) -> _Against:
    tally, effect = f"{found.wins}/{found.ties}/{found.losses}", f"{found.effect_size:+.2f}"
    return _Against(f"{found.difference:+.4f}", tally, effect, shown_p(found.p), shown_p(found.corrected_p))


def _is_corrected(report: Report) -> bool:
    """Whether corrected p-values may differ from others."""
    return len(report.names) > 2 and report.method.correction != "none"


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
