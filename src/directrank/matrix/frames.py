"""Frames of pandas or polars: their columns matched by name."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..data.feature_names import match_features


def names_of(X: Any) -> list[str] | None:
    """The names of a frame's columns, if X is a frame whose columns have names."""
    columns = getattr(X, "columns", None)
    if columns is None or not all(isinstance(name, str) for name in columns):
        return None
    return list(columns)


def in_order_of(wanted: Sequence[str] | None, X: Any) -> Any:
    """A frame with its columns in the order of these names; anything without names as it is.

    Raises
    ------
    InputError
        That names the column which is missing or unknown.
    """
    given = names_of(X)
    if wanted is None or given is None:
        return X
    order = match_features(list(wanted), given)
    return X if order is None else X[[given[j] for j in order]]
