"""What the trees start from: the scores of another ranker, which become the first part of the model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.base import clone

from ...arrays import Floats
from ...data import InputError
from ...data.feature_names import match_features
from ...models import TreesModel
from ...models.trees.categories import Categories
from ..base import Ranker
from ..shards import Shards
from ..task import Task


def check_init(init: Any, learner: Ranker) -> None:
    """That the trees of a learner can start from it."""
    seen: list[Any] = [learner]
    while init is not None:
        if not isinstance(init, Ranker):
            raise InputError(f"init must be a ranker of directrank, such as RankSVM(), or None, not {init!r}")
        if any(init is other for other in seen):
            raise InputError("init leads back to the learner itself; give another ranker, such as RankSVM()")
        seen.append(init)
        init = getattr(init, "init", None)


def learned_start(init: Ranker, training: Shards, validation: Shards | None) -> TreesModel:
    """What a clone of a ranker learns from the same data."""
    parts = {"X": training, "X of the eval_set": validation}
    for name, shards in parts.items():
        if not init._allows_missing and shards is not None and any(shards.each(_has_missing)):
            raise InputError(
                f"{name} has missing values (NaN), which {type(init).__name__}, the init, does not take; fill them in, or "
                "leave init out"
            )
    return TreesModel.from_portable(clone(init).fit_shards(training, validation).model_.portable())


def fitted_start(init: Ranker, width: int, names: Sequence[str] | None, categories: Categories) -> TreesModel:
    """What a fitted ranker has learned, on features in the order of those here; they are matched by name if both have names.

    Parameters
    ----------
    init : Ranker
    width : int
        How many features there are here.
    names : sequence of str, optional
        Theirs.
    categories : dict
        Those of the columns here.
    """
    if init.n_features_in_ != width:
        raise InputError(
            f"init was fitted on {init.n_features_in_} features, and these rows have {width}; "
            "give it unfitted to fit it on them"
        )
    if getattr(init, "categories_", categories) != categories:
        raise InputError("init was fitted on other categories than those of X; give it unfitted to fit it on them")
    model = init.model_.portable()
    if names is not None and model.feature_names is not None:
        try:
            columns = match_features(model.feature_names, names)
        except InputError as error:
            raise InputError(f"init was fitted on other features: {error}") from error
        model = model if columns is None else model.at(columns, width, tuple(names))
    return TreesModel.from_portable(model)


def scores_of(start: TreesModel, shards: Shards, in_query_order: bool = False) -> Floats:
    """The scores that LightGBM starts from, of the rows of all shards, one after another."""
    return np.concatenate(shards.each(_scores, start, in_query_order))


def _has_missing(task: Task) -> bool:
    values = task.X.data if sparse.issparse(task.X) else np.asarray(task.X)
    return bool(values.size and np.isnan(values.min()))


def _scores(task: Task, start: TreesModel, in_query_order: bool) -> Floats:
    scores = start.scores(task.X)
    return task.queries.to_query_order(scores) if in_query_order else scores
