"""Correction of p-values for multiple comparisons."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike

from ..arrays import Floats
from .synonyms import canonical

SYNONYMS = {
    "holm-bonferroni": "holm",
    "bonf": "bonferroni",
    "benjamini-hochberg": "bh",
    "fdr": "bh",
    "fdr-bh": "bh",
    "hsd": "tukey",
    "tukey-hsd": "tukey",
    "tukeyhsd": "tukey",
    "no": "none",
}


def corrected(p: ArrayLike, how: str = "holm") -> Floats:
    """Correct the p-values of one family of comparisons.

    Parameters
    ----------
    p : array of p-values
    how : {"holm", "bonferroni", "bh", "none"}
        "holm" (Holm 1979) bounds the probability of any false discovery among those below a level by that level, however the
        tests depend on each other; "bonferroni" does so too, and finds less. "bh" (Benjamini & Hochberg 1995) bounds the
        expected share of false discoveries, if the tests are independent or positively dependent. "none" leaves them as
        they are.

    Examples
    --------
    >>> corrected([0.01, 0.04, 0.02])
    array([0.03, 0.04, 0.04])
    """
    return CORRECTIONS[canonical(how, CORRECTIONS, SYNONYMS, "correction of p-values")](np.asarray(p, np.float64))


def canonical_correction(name: str) -> str:
    """Canonical name of a correction, Tukey's HSD included, from any of its spellings."""
    return canonical(name, (*CORRECTIONS, "tukey"), SYNONYMS, "correction")


def _holm(p: Floats) -> Floats:
    r"""The i-th smallest becomes :math:`\max_{j \le i} (m - j + 1) p_j`, and at most 1."""
    order = np.argsort(p)
    adjusted = np.empty(p.size)
    adjusted[order] = np.minimum(np.maximum.accumulate(p[order] * np.arange(p.size, 0, -1)), 1)
    return adjusted


def _bonferroni(p: Floats) -> Floats:
    return np.minimum(p * p.size, 1)


def _benjamini_hochberg(p: Floats) -> Floats:
    r"""The i-th smallest becomes :math:`\min_{j \ge i} m p_j / j`."""
    descending = np.argsort(-p)
    adjusted = np.empty(p.size)
    adjusted[descending] = np.minimum.accumulate(p[descending] * (p.size / np.arange(p.size, 0, -1)))
    return adjusted


#: Corrections of single p-values by name; Tukey's HSD needs the values themselves, see `tukey`.
CORRECTIONS: dict[str, Callable[[Floats], Floats]] = {
    "holm": _holm,
    "bonferroni": _bonferroni,
    "bh": _benjamini_hochberg,
    "none": np.copy,
}
