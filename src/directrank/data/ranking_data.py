"""What a ranking problem is: feature rows, a grade for each, and the query each belongs to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from .errors import InputError
from .strings import STRING

#: Dense float32 or float64, or CSR of either.
Features = Any


@dataclass(frozen=True, eq=False)
class Queries:
    """The rows of each query.

    Attributes
    ----------
    ids : array
        The different qids, by first appearance.
    offsets : int64 array, one longer than `ids`
        In the layout by query, documents ``offsets[i]:offsets[i + 1]`` are those of ``ids[i]``.
    permutation : int64 array, or None
        The row of each place in the layout by query; None where the rows are laid out so as they are.
    """

    ids: NDArray[Any]
    offsets: NDArray[np.int64]
    permutation: NDArray[np.int64] | None

    @property
    def order(self) -> NDArray[np.int64]:
        """The row of each place in the layout by query."""
        return np.arange(self.offsets[-1]) if self.permutation is None else self.permutation

    def to_query_order(self, values: NDArray[Any]) -> NDArray[Any]:
        """Row values laid out by query; the array itself where it is so already."""
        return values if self.permutation is None else values[self.permutation]

    def to_row_order(self, values: NDArray[Any]) -> NDArray[Any]:
        """What is laid out by query, back in the order of the rows; the array itself where that is the same."""
        if self.permutation is None:
            return values
        rows = np.empty_like(values)
        rows[self.permutation] = values
        return rows


class RankingData:
    """Documents to rank: features, grades and queries, checked once, here.

    Parameters
    ----------
    X : dense array or sparse matrix, rows x features
        Held as C-contiguous float32 or float64, or CSR, and copied only if it is something else. NaN means a missing
        value, which learners that cannot use those refuse.
    y : array of grades
        Any non-negative numbers.
    qid : array of integers or strings, optional
        The query of each row, in any order; None means that all rows are one query.
    docno : array of strings, optional
        The name of each document.
    feature_names : sequence of strings, optional

    Examples
    --------
    >>> data = RankingData([[0.1], [0.9], [0.4]], y=[0, 1, 0], qid=["b", "a", "b"])
    >>> data.by_query().ids.tolist(), data.by_query().order.tolist()
    (['b', 'a'], [0, 2, 1])
    """

    def __init__(
        self,
        X: ArrayLike | sparse.sparray | sparse.spmatrix,
        y: ArrayLike,
        qid: ArrayLike | None = None,
        docno: ArrayLike | None = None,
        feature_names: Sequence[str] | None = None,
    ) -> None:
        self.X = as_features(X)
        n_rows, n_features = self.X.shape
        self.y = as_grades(y, n_rows)
        self.qid = None if qid is None else as_qid(qid, n_rows)
        self.docno = None if docno is None else as_docno(docno, n_rows)
        self.feature_names = None if feature_names is None else _as_feature_names(feature_names, n_features)

    def __len__(self) -> int:
        return int(self.X.shape[0])

    def __repr__(self) -> str:
        kind = "sparse" if sparse.issparse(self.X) else "dense"
        return (
            f"RankingData({self.n_queries:,} queries, {len(self):,} documents, "
            f"{self.n_features:,} features, {kind} {self.X.dtype})"
        )

    @property
    def n_features(self) -> int:
        return int(self.X.shape[1])

    @property
    def n_queries(self) -> int:
        return int(self.by_query().ids.size)

    def by_query(self) -> Queries:
        """The rows of each query, in their order in the data; computed once."""
        return self._queries

    @cached_property
    def _queries(self) -> Queries:
        return group_rows(self.qid, len(self))

    def select(self, rows: NDArray[Any]) -> Self:
        """The data of these rows (numbers, a mask or a slice)."""

        def part(values: NDArray[Any] | None) -> NDArray[Any] | None:
            return None if values is None else values[rows]

        return type(self)(self.X[rows], self.y[rows], part(self.qid), part(self.docno), self.feature_names)

    def select_queries(self, which: NDArray[np.int64]) -> Self:
        """The data of the queries of these numbers, in the order of their rows here."""
        queries = self.by_query()
        chosen = np.zeros(queries.ids.size, dtype=bool)
        chosen[which] = True
        rows = np.empty(len(self), dtype=bool)
        rows[queries.order] = np.repeat(chosen, np.diff(queries.offsets))
        return self.select(rows)


def group_rows(qid: NDArray[Any] | None, n_rows: int) -> Queries:
    """Find the rows of each query, stably."""
    if qid is None:
        return Queries(np.zeros(1, np.int64), np.array([0, n_rows]), None)
    starts = np.concatenate(([0], np.flatnonzero(qid[1:] != qid[:-1]) + 1))
    ids, first, inverse = np.unique(qid[starts], return_index=True, return_inverse=True)
    if ids.size == starts.size:
        return Queries(qid[starts], np.append(starts, n_rows), None)
    by_appearance = np.argsort(first)
    number = np.empty(ids.size, np.int64)
    number[by_appearance] = np.arange(ids.size)
    codes = np.repeat(number[inverse], np.diff(starts, append=n_rows))
    offsets = np.concatenate(([0], np.cumsum(np.bincount(codes))))
    return Queries(ids[by_appearance], offsets, np.argsort(codes, kind="stable"))


def as_features(X: ArrayLike | sparse.sparray | sparse.spmatrix) -> Features:
    if sparse.issparse(X):
        X = sparse.csr_array(X)
        X = X if X.dtype in (np.float32, np.float64) else X.astype(np.float64)
        if not X.has_canonical_format:  # indices that fall or stand twice
            X = X.copy()
            X.sum_duplicates()
        values = X.data
    else:
        X = X if isinstance(X, np.memmap) else _array(X, "X")
        if X.dtype not in (np.float32, np.float64):
            X = _converted(X, np.float64, "X")
        X = values = X if X.flags.c_contiguous else np.ascontiguousarray(X)
    if X.ndim != 2:
        raise InputError(f"X has {X.ndim} dimension(s); it must be a table of rows x features")
    if X.shape[0] == 0:
        raise InputError("the data is empty: X has no rows")
    if X.shape[1] == 0:
        raise InputError("X has no features")
    if not _all(np.isfinite, values) and _any(np.isinf, values):
        raise InputError("X has infinite values; replace them, or use NaN where a value is missing")
    return X


def as_grades(y: ArrayLike, n_rows: int | None = None) -> NDArray[np.float64]:
    """Grades as float64, checked: one per row, none missing, none negative."""
    grades = _column(_converted(_array(y, "y"), np.float64, "y"), "y", n_rows)
    if grades.min(initial=0) >= 0 and grades.max(initial=0) < np.inf:  # never so with a NaN
        return grades
    row = int(np.argmin((grades >= 0) & (grades < np.inf)))
    what = "grades start at 0" if grades[row] < 0 else "every document needs a finite grade"
    raise InputError(f"y is {grades[row]:g} in row {row}; {what}")


def as_scores(scores: ArrayLike, n_rows: int, name: str = "scores") -> NDArray[np.float64]:
    """Scores as float64, checked: one per row, none NaN."""
    values = _column(_converted(_array(scores, name), np.float64, name), name, n_rows)
    if np.isnan(values.min(initial=0)):
        raise InputError(f"{name} is NaN in row {int(np.argmax(np.isnan(values)))}; every document needs a number")
    return values


def as_qid(qid: ArrayLike, n_rows: int) -> NDArray[Any]:
    """Query ids as int64 or variable-width strings, one per row."""
    values = _column(_array(qid, "qid"), "qid", n_rows)
    if values.dtype.kind == "O" and all(isinstance(v, (int, np.integer)) for v in values):
        values = _array(values.tolist(), "qid")
    if values.dtype.kind in "iu":
        if values.dtype == np.uint64 and values.max(initial=0) > np.iinfo(np.int64).max:
            raise InputError("qid has numbers above 2^63; pass them as strings")
        return values.astype(np.int64, copy=False)
    if values.dtype.kind == "f":
        if not np.all((values == np.floor(values)) & (np.abs(values) < 2**53)):
            raise InputError("qid must be whole numbers or strings, and has fractions, NaN or numbers too large for a float")
        return values.astype(np.int64)
    return _as_strings(values, "qid", "whole numbers or strings")


def as_docno(docno: ArrayLike, n_rows: int) -> NDArray[Any]:
    """Document names as variable-width strings, one per row."""
    values = _column(_array(docno, "docno"), "docno", n_rows)
    return _as_strings(values.astype(STRING) if values.dtype.kind in "iu" else values, "docno", "strings")


def _as_strings(values: NDArray[Any], name: str, wanted: str) -> NDArray[Any]:
    if values.size == 0:
        return np.empty(0, dtype=STRING)
    if values.dtype == STRING:  # astype would copy: every array of strings has a dtype of its own
        return values
    texts = values.dtype.kind in "TUS" or (values.dtype.kind == "O" and all(isinstance(v, str) for v in values))
    if not texts:
        raise InputError(f"{name} must be {wanted}, not {values.dtype}")
    if values.dtype.kind == "S":
        try:
            return np.array([v.decode() for v in values.tolist()], dtype=STRING)
        except UnicodeDecodeError as error:
            raise InputError(f"{name} has bytes that are not UTF-8 text: {error}") from error
    return values.astype(STRING, copy=False)


def _as_feature_names(names: Sequence[str], n_features: int) -> list[str]:
    names = [str(name) for name in names]
    if len(names) != n_features:
        raise InputError(f"there are {len(names)} feature_names but X has {n_features} features")
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise InputError(f"two features are named {twice!r}; feature_names must differ")
    return names


def _column(values: NDArray[Any], name: str, n_rows: int | None) -> NDArray[Any]:
    if values.ndim != 1:
        raise InputError(f"{name} has {values.ndim} dimensions; it must have one value per row")
    if n_rows is None and values.size == 0:
        raise InputError(f"the data is empty: {name} has no rows")
    if n_rows is not None and values.size != n_rows:
        raise InputError(f"{name} has {values.size} rows where there should be {n_rows}")
    return values


def _array(values: Any, name: str) -> NDArray[Any]:
    try:
        return np.asarray(values)
    except ValueError as error:  # lists of different lengths
        raise InputError(f"{name} is not an array: {error}") from error


def _converted(values: NDArray[Any], dtype: type, name: str) -> NDArray[Any]:
    if values.dtype.kind in "cmM":
        raise InputError(f"{name} must hold numbers, not {values.dtype}")
    try:
        return values.astype(dtype, copy=False)
    except (TypeError, ValueError) as error:
        raise InputError(f"{name} must hold numbers: {error}") from error


def _all(test: Any, values: NDArray[Any]) -> bool:
    """Whether a test holds for all values, a few thousand rows at a time: X may be larger than memory."""
    return all(bool(test(block).all()) for block in _blocks(values))


def _any(test: Any, values: NDArray[Any]) -> bool:
    return any(bool(test(block).any()) for block in _blocks(values))


def _blocks(values: NDArray[Any]) -> list[NDArray[Any]]:
    step = max(1, 2**20 // (values.shape[1] if values.ndim == 2 else 1))
    return [values[i : i + step] for i in range(0, values.shape[0], step)]
