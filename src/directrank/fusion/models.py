"""Ensembles of models, selected from a library of them."""

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
    """The weighted sum of some of many models (Caruana et al. 2004), as one model that can be saved.

    A sum of linear models alone, of `RankBoost` alone or of `LambdaMART` alone can be exported; one of linear models and
    trees to LightGBM only, and one of `RankBoost` and `LambdaMART` not at all.

    The scores of models are on different scales, so each model's are divided by their spread within the queries given, the
    root of their mean squared distance from their query's mean. Its weight is how often it is selected over that spread.

    Parameters
    ----------
    models : sequence of models or fitted learners
        The library; all of the same features.
    X, y, qid : rows, grades and queries
        What to select by: other queries than those the models were trained on.
    selection : EnsembleSelection, optional
        With the measure to select by; by default ``EnsembleSelection("AP")``.

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
    names = _names_of_features(library)
    n_rows = as_grades(y).size
    queries = group_rows(None if qid is None else as_qid(qid, n_rows), n_rows)
    scores = np.column_stack([model.predict(X) for model in library])
    spread = np.array([_spread(column, queries) for column in scores.T])
    chosen = clone(EnsembleSelection("AP") if selection is None else selection).fit(scores / spread, y, qid)
    members = np.flatnonzero(chosen.coef_)
    weights = chosen.coef_[members] / spread[members]
    return SumOfModels(weights, [library[i] for i in members], feature_names=names, provenance=chosen.model_.provenance)


def _names_of_features(library: list[Model]) -> tuple[str, ...] | None:
    """Those of all models; the features of models without names go by number."""
    if not library:
        raise InputError("there is no model to select from")
    widths = {model.n_features for model in library}
    if len(widths) > 1:
        raise InputError(f"the models must be of the same features, and have {', '.join(map(str, sorted(widths)))} of them")
    names = {model.feature_names for model in library if model.feature_names is not None}
    if len(names) > 1:
        raise InputError("the models must be of the same features in the same order, and the names of theirs differ")
    return names.pop() if names else None


def _spread(scores: Floats, queries: Queries) -> float:
    """The root mean squared distance of scores from their query's mean; 1 where there is none."""
    ordered, sizes = queries.to_query_order(scores), np.diff(queries.offsets)
    means = np.add.reduceat(ordered, queries.offsets[:-1]) / sizes
    return float(np.sqrt(np.mean((ordered - np.repeat(means, sizes)) ** 2))) or 1.0
