"""Comparison of rankings of the same queries: wins, losses, size of the difference and its significance."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..arrays import Floats, Ints
from ..data import InputError
from .correction import canonical_correction, corrected
from .evaluation_result import Evaluation
from .named_measures import MeasureLike
from .paired_tests import DEFAULT_TEST, TESTS, PairedTest, canonical_test, differences, p_values, standardised_mean
from .tukey import tukey_p_values

_VALUES_NEEDED = "every ranking needs a finite value for each query"


@dataclass(frozen=True)
class Comparison:
    """One ranking against another, query by query.

    Attributes
    ----------
    wins, losses, ties : int
        Number of queries for which the first has a higher, a lower, and the same value.
    difference : float
        Mean of the first minus mean of the second.
    effect_size : float
        Mean of the queries' differences over their standard deviation, known as Cohen's d_z. It is 0 if no query differs,
        and infinite, with the sign of the difference, if all differ by the same amount.
    p : float
        p-value of a two-sided test, by default the randomisation test; 1 if no query differs.
    corrected_p : float
        p-value corrected for the number of pairs that were compared; `p` itself if there was only this one.
    favours : {1, 0, -1}
        Sign of the test's statistic: 1 for the first, -1 for the second. Wilcoxon's test may favour the ranking with the
        lower mean, where the other has a few large wins and many small losses.
    """

    wins: int
    losses: int
    ties: int
    difference: float
    effect_size: float
    p: float
    corrected_p: float
    favours: int

    def is_better(self, alpha: float = 0.05) -> bool:
        """Whether the first has a significantly higher mean."""
        return self.difference > 0 and self.favours > 0 and self.corrected_p < alpha

    @property
    def stars(self) -> str:
        """``**`` if the corrected p < 0.05, as in the tables of Yue et al. (2007), else empty."""
        return "**" if self.corrected_p < 0.05 else ""

    def reversed(self) -> Comparison:
        """The second against the first."""
        turned = replace(self, difference=-self.difference, effect_size=-self.effect_size, favours=-self.favours)
        return replace(turned, wins=self.losses, losses=self.wins)

    def __str__(self) -> str:
        return f"{self.wins}/{self.losses} {self.stars}".rstrip()


def compare(first: Evaluation, second: Evaluation, measure: MeasureLike, test: str = DEFAULT_TEST) -> Comparison:
    """Compare two evaluations of the same queries, in any order.

    Parameters
    ----------
    first, second : Evaluation
    measure : name or measure
        A measure of both evaluations.
    test : {"randomisation", "t", "wilcoxon"}
        See `p_values`.

    Examples
    --------
    >>> from directrank import evaluate
    >>> qid = [1, 1, 2, 2]
    >>> good, bad = evaluate([1, 0, 1, 0], [2, 1, 2, 1], qid), evaluate([1, 0, 1, 0], [2, 1, 1, 2], qid)
    >>> print(compare(good, bad, "AP"))
    1/0
    """
    values, others = first.values(measure), second.values(measure)
    order, others_order = order_by_id(first.qid.tolist()), order_by_id(second.qid.tolist())
    if list(map(str, first.qid[order].tolist())) != list(map(str, second.qid[others_order].tolist())):
        raise InputError("the two evaluations are not of the same queries")
    return compare_values(values[order], others[others_order], test)


def order_by_id(qid: Sequence[Any]) -> Ints:
    """Positions of queries sorted by their ids as text."""
    return np.array(sorted(range(len(qid)), key=lambda position: str(qid[position])), np.int64)


def compare_values(first: ArrayLike, second: ArrayLike, test: str = DEFAULT_TEST) -> Comparison:
    """Compare the values of two rankings, one per query, with the queries in the same order."""
    values, others = np.asarray(first, np.float64), np.asarray(second, np.float64)
    if values.ndim != 1 or values.shape != others.shape:
        raise InputError(_VALUES_NEEDED)
    return compare_pairs(np.stack([values, others]), [(0, 1)], test=test, correction="none")[0]


def compare_pairs(
    values: ArrayLike,
    pairs: ArrayLike,
    *,
    test: str = DEFAULT_TEST,
    correction: str = "holm",
    n_permutations: int = 100_000,
    random_state: int = 0,
) -> list[Comparison]:
    """Compare many pairs of rankings, with p-values corrected as one family.

    Parameters
    ----------
    values : array of shape (n_rankings, n_queries)
        Value of each query, with the queries in the same order in all rankings.
    pairs : array of shape (n_pairs, 2)
        Rows to compare.
    test, n_permutations, random_state
        See `p_values`.
    correction : {"holm", "bonferroni", "bh", "tukey", "none"}
        See `corrected`; for "tukey", `tukey_p_values`.
    """
    table, chosen = np.asarray(values, np.float64), np.asarray(pairs, np.int64).reshape(-1, 2)
    if table.ndim != 2 or table.size == 0 or not np.all(np.isfinite(table)):
        raise InputError(_VALUES_NEEDED)
    test, correction = canonical_method(test, correction)
    drawn = {"n_permutations": n_permutations, "random_state": random_state}
    p = p_values(table, chosen, test, **drawn)
    adjusted = tukey_p_values(table, chosen, test, **drawn) if correction == "tukey" else corrected(p, correction)
    return [
        _comparison(differences(table[first], table[second]), TESTS[test], *each)
        for (first, second), *each in zip(chosen, p.tolist(), adjusted.tolist(), strict=True)
    ]


def canonical_method(test: str, correction: str) -> tuple[str, str]:
    """Canonical names of a test and a correction that go together, from any of their spellings."""
    method = canonical_test(test), canonical_correction(correction)
    if method == ("wilcoxon", "tukey"):
        raise InputError("Tukey's HSD compares means: it goes with the test 'randomisation' or 't', not 'wilcoxon'")
    return method


def _comparison(difference: Floats, test: PairedTest, p: float, corrected_p: float) -> Comparison:
    wins, losses = int(np.sum(difference > 0)), int(np.sum(difference < 0))
    return Comparison(
        wins=wins,
        losses=losses,
        ties=difference.size - wins - losses,
        difference=float(difference.mean()),
        effect_size=standardised_mean(difference),
        p=p,
        corrected_p=corrected_p,
        favours=int(np.sign(test.statistic(difference))),
    )
