"""Ensembles of models by ensemble selection."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import clone

from ..arrays import Floats
from ..data import InputError
from ..data.checked_arrays import as_grades, as_qid
from ..data.ranking_data import Queries, group_rows
from ..learners import EnsembleSelection
from ..models import Model, SumOfModels, as_model


def select_models(
    models: Sequence[Any],
    X: Any,
    y: ArrayLike,
    qid: ArrayLike | None = None,
    *,
    selection: EnsembleSelection | None = None,
) -> SumOfModels:
    """Select models from a library into a weighted sum (Caruana et al. 2004), which is a model that can be saved.

    A sum of linear models alone, of `RankBoost` alone or of `LambdaMART` alone can be exported; one of linear models and
    trees to LightGBM only, and one of `RankBoost` and `LambdaMART` not at all.

    Scores of models have different scales, so each model's scores are divided by their standard deviation within queries.
    The weight of a model is the number of times it is selected, divided by this standard deviation.

    Parameters
    ----------
    models : sequence of models or fitted learners
        The library; all models have the same features.
    X, y, qid : rows, grades and queries
        Data for selection, of other queries than the models were trained on.
    selection : EnsembleSelection, optional
        Learner with the measure for selection; by default ``EnsembleSelection("AP")``.

    Examples
    --------
    >>> from directrank import AdaRank, RankBoost, RankSVM
    >>> from directrank.datasets import make_ranking
    >>> train, other = make_ranking(30, random_state=0), make_ranking(30, random_state=1)
    >>> library = [learner.fit(train.X, train.y, train.qid) for learner in (RankSVM(), RankBoost(), AdaRank())]
    >>> ensemble = select_models(library, other.X, other.y, other.qid)
    >>> len(ensemble.models) <= 3
    True
    """
    if not isinstance(models, Iterable):
        raise InputError(f"models must be a list of models or fitted learners, not {type(models).__name__}")
    if selection is not None and not hasattr(selection, "fit"):
        raise InputError(f"selection must be a learner, such as EnsembleSelection('AP'), not {selection!r}")
    library = [as_model(model) for model in models]
    names = _common_feature_names(library)
    n_rows = as_grades(y).size
    queries = group_rows(None if qid is None else as_qid(qid, n_rows), n_rows)
    scores = np.column_stack([model.predict(X, qid) for model in library])
    deviation = np.array([_within_query_deviation(column, queries) for column in scores.T])
    chosen = clone(EnsembleSelection("AP") if selection is None else selection).fit(scores / deviation, y, qid)
    members = np.flatnonzero(chosen.coef_)
    weights = chosen.coef_[members] / deviation[members]
    return SumOfModels(weights, [library[i] for i in members], feature_names=names, provenance=chosen.model_.provenance)


def _common_feature_names(library: list[Model]) -> tuple[str, ...] | None:
    """Feature names of the models; models without names match by position."""
    if not library:
        raise InputError("there is no model to select from")
    widths = {model.n_features for model in library}
    if len(widths) > 1:
        raise InputError(f"the models must have the same features, but have {', '.join(map(str, sorted(widths)))}")
    names = {model.feature_names for model in library if model.feature_names is not None}
    if len(names) > 1:
        raise InputError("the models must have the same features in the same order, but their feature names differ")
    return names.pop() if names else None


def _within_query_deviation(scores: Floats, queries: Queries) -> float:
    """Standard deviation of scores within queries; 1 if it is 0."""
    ordered, sizes = queries.to_query_order(scores), np.diff(queries.offsets)
    means = np.add.reduceat(ordered, queries.offsets[:-1]) / sizes
    return float(np.sqrt(np.mean((ordered - np.repeat(means, sizes)) ** 2))) or 1.0
