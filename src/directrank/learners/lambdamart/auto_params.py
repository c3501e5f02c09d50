"""Parameters left to "auto": values that depend on the size of the training data.

With few documents, what a tree learns is mostly noise. Several boosters differ in it, and the mean of their scores has less:
each sees other queries, half of them have random thresholds, and half start from a linear ranker. With many documents one
booster is enough, and more leaves pay off.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .param_names import main_name
from .params import BoosterParams, boosting_type, is_random, uses_goss

#: Value of a parameter that is left to the rules of this file.
AUTO = "auto"

#: Number of documents up to which several boosters are grown.
SMALL = 50_000

#: Number of boosters on small data, the largest.
MAX_SEEDS = 4

#: Fraction of the queries in each round of several boosters.
SAMPLED_QUERIES = 0.7

#: Number of leaves, each with the largest number of documents that it is for.
LEAVES = ((10_000, 7), (50_000, 15), (np.inf, 31))

#: Learning rate.
RATE = 0.1


#: Parameters of trees that a linear ranker does not follow.
NOT_LINEAR = ("categorical_feature", "monotone_constraints", "interaction_constraints")


def resolve(given: dict[str, Any], n_seeds: int | str, n_documents: int, can_start: bool) -> BoosterParams:
    """Parameters with values for those that are "auto".

    Parameters
    ----------
    given : dict
        Parameters by LightGBM's names; `learning_rate`, `num_leaves` and `extra_trees` may be "auto".
    n_seeds : int or "auto"
    n_documents : int
        Number of training documents that are learned from.
    can_start : bool
        Whether boosters may start from a linear ranker: of each four, one with random thresholds and one without.
    """
    alternates = given["extra_trees"] == AUTO
    found = {**given, "extra_trees": False if alternates else given["extra_trees"]}
    if found["learning_rate"] == AUTO:
        found["learning_rate"] = RATE
    if found["num_leaves"] == AUTO:
        found["num_leaves"] = next(leaves for most, leaves in LEAVES if n_documents <= most)
    if n_seeds == AUTO:
        can_differ = alternates or is_random(found) or _samples_queries(found)
        n_seeds = MAX_SEEDS if can_differ and n_documents <= SMALL and _is_plain(found) else 1
    n_boosters = int(n_seeds)
    alternates = alternates and n_boosters > 1
    if alternates and not _samples_queries(found):
        found |= {"bagging_fraction": SAMPLED_QUERIES, "bagging_freq": 1}
    is_linear = can_start and n_boosters > 1 and boosting_type(found) != "dart"
    is_linear = is_linear and not any(main_name(name) in NOT_LINEAR for name in found)
    return BoosterParams(found, n_boosters, alternates, tuple(is_linear and i % 4 in (0, 3) for i in range(n_boosters)))


def _samples_queries(given: dict[str, Any]) -> bool:
    """Whether parameters of query sampling are given."""
    return any(main_name(name) in ("bagging_fraction", "bagging_freq") for name in given)


def _is_plain(given: dict[str, Any]) -> bool:
    """Whether boosting neither drops trees nor samples rows by their gradients."""
    return boosting_type(given) == "gbdt" and not uses_goss(given)
