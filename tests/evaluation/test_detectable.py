"""The smallest detectable difference, and the sentences on differences that are not significant."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import ttest_1samp

from directrank import Evaluation, compare_all
from directrank.evaluation.detectable import no_difference, smallest_detectable


def evaluation(values: np.ndarray, **others: np.ndarray) -> Evaluation:
    columns = {"AP": values, **others}
    return Evaluation(np.arange(values.size), columns, dict.fromkeys(columns, 0))


@pytest.mark.parametrize(("n", "alpha", "power"), [(20, 0.05, 0.8), (100, 0.05, 0.8), (50, 0.01, 0.9)])
def test_a_difference_of_that_size_is_found_with_that_power(n: int, alpha: float, power: float) -> None:
    """The share of samples in which the t-test finds a true difference of the size computed for the true spread."""
    random = np.random.default_rng(0)
    spread = np.tile([0.3, -0.3], n // 2)
    size = smallest_detectable(spread, alpha, power)
    samples = random.normal(size, spread.std(ddof=1), (20_000, n))
    assert np.mean(ttest_1samp(samples, 0, axis=1).pvalue < alpha) == pytest.approx(power, abs=0.01)


def test_without_a_spread_there_is_no_size() -> None:
    assert math.isnan(smallest_detectable(np.array([0.2]))) and math.isnan(smallest_detectable(np.full(9, 0.1)))
    assert no_difference(1, math.nan) == "No significant difference (1 query)"


def test_two_rankings() -> None:
    random = np.random.default_rng(1)
    one, noise = random.random(60) / 2, random.normal(0, 0.1, 60)
    noise -= noise.mean()
    report = compare_all({"a": evaluation(one, RR=one), "b": evaluation(one + noise, RR=one + 0.2 + noise)})
    size = smallest_detectable(noise)
    assert report.baseline == "a" and report.detectable("AP", "b", "a") == pytest.approx(size)
    unseen = f"No significant difference in AP (60 queries; a difference below {size:.2g} AP would not be seen)."
    assert report.sentences()[-1] == unseen
    for text in (str(report), report.to_latex(), report.to_markdown(), report._repr_html_()):
        assert unseen in text and "difference b - a" in text and f"{0.2:+.4f}" in text
        assert "interval" in text and "W/T/L" in text
    row = report.to_rows()[1]
    assert row["difference"] == pytest.approx(0, abs=1e-9) and row["difference_low"] < 0 < row["difference_high"]
    assert not [line for line in compare_all({"a": evaluation(one), "b": evaluation(one + 0.2 + noise)}).sentences()
                if "No significant" in line]  # fmt: skip


def test_alpha_is_divided_by_the_number_of_comparisons() -> None:
    random = np.random.default_rng(2)
    values = random.random(60)
    three = {name: evaluation(values + random.normal(0, 0.1, 60)) for name in "abc"}
    corrected, plain = compare_all(three), compare_all(three, correction="none")
    difference = three["a"].values("AP") - three["c"].values("AP")
    assert corrected.detectable("AP", "a", "c") == pytest.approx(smallest_detectable(difference, 0.05 / 3))
    assert plain.detectable("AP", "a", "c") == pytest.approx(smallest_detectable(difference))
    sizes = sorted(corrected.detectable("AP", *pair) for pair in ("ab", "ac", "bc"))
    between = f"{sizes[0]:.2g} to {sizes[-1]:.2g} AP"
    assert corrected.sentences()[-1] == (
        f"No letter: no significant difference (60 queries; a difference below {between} would not be seen)."
    )
    against = compare_all(three, "b").sentences()[-1]
    assert against.startswith("No significant difference from b in AP: a and c (60 queries; a difference below ")
    many = {f"r{i}": evaluation(values + random.normal(0, 0.1, 60)) for i in range(9)}
    assert "from r0 in AP: 8 rankings (60 queries" in compare_all(many, "r0").sentences()[-1]
