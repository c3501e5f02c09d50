"""Reading and matching ranking data with the features of a model."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from scipy import sparse

from ...arrays import Floats
from ...data import InputError, RankingData
from ...data.column_roles import listed
from ...data.concatenation import widened
from ...models import Model
from ..console.streams import note
from ..options.columns import ColumnOptions, GradedColumns, RowColumns
from ._data import Rows, check_labels, display_files, read_rows


def read_like(
    files: Sequence[Path], trained: RankingData, columns: ColumnOptions, *, needs_labels: bool = True
) -> RankingData:
    """Read data with the features of the training data."""
    names = columns.names()._replace(features=trained.feature_names, categorical=list(trained.categories), ignore=())
    data = read_rows(files, names).data
    if needs_labels:
        check_labels(files, data)
    try:
        return match_features(data, trained.n_features, trained.feature_names)
    except InputError as error:
        raise InputError(f"{display_files(files)}: {error}") from error


def read_for_model(files: Sequence[Path], model: Model, columns: RowColumns, keep: Sequence[str] = ()) -> Rows:
    """Read data for a model to score; other columns of a table are left out."""
    categorical = list(getattr(model, "categories", {}))
    names = columns.names()._replace(features=model.feature_names, categorical=categorical, keep=keep)
    width = model.n_features if columns.feature_names is not None else None
    rows = read_rows(files, names, columns.names_of_features(), width)
    try:
        data = match_features(rows.data, model.n_features, model.feature_names)
    except InputError as error:
        raise InputError(f"{display_files(files)}: {error}") from error
    unknown = [name for name in rows.data.feature_names or () if name not in (data.feature_names or (name,))]
    if unknown:
        note(f"{display_files(files)}: left out {listed(unknown)}, which the model does not know")
    return rows._replace(data=data)


def read_for_models(files: Sequence[Path], models: Sequence[Model], columns: GradedColumns) -> RankingData:
    """Read labelled data for several models, or none, to score."""
    categorical = sorted({name for model in models for name in getattr(model, "categories", {})})
    widths = [model.n_features for model in models] if columns.feature_names is not None else []
    names = columns.names()._replace(categorical=categorical)
    data = read_rows(files, names, columns.names_of_features(), max(widths, default=None)).data
    check_labels(files, data)
    return data


def match_features(data: RankingData, n_features: int, names: Sequence[str] | None) -> RankingData:
    """The rows with the features of a model, by name if both sides have names.

    LETOR text may leave out the last features, which are then 0. Features that the model does not know are left out.
    """
    if data.feature_names is None and data.n_features < n_features:
        data = data.replace(X=widened(data.X, n_features, sparse.issparse(data.X)))
    if data.n_features != n_features and (names is None or data.feature_names is None):
        raise InputError(f"it has {data.n_features} features where there should be {n_features}")
    if names is None:
        return data
    return data.select_features(list(names)) if data.feature_names is not None else data.with_features(list(names))


def score_data(model: Model, data: RankingData, where: str) -> Floats:
    """Score each row with a model; errors name the file."""
    try:
        data = match_features(data, model.n_features, model.feature_names)
        if model.needs_qid and data.qid is None:
            advice = "name the column with --query (LETOR text: write qid:QUERY after each grade)"
            raise InputError(f"it has no qid, and the model scales features within each query; {advice}")
        return model.predict(data.features, data.qid)
    except ValueError as error:
        raise InputError(f"{where}: {str(error).splitlines()[0]}") from error
