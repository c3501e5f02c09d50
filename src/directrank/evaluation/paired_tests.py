"""Whether two rankings differ by more than chance: tests over the values they have for the same queries."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from ..arrays import Floats, Ints
from ..core import paired_tests as kernels
from ..data import InputError
from .random_words import seed_of

#: Values of a query that differ by less are equal, relatively if they are above 1: the difference is a rounding error.
ROUNDING = 1e-12

#: Most differing queries for which Wilcoxon's p is exact, and the same if no two differences are of one size.
ALWAYS_EXACT, EXACT_WITHOUT_TIES = 13, 50


class PairedTest(NamedTuple):
    """A test of differences.

    Attributes
    ----------
    p_values : callable
        From values, pairs, the number of permutations and a seed to a p-value for each pair.
    statistic : callable
        From the differences of a pair to a number above 0 if the test favours the first, below 0 if the second.
    """

    p_values: Callable[[Floats, Ints, int, int], Floats]
    statistic: Callable[[Floats], float]


def p_values(
    values: Floats, pairs: Ints, test: str = "wilcoxon", *, n_permutations: int = 100_000, random_state: int = 0
) -> Floats:
    r"""The two-sided p-value of each pair of rankings; 1 if no query differs.

    Parameters
    ----------
    values : array of shape (n_rankings, n_queries)
        The value of each query, finite, with the queries in the same order in all rankings.
    pairs : array of shape (n_pairs, 2)
        The rows to compare.
    test : {"wilcoxon", "t", "randomisation"}
        "wilcoxon" is the signed-rank test of the queries that differ: exact for up to 13 of them, and for up to 50 if no two
        differences are of the same size; else by the normal approximation, as SciPy's.

        "t" is Student's paired test. If all queries differ by the same amount p is 0; of a single query it can say nothing,
        and p is 1.

        "randomisation" is Fisher's test (Smucker et al. 2007): if the rankings were alike, the two values of each query
        could as well stand the other way round, so p is the probability that the means differ at least as much as they do
        if each query's two values are swapped with probability 1/2. All :math:`2^n` ways are gone through if there are at
        most `n_permutations`, n being the number of queries that differ; else that many are drawn and
        :math:`p = (\text{count} + 1) / (\text{n\_permutations} + 1)` (Phipson & Smyth 2010).
    n_permutations : int
        Used by "randomisation".
    random_state : int
        The seed of the swaps. The p-value of a pair does not depend on which others are compared.
    """
    return check_test(test).p_values(values, pairs, n_permutations, random_state)


def check_test(name: str) -> PairedTest:
    """The test of a name."""
    if name not in TESTS:
        raise InputError(f"there is no test {name!r}; there are {', '.join(TESTS)}")
    return TESTS[name]


def differences(first: Floats, second: Floats) -> Floats:
    """The first minus the second, rounding errors being 0."""
    difference = first - second
    difference[np.abs(difference) < ROUNDING * np.maximum(1, np.maximum(np.abs(first), np.abs(second)))] = 0
    return difference


def _wilcoxon(values: Floats, pairs: Ints, _n_permutations: int, _random_state: int) -> Floats:
    return np.array([_wilcoxon_p(_signed_ranks(differences(values[first], values[second]))) for first, second in pairs])


def _wilcoxon_p(ranks: Floats) -> float:
    """The p-value of signed ranks.

    Without ties, the sum W of the positive ranks is as likely as subsets of 1, ..., n with that sum are frequent. Else it is
    nearly normal, with the mean n (n + 1) / 4 and the variance (n (n + 1) (2 n + 1) - sum (t^3 - t) / 2) / 24, where t
    counts the differences of each size.
    """
    n, total = ranks.size, abs(float(ranks.sum()))
    _, repeated = np.unique(np.abs(ranks), return_counts=True)
    if n <= ALWAYS_EXACT:
        return _share_of_all(ranks, total)
    if n <= EXACT_WITHOUT_TIES and repeated.max() == 1:
        lower = int((n * (n + 1) / 2 - total) / 2)
        return float(min(1.0, 2 * _frequencies_of_rank_sums(n)[: lower + 1].sum()))
    from scipy.special import ndtr  # what it takes from SciPy; its statistics take a second to import

    variance = (n * (n + 1) * (2 * n + 1) - np.sum(repeated**3.0 - repeated) / 2) / 24
    return float(2 * ndtr(-total / 2 / np.sqrt(variance)))


def _frequencies_of_rank_sums(n: int) -> Floats:
    """The share of the subsets of 1, ..., n that has each sum."""
    shares = np.zeros(n * (n + 1) // 2 + 1)
    shares[0] = 1
    for rank in range(1, n + 1):
        shares[rank:] = (shares[rank:] + shares[:-rank]) / 2
        shares[:rank] /= 2
    return shares


def _signed_ranks(difference: Floats) -> Floats:
    """The rank of each difference that is not 0 by its size, with its sign; equal ones share the mean of their ranks."""
    differing = difference[difference != 0]
    _, place, repeated = np.unique(np.abs(differing), return_inverse=True, return_counts=True)
    return np.sign(differing) * (np.cumsum(repeated) - (repeated - 1) / 2)[place]


def _sum_of_signed_ranks(difference: Floats) -> float:
    return float(_signed_ranks(difference).sum())


def _student(values: Floats, pairs: Ints, _n_permutations: int, _random_state: int) -> Floats:
    from scipy.special import stdtr

    p = np.ones(len(pairs))
    for i, (first, second) in enumerate(pairs):
        difference = differences(values[first], values[second])
        if difference.any() and difference.size > 1:
            t = np.sqrt(difference.size) * standardised_mean(difference)
            p[i] = 2 * stdtr(difference.size - 1, -abs(t))
    return p


def standardised_mean(difference: Floats) -> float:
    """The mean of differences over their standard deviation; infinite if all are the same amount, 0 if all are 0."""
    if not difference.any():
        return 0.0
    mean = float(difference.mean())
    if np.ptp(difference) < ROUNDING:
        return float(np.copysign(np.inf, mean))
    return mean / float(difference.std(ddof=1))


def _randomisation(values: Floats, pairs: Ints, n_permutations: int, random_state: int) -> Floats:
    if n_permutations < 1:
        raise InputError(f"n_permutations must be at least 1, not {n_permutations}")
    p, thresholds = np.empty(len(pairs)), np.empty(len(pairs))
    drawn = np.ones(len(pairs), bool)
    for i, (first, second) in enumerate(pairs):
        difference = differences(values[first], values[second])
        thresholds[i] = _threshold(values[first], values[second], difference)
        differing = difference[difference != 0]
        if 2**differing.size <= n_permutations:
            p[i], drawn[i] = _share_of_all(differing, thresholds[i]), False
    if drawn.any():
        rows, within = np.unique(pairs[drawn], return_inverse=True)
        seed = seed_of(random_state)
        centred, within = _centred_by_query(values[rows]), within.reshape(-1, 2)
        counts = kernels.count_reaching(centred, within, thresholds[drawn], n_permutations, seed)
        p[drawn] = (counts + 1) / (n_permutations + 1)
    return p


def _threshold(first: Floats, second: Floats, difference: Floats) -> float:
    """What a sum of swapped differences must reach to count as at least the one that there is.

    Sums that would be equal in exact arithmetic must be found equal. The tolerance covers their rounding errors, which are
    relative to the values, and the differences that `differences` takes for rounding errors.
    """
    differs = difference != 0
    size = np.sum(np.abs(first[differs])) + np.sum(np.abs(second[differs]))
    negligible = np.sum(np.abs((first - second)[~differs]))
    return float(abs(difference.sum()) - 100 * np.finfo(np.float64).eps * size - negligible)


def _share_of_all(difference: Floats, threshold: float) -> float:
    """The share of all signs of the differences for which the absolute sum reaches the threshold.

    The sums of one half of the queries are sorted, so that for each sum of the other half a search counts those with which
    it reaches the threshold. A sum and its negative are equally frequent.
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
    """Values less the mean of their query, which leaves the differences as they are and keeps the sums small.

    The shape is (n_queries, n_rankings), in whole groups of 64 queries and 4 rankings; what was added is 0.
    """
    n_rankings, n_queries = values.shape
    centred = np.zeros((-(-n_queries // 64) * 64, -(-n_rankings // 4) * 4))
    centred[:n_queries, :n_rankings] = (values - values.mean(axis=0)).T
    return centred


#: The tests by name.
TESTS = {
    "wilcoxon": PairedTest(_wilcoxon, _sum_of_signed_ranks),
    "t": PairedTest(_student, standardised_mean),
    "randomisation": PairedTest(_randomisation, standardised_mean),
}
