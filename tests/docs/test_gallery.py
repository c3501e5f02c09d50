"""The gallery's measure of one's own is what it says; `make docs` runs all examples."""

from __future__ import annotations

from pathlib import Path

import pytest

from directrank import Measure, evaluate
from directrank.measures.testing import check_evaluate

EXAMPLE = Path(__file__).parents[2] / "examples" / "plot_05_own_measure.py"


def test_the_measure_passes_its_check_and_says_how_ties_count(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Measure, "registry", {**Measure.registry})
    defined, *_ = EXAMPLE.read_text().partition("# %%\n# It can be used")
    assert "check_evaluate(AboveTheFold(), definition)" in defined
    names: dict[str, object] = {"__name__": "__main__"}
    exec(compile(defined, EXAMPLE, "exec", dont_inherit=True), names)
    measure = names["AboveTheFold"]
    with pytest.raises(AssertionError, match="by brute force"):
        check_evaluate(measure(), lambda ranked, unranked: 0.0)
    found = evaluate([1, 0, 1, 0], [2.0, 1.0, 1.0, 0.0], [1, 1, 1, 1], measure())
    assert found["AboveTheFold"] == pytest.approx((2 + (2 + 1) / 2) / 6) and found.notes() == []
