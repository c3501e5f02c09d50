"""Ranking data: features, grades and queries of documents."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from ..arrays import Bools, Ints
from ..caching import cached_property
from .checked_arrays import as_docno, as_features, as_grades, as_qid, first_place
from .errors import InputError
from .feature_names import as_feature_names, match_features
from .frames import column_names

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, eq=False)
class Queries:
    """Grouping of rows by query.

    *Row order* is the order of the data. In *query order* the documents of each query are adjacent, with queries by first
    appearance and documents of a query in row order.

    Attributes
    ----------
    ids : array
        Distinct qids, by first appearance.
    offsets : int64 array, one longer than `ids`
        In query order, query ``ids[i]`` has documents ``offsets[i]:offsets[i + 1]``.
    permutation : int64 array, or None
        Row of each document in query order; None if the two orders are equal.
    """

    ids: NDArray[Any]
    offsets: Ints
    permutation: Ints | None

    @property
    def order(self) -> Ints:
        """Row of each document in query order."""
        return np.arange(self.offsets[-1]) if self.permutation is None else self.permutation

    def to_query_order(self, values: NDArray[Any]) -> NDArray[Any]:
        """Rearrange values from row order into query order; returns the array itself if the orders are equal."""
        return values if self.permutation is None else values[self.permutation]

    def to_row_order(self, values: NDArray[Any]) -> NDArray[Any]:
        """Rearrange values from query order into row order; returns the array itself if the orders are equal."""
        if self.permutation is None:
            return values
        rows = np.empty_like(values)
        rows[self.permutation] = values
        return rows

    def rows_of(self, which: NDArray[Any]) -> Bools:
        """Mask of the rows of some queries (positions in `ids`, or a mask)."""
        chosen = np.zeros(self.ids.size, np.bool_)
        chosen[which] = True
        return self.to_row_order(np.repeat(chosen, np.diff(self.offsets)))

    def each(self) -> Iterator[Ints]:
        """Iterate over the rows of each query."""
        order = self.order
        for start, end in itertools.pairwise(self.offsets.tolist()):
            yield order[start:end]


class RankingData:
    """Features, grades and queries of documents, validated on construction.

    Parameters
    ----------
    X : dense array, sparse matrix or frame of pandas or polars, rows x features
        Stored as C-contiguous float32 or float64, or CSR, and copied only if necessary. NaN is a missing value, which not
        all learners accept. Rows go by position; the index of a frame is ignored.
    y : array of grades
        Any non-negative numbers.
    qid : array of integers or strings, optional
        Query of each row, in any order; None puts all rows into one query.
    docno : array of strings, optional
        Name of each document.
    feature_names : sequence of strings, optional
        By default the column names of a frame.

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
        feature_names = column_names(X) if feature_names is None else feature_names
        self.feature_names = None if feature_names is None else as_feature_names(feature_names, n_features)

    @classmethod
    def from_frame(
        cls,
        frame: Any,
        *,
        label: str = "label",
        qid: str | None = "qid",
        docno: str | None = "docno",
        features: Sequence[str] | None = None,
    ) -> Self:
        """Ranking data from a frame of pandas or polars with columns for grades, queries and documents.

        Parameters
        ----------
        frame : DataFrame
        label, qid, docno : str
            Names of the columns of grades, queries and documents. With ``qid=None`` all rows are one query. The column
            ``docno`` may be absent.
        features : sequence of str, optional
            Feature columns, in this order; by default all columns but these and ``qid`` and ``docno``.

        Examples
        --------
        >>> import pandas as pd
        >>> frame = pd.DataFrame({"grade": [1, 0], "query": ["a", "a"], "bm25": [7.5, 3.0], "age": [2, 9]})
        >>> data = RankingData.from_frame(frame, label="grade", qid="query")
        >>> data.feature_names, data.X.tolist()
        (['bm25', 'age'], [[7.5, 2.0], [3.0, 9.0]])
        """
        columns = column_names(frame)
        if columns is None:
            raise InputError(f"from_frame takes a frame whose columns have names, not {type(frame).__name__}")
        if docno == "docno" and docno not in columns:
            docno = None
        taken = {label, qid or "qid", docno or "docno"}
        features = [name for name in columns if name not in taken] if features is None else list(features)
        for name in (label, *([qid] if qid else []), *([docno] if docno else []), *features):
            if name not in columns:
                advice = "; pass qid=None if all rows are of one query" if name == qid else ""
                raise InputError(f"there is no column {name!r}; the columns are {', '.join(columns)}{advice}")
        for name in features:
            if name in taken:
                raise InputError(
                    f"the column {name!r} is not a feature: it holds the grade, query or document; leave it out"
                )
        parts = (frame[name] if name else None for name in (qid, docno))
        return cls(frame[features], frame[label], *parts)

    def to_frame(self) -> pd.DataFrame:
        """Convert to a pandas frame with the columns label, qid and docno, where present, and one for each feature.

        Features without names are f1, f2 and so on. `from_frame` is the inverse (with ``qid=None`` if there is no qid).
        """
        import pandas as pd

        names = [f"f{j}" for j in range(1, self.n_features + 1)] if self.feature_names is None else self.feature_names
        about = {"label": self.y, "qid": self.qid, "docno": self.docno}
        taken = next((name for name in names if name in about), None)
        if taken is not None:
            raise InputError(f"a feature is named {taken!r}, as a column of the frame is; rename the feature")
        columns = {name: values.tolist() for name, values in about.items() if values is not None}
        rows = self.X.toarray() if sparse.issparse(self.X) else self.X
        return pd.concat([pd.DataFrame(columns), pd.DataFrame(rows, columns=names)], axis=1)

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

    def describe_missing(self) -> str | None:
        """Place of the first missing value for a message: feature, query and row, counted from 1; None if nothing is."""
        place = first_place(self.X, np.isnan)
        if place is None:
            return None
        row, column = place
        query = "" if self.qid is None else f" of query {self.qid[row]}"
        return f"{self.feature_label(column)}{query} (row {row + 1:,})"

    def feature_label(self, column: int) -> str:
        """A feature for a message: its name, or its number as in LETOR text, from 1 on."""
        return f"feature {column + 1 if self.feature_names is None else repr(self.feature_names[column])}"

    def by_query(self) -> Queries:
        """Grouping of rows by query, computed once."""
        return self._queries

    @cached_property
    def _queries(self) -> Queries:
        return group_rows(self.qid, len(self))

    def select(self, rows: NDArray[Any]) -> Self:
        """Select rows (indices, a mask or a slice)."""

        def part(values: NDArray[Any] | None) -> NDArray[Any] | None:
            return None if values is None else values[rows]

        return type(self)(self.X[rows], self.y[rows], part(self.qid), part(self.docno), self.feature_names)

    def select_queries(self, which: NDArray[Any]) -> Self:
        """Select the rows of some queries (positions in ``by_query().ids``, or a mask), in row order."""
        return self.select(self.by_query().rows_of(which))

    def with_features(self, names: Sequence[str]) -> Self:
        """Match feature columns to `names`.

        Data without feature names is matched by position and returned unchanged, as is data whose names are in this order.
        Otherwise columns are reordered, which copies X.

        Raises
        ------
        InputError
            If a feature is missing or unknown, or if there are no names and the number of features differs.
        """
        if self.feature_names is None:
            if self.n_features != len(names):
                raise InputError(f"the data has {self.n_features} features, without names, but {len(names)} are expected")
            return self
        columns = match_features(names, self.feature_names)
        if columns is None:
            return self
        X = self.X[:, columns] if sparse.issparse(self.X) else np.take(self.X, columns, axis=1)
        return type(self)(X, self.y, self.qid, self.docno, names)


def group_rows(qid: NDArray[Any] | None, n_rows: int) -> Queries:
    """Group rows by query."""
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
