"""A comparison of rankings on terminals that are too narrow for it."""

from __future__ import annotations

import re

import numpy as np
import pytest

from directrank import Evaluation, Report, compare_all
from directrank.cli.actions._report_table import print_report

MEASURES = ("AP", "nDCG@10", "RR")


def report(n_rankings: int, baseline: str | None = None) -> Report:
    """Each ranking is significantly better than all before it; every fourth is above the others."""
    queries = np.random.default_rng(0).random(40)
    values = [queries + i + (i % 4 == 0 and n_rankings > 4) * n_rankings for i in range(n_rankings)]
    evaluations = [Evaluation(np.arange(40), dict.fromkeys(MEASURES, each), dict.fromkeys(MEASURES, 0)) for each in values]
    return compare_all({f"number {i} of them": each for i, each in enumerate(evaluations)}, baseline, n_resamples=100)


@pytest.fixture
def narrow(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "80")


@pytest.mark.usefixtures("narrow")
def test_no_letter_is_cut_off(capsys: pytest.CaptureFixture[str]) -> None:
    print_report(report(60))
    lines = re.sub("\x1b\\[[0-9;]*m", "", capsys.readouterr().out).splitlines()
    table = [line.split("│")[1:-1] for line in lines if line.startswith("│")]
    assert all(len(line) <= 80 for line in lines if line.startswith(("│", "┏"))) and "…" not in "".join(lines)
    assert [row[0].strip() for row in table if row[0].strip()][-3:] == ["58", "59", "60"]
    first = max(i for i, row in enumerate(table) if row[0].strip())
    for column in range(2, 5):
        marks = "".join(row[column] for row in table[first:]).replace(" ", "")
        assert marks.count(",") == 14 and marks.endswith("⁵⁴⁻⁵⁶,⁵⁸⁻⁵⁹")


@pytest.mark.usefixtures("narrow")
def test_what_is_left_out_in_a_narrow_terminal(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    against = report(3, "number 0 of them")
    widest = {}
    for width in (60, 80, 120):
        monkeypatch.setenv("COLUMNS", str(width))
        print_report(against)
        out = re.sub("\x1b\\[[0-9;]*m", "", capsys.readouterr().out)
        assert out.count("95 % interval") == 3 + 1 and out.count("difference") >= 3 and "…" not in out
        widest[width] = "effect" in out, "W/T/L" in out
        assert all(len(line) <= width for line in out.splitlines() if line.startswith(("│", "┃")))
    assert widest == {60: (False, False), 80: (False, True), 120: (True, True)}


@pytest.mark.usefixtures("narrow")
def test_two_rankings_have_their_difference_below_them(capsys: pytest.CaptureFixture[str]) -> None:
    print_report(report(2))
    table = [line.split("│")[1:-1] for line in re.sub("\x1b\\[[0-9;]*m", "", capsys.readouterr().out).splitlines()]
    labels = [row[1].strip() for row in table if row and row[1].strip()]
    assert labels[-5:] == ["difference b - a", "95 % interval", "W/T/L", "effect", "p"]
