"""Tables of figures: ours beside the published ones."""

from __future__ import annotations

from directrank.cli.actions._paper_tables import figures_table

OURS = {"SVM-map": {"MAP": 0.25, "W/L": ""}, "SVM-roc": {"MAP": 0.125, "W/L": "3/2"}}


def test_a_line_for_each_figure_and_a_column_for_each_block() -> None:
    columns, rows = figures_table({"ours": OURS, "TREC 9": {"SVM-roc": {"MAP": 0.5, "W/L": "29/21"}}})
    assert columns == ["", "ours", "TREC 9"]
    assert rows == [["SVM-map, MAP", "0.2500", ""], ["SVM-roc, MAP", "0.1250", "0.5000"], ["SVM-roc, W/L", "3/2", "29/21"]]


def test_a_single_column_names_the_lines() -> None:
    columns, rows = figures_table({"ours": {"a": {"MAP": 0.25}}, "TREC 9": {"a": {"MAP": 1234.5}}})
    assert (columns, rows) == (["MAP", "ours", "TREC 9"], [["a", "0.2500", "1,234.50"]])


def test_a_single_block_is_unchanged() -> None:
    assert figures_table({"ours": OURS}) == (["", "MAP", "W/L"], [["SVM-map", "0.2500", ""], ["SVM-roc", "0.1250", "3/2"]])
    assert figures_table({"ours": {"a": {"n": 1234}}}) == (["", "n"], [["a", "1,234"]])
