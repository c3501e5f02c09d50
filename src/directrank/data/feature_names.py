"""Validation of feature names, and matching features by name."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..arrays import Ints
from .errors import InputError
from .strings import is_text


def as_feature_names(names: Sequence[str], n_features: int) -> list[str]:
    """Feature names as a list, checked: one per feature, unique."""
    names = [str(name) for name in names]
    if len(names) != n_features:
        raise InputError(f"there are {len(names)} feature_names but X has {n_features} features")
    _check_unique(names)
    for name in names:
        if not is_text(name):
            raise InputError(f"the feature name {name!r} cannot be written as UTF-8; rename the feature")
    return names


def match_features(wanted: Sequence[str], given: Sequence[str]) -> Ints | None:
    """Column in `given` of each feature in `wanted`; None if both are equal.

    Raises
    ------
    InputError
        If a feature is in one of them only.

    Examples
    --------
    >>> match_features(["bm25", "pagerank"], given=["pagerank", "bm25"]).tolist()
    [1, 0]
    """
    wanted, given = list(wanted), list(given)
    if wanted == given:
        return None
    _check_unique(wanted)
    _check_unique(given)
    column = {name: j for j, name in enumerate(given)}
    missing, expected = [name for name in wanted if name not in column], set(wanted)
    unknown = [name for name in given if name not in expected]
    if missing or unknown:
        raise InputError(_mismatch(missing, unknown))
    return np.array([column[name] for name in wanted], np.int64)


def find_features(wanted: Sequence[str], given: Sequence[str]) -> Ints | None:
    """Column in `given` of each feature in `wanted`, which may be some of them; None if both are equal.

    Raises
    ------
    InputError
        If a feature is missing.
    """
    known = set(wanted)
    columns = np.array([j for j, name in enumerate(given) if name in known], np.int64)
    order = match_features(wanted, [given[j] for j in columns])
    if order is None:
        return None if columns.size == len(given) else columns
    return columns[order]


def _mismatch(missing: list[str], unknown: list[str]) -> str:
    if not unknown:
        return f"the data lacks {_listed(missing)}; add missing columns"
    if not missing:
        return f"the data has {_listed(unknown)}, which the model does not know; remove unknown columns"
    return f"the data lacks {_listed(missing)} and has {_listed(unknown)} instead; rename or replace its features"


def _listed(names: list[str]) -> str:
    kind = "feature" if len(names) == 1 else "features"
    more = f" and {len(names) - 3} more" if len(names) > 3 else ""
    return f"the {kind} {', '.join(map(repr, names[:3]))}{more}"


def _check_unique(names: list[str]) -> None:
    if len(set(names)) < len(names):
        repeated = next(name for name in names if names.count(name) > 1)
        raise InputError(f"two features are named {repeated!r}; every feature name must be unique")
