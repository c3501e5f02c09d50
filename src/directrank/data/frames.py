"""Frames of pandas or polars: column names, column order and numeric values. Rows go by position, never by index."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..arrays import Floats
from .errors import InputError
from .feature_names import match_features

if TYPE_CHECKING:
    import pyarrow as pa


def is_frame(X: Any) -> bool:
    """Whether X is a frame of pandas or polars; raises an `InputError` for a lazy one."""
    if hasattr(type(X), "collect"):
        raise InputError(f"X is a {type(X).__name__}, which has no rows yet; pass X.collect()")
    return hasattr(X, "columns") and hasattr(X, "dtypes")


def column_names(X: Any) -> list[str] | None:
    """Column names of a frame; None for anything else and for columns without names."""
    if not is_frame(X) or not all(isinstance(name, str) for name in X.columns):
        return None
    return list(X.columns)


def reorder_columns(X: Any, names: Sequence[str] | None) -> Any:
    """A frame with its columns in the order of `names`; X unchanged if either has no names.

    Raises
    ------
    InputError
        If a column is missing or unknown.
    """
    given = column_names(X)
    if names is None or given is None:
        return X
    order = match_features(list(names), given)
    return X if order is None else X[[given[j] for j in order]]


def check_numeric(X: Any) -> None:
    """Raise an `InputError` for a frame with a column that is not numeric; X may be anything."""
    for name, kind in _kinds(X):
        if not _is_numeric(kind):
            what = "categories, which only LambdaMART takes" if is_categorical(kind) else f"{kind}, not numbers"
            raise InputError(f"column {name!r} of X holds {what}; turn it into numbers or leave it out")


def is_categorical(kind: Any) -> bool:
    """Whether a column type is categorical."""
    return str(kind).partition("(")[0] in ("category", "Categorical", "Enum")


def as_matrix(frame: Any) -> NDArray[Any]:
    """Values of a numeric frame, with missing values as NaN."""
    check_numeric(frame)
    matrix: NDArray[Any] = frame.to_numpy()
    if matrix.dtype.kind in "fiu":
        return matrix
    return np.column_stack([numbers_in(frame, j) for j in range(frame.shape[1])] or [np.empty((frame.shape[0], 0))])


def numbers_in(frame: Any, position: int) -> Floats:
    """Values of a numeric column, with missing values as NaN."""
    column = column_at(frame, position)
    try:
        values = column.to_numpy(np.float64, na_value=np.nan) if hasattr(column, "iloc") else column.to_numpy()
        return np.asarray(values, np.float64)
    except (TypeError, ValueError) as error:
        raise InputError(f"column {frame.columns[position]!r} of X must hold numbers: {error}") from error


def column_at(frame: Any, position: int) -> Any:
    """Column at a position, since names may be repeated."""
    return frame.iloc[:, position] if hasattr(frame, "iloc") else frame[:, position]


def _kinds(X: Any) -> Iterator[tuple[Any, Any]]:
    return zip(X.columns, X.dtypes, strict=True) if is_frame(X) else iter(())


def _is_numeric(kind: Any) -> bool:
    """Whether a column type is numeric, boolean, or object, whose values may be numbers."""
    if hasattr(kind, "is_numeric"):
        return bool(kind.is_numeric()) or str(kind) in ("Boolean", "Null")
    is_object = isinstance(kind, np.dtype) and kind.kind == "O"
    return is_object or getattr(kind, "kind", "O") in "biuf"


def frame_as_arrow(frame: Any) -> pa.Table:
    """A frame of pandas or polars, or an Arrow table, as a table whose unusable columns have the type of what they hold.

    Columns of objects that Arrow cannot hold become columns of text, which are no features.
    """
    import pyarrow as pa

    if isinstance(frame, pa.Table):
        return frame
    columns = column_names(frame)
    if columns is None:
        raise InputError(f"from_frame takes a frame whose columns have names, not {type(frame).__name__}")
    if not hasattr(frame, "iloc"):
        return frame.to_arrow()  # polars
    arrays = [_as_arrow(frame.iloc[:, j]) for j in range(len(columns))]
    return pa.Table.from_arrays(arrays, names=columns)


def frame_with_categories(X: Any, names: Sequence[str] | None, categories: Mapping[str, Sequence[str]]) -> Any:
    """A pandas frame of features, with the columns in `categories` as categorical ones; X has their codes."""
    try:
        import pandas as pd
    except ImportError as error:
        raise InputError("categorical features need pandas: pip install 'directrank[pandas]'") from error
    frame = pd.DataFrame(X, columns=None if names is None else list(names))
    for name, values in categories.items():
        codes = np.nan_to_num(frame[name].to_numpy(), nan=-1).astype(np.int64)
        frame[name] = pd.Categorical.from_codes(codes, categories=list(values))
    return frame


def _as_arrow(column: Any) -> Any:
    """A pandas column as an Arrow array."""
    import pyarrow as pa

    column = column.sparse.to_dense() if hasattr(column, "sparse") else column
    try:
        return pa.Array.from_pandas(column)
    except (pa.ArrowException, TypeError, ValueError):  # of objects of several types
        return pa.array([None if value is None else str(value) for value in column.tolist()], pa.string())
