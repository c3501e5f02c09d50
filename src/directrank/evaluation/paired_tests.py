"""Paired tests: whether two rankings differ by more than chance, given their values for the same queries."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from ..arrays import Floats, Ints
from ..core import paired_tests as kernels
from ..data import InputError
from .random_words import seed_of
from .synonyms import canonical

#: Values of a query that differ by less, relative to values above 1, are equal: the difference is a rounding error.
ROUNDING = 1e-12

#: Test of a table of means: it is about the means themselves and assumes no distribution (Smucker et al. 2007).
DEFAULT_TEST = "randomisation"

SYNONYMS = {
    "randomization": "randomisation",
    "permutation": "randomisation",
    "fisher": "randomisation",
    "ttest": "t",
    "t-test": "t",
    "paired-t": "t",
    "paired-t-test": "t",
    "student": "t",
    "signed-rank": "wilcoxon",
    "wilcoxon-signed-rank": "wilcoxon",
}


class PairedTest(NamedTuple):
    """A test of differences.

    Attributes
    ----------
    p_values : callable
        From values, pairs, the number of permutations and a seed to a p-value for each pair.
    statistic : callable
        From the differences of a pair to a number above 0 if the test favours the first ranking, below 0 if the second.
    """

    p_values: Callable[[Floats, Ints, int, int], Floats]
    statistic: Callable[[Floats], float]


def p_values(
    values: Floats, pairs: Ints, test: str = DEFAULT_TEST, *, n_permutations: int = 100_000, random_state: int = 0
) -> Floats:
    r"""Two-sided p-value of each pair of rankings; 1 if no query differs.

    Parameters
    ----------
    values : array of shape (n_rankings, n_queries)
        Value of each query, finite, with the queries in the same order in all rankings.
    pairs : array of shape (n_pairs, 2)
        Rows to compare.
    test : {"randomisation", "t", "wilcoxon"}
        "randomisation" is Fisher's test (Smucker et al. 2007): if the rankings were alike, the two values of each query
        could be swapped, so p is the probability that the means differ at least as much as they do if each query's two
        values are swapped with probability 1/2. All :math:`2^n` swaps are enumerated if there are at most `n_permutations`,
        n being the number of queries that differ; otherwise `n_permutations` are drawn, and
        :math:`p = (\text{count} + 1) / (\text{n\_permutations} + 1)` (Phipson & Smyth 2010).

        "t" is Student's paired test. If all queries differ by the same amount p is 0; for a single query p is 1.

        "wilcoxon" is the signed-rank test of the queries that differ, by `scipy.stats.wilcoxon`: exact for up to 13 of them,
        and for up to 50 if no two differences are of the same size; otherwise by the normal approximation. It is not a test
        of means.
    n_permutations : int
        Number of permutations of the randomisation test.
    random_state : int
        Random seed for the permutations. The p-value of a pair does not depend on which others are compared.
    """
    return TESTS[canonical_test(test)].p_values(values, pairs, n_permutations, random_state)


def canonical_test(name: str) -> str:
    """Canonical name of a test, from any of its spellings."""
    if name.lower().startswith("tukey"):
        raise InputError("Tukey's HSD is a correction: correction='tukey', with the test 'randomisation' or 't'")
    return canonical(name, TESTS, SYNONYMS, "test")


def differences(first: Floats, second: Floats) -> Floats:
    """The first minus the second, with rounding errors set to 0."""
    difference = first - second
    difference[np.abs(difference) < ROUNDING * np.maximum(1, np.maximum(np.abs(first), np.abs(second)))] = 0
    return difference


def _wilcoxon(values: Floats, pairs: Ints, _n_permutations: int, _random_state: int) -> Floats:
    from scipy.stats import wilcoxon

    p = np.ones(len(pairs))
    for i, (first, second) in enumerate(pairs):
        difference = differences(values[first], values[second])
        if difference.any():
            p[i] = wilcoxon(difference[difference != 0]).pvalue
    return p


def _signed_rank_sum(difference: Floats) -> float:
    """Sum of the ranks of the differences by size, with their signs."""
    from scipy.stats import rankdata

    differing = difference[difference != 0]
    return float(np.sum(np.sign(differing) * rankdata(np.abs(differing))))


def _student(values: Floats, pairs: Ints, _n_permutations: int, _random_state: int) -> Floats:
    from scipy.stats import ttest_1samp

    p = np.ones(len(pairs))
    for i, (first, second) in enumerate(pairs):
        difference = differences(values[first], values[second])
        if difference.any() and difference.size > 1:
            p[i] = 0.0 if np.ptp(difference) < ROUNDING else ttest_1samp(difference, 0.0).pvalue
    return p


def standardised_mean(difference: Floats) -> float:
    """Mean of differences over their standard deviation; infinite if all are the same amount, 0 if all are 0."""
    if not difference.any():
        return 0.0
    mean = float(difference.mean())
    if np.ptp(difference) < ROUNDING:
        return float(np.copysign(np.inf, mean))
    return mean / float(difference.std(ddof=1))


def _randomisation(values: Floats, pairs: Ints, n_permutations: int, random_state: int) -> Floats:
    check_permutations(n_permutations)
    p, thresholds = np.empty(len(pairs)), np.empty(len(pairs))
    drawn = np.ones(len(pairs), bool)
    for i, (first, second) in enumerate(pairs):
        difference = differences(values[first], values[second])
        thresholds[i] = _threshold(values[first], values[second], difference)
        differing = difference[difference != 0]
        if 2**differing.size <= n_permutations:
            p[i], drawn[i] = _share_reaching(differing, thresholds[i]), False
    if drawn.any():
        rows, within = np.unique(pairs[drawn], return_inverse=True)
        seed = seed_of(random_state)
        centred, within = _centred_by_query(values[rows]), within.reshape(-1, 2)
        counts = kernels.count_reaching(centred, within, thresholds[drawn], n_permutations, seed)
        p[drawn] = (counts + 1) / (n_permutations + 1)
    return p


def _threshold(first: Floats, second: Floats, difference: Floats) -> float:
    """Smallest sum of swapped differences that counts as at least the observed one.

    Sums that are equal in exact arithmetic must be found equal. The tolerance covers their rounding errors, which are
    relative to the values, and the differences that `differences` sets to 0.
    """
    differs = difference != 0
    size = np.sum(np.abs(first[differs])) + np.sum(np.abs(second[differs]))
    negligible = np.sum(np.abs((first - second)[~differs]))
    return float(abs(difference.sum()) - 100 * np.finfo(np.float64).eps * size - negligible)


def _share_reaching(difference: Floats, threshold: float) -> float:
    """Share of all assignments of signs to the differences whose absolute sum reaches the threshold.

    The sums of one half of the queries are sorted, so that a binary search for each sum of the other half counts the pairs
    that reach the threshold. A sum and its negative are equally frequent.
    """
    if threshold <= 0:
        return 1.0
    half = difference.size // 2
    some, others = _signed_sums(difference[:half]), np.sort(_signed_sums(difference[half:]))
    count = int(np.sum(others.size - np.searchsorted(others, threshold - some)))
    return 2 * count / 2**difference.size


def _signed_sums(values: Floats) -> Floats:
    sums = np.zeros(1)
    for value in values:
        sums = np.concatenate([sums + value, sums - value])
    return sums


def _centred_by_query(values: Floats) -> Floats:
    """Values minus the mean of their query, which leaves differences unchanged and keeps sums small.

    The shape is (n_queries, n_rankings), padded with zeros to multiples of 64 queries and 4 rankings.
    """
    n_rankings, n_queries = values.shape
    centred = np.zeros((-(-n_queries // 64) * 64, -(-n_rankings // 4) * 4))
    centred[:n_queries, :n_rankings] = (values - values.mean(axis=0)).T
    return centred


def check_permutations(n_permutations: int) -> None:
    if n_permutations < 1:
        raise InputError(f"n_permutations must be at least 1, not {n_permutations}")


#: Tests by name.
TESTS = {
    "randomisation": PairedTest(_randomisation, standardised_mean),
    "t": PairedTest(_student, standardised_mean),
    "wilcoxon": PairedTest(_wilcoxon, _signed_rank_sum),
}
