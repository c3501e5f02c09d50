"""Corrections for the number of comparisons."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, strategies as st

from directrank import InputError
from directrank.evaluation.correction import CORRECTIONS, canonical_correction, corrected
from directrank.evaluation.paired_tests import TESTS, canonical_test
from directrank.evaluation.report.report_sentences import CORRECTION_NAMES, TEST_NAMES

p_values = st.lists(st.one_of(st.floats(0, 1), st.sampled_from([0.0, 0.01, 0.05, 1.0])), max_size=12)


def holm_rejects(p: list[float], level: float) -> set[int]:
    """Step down from the smallest until one is above its share of the level."""
    rejected: set[int] = set()
    for i in sorted(range(len(p)), key=p.__getitem__):
        if p[i] * (len(p) - len(rejected)) > level:
            break
        rejected.add(i)
    return rejected


def benjamini_hochberg_rejects(p: list[float], level: float) -> set[int]:
    """All up to the last that is below its rank's part of the level."""
    last = max((k for k in range(1, len(p) + 1) if sorted(p)[k - 1] * (len(p) / k) <= level), default=0)
    return {i for i in range(len(p)) if last and p[i] <= sorted(p)[last - 1]}


@given(p_values, st.floats(0, 0.99))
def test_p_values_below_a_level_are_those_the_procedure_rejects(p: list[float], level: float) -> None:
    assert set(np.flatnonzero(corrected(p, "holm") <= level)) == holm_rejects(p, level)
    assert set(np.flatnonzero(corrected(p, "bh") <= level)) == benjamini_hochberg_rejects(p, level)
    assert corrected(p, "none").tolist() == p


@given(p_values)
def test_none_shrinks_and_all_are_probabilities(p: list[float]) -> None:
    for how in CORRECTIONS:
        found = corrected(p, how)
        assert found.shape == (len(p),) and np.all(found >= p) and np.all(found <= 1)


def test_one_comparison_needs_no_correction() -> None:
    for how in CORRECTIONS:
        assert corrected([0.03], how).tolist() == [0.03]
        assert corrected([], how).shape == (0,)


def test_holm_is_the_default() -> None:
    assert corrected([0.01, 0.04, 0.03]).tolist() == corrected([0.01, 0.04, 0.03], "holm").tolist() == [0.03, 0.06, 0.06]


def test_the_p_values_are_left_as_they_were() -> None:
    for how in CORRECTIONS:
        p = np.array([0.5, 0.1])
        corrected(p, how)[:] = 7
        assert p.tolist() == [0.5, 0.1]


def test_unknown_names_are_an_error() -> None:
    with pytest.raises(InputError, match="there is no correction of p-values 'sidak'; there are holm, bonferroni, bh, none"):
        corrected([0.1], "sidak")


@pytest.mark.parametrize(
    ("typed", "name"),
    [("Bonferroni", "bonferroni"), ("FDR", "bh"), ("fdr_bh", "bh"), ("Benjamini-Hochberg", "bh"), ("Tukey HSD", "tukey")],
)
def test_synonyms_of_corrections(typed: str, name: str) -> None:
    assert canonical_correction(typed) == name


@pytest.mark.parametrize(
    ("typed", "name"),
    [("ttest", "t"), ("t-test", "t"), ("randomization", "randomisation"), ("Permutation", "randomisation"), ("T", "t")],
)
def test_synonyms_of_tests(typed: str, name: str) -> None:
    assert canonical_test(typed) == name


def test_bonferroni() -> None:
    assert corrected([0.01, 0.4, 0.02], "bonferroni").tolist() == pytest.approx([0.03, 1.0, 0.06])


def test_reports_describe_every_test_and_correction() -> None:
    assert set(TEST_NAMES) == set(TESTS) and set(CORRECTION_NAMES) == set(CORRECTIONS)
