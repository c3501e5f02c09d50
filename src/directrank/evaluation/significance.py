"""Comparing rankings of the same queries: wins, losses, the size of the difference and its significance."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from ..arrays import Floats
from ..data import InputError
from .correction import corrected
from .evaluation_result import Evaluation
from .named_measures import MeasureLike
from .paired_tests import PairedTest, check_test, differences, p_values, standardised_mean

_VALUES_NEEDED = "every ranking needs a finite value for each query"


@dataclass(frozen=True)
class Comparison:
    """One ranking against another, query by query.

    Attributes
    ----------
    wins, losses, ties : int
        The numbers of queries for which the first has the higher, the lower, and the same value.
    difference : float
        The mean of the first minus that of the second.
    effect_size : float
        The mean of the queries' differences over their standard deviation, known as Cohen's d_z. It is 0 if no query
        differs, and infinite, with the sign of the difference, if all differ by the same amount.
    p : float
        The p-value of a two-sided test, by default Wilcoxon's signed-rank test; 1 if no query differs.
    corrected_p : float
        The same, corrected for the number of pairs that were compared; `p` itself if there was only this one.
    favours : {1, 0, -1}
        Whether the test speaks for the first or for the second. Wilcoxon's may speak against the one of the higher mean,
        where that has a few large wins and many small losses.
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
        """Whether the first has the higher mean, and the test says so significantly."""
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


def compare(first: Evaluation, second: Evaluation, measure: MeasureLike, test: str = "wilcoxon") -> Comparison:
    """Compare two evaluations of the same queries, in any order.

    Parameters
    ----------
    first, second : Evaluation
    measure : name or measure
        One that both were evaluated by.
    test : {"wilcoxon", "t", "randomisation"}
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
    at = {str(qid): i for i, qid in enumerate(second.qid.tolist())}
    queries = [str(qid) for qid in first.qid.tolist()]
    if set(queries) != at.keys():
        raise InputError("the two evaluations are not of the same queries")
    return compare_values(values, others[[at[qid] for qid in queries]], test)


def compare_values(first: ArrayLike, second: ArrayLike, test: str = "wilcoxon") -> Comparison:
    """Compare the values of two rankings, one per query, with the queries in the same order."""
    values, others = np.asarray(first, np.float64), np.asarray(second, np.float64)
    if values.ndim != 1 or values.shape != others.shape:
        raise InputError(_VALUES_NEEDED)
    return compare_pairs(np.stack([values, others]), [(0, 1)], test=test, correction="none")[0]


def compare_pairs(
    values: ArrayLike,
    pairs: ArrayLike,
    *,
    test: str = "wilcoxon",
    correction: str = "holm",
    n_permutations: int = 100_000,
    random_state: int = 0,
) -> list[Comparison]:
    """Compare many pairs of rankings, whose p-values are corrected as one family.

    Parameters
    ----------
    values : array of shape (n_rankings, n_queries)
        The value of each query, with the queries in the same order in all rankings.
    pairs : array of shape (n_pairs, 2)
        The rows to compare.
    test, n_permutations, random_state
        See `p_values`.
    correction : {"holm", "bh", "none"}
        See `corrected`.
    """
    table, chosen = np.asarray(values, np.float64), np.asarray(pairs, np.int64).reshape(-1, 2)
    if table.ndim != 2 or table.size == 0 or not np.all(np.isfinite(table)):
        raise InputError(_VALUES_NEEDED)
    p = p_values(table, chosen, test, n_permutations=n_permutations, random_state=random_state)
    return [
        _comparison(differences(table[first], table[second]), check_test(test), raw, adjusted)
        for (first, second), raw, adjusted in zip(chosen, p.tolist(), corrected(p, correction).tolist(), strict=True)
    ]


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
