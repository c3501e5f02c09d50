"""Correcting the p-values of many comparisons for their number."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike

from ..arrays import Floats
from ..data import InputError


def corrected(p: ArrayLike, how: str = "holm") -> Floats:
    """Correct the p-values of one family of comparisons.

    Parameters
    ----------
    p : array of p-values
    how : {"holm", "bh", "none"}
        "holm" (Holm 1979) keeps the probability of any false discovery among those below a level to that level, whatever the
        tests' dependence. "bh" (Benjamini & Hochberg 1995) keeps the expected share of false discoveries to it, if the tests
        are independent or depend on each other positively. "none" leaves them as they are.

    Examples
    --------
    >>> corrected([0.01, 0.04, 0.02])
    array([0.03, 0.04, 0.04])
    """
    return check_correction(how)(np.asarray(p, np.float64))


def check_correction(how: str) -> Callable[[Floats], Floats]:
    """The correction of a name."""
    if how not in CORRECTIONS:
        raise InputError(f"there is no correction {how!r}; there are {', '.join(CORRECTIONS)}")
    return CORRECTIONS[how]


def _holm(p: Floats) -> Floats:
    r"""The i-th smallest becomes :math:`\max_{j \le i} (m - j + 1) p_j`, and at most 1."""
    order = np.argsort(p)
    adjusted = np.empty(p.size)
    adjusted[order] = np.minimum(np.maximum.accumulate(p[order] * np.arange(p.size, 0, -1)), 1)
    return adjusted


def _benjamini_hochberg(p: Floats) -> Floats:
    r"""The i-th smallest becomes :math:`\min_{j \ge i} m p_j / j`."""
    descending = np.argsort(-p)
    adjusted = np.empty(p.size)
    adjusted[descending] = np.minimum.accumulate(p[descending] * (p.size / np.arange(p.size, 0, -1)))
    return adjusted


#: From the name of a correction to what it makes of p-values.
CORRECTIONS: dict[str, Callable[[Floats], Floats]] = {"holm": _holm, "bh": _benjamini_hochberg, "none": np.copy}
