"""Number of boosting rounds by cross-validation, for a training without a validation set."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from ...arrays import Floats
from ..core.monitoring import first_best
from ..core.shards import Folds, Shards
from .boosting import Ensemble, RoundLimits, validation_values
from .gradients import informative_sizes

#: Number of folds.
N_FOLDS = 3

#: Number of queries that are too few for folds.
TOO_FEW_QUERIES = 2 * N_FOLDS

#: Number of documents up to which all folds are held out in turn, and up to which one of them is.
ALL_FOLDS, ONE_FOLD = 10_000, 50_000


class Part(NamedTuple):
    """Training queries without a held-out part, and that part.

    Attributes
    ----------
    training, held_out : Shards
    """

    training: Shards
    held_out: Shards


def parts_by_folds(training: Shards) -> list[Part]:
    """Folds of the training queries that are held out; none if there are too few queries, or so many that it takes long."""
    n_documents, n_queries = training.total(informative_sizes).tolist()
    if n_queries <= TOO_FEW_QUERIES or n_documents > ONE_FOLD:
        return []
    folds = Folds(training, N_FOLDS)
    return [Part(folds.without(i), folds.only(i)) for i in range(N_FOLDS if n_documents <= ALL_FOLDS else 1)]


def choose_rounds(parts: Sequence[Part], make: Callable[[Part], Ensemble], limits: RoundLimits) -> int:
    """Number of rounds with the best mean value on held-out queries.

    Parameters
    ----------
    parts : sequence of Part
    make : callable
        Ensemble for a part.
    limits : RoundLimits
        Limits for the held-out queries of all parts.
    """
    return best_mean_round([validation_values(make(part), limits) for part in parts])


def best_mean_round(curves: Sequence[Sequence[float]]) -> int:
    """Round of the highest mean, at least 1; a curve that ended early keeps its last value."""
    longest = max(map(len, curves), default=0)
    known = [np.pad(curve, (0, longest - len(curve)), mode="edge") for curve in curves if len(curve)]
    mean: Floats = np.mean(known, axis=0) if known else np.zeros(1)
    return first_best(mean) + 1
