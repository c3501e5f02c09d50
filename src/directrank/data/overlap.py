"""What two data sets share, such as queries of a training set that are in the test set."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from ..core import columns as kernels
from .ranking_data import RankingData

_Words = NDArray[np.uint64]

#: Number of dense columns read at a time: a cache line of float64.
_BLOCK = 8

#: Number of features that a warning names.
_SHOWN = 4

#: Fraction of rows that are in both sets from which on this is no coincidence.
_NO_COINCIDENCE = 0.01


@dataclass(frozen=True)
class Overlap:
    """What a data set shares with another one.

    Attributes
    ----------
    n_queries, n_rows : int
        Number of its queries and rows.
    queries : int
        Number of its queries whose id the other has too.
    documents : int or None
        Number of pairs of query and document that both have; None if either has no docno.
    rows : int
        Number of its rows whose features are those of a row of the other. Rows whose features repeat within one of the sets
        are not counted: with a few features of few values that is no sign of a leak.
    missing_features : list of str
        Features of the other that it lacks.
    """

    n_queries: int
    n_rows: int
    queries: int
    documents: int | None
    rows: int
    missing_features: list[str]

    def warnings(self, name: str, other: str) -> list[str]:
        """Warnings in sentences, given the names of this data set and the other."""
        said, copies = [], self.rows >= max(1, _NO_COINCIDENCE * self.n_rows)
        keep = "keep each query in one file, as directrank split does."
        if self.queries and (self.documents or copies):
            pairs = f", with {self.documents:,} pairs of query and document" if self.documents else ""
            shared = f"{self.queries:,} of the {self.n_queries:,} queries of {name} are in {other} too{pairs}"
            said.append(f"{shared}: values on one of the files are no estimate for models trained on the other; {keep}")
        elif self.queries:
            shared = f"{self.queries:,} of the {self.n_queries:,} query ids of {name} are in {other} too"
            said.append(f"{shared}, with other documents; if they are the same queries, {keep}")
        if copies:
            said.append(
                f"{self.rows:,} of the {self.n_rows:,} rows of {name} have the same features as a row of {other}: the same "
                "documents may be in both."
            )
        if self.missing_features:
            features = "feature" if len(self.missing_features) == 1 else f"{len(self.missing_features):,} features"
            named = ", ".join(self.missing_features[:_SHOWN]) + (", ..." if len(self.missing_features) > _SHOWN else "")
            said.append(f"{name} lacks the {features} {named} of {other}, which a model trained on it needs.")
        return said


def find_overlap(data: RankingData, other: RankingData) -> Overlap:
    """What a data set shares with another one: queries, documents and rows.

    Features are matched by name if both have names.

    Examples
    --------
    >>> train = RankingData([[1.0, 2.0], [3.0, 4.0]], [1, 0], ["a", "a"])
    >>> find_overlap(RankingData([[3.0, 4.0], [5.0, 6.0]], [1, 0], ["b", "a"]), train)
    Overlap(n_queries=2, n_rows=2, queries=1, documents=None, rows=1, missing_features=[])
    """
    queries = {*map(str, data.by_query().ids.tolist())} & {*map(str, other.by_query().ids.tolist())}
    if data.qid is None or other.qid is None:
        queries = set()
    documents = None
    if data.docno is not None and other.docno is not None:
        documents = len(_pairs(data, queries) & _pairs(other, queries))
    named = data.feature_names is not None and other.feature_names is not None
    missing = _missing_features(data, other)
    ours, theirs = (_unrepeated(_row_digests(part, by_name=named)) for part in (data, other))
    rows = np.intersect1d(ours, theirs, assume_unique=True)
    return Overlap(data.n_queries, len(data), len(queries), documents, rows.size, missing)


def _missing_features(data: RankingData, other: RankingData) -> list[str]:
    if data.feature_names is None or other.feature_names is None:
        return []
    known = set(data.feature_names)
    return [name for name in other.feature_names if name not in known]


def _pairs(data: RankingData, queries: set[str]) -> set[tuple[str, str]]:
    """The pairs of query and document of some queries."""
    assert data.docno is not None
    qid = map(str, [] if data.qid is None else data.qid.tolist())
    return {(query, str(docno)) for query, docno in zip(qid, data.docno.tolist(), strict=True) if query in queries}


def _unrepeated(digests: _Words) -> _Words:
    values, counts = np.unique(digests, return_counts=True)
    return values[counts == 1]


def _row_digests(data: RankingData, *, by_name: bool) -> _Words:
    """Digest of the features of each row: a sum over the features, to which a value of 0 adds 0."""
    names = data.feature_names if by_name else None
    if sparse.issparse(data.X):
        keys = _keys(data.X.indices.astype(np.int64), names)
        sums = np.concatenate((np.zeros(1, np.uint64), np.cumsum(_mixed(data.X.data.astype(np.float64), keys))))
        found: _Words = sums[data.X.indptr[1:]] - sums[data.X.indptr[:-1]]
        return found
    total, n = np.zeros(len(data), np.uint64), data.n_features
    keys = _keys(np.arange(n), names)
    for start in range(0, n, _BLOCK):
        block = kernels.transposed(np.asarray(data.X), start, min(start + _BLOCK, n), np.empty(0, np.int64))
        for column, key in zip(block, keys[start:], strict=False):
            total += _mixed(column, key)
    return total


def _keys(columns: NDArray[np.int64], names: Sequence[str] | None) -> _Words:
    """A random odd number for each column, which depends on its name or number only."""
    if names is None:
        return _scrambled(columns.astype(np.uint64) + np.uint64(1)) | np.uint64(1)
    digests = [int.from_bytes(hashlib.blake2b(name.encode(), digest_size=8).digest(), "little") | 1 for name in names]
    return np.array(digests, np.uint64)[columns]


def _mixed(values: NDArray[np.float64], keys: _Words) -> _Words:
    """Digests of values; 0 for 0 of either sign, and one digest for all NaN."""
    bits = np.where(np.isnan(values), np.nan, values + 0.0).view(np.uint64)
    return _scrambled(bits * keys)


def _scrambled(words: _Words) -> _Words:
    """The finaliser of MurmurHash3: a one-to-one map that keeps 0."""
    words = (words ^ (words >> np.uint64(33))) * np.uint64(0xFF51AFD7ED558CCD)
    words = (words ^ (words >> np.uint64(33))) * np.uint64(0xC4CEB9FE1A85EC53)
    return words ^ (words >> np.uint64(33))
