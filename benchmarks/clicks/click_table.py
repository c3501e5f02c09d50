"""Values of all contenders as a Markdown table."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from . import REPORTED
from .click_setting import Setting

#: Values by contender; None where it had to pass.
Values = dict[str, float | None]


def print_table(title: str, settings: Sequence[Setting], runs: Sequence[Sequence[Values]]) -> None:
    """Print means over runs, with the share of the way from the production ranking to learning from the true grades.

    Parameters
    ----------
    title : str
    settings : sequence
        Columns of the table.
    runs : sequence
        Values of each setting, of each fold and seed.
    """
    print(f"\n## {title}: {REPORTED}, mean of {len(runs)} run(s)\n")
    for line in _lines(settings, runs):
        print("|", " | ".join(line), "|")


def _lines(settings: Sequence[Setting], runs: Sequence[Sequence[Values]]) -> Iterator[list[str]]:
    columns = [[run[number] for run in runs] for number in range(len(settings))]
    names = dict.fromkeys(name for column in columns for values in column for name in values)
    yield ["", *map(str, settings)]
    yield ["---"] * (len(settings) + 1)
    for name in names:
        yield [name, *(_cell(column, name) for column in columns)]


def _cell(column: Sequence[Values], name: str) -> str:
    value = _mean(column, name)
    if value is None:
        return ""
    production, grades = _mean(column, "production"), _mean(column, "true grades")
    if name in ("production", "true grades") or production is None or grades is None or grades <= production:
        return f"{value:.4f}"
    return f"{value:.4f} ({(value - production) / (grades - production):.0%})"


def _mean(column: Sequence[Values], name: str) -> float | None:
    values = [found for each in column if (found := each.get(name)) is not None]
    return float(np.mean(values)) if values else None
