"""What the trees start from: the scores of another ranker, which become the first part of the model."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import clone

from ...arrays import Floats
from ...data import InputError
from ...models import TreesModel
from ..base import Ranker
from ..shards import Shards
from ..task import Task


def check_init(init: Any) -> None:
    """That trees can start from it."""
    if init is not None and not isinstance(init, Ranker):
        raise InputError(f"init must be a ranker of directrank, such as RankSVM(), or None, not {init!r}")


def start_of(init: Ranker, training: Shards, validation: Shards | None) -> TreesModel:
    """What a fitted ranker has learned, or a clone of one that is not fitted learns from the same data."""
    if not hasattr(init, "model_"):
        init = clone(init).fit_shards(training, validation)
    elif init.n_features_in_ != training.n_features:
        raise InputError(
            f"init was fitted on {init.n_features_in_} features, and these rows have {training.n_features}; "
            "give it unfitted to fit it on them"
        )
    return TreesModel.from_portable(init.model_.portable())


def scores_of(start: TreesModel, shards: Shards, in_query_order: bool = False) -> Floats:
    """The scores that LightGBM starts from, of the rows of all shards, one after another."""
    return np.concatenate(shards.each(_scores, start, in_query_order))


def _scores(task: Task, start: TreesModel, in_query_order: bool) -> Floats:
    scores = start.scores(task.X)
    return task.queries.to_query_order(scores) if in_query_order else scores
