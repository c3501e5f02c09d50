"""Ranking data of several files as one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from .errors import InputError
from .io.files import PathLike
from .ranking_data import RankingData
from .strings import STRING


def concatenate(parts: Sequence[RankingData], files: Sequence[PathLike]) -> RankingData:
    """Rows of several data sets, one after another; features are matched by name where they have names.

    Features without names, as in LETOR text, are matched by number, and features that a file omits are 0.

    Parameters
    ----------
    parts : sequence of RankingData
    files : sequence of path
        Where each comes from, for messages.
    """
    first = parts[0]
    if len(parts) == 1:
        return first
    for part, file in zip(parts[1:], files[1:], strict=True):
        _check_alike(first, part, files[0], file)
    width, is_sparse = max(part.n_features for part in parts), sparse.issparse(first.X)
    parts = [_matched(part, first, file) for part, file in zip(parts, files, strict=True)]
    categories = {name: sorted({value for part in parts for value in part.categories[name]}) for name in first.categories}
    blocks = [widened(_recoded(part, categories), width, is_sparse) for part in parts]
    X = sparse.vstack(blocks, format="csr") if is_sparse else np.vstack(blocks)
    return RankingData(
        X,
        np.concatenate([part.y for part in parts]) if first.has_labels else None,
        _joined([part.qid for part in parts]),
        _joined([part.docno for part in parts]),
        first.feature_names,
        weight=_joined([part.weight for part in parts]),
        categories=categories,
    )


def widened(X: Any, width: int, is_sparse: bool) -> Any:
    """X with columns of 0 for the features that no line of its file has, sparse or dense."""
    more = (X.shape[0], width - X.shape[1])
    if is_sparse:
        X = sparse.csr_array(X)
        return sparse.hstack([X, sparse.csr_array(more, dtype=X.dtype)], format="csr") if more[1] else X
    X = X.toarray() if sparse.issparse(X) else X
    return np.hstack([X, np.zeros(more, X.dtype)]) if more[1] else X


def _check_alike(first: RankingData, part: RankingData, file: PathLike, other: PathLike) -> None:
    """Raise an `InputError` if only one of two files has labels, queries, documents or names of features."""
    for what, one, two in (
        ("labels", first.has_labels, part.has_labels),
        ("queries", first.qid is not None, part.qid is not None),
        ("documents", first.docno is not None, part.docno is not None),
        ("names of features", first.feature_names is not None, part.feature_names is not None),
    ):
        if one != two:
            has, lacks = (file, other) if one else (other, file)
            raise InputError(f"{lacks} has no {what}, and {has} has; read files that are alike")


def _matched(part: RankingData, first: RankingData, file: PathLike) -> RankingData:
    if first.feature_names is None:
        return part
    try:
        return part.with_features(first.feature_names)
    except InputError as error:
        raise InputError(f"{file}: {error}") from error


def _recoded(part: RankingData, categories: dict[str, list[str]]) -> Any:
    """X with the positions of its categories in other lists."""
    if not categories:
        return part.X
    X = np.array(part.X)
    for name, values in categories.items():
        assert part.feature_names is not None
        column = X[:, part.feature_names.index(name)]
        known = ~np.isnan(column)
        position = np.searchsorted(np.array(values, object), np.array(part.categories[name], object))
        column[known] = position[column[known].astype(np.int64)]
    return X


def _joined(columns: Sequence[NDArray[Any] | None]) -> NDArray[Any] | None:
    """Columns one after another; integers as text if some are text."""
    given = [column for column in columns if column is not None]
    if not given:
        return None
    if {column.dtype.kind for column in given} > {"T"}:
        given = [
            column if column.dtype.kind == "T" else np.array(list(map(str, column.tolist())), STRING) for column in given
        ]
    return np.concatenate(given)
