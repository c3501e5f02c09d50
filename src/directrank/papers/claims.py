"""Common claims of papers, as predicates of an outcome."""

from __future__ import annotations

from collections.abc import Iterable

from ..evaluation import Comparison
from .experiment import Claim, Outcome


def is_higher(column: str, first: str, *others: str, sources: tuple[str, ...] = ()) -> Claim:
    """Claim that the first row has a higher figure in a column than each of the others."""

    def holds(outcome: Outcome) -> bool | None:
        ours = _number(outcome, first, column)
        theirs = [_number(outcome, other, column) for other in others]
        if ours is None or None in theirs:
            return None
        return all(ours > value for value in theirs if value is not None)

    return Claim(f"{first} has a higher {column} than {_listed(others)}.", holds, sources)


def is_not_lower(column: str, tolerance: float, first: str, second: str, sources: tuple[str, ...] = ()) -> Claim:
    """Claim that the first row is not lower than the second in a column by more than a tolerance, which is our choice."""

    def holds(outcome: Outcome) -> bool | None:
        ours, theirs = _number(outcome, first, column), _number(outcome, second, column)
        return None if ours is None or theirs is None else ours >= theirs - tolerance

    return Claim(f"{first} is as good as {second} in {column} (lower by at most {tolerance:g}).", holds, sources)


def is_similar(column: str, tolerance: float, first: str, second: str) -> Claim:
    """Claim that two rows differ in a column by at most a tolerance, which is our choice."""

    def holds(outcome: Outcome) -> bool | None:
        ours, theirs = _number(outcome, first, column), _number(outcome, second, column)
        return None if ours is None or theirs is None else abs(ours - theirs) <= tolerance

    return Claim(f"{first} and {second} are similar in {column} (within {tolerance:g}).", holds)


def is_significantly_higher(column: str, measure: str, first: str, *others: str) -> Claim:
    """Claim that the first row is significantly better than each of the others: p < 0.05, uncorrected as in the papers.

    Parameters
    ----------
    column : str
        Column of the figures, whose difference must have the right sign.
    measure : str
        Measure of the outcome's report by which the rows are compared.
    """
    higher = is_higher(column, first, *others)

    def holds(outcome: Outcome) -> bool | None:
        if higher.holds(outcome) is not True or outcome.report is None:
            return higher.holds(outcome) and None
        compared = [outcome.report.comparison(measure, first, other) for other in others]
        return None if None in compared else all(map(_is_better, compared))

    return Claim(f"{first} has a significantly higher {column} than {_listed(others)} (p < 0.05).", holds)


def _is_better(found: Comparison | None) -> bool:
    return found is not None and found.difference > 0 and found.favours > 0 and found.p < 0.05


def _number(outcome: Outcome, row: str, column: str) -> float | None:
    value = outcome.figures.get(row, {}).get(column)
    return float(value) if isinstance(value, (int, float)) else None


def _listed(names: Iterable[str]) -> str:
    *most, last = names
    return f"{', '.join(most)} and {last}" if most else last
