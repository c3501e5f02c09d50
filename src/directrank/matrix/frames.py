"""Frames of pandas or polars: their columns matched by name."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..data.feature_names import match_features
from ..data.frames import names_of


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
