"""Randomisation test against ranx, bootstrap intervals against SciPy."""

from __future__ import annotations

from itertools import combinations

import numpy as np
from ranx.statistical_tests import fisher_randomization_test
from scipy.stats import bootstrap

from directrank.evaluation.bootstrap import mean_intervals
from directrank.evaluation.paired_tests import p_values

from .timing import Result, best_of, faster

QUERIES, PERMUTATIONS, RESAMPLES = 1_000, 100_000, 10_000


def run() -> list[Result]:
    return [_randomisation(10), _bootstrap(20)]


def _randomisation(n_rankings: int) -> Result:
    values = _values(n_rankings)
    pairs = np.array(list(combinations(range(n_rankings), 2)))

    def ours() -> np.ndarray:
        return p_values(values, pairs, "randomisation", n_permutations=PERMUTATIONS)

    def theirs(first: int, second: int) -> float:
        return fisher_randomization_test(values[first], values[second], PERMUTATIONS)[0]

    sample = pairs[:: len(pairs) // 3][:3]
    found, expected = dict(zip(map(tuple, pairs), ours(), strict=True)), [theirs(*pair) for pair in sample]
    assert np.allclose([found[tuple(pair)] for pair in sample], expected, atol=0.01), (found, expected)
    # All pairs take ranx minutes, each the same time.
    their_time = best_of(2, lambda: theirs(*sample[0])) * len(pairs)
    what = f"randomisation test, {n_rankings} rankings x {QUERIES:,} queries, {PERMUTATIONS:,} permutations"
    return faster(f"{what}, ranx ({len(pairs)} times one pair)", best_of(5, ours), their_time, 20)


def _bootstrap(n_rankings: int) -> Result:
    values = _values(n_rankings)

    def ours() -> np.ndarray:
        return mean_intervals(values, n_resamples=RESAMPLES)

    def theirs() -> np.ndarray:
        return np.transpose(
            bootstrap((values,), np.mean, axis=1, n_resamples=RESAMPLES, batch=100, rng=0).confidence_interval
        )

    assert np.allclose(ours(), theirs(), atol=0.003), (ours(), theirs())
    what = f"BCa intervals, {n_rankings} rankings x {QUERIES:,} queries, {RESAMPLES:,} resamples, SciPy"
    return faster(what, best_of(5, ours), best_of(2, theirs), 5)


def _values(n_rankings: int) -> np.ndarray:
    """Correlated values, as of rankings of the same queries."""
    random = np.random.default_rng(0)
    return np.clip(random.random(QUERIES) + 0.2 * random.standard_normal((n_rankings, QUERIES)), 0, 1)
