"""Matching ranking data with the features of a model."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np
from scipy import sparse

from ...arrays import Floats
from ...data import InputError, RankingData
from ...models import Model
from ._data import read_data


def read_matching(file: Path, n_features: int, names: Sequence[str] | None, feature_names: str | None = None) -> RankingData:
    """Read data with the features of a model or of the training data, matched by name if both sides have names."""
    data = read_data(file, n_features if feature_names else None, feature_names)
    try:
        return match_features(data, n_features, names)
    except InputError as error:
        raise InputError(f"{file}: {error}") from error


def read_data_for_models(models: Iterable[Model], file: Path, feature_names: str | None) -> RankingData:
    """Read data for models to score; if it is given names, it has as many features as the models."""
    widths = [model.n_features for model in models] if feature_names else []
    return read_data(file, max(widths, default=None), feature_names)


def match_features(data: RankingData, n_features: int, names: Sequence[str] | None) -> RankingData:
    """The rows with the features of a model, by name if both sides have names; LETOR text may leave out the last ones."""
    if data.feature_names is None and data.n_features < n_features:
        data = _widened(data, n_features)
    if data.n_features != n_features and (names is None or data.feature_names is None):
        raise InputError(f"it has {data.n_features} features where there should be {n_features}")
    return data if names is None else data.with_features(list(names))


def score_data(model: Model, data: RankingData, where: str) -> Floats:
    """Score each row with a model; errors name the file."""
    try:
        data = match_features(data, model.n_features, model.feature_names)
        if model.needs_qid and data.qid is None:
            advice = "write qid:QUERY after each grade (Parquet: a column qid)"
            raise InputError(f"it has no qid, and the model scales features within each query; {advice}")
        return model.predict(data.X, data.qid)
    except ValueError as error:
        raise InputError(f"{where}: {str(error).splitlines()[0]}") from error


def _widened(data: RankingData, n_features: int) -> RankingData:
    """The data with zeros for the features that no line has."""
    more = (len(data), n_features - data.n_features)
    if sparse.issparse(data.X):
        X = sparse.hstack([data.X, sparse.csr_array(more, dtype=data.X.dtype)], format="csr")
    else:
        X = np.hstack([data.X, np.zeros(more, data.X.dtype)])
    return RankingData(X, data.y, data.qid, data.docno)
