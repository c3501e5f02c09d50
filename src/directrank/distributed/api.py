"""Training, prediction and evaluation on sharded data."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from distributed import get_worker
from numpy.typing import ArrayLike

from ..arrays import Floats
from ..data import InputError, RankingData
from ..data.feature_names import match_features
from ..evaluation import DEFAULT_MEASURES, Evaluation, evaluate as evaluate_rows
from ..evaluation.named_measures import MeasureLike, Ties
from ..learners.core.eval_shards import matched_columns
from ..learners.core.monitoring import Callback
from ..learners.core.validation import accepts
from ..learners.core.warning import warn
from ..measures import SupportsEvaluate
from ..models import Model, as_model
from .given_values import divide_init_score, divide_query_weight
from .kernel_turns import kernel_turn
from .shard import Shard
from .sharded_data import ShardedData, joined_ids

#: Validation set: data, or data and its initial scores.
ShardedEvalSet = ShardedData | tuple[ShardedData, Any]


def train(
    learner: Any,
    data: ShardedData,
    eval_set: ShardedEvalSet | Sequence[ShardedEvalSet] | None = None,
    *,
    query_weight: str | ArrayLike | Mapping[Any, float] | None = None,
    eval_measures: str | type | SupportsEvaluate | Sequence[str | type | SupportsEvaluate] | None = None,
    callbacks: Sequence[Callback] | None = None,
    init_model: Any = None,
    init_score: str | ArrayLike | None = None,
    keep_partial: bool = False,
) -> Any:
    """Fit a learner on sharded data.

    The model is the same, to the bit, as that of the same shards in one process, and a worker that dies changes nothing
    (for LambdaMART see docs/distributed.md). What the learner's `fit` does not take is an error.

    Parameters
    ----------
    learner : a learner of directrank
    data : ShardedData
    eval_set : ShardedData, or (ShardedData, init_score), or a list of such, optional
        Validation sets, as in `fit`; with `init_score` each has its own.
    query_weight : str, mapping or pandas Series by qid, or array, optional
        Weight of each query: the name of one of the data's `extra_columns`; or as in `fit`, by qid, or one for each query
        or row, in the order of the shards.
    eval_measures, callbacks, init_model, keep_partial
        See the learner's `fit`. Callbacks are called in this process.
    init_score : str, array or Dask array, optional
        Initial score of each row, as in `fit`: the name of one of the data's `extra_columns`, or one for each row, in the
        order of the shards, such as the result of `predict`. An array is held in this process, a column is not.

    Returns
    -------
    learner
        The same object, fitted.
    """
    given = {"eval_set": eval_set, "query_weight": query_weight, "init_score": init_score}
    options = {"eval_measures": eval_measures, "init_model": init_model}
    _check_learner(learner, [name for name, value in (given | options).items() if value is not None])
    sets = _as_eval_sets(eval_set)
    _check_init_scores(init_score is not None, sets)
    _warn_without_qid(learner, data, [held_out for held_out, _ in sets])
    for held_out, _ in sets:
        matched_columns(data, held_out)  # before any work
    values = divide_query_weight(data, query_weight), divide_init_score(data, init_score)
    held_out_scores = [divide_init_score(held_out, initial) for held_out, initial in sets]
    options = {name: value for name, value in options.items() if value is not None}
    shards = [data.as_one_set() if learner.joins_shards else data.to_shards(*values)]
    try:
        for (held_out, _), initial in zip(sets, held_out_scores, strict=True):
            shards.append(held_out.to_shards(init_score=initial))
        options |= {"eval_set": shards[1:]} if sets else {}
        return learner.fit_shards(shards[0], **options, callbacks=callbacks, keep_partial=keep_partial)
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
    data.wait_until_loaded()
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
        joined_ids([part.qid for part in parts]),
        {name: np.concatenate([part.per_query[name] for part in parts]) for name in parts[0].per_query},
        {name: sum(part.no_relevant[name] for part in parts) for name in parts[0].no_relevant},
        parts[0].ties,
        {name: formula for part in parts for name, formula in part.gains.items()},
        geometric=parts[0].geometric,
    )


def _check_learner(learner: Any, given: Iterable[str]) -> None:
    """Raise unless a learner learns from shards, and its `fit` takes all that is given."""
    name = type(learner).__name__
    if not hasattr(learner, "fit_shards"):
        raise InputError(f"{name} does not learn from shards; give a learner of directrank")
    for argument in given:
        if not accepts(learner, "fit", argument):
            raise InputError(f"{name} takes no {argument}, on a cluster as in fit; leave it out")


def _as_eval_sets(eval_set: Any) -> list[tuple[ShardedData, Any]]:
    """Validation sets and their initial scores, from None, one set or several."""
    several = eval_set if isinstance(eval_set, list) else [] if eval_set is None else [eval_set]
    sets = [(one, None) if isinstance(one, ShardedData) else one for one in several]
    for one in sets:
        if not (isinstance(one, tuple) and len(one) == 2 and isinstance(one[0], ShardedData)):
            raise InputError("eval_set must be ShardedData, or a tuple of ShardedData and init_score; or a list of such")
    return sets


def _check_init_scores(has_init_score: bool, sets: list[tuple[ShardedData, Any]]) -> None:
    """Raise unless either all sets have initial scores or no set has."""
    for _, init_score in sets:
        if has_init_score and init_score is None:
            raise InputError("with init_score the eval_set needs one too; give it as (data, init_score)")
        if not has_init_score and init_score is not None:
            raise InputError("the eval_set has an init_score and the training rows have none; give init_score to train too")


def _warn_without_qid(learner: Any, data: ShardedData, sets: list[ShardedData]) -> None:
    if getattr(learner, "expects_qid", False) and not data.has_qid and len(data.shards) == 1 and len(data) > 1:
        warn(f"no qid: all {len(data):,} rows of {data.names[0]} are taken as one query; add a column qid", UserWarning)
    if data.n_queries > 1 and not all(one.has_qid for one in sets):
        warn("eval_set has no qid, so all its rows are taken as one query; add a column qid", UserWarning)


def _check_features(model: Model, data: ShardedData) -> None:
    """Raise if a model does not fit the data, before any worker is called."""
    if model.n_features != data.n_features:
        raise InputError(f"the data has {data.n_features} features, and the model has {model.n_features}")
    if model.feature_names is not None and data.feature_names is not None:
        match_features(model.feature_names, data.feature_names)


def _shard_scores(model: Model, shard: Shard) -> Floats:
    """Scores of a shard, as a task of Dask."""
    with kernel_turn(get_worker()):
        return _scores(model, shard.data)


def _scores(model: Model, data: RankingData) -> Floats:
    if model.feature_names is not None and data.feature_names is not None:
        data = data.with_features(list(model.feature_names))
    return model.predict(data.X, data.qid)


def _evaluation(data: RankingData, model: Model, measures: list[MeasureLike], ties: Ties | None) -> Evaluation:
    found = evaluate_rows(data.y, _scores(model, data), data.qid, measures, ties=ties, docno=data.docno)
    return replace(found, ranking=None)  # it holds all rows
