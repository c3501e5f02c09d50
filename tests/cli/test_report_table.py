"""A comparison of rankings on terminals that are too narrow for it."""

from __future__ import annotations

import re

import numpy as np
import pytest

from directrank import Evaluation, Report, compare_all
from directrank.cli.actions._report_table import print_report

MEASURES = ("AP", "nDCG@10", "RR")


def report(n_rankings: int, baseline: str | None = None) -> Report:
    """Each ranking is significantly better than all before it."""
    queries = np.random.default_rng(0).random(40)
    values = [queries + i for i in range(n_rankings)]
    evaluations = [Evaluation(np.arange(40), dict.fromkeys(MEASURES, each), dict.fromkeys(MEASURES, 0)) for each in values]
    return compare_all({f"number {i} of them": each for i, each in enumerate(evaluations)}, baseline, n_resamples=100)


@pytest.fixture
def narrow(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "80")


@pytest.mark.usefixtures("narrow")
def test_no_letter_is_cut_off(capsys: pytest.CaptureFixture[str]) -> None:
    print_report(report(30))
    lines = re.sub("\x1b\\[[0-9;]*m", "", capsys.readouterr().out).splitlines()
    table = [line.split("│")[1:-1] for line in lines if line.startswith("│")]
    assert all(len(line) <= 80 for line in lines if line.startswith(("│", "┏"))) and "…" not in "".join(lines)
    assert [row[0].strip() for row in table if row[0].strip()][-3:] == ["ab", "ac", "ad"]
    first = max(i for i, row in enumerate(table) if row[0].strip())
    for column in range(2, 5):
        marks = "".join(row[column] for row in table[first:]).replace(" ", "")
        assert marks.count(",") == 28 and marks.endswith("ᵃᵇ,ᵃᶜ")


@pytest.mark.usefixtures("narrow")
def test_intervals_are_explained_only_if_they_fit(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    against = report(2, "number 0 of them")
    print_report(against)
    assert "interval" not in capsys.readouterr().out
    monkeypatch.setenv("COLUMNS", "120")
    print_report(against)
    out = capsys.readouterr().out
    assert "95 % interval" in out and "95 % intervals by the BCa bootstrap" in out
