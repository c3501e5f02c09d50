"""Validation sets as shards, with the features of the training shards."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from ...arrays import Ints
from ...data import InputError
from ...data.feature_names import match_features
from .shards import Shards
from .task import Task, with_features


def as_eval_shards(eval_set: Any, training: Shards) -> list[Shards]:
    """Validation sets as a list, from None, one set or several, with the features in the order of the training shards."""
    sets = [] if eval_set is None else [eval_set] if isinstance(eval_set, Shards) else eval_set
    if not (isinstance(sets, (list, tuple)) and all(isinstance(shards, Shards) for shards in sets)):
        raise InputError(f"eval_set must be Shards, or a list of such, not {eval_set!r}")
    return [_matched(shards, training) for shards in sets]


def matched_columns(training: Any, held_out: Any) -> Ints | None:
    """Column in a validation set of each feature of the training set; None if both are in one order.

    Parameters
    ----------
    training, held_out : Shards, or others with `n_features` and `feature_names`
    """
    if training.feature_names is not None and held_out.feature_names is not None:
        try:
            return match_features(training.feature_names, held_out.feature_names)
        except InputError as error:
            raise InputError(f"eval_set: {error}") from error
    if held_out.n_features != training.n_features:
        raise InputError(f"eval_set has {held_out.n_features} features, and the training data has {training.n_features}")
    return None


def _matched(shards: Shards, training: Shards) -> Shards:
    columns = matched_columns(training, shards)
    return shards if columns is None else shards.map(_with_columns, columns)


def _with_columns(task: Task, columns: Ints) -> Task:
    """Task with the columns of X in another order."""
    return with_features(task, task.X[:, columns] if sparse.issparse(task.X) else np.take(task.X, columns, axis=1))
