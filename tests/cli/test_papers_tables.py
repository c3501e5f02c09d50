"""Tables of figures: ours beside the published ones."""

from __future__ import annotations

from directrank.cli.actions._paper_tables import figures_tables

OURS = {"SVM-map": {"MAP": 0.25, "W/L": ""}, "SVM-roc": {"MAP": 0.125, "W/L": "3/2"}}


def test_a_line_for_each_figure_and_a_column_for_each_block() -> None:
    ((columns, rows),) = figures_tables({"ours": OURS, "TREC 9": {"SVM-roc": {"MAP": 0.5, "W/L": "29/21"}}})
    assert columns == ["", "ours", "TREC 9"]
    assert rows == [["SVM-map, MAP", "0.2500", ""], ["SVM-roc, MAP", "0.1250", "0.5000"], ["SVM-roc, W/L", "3/2", "29/21"]]


def test_a_single_column_names_the_lines() -> None:
    found = figures_tables({"ours": {"a": {"MAP": 0.25}}, "TREC 9": {"a": {"MAP": 1234.5}}})
    assert found == [(["MAP", "ours", "TREC 9"], [["a", "0.2500", "1,234.50"]])]


def test_a_single_block_is_unchanged() -> None:
    rows = [["SVM-map", "0.2500", ""], ["SVM-roc", "0.1250", "3/2"]]
    assert figures_tables({"ours": OURS}) == [(["", "MAP", "W/L"], rows)]
    assert figures_tables({"ours": {"a": {"n": 1234}}}) == [(["", "n"], [["a", "1,234"]])]


def test_many_figures_are_a_grid_for_each_block() -> None:
    ours = {f"learner {i}": {"MAP": 0.5, "P@10": 0.25, "seconds": 10.0} for i in range(12)}
    mine, published = figures_tables({"ours": ours, "published": {"learner 1": {"MAP": 0.4}}})
    assert mine[0] == ["ours", "MAP", "P@10", "seconds"] and len(mine[1]) == 12
    assert mine[1][0] == ["learner 0", "0.5000", "0.2500", "10.00"]
    assert published == (["published", "MAP"], [["learner 1", "0.4000"]])
