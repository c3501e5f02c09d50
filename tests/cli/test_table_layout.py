"""Tables that fit the terminal, or 80 columns where there is none."""

from __future__ import annotations

import numpy as np
import pytest

from directrank.cli.console.output import print_table


def printed(capsys: pytest.CaptureFixture[str]) -> list[str]:
    return capsys.readouterr().out.splitlines()


@pytest.fixture
def width(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> int:
    monkeypatch.setenv("COLUMNS", str(request.param))
    return int(request.param)


@pytest.mark.parametrize("width", range(40, 121, 8), indirect=True)
@pytest.mark.parametrize("n_columns", [1, 5, 12])
def test_no_number_is_cut_at_any_width(width: int, n_columns: int, capsys: pytest.CaptureFixture[str]) -> None:
    numbers = np.random.default_rng(0).random((4, n_columns)).tolist()
    names = ["short", "a name of several words that wraps", "a/path/without/a/space/that/is/folded.run", "x"]
    columns = [f"measure number {i}" for i in range(n_columns)]
    print_table(["", *columns], [(name, *row) for name, row in zip(names, numbers, strict=True)], "A title")
    lines = printed(capsys)
    text = " ".join("\n".join(lines).split())
    assert max(map(len, lines)) <= width and "…" not in text and lines[0].strip() == "A title"
    assert [text.count(f"{number:.4f}") for row in numbers for number in row] == [1] * 4 * n_columns
    n_tables = text.count("┏")
    assert text.count("short") == n_tables == 1 or n_columns > 1  # rows are named in each part


@pytest.mark.parametrize("width", [200], indirect=True)
def test_a_table_that_fits_is_one(width: int, capsys: pytest.CaptureFixture[str]) -> None:
    rows = [("a", *[0.5] * 12)]
    print_table(["", *(f"column {i}" for i in range(12))], rows)
    assert sum("┏" in line for line in printed(capsys)) == 1


@pytest.mark.parametrize(("columns", "found"), [(None, 80), ("60", 60)])
def test_without_a_terminal(
    columns: str | None, found: int, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("COLUMNS", raising=False)
    if columns is not None:
        monkeypatch.setenv("COLUMNS", columns)
    print_table(["", "text"], [("name", "word " * 100)], left=2, wrapped=(1,))
    lines = printed(capsys)
    assert max(map(len, lines)) == found and "".join(lines).count("word") == 100


@pytest.mark.parametrize("width", [40], indirect=True)
def test_optional_columns_are_dropped_in_order(width: int, capsys: pytest.CaptureFixture[str]) -> None:
    row = ["name", "0.123456789", "0.23456789", "0.3456789"]
    for columns, shown in ("-abc", "-ac"), ("-ab", "-ab"), (["-", "a", "b", "c" * 20], "-a"):
        print_table(columns, [row[: len(columns)]], optional=range(2, len(columns)))
        head, *others = printed(capsys)[1:]
        assert "".join(head.split("┃")).split() == list(shown) and max(map(len, [head, *others])) <= width
