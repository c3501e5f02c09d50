"""Training, prediction and evaluation on sharded data."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from distributed import get_worker
from scipy import sparse

from ..arrays import Floats, Ints
from ..data import InputError, RankingData
from ..data.feature_names import match_features
from ..data.strings import STRING
from ..evaluation import DEFAULT_MEASURES, Evaluation, evaluate as evaluate_rows
from ..evaluation.named_measures import MeasureLike, Ties
from ..learners.core.monitoring import Callback
from ..learners.core.task import Task
from ..models import Model, as_model
from .dask_shards import DaskShards
from .remote_call import compute_thread
from .shard import Shard
from .sharded_data import ShardedData


def train(
    learner: Any,
    data: ShardedData,
    validation: ShardedData | None = None,
    *,
    callbacks: Sequence[Callback] | None = None,
    keep_partial: bool = False,
) -> Any:
    """Fit a learner on sharded data.

    The model is the same, to the bit, as that of the same shards in one process, and a worker that dies changes nothing
    (for LambdaMART see docs/distributed.md).

    Parameters
    ----------
    learner : a learner of directrank
    data : ShardedData
    validation : ShardedData, optional
        Validation set, as the `eval_set` of `fit`.
    callbacks, keep_partial
        See the learner's `fit`.

    Returns
    -------
    learner
        The same object, fitted.
    """
    if not hasattr(learner, "fit_shards"):
        raise InputError(f"{type(learner).__name__} does not learn from shards; give a learner of directrank")
    if not learner.__sklearn_tags__().input_tags.allow_nan:
        for one in [data] if validation is None else [data, validation]:
            one.check_complete(type(learner).__name__)
    if learner.joins_shards and validation is not None:
        raise InputError(f"{type(learner).__name__} chooses nothing by a validation set; leave it out")
    shards = [data.as_one_set() if learner.joins_shards else data.to_shards()]
    if validation is not None:
        shards.append(_matched_validation(data, validation))
    try:
        return learner.fit_shards(*shards, callbacks=callbacks, keep_partial=keep_partial)
    finally:
        for used in shards:
            used.session.close()


def predict(model: Any, data: ShardedData) -> Any:
    """Scores of all rows, as a lazy Dask array with a chunk for each shard, computed on the workers that hold the rows.

    If the client of the data is not Dask's default client, compute it with ``scheduler=client``.

    Parameters
    ----------
    model : Model, or a fitted learner
    data : ShardedData
        Features are matched by name where both sides have names.
    """
    import dask.array as da
    from dask import delayed

    learned = as_model(model)
    _check_features(learned, data)
    shared = delayed(learned, traverse=False)
    parts = [
        da.from_delayed(delayed(_shard_scores)(shared, shard), (info.n_rows,), np.float64)
        for shard, info in zip(data.shards, data.infos, strict=True)
    ]
    return da.concatenate(parts)


def evaluate(
    model: Any,
    data: ShardedData,
    measures: MeasureLike | Iterable[MeasureLike] = DEFAULT_MEASURES,
    *,
    ties: Ties | None = None,
) -> Evaluation:
    """Evaluate a model on sharded data; only the value of each query is sent to the driver.

    Parameters
    ----------
    model : Model, or a fitted learner
    data : ShardedData
    measures, ties
        See `directrank.evaluate`.
    """
    learned = as_model(model)
    _check_features(learned, data)
    data.check_queries()
    chosen = [measures] if isinstance(measures, (str, type)) or not isinstance(measures, Iterable) else list(measures)
    parts: list[Evaluation] = data.each(_evaluation, learned, chosen, ties)
    return Evaluation(
        _joined([part.qid for part in parts]),
        {name: np.concatenate([part.per_query[name] for part in parts]) for name in parts[0].per_query},
        {name: sum(part.no_relevant[name] for part in parts) for name in parts[0].no_relevant},
        parts[0].ties,
        {name: formula for part in parts for name, formula in part.gains.items()},
    )


def _matched_validation(data: ShardedData, validation: ShardedData) -> DaskShards:
    """Shards of a validation set, with the features in the order of the training set."""
    shards = validation.to_shards()
    if validation.n_features != data.n_features:
        raise InputError(f"validation has {validation.n_features} features, and the training data has {data.n_features}")
    if data.feature_names is None or validation.feature_names is None:
        return shards
    try:
        columns = match_features(data.feature_names, validation.feature_names)
    except InputError as error:
        raise InputError(f"validation: {error}") from error
    return shards if columns is None else shards.map(_with_columns, columns)


def _with_columns(task: Task, columns: Ints) -> Task:
    X = task.X[:, columns] if sparse.issparse(task.X) else np.take(task.X, columns, axis=1)
    return replace(task, X=X, memory={})


def _check_features(model: Model, data: ShardedData) -> None:
    """Raise if a model does not fit the data, before any worker is called."""
    if model.n_features != data.n_features:
        raise InputError(f"the data has {data.n_features} features, and the model has {model.n_features}")
    if model.feature_names is not None and data.feature_names is not None:
        match_features(model.feature_names, data.feature_names)


def _shard_scores(model: Model, shard: Shard) -> Floats:
    """Scores of a shard, as a task of Dask; kernels run in the worker's compute thread."""
    return compute_thread(get_worker()).submit(partial(_scores, model, shard.data)).result()


def _scores(model: Model, data: RankingData) -> Floats:
    if model.feature_names is not None and data.feature_names is not None:
        data = data.with_features(list(model.feature_names))
    return model.predict(data.X, data.qid)


def _evaluation(data: RankingData, model: Model, measures: list[MeasureLike], ties: Ties | None) -> Evaluation:
    found = evaluate_rows(data.y, _scores(model, data), data.qid, measures, ties=ties, docno=data.docno)
    return replace(found, ranking=None)  # it holds all rows


def _joined(ids: list[Any]) -> Any:
    """Query ids of all shards; text arrays differ in type."""
    is_text = ids[0].dtype.kind == "T"
    return np.array([name for part in ids for name in part.tolist()], STRING) if is_text else np.concatenate(ids)
