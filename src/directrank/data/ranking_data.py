"""Ranking data: features, grades and queries of documents."""

from __future__ import annotations

import itertools
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from ..arrays import Bools, Floats, Ints
from ..caching import cached_property
from .arrow_columns import columns_of, warn_of_columns, with_categorical_columns
from .checked_arrays import as_docno, as_features, as_gains, as_qid, as_scores, first_place
from .column_roles import AUTO, ColumnNames, find_roles
from .errors import InputError
from .feature_names import as_feature_names, find_features, match_features
from .frames import column_names, frame_as_arrow, frame_with_categories
from .io.files import PathLike, several

if TYPE_CHECKING:
    import pandas as pd

#: Error for rows without labels where labels are needed.
NO_LABELS = "the data has no labels: no column is named label, grade, relevance, rating or the like; name the column"


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
        Stored as C-contiguous float32 or float64, or CSR, and copied only if necessary. NaN is a missing value. Rows go by
        position; the index of a frame is ignored.
    y : array of grades, optional
        Any numbers, below 0 only for measures that take them; None for rows to be scored, which have no labels.
    qid : array of integers or strings, optional
        Query of each row, in any order; None puts all rows into one query.
    docno : array of strings, optional
        Name of each document.
    feature_names : sequence of strings, optional
        By default the column names of a frame.
    weight : array, optional
        Weight of the query of each row, equal in all rows of a query.
    categories : dict, optional
        Categories of the categorical features, by name: X holds the position of a row's category in the list.

    Examples
    --------
    >>> data = RankingData([[0.1], [0.9], [0.4]], y=[0, 1, 0], qid=["b", "a", "b"])
    >>> data.by_query().ids.tolist(), data.by_query().order.tolist()
    (['b', 'a'], [0, 2, 1])
    """

    def __init__(
        self,
        X: ArrayLike | sparse.sparray | sparse.spmatrix,
        y: ArrayLike | None,
        qid: ArrayLike | None = None,
        docno: ArrayLike | None = None,
        feature_names: Sequence[str] | None = None,
        *,
        weight: ArrayLike | None = None,
        categories: Mapping[str, Sequence[str]] | None = None,
    ) -> None:
        self.X = as_features(X)
        n_rows, n_features = self.X.shape
        self._y = None if y is None else as_gains(y, n_rows)
        self.qid = None if qid is None else as_qid(qid, n_rows)
        self.docno = None if docno is None else as_docno(docno, n_rows)
        feature_names = column_names(X) if feature_names is None else feature_names
        self.feature_names = None if feature_names is None else as_feature_names(feature_names, n_features)
        self.weight = None if weight is None else as_scores(weight, n_rows, "weight")
        self.categories = {name: list(values) for name, values in (categories or {}).items()}

    @property
    def y(self) -> Floats:
        """Grade of each row; an `InputError` for rows without labels."""
        if self._y is None:
            raise InputError(NO_LABELS)
        return self._y

    @property
    def has_labels(self) -> bool:
        return self._y is not None

    @property
    def features(self) -> Any:
        """X as learners and models take it: a pandas frame if there are categorical features."""
        return frame_with_categories(self.X, self.feature_names, self.categories) if self.categories else self.X

    @classmethod
    def read(
        cls,
        files: PathLike | Sequence[PathLike],
        *,
        label: str | None = AUTO,
        qid: str | None = AUTO,
        docno: str | None = AUTO,
        weight: str | None = None,
        features: Sequence[str] | None = None,
        ignore: Sequence[str] = (),
        categorical: Sequence[str] = (),
        max_size: int | None = None,
    ) -> RankingData:
        """Read ranking data from tables (CSV, TSV, JSON lines, Parquet, Arrow) or LETOR text, also compressed.

        Parameters
        ----------
        files : path, or several
            A file, a folder of files, or several of them with the same columns.
        label, qid, docno : str or None
            Columns of labels, queries and documents. By default they are found by their usual names, such as ``rating``,
            ``query`` and ``doc_id``; None if there is no such column. A query may be its text.
        weight : str, optional
            Column with the weight of each row's query.
        features : sequence of str, optional
            Feature columns, in this order; by default all other columns of numbers.
        ignore : sequence of str
            Columns that are not features.
        categorical : sequence of str
            Feature columns whose values are categories, which LambdaMART takes.
        max_size : int, optional
            Maximum number of bytes to read from a file, after decompression.

        Examples
        --------
        >>> data = RankingData.read("train.csv", label="rating", ignore=["shelf"])  # doctest: +SKIP
        """
        from .formats.ranking_files import read_ranking_files

        names = ColumnNames(label, qid, docno, weight, features, ignore, categorical)
        data, roles, _ = read_ranking_files(files, names, max_size=max_size)
        if roles is not None:
            warn_of_columns(os.fspath(several(files)[0]), roles, len(data), needs_qid=qid is not None)
        return data

    @classmethod
    def from_frame(
        cls,
        frame: Any,
        *,
        label: str | None = AUTO,
        qid: str | None = AUTO,
        docno: str | None = AUTO,
        weight: str | None = None,
        features: Sequence[str] | None = None,
        ignore: Sequence[str] = (),
        categorical: Sequence[str] = (),
    ) -> Self:
        """Ranking data from a frame of pandas or polars, or an Arrow table.

        Parameters
        ----------
        frame : DataFrame or pyarrow.Table
        label, qid, docno, weight, features, ignore, categorical
            Columns by role, as in `read`. Columns of a categorical type are categorical features.

        Examples
        --------
        >>> import pandas as pd
        >>> frame = pd.DataFrame({"grade": [1, 0], "query": ["a", "a"], "bm25": [7.5, 3.0], "age": [2, 9]})
        >>> data = RankingData.from_frame(frame)
        >>> data.feature_names, data.X.tolist()
        (['bm25', 'age'], [[7.5, 2.0], [3.0, 9.0]])
        """
        table = frame_as_arrow(frame)
        names = ColumnNames(label, qid, docno, weight, features, ignore, categorical)
        roles = find_roles(table.schema, with_categorical_columns(names, table.schema))
        warn_of_columns(type(frame).__name__, roles, table.num_rows, needs_qid=qid is not None)
        return cls(**columns_of(table, roles)._asdict())

    def to_frame(self) -> pd.DataFrame:
        """Convert to a pandas frame with the columns label, qid, docno and weight, where present, and each feature.

        Features without names are f1, f2 and so on. `from_frame` is the inverse (with ``qid=None`` if there is no qid).
        """
        import pandas as pd

        names = [f"f{j}" for j in range(1, self.n_features + 1)] if self.feature_names is None else self.feature_names
        about = {"label": self._y, "qid": self.qid, "docno": self.docno, "weight": self.weight}
        columns = {name: values.tolist() for name, values in about.items() if values is not None}
        taken = next((name for name in names if name in columns or name in ("label", "qid", "docno")), None)
        if taken is not None:
            raise InputError(f"a feature is named {taken!r}, as a column of the frame is; rename the feature")
        rows = self.X.toarray() if sparse.issparse(self.X) else self.X
        features = frame_with_categories(rows, names, self.categories)
        return pd.concat([pd.DataFrame(columns), features], axis=1)

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

    def replace(self, **columns: Any) -> Self:
        """Copy with some of the arguments of the constructor replaced."""
        others = {"qid": self.qid, "docno": self.docno, "weight": self.weight, "categories": self.categories}
        return type(self)(**{"X": self.X, "y": self._y, "feature_names": self.feature_names} | others | columns)

    def select(self, rows: NDArray[Any]) -> Self:
        """Select rows (indices, a mask or a slice)."""

        columns = {"y": self._y, "qid": self.qid, "docno": self.docno, "weight": self.weight}
        return self.replace(X=self.X[rows], **{name: part[rows] for name, part in columns.items() if part is not None})

    def select_queries(self, which: NDArray[Any]) -> Self:
        """Select the rows of some queries (positions in ``by_query().ids``, or a mask), in row order."""
        return self.select(self.by_query().rows_of(which))

    def select_features(self, names: Sequence[str]) -> Self:
        """Select features by name, in this order, which copies X unless they are all of them in their order.

        Raises
        ------
        InputError
            If a feature is missing, or features have no names.
        """
        if self.feature_names is None:
            raise InputError("the features of the data have no names; select columns of X")
        columns = find_features(names, self.feature_names)
        if columns is None:
            return self
        X = self.X[:, columns] if sparse.issparse(self.X) else np.take(self.X, columns, axis=1)
        categories = {name: values for name, values in self.categories.items() if name in names}
        return self.replace(X=X, feature_names=names, categories=categories)

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
        return self.replace(X=X, feature_names=names)


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
