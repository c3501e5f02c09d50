"""Queries given by how many rows each has, as LightGBM and XGBoost take them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ...arrays import Ints
from ...data import InputError


def qid_of(qid: ArrayLike | None, group: ArrayLike | None, n_rows: int) -> ArrayLike | None:
    """The query of each row, given as such or by the sizes of adjacent groups.

    Examples
    --------
    >>> qid_of(None, [2, 3], n_rows=5).tolist()
    [0, 0, 1, 1, 1]
    """
    if group is None:
        return qid
    if qid is not None:
        raise InputError("both qid and group are given, and each says which rows are of one query; give one of them")
    return _repeated(group, n_rows)


def refuse_sizes(qid: Any, n_rows: int, where: str) -> None:
    """Say what to do where a qid is the sizes of groups, which add up to the number of rows."""
    sizes = np.asarray(qid)
    if sizes.ndim != 1 or sizes.size == n_rows or sizes.dtype.kind not in "iu" or int(sizes.sum()) != n_rows:
        return
    raise InputError(
        f"{where} has a qid of {sizes.size:,} numbers that add up to its {n_rows:,} rows, so they are sizes of groups; "
        "give the query of each row: np.repeat(np.arange(len(sizes)), sizes)"
    )


def _repeated(group: ArrayLike, n_rows: int) -> Ints:
    sizes = np.asarray(group)
    is_list = sizes.ndim == 1 and sizes.dtype.kind in "iuf"
    if not is_list or np.any(sizes < 1) or not np.all(np.isfinite(sizes)) or np.any(sizes != sizes.round()):
        raise InputError("group must be a list of how many adjacent rows each query has, each at least 1")
    if int(sizes.sum()) != n_rows:
        raise InputError(f"the sizes in group add up to {int(sizes.sum()):,}, and X has {n_rows:,} rows")
    return np.repeat(np.arange(sizes.size), sizes.astype(np.int64))
