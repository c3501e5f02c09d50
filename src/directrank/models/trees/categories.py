"""Categorical columns of pandas or polars frames, encoded by the categories of the training frame."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...arrays import Floats
from ...data import InputError
from ...data.frames import is_categorical, is_frame, numbers_in
from ..errors import ModelError

#: The categories of each categorical column; a category is encoded as its position.
Categories = dict[str, list[Any]]

_VALUES = (str, int, float, bool)


def categories_of(X: Any) -> Categories:
    """Categories of a frame's categorical columns; empty for anything else."""
    found = {str(name): _values_of(X[name]) for name in _columns(X)}
    for name, values in found.items():
        if not all(type(value) in _VALUES for value in values):
            raise InputError(f"column {name!r} has categories that are neither text nor numbers; turn them into text")
    return found


def unordered(X: Any) -> list[int]:
    """Positions of the columns with unordered categories; LightGBM treats ordered ones as numbers."""
    positions = {name: j for j, name in enumerate(X.columns)} if hasattr(X, "columns") else {}
    return [positions[name] for name in _columns(X) if not getattr(getattr(X[name], "cat", None), "ordered", False)]


def check_columns(trained: Categories, X: Any) -> None:
    """Raise an `InputError` unless the same columns of a frame have categories as in training."""
    missing = [name for name in trained if name not in map(str, X.columns)] if is_frame(X) else []
    if missing:
        raise InputError(f"there is no column {missing[0]!r}, which has categories in the training data; add it")
    differing = sorted(trained.keys() ^ set(map(str, _columns(X))))
    if differing:
        raise InputError(f"column {differing[0]!r} has categories in this data or in the training data, but not in both")


def as_matrix(X: Any, categories: Categories) -> Floats:
    """A frame as numbers: each category by its position in training; NaN for missing and unseen ones."""
    matrix: Floats = np.empty(X.shape)
    for j, name in enumerate(X.columns):
        known = categories.get(str(name))
        matrix[:, j] = numbers_in(X, j) if known is None else _codes(X[name], known)
    return matrix


def read_categories(name: str, content: Any) -> Categories:
    """Reader of the categories of columns in a model file."""
    if not (isinstance(content, dict) and all(isinstance(values, list) for values in content.values())):
        raise ModelError(f"its {name} must be a list of values for each column that has some")
    if not all(type(value) in _VALUES for values in content.values() for value in values):
        raise ModelError(f"its {name} must be text or numbers")
    return content


def _columns(X: Any) -> list[Any]:
    """Names of the categorical columns of a frame; X may be anything."""
    if not is_frame(X):
        return []
    return [name for name, kind in zip(X.columns, X.dtypes, strict=True) if is_categorical(kind)]


def _values_of(column: Any) -> list[Any]:
    if not _is_polars(column):
        return list(column.cat.categories.tolist())
    if str(column.dtype).startswith("Enum"):
        return list(column.dtype.categories.to_list())
    return sorted({value for value in column.to_list() if value is not None})  # not in the order of polars' own numbers


def _codes(column: Any, values: list[Any]) -> Floats:
    number = {value: float(code) for code, value in enumerate(values)}
    if _is_polars(column):
        return np.array([number.get(value, np.nan) for value in column.to_list()], np.float64)
    codes = [number.get(value, np.nan) for value in column.cat.categories.tolist()]
    return np.array([*codes, np.nan], np.float64)[column.cat.codes.to_numpy()]  # the code of a missing value is -1


def _is_polars(column: Any) -> bool:
    return not hasattr(column, "iloc")
