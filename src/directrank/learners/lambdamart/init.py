"""Initial scores: the model or ranker that boosting starts from, which becomes the first part of the model."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import lightgbm as lgb
import numpy as np
from sklearn.base import clone

from ...arrays import Floats
from ...caching import cached_property
from ...data import InputError
from ...data.feature_names import match_features
from ...models import Model, ModelError, TreesModel, as_model, load_model
from ...models.trees.categories import Categories
from ..core.monitoring import Monitor
from ..core.ranker import Ranker
from ..core.shards import Shards
from ..core.task import Task, sum_of_weights, without_init_score
from ..core.validation import as_eval_sets
from .auto_params import AUTO


@dataclass(frozen=True)
class Start:
    """Model that boosters start from.

    Attributes
    ----------
    model : TreesModel, or None
        None if all boosters start from 0, or from the initial scores of the data.
    is_taken : tuple of bool
        Whether each booster starts from it.
    """

    model: TreesModel | None
    is_taken: tuple[bool, ...]

    def of_booster(self, index: int) -> TreesModel | None:
        """Model that one booster starts from."""
        return self.model if self.is_taken[index] else None

    @property
    def varies(self) -> bool:
        """Whether some boosters start from the model and others do not."""
        return self.model is not None and not all(self.is_taken)

    @cached_property
    def mean(self) -> TreesModel | None:
        """Mean of the models that the boosters start from."""
        if self.model is None or not self.varies:
            return self.model
        return self.model.times(sum(self.is_taken) / len(self.is_taken))


def check_init(init: Any, learner: Ranker) -> None:
    """Check the parameter `init` of a learner."""
    seen: list[Any] = [learner]
    while not (init is None or (isinstance(init, str) and init == AUTO)):
        if not isinstance(init, Ranker):
            raise InputError(f"init must be a ranker of directrank, such as RankSVM(), or 'auto' or None, not {init!r}")
        if any(init is other for other in seen):
            raise InputError("init leads back to the learner itself; give another ranker, such as RankSVM()")
        seen.append(init)
        init = getattr(init, "init", None)


def fit_init(init: Ranker, training: Shards, validation: Shards | None, monitor: Monitor) -> TreesModel:
    """Fit a clone of a ranker on the same data, as the model that boosting starts from."""
    learner = clone(init)
    if not learner._takes_init_score:
        training = training.map(without_init_score)
        validation = None if validation is None else validation.map(without_init_score)
    with monitor.interruptible():
        learner.fit_shards(training, validation, keep_partial=True)
    if not hasattr(learner, "model_"):
        raise KeyboardInterrupt
    return TreesModel.from_portable(learner.model_.portable())


def as_init_model(init_model: Any) -> Model:
    """Convert the `init_model` of `fit` to a model."""
    if isinstance(init_model, (str, os.PathLike)):
        return load_model(init_model)
    booster = None if hasattr(init_model, "model_") else getattr(init_model, "booster_", init_model)  # LightGBM's estimators
    if isinstance(booster, lgb.Booster):
        model = TreesModel.from_lightgbm(booster.model_to_string(), booster.current_iteration())
        names = booster.feature_name()
        return model if names == [f"Column_{j}" for j in range(len(names))] else model.with_feature_names(names)
    try:
        return as_model(init_model)
    except ModelError as error:
        raise InputError(
            f"init_model must be a model, a fitted learner, the path of a model or a LightGBM booster, not {init_model!r}"
        ) from error


def check_init_scores(init_score: Any, eval_set: Any) -> None:
    """Check that either all sets have initial scores or no set has."""
    for given in as_eval_sets(eval_set):
        if init_score is not None and len(given) == 3:
            raise InputError("with init_score the eval_set needs one too; give it as (X, y, qid, init_score)")
        if init_score is None and len(given) == 4:
            raise InputError("the eval_set has an init_score and the training rows have none; give init_score to fit too")


def align_init_model(
    called: str, model: Model, width: int, names: Sequence[str] | None, categories: Categories
) -> TreesModel:
    """A fitted model as trees on the features of X, matched by name if both have names.

    Parameters
    ----------
    called : str
        Name of the parameter that the model was given as.
    model : Model
    width : int
        Number of features of X.
    names : sequence of str, optional
        Feature names of X.
    categories : dict
        Categories of the columns of X.
    """
    if model.n_features != width:
        raise InputError(
            f"{called} was fitted on {model.n_features} features, and these rows have {width}; start from a model of the "
            "same features, or give an init that is not fitted"
        )
    if getattr(model, "categories", categories) != categories:
        raise InputError(
            f"{called} was fitted on other categories than those of X; start from a model of the same ones, or give an init "
            "that is not fitted"
        )
    sum_of_parts = model.portable()
    if names is not None and sum_of_parts.feature_names is not None:
        try:
            columns = match_features(sum_of_parts.feature_names, names)
        except InputError as error:
            raise InputError(f"{called} was fitted on other features: {error}") from error
        sum_of_parts = sum_of_parts if columns is None else sum_of_parts.at(columns, width, tuple(names))
    return TreesModel.from_portable(sum_of_parts)


def init_scores(init_model: TreesModel | None, shards: Shards) -> Floats | None:
    """Initial scores for LightGBM, of the documents of all shards in a row; None if they are 0."""
    parts = shards.each(_init_scores, init_model)
    return None if parts[0] is None else np.concatenate(parts)


def init_value(shards: Shards, init_model: TreesModel | None) -> float:
    """Weighted mean of the measure over the queries, at the initial scores."""
    return float(shards.total(_init_value, init_model) / shards.total(sum_of_weights))


def document_init_scores(task: Task, init_model: TreesModel | None) -> Floats:
    """Initial scores of a shard, in query order."""
    before = np.zeros(task.n_documents) if task.init_score is None else task.init_score
    return before if init_model is None else before + task.scores(init_model)


def _init_value(task: Task, init_model: TreesModel | None) -> float:
    return task.weighted_value(document_init_scores(task, init_model))


def _init_scores(task: Task, init_model: TreesModel | None) -> Floats | None:
    return None if init_model is None and task.init_score is None else document_init_scores(task, init_model)
