"""Tie groups: the documents of a ranking that have equal scores.

Every measure takes the mean over all orders of each group, in closed form, so the order of the rows never changes a value.
A document of score -inf has no rank.
"""

from __future__ import annotations

import numpy as np

from ...arrays import Floats


def share_among_equals(scores: Floats, grades: Floats, values: Floats) -> Floats:
    """The mean of the values of all documents of equal score and equal grade, for each document of a query."""
    _, group = np.unique(np.stack((scores, grades)), axis=1, return_inverse=True)
    return (np.bincount(group, values) / np.bincount(group))[group]
