"""How the figures of papers are laid out."""

from __future__ import annotations

from directrank.cli.paper_tables import figures_table


def test_few_columns_stand_side_by_side() -> None:
    columns, rows = figures_table({"ours": {"a": {"MAP": 0.5}, "b": {"MAP": 0.25}}, "published": {"a": {"MAP": 12.0}}})
    assert columns == ["", "MAP (ours)", "MAP (published)"]
    assert rows == [["a", "0.5000", "12.00"], ["b", "0.2500", ""]]


def test_blocks_of_many_columns_stand_below_each_other() -> None:
    measures = [f"P@{k}" for k in range(1, 7)]
    ours, published = ({"a": dict.fromkeys(measures, value)} for value in (0.5, "+1 (2/1)"))
    columns, rows = figures_table({"ours": {**ours, "b": {"P@2": 3}}, "published": published})
    assert columns == ["", *measures]
    assert rows == [
        ["ours: a", *["0.5000"] * 6],
        ["ours: b", "", "3", "", "", "", ""],
        ["published: a", *["+1 (2/1)"] * 6],
    ]
