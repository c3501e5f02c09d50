"""Custom sections of the page: tables and charts with text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Section:
    """Tables and charts under a title.

    Attributes
    ----------
    title : str
    text : str
    tables : list of (columns, rows)
        Cells are text; the first column is left-aligned.
    charts : dict
        Altair charts, by caption.
    """

    title: str
    text: str = ""
    tables: Sequence[tuple[Sequence[str], Sequence[Sequence[str]]]] = ()
    charts: Mapping[str, Any] = field(default_factory=dict)

    def content(self) -> dict[str, Any]:
        """Content for the page's script."""
        return {
            "title": self.title,
            "text": self.text,
            "tables": [{"columns": list(columns), "rows": [list(row) for row in rows]} for columns, rows in self.tables],
            "charts": [
                {"title": title, "spec": _as_wide_as_the_page(chart.to_dict())} for title, chart in self.charts.items()
            ],
        }


def _as_wide_as_the_page(spec: dict[str, Any]) -> dict[str, Any]:
    """The chart with the width of the page; charts of several panels have no width."""
    return {**spec, "width": "container"} if "width" in spec else spec
