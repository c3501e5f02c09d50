"""Splitting data by query: all documents of a query stay together."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import issparse
from sklearn.model_selection import BaseCrossValidator
from sklearn.utils import check_random_state

from ..arrays import Ints
from .checked_arrays import as_qid
from .errors import InputError
from .formats.letor.reader import read_letor
from .formats.parquet.reader import read_parquet
from .io.files import PathLike
from .ranking_data import Queries, RankingData, group_rows

#: File names of the parts of a split in LETOR.
PARTS = ("train", "vali", "test")


class Split(NamedTuple):
    """Training, validation and test data."""

    train: RankingData
    validation: RankingData
    test: RankingData


class FoldRows(NamedTuple):
    """Training, validation and test rows of a fold."""

    train: Ints
    validation: Ints
    test: Ints


class _QuerySplitter(BaseCrossValidator):  # type: ignore[misc]
    """A scikit-learn splitter that keeps the documents of a query together."""

    __metadata_request__split = {"qid": True}

    def split(
        self, X: Any, y: Any = None, groups: ArrayLike | None = None, qid: ArrayLike | None = None
    ) -> Iterator[tuple[Ints, Ints]]:
        """Iterate over training and test rows of each split."""
        queries = _queries(qid if qid is not None else groups, type(self).__name__, X)
        for train, test in self._split_queries(queries.ids.size):
            yield np.flatnonzero(queries.rows_of(train)), np.flatnonzero(queries.rows_of(test))

    def _split_queries(self, n_queries: int) -> Iterator[tuple[NDArray[Any], NDArray[Any]]]:
        """Iterate over training and test queries of each split, as positions or masks."""
        raise NotImplementedError


class QueryKFold(_QuerySplitter):
    """K-fold cross-validation by query, as a scikit-learn splitter.

    Queries are passed as `qid`, which metadata routing requests by default, or as scikit-learn's `groups`. They are assigned
    to folds in the order in which they first appear, whatever their features are.

    Parameters
    ----------
    n_splits : int
        Number of folds.
    shuffle : bool
        Whether to assign queries to folds at random rather than in order.
    random_state : int or RandomState, optional
        Random seed for shuffling.
    """

    def __init__(self, n_splits: int = 5, *, shuffle: bool = False, random_state: Any = None) -> None:
        self.n_splits = n_splits
        self.shuffle = shuffle
        self.random_state = random_state

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None, qid: Any = None) -> int:
        return self.n_splits

    def _split_queries(self, n_queries: int) -> Iterator[tuple[NDArray[Any], NDArray[Any]]]:
        if not 2 <= self.n_splits <= n_queries:
            raise InputError(f"n_splits must be from 2 to the number of queries, {n_queries}, not {self.n_splits}")
        order = np.arange(n_queries)
        if self.shuffle:
            check_random_state(self.random_state).shuffle(order)
        for fold in np.array_split(order, self.n_splits):
            yield np.setdiff1d(order, fold), fold


class QueryTrials(_QuerySplitter):
    """Repeated random splits in which each query is used equally often (Yue et al. 2007, section 5).

    Each trial trains on `n_train` queries, validates on `n_validation` and tests on the rest. Over all trials, the numbers
    of times that queries are used for training differ by at most one, and likewise for validation. `roles` iterates over the
    rows of all three roles; `split` over training and test rows, for scikit-learn.

    Parameters
    ----------
    n_train, n_validation, n_trials : int
        Numbers of training queries, validation queries and trials; 10, 5 and 50 in the paper.
    random_state : int or RandomState, optional
        Random seed for drawing the trials.
    """

    def __init__(self, n_train: int = 10, n_validation: int = 5, n_trials: int = 50, *, random_state: Any = None) -> None:
        self.n_train = n_train
        self.n_validation = n_validation
        self.n_trials = n_trials
        self.random_state = random_state

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None, qid: Any = None) -> int:
        return self.n_trials

    def roles(self, qid: ArrayLike | None) -> Iterator[tuple[Ints, Ints, Ints]]:
        """Iterate over training, validation and test rows of each trial."""
        queries = _queries(qid, type(self).__name__)
        for roles in self._assign(queries.ids.size):
            train, validation, test = (
                np.flatnonzero(queries.rows_of(roles == role)) for role in (_TRAIN, _VALIDATION, _TEST)
            )
            yield train, validation, test

    def _split_queries(self, n_queries: int) -> Iterator[tuple[NDArray[Any], NDArray[Any]]]:
        for roles in self._assign(n_queries):
            yield roles == _TRAIN, roles == _TEST

    def _assign(self, n: int) -> NDArray[np.int8]:
        """Role of each of n queries in each trial."""
        if self.n_trials < 1:
            raise InputError(f"n_trials must be at least 1, not {self.n_trials}")
        if self.n_train < 1 or self.n_validation < 0 or self.n_train + self.n_validation >= n:
            raise InputError(
                f"n_train={self.n_train} and n_validation={self.n_validation} leave no test queries out of {n}; "
                "n_train must be at least 1 and n_validation at least 0"
            )
        return _draw_roles(n, self.n_train, self.n_validation, self.n_trials, check_random_state(self.random_state))


def train_validation_test(
    data: RankingData, shares: tuple[float, float, float] = (0.6, 0.2, 0.2), *, random_state: Any = None
) -> Split:
    """Split data at random into training, validation and test queries.

    Parameters
    ----------
    data : RankingData
    shares : three numbers
        Proportions of training, validation and test queries; each part gets at least one query.
    random_state : int or RandomState, optional
        Random seed for assigning queries to parts.
    """
    n = data.n_queries
    if n < 3:
        raise InputError(f"{n} queries cannot be split into three parts; at least 3 are needed")
    if len(shares) != 3 or not all(share > 0 for share in shares):
        raise InputError(f"shares must be three numbers above 0, not {shares}")
    order = check_random_state(random_state).permutation(n)
    first, second = np.round(np.cumsum(shares)[:2] / np.sum(shares) * n).astype(int)
    first = int(np.clip(first, 1, n - 2))
    second = int(np.clip(second, first + 1, n - 1))
    return Split(*(data.select_queries(part) for part in np.split(order, [first, second])))


def fold_rows(data: RankingData, n_folds: int = 5, *, random_state: int = 0) -> list[FoldRows]:
    """Cross-validation folds as in LETOR: each part of the queries is test data once and validation data once.

    Fold i trains on parts i, i + 1, ..., validates on the second to last and tests on the last, cyclically. The assignment
    of queries to parts depends on their names and the seed, not on the order of the rows.

    Parameters
    ----------
    data : RankingData
    n_folds : int
        Number of folds, at least 3.
    random_state : int
        Random seed for assigning queries to parts.

    Examples
    --------
    >>> data = RankingData([[1.0], [2], [3], [4]], y=[1, 0, 1, 0], qid=["a", "b", "c", "a"])
    >>> [rows.test.tolist() for rows in fold_rows(data, 3)]
    [[1], [2], [0, 3]]
    """
    queries = data.by_query()
    n_queries = queries.ids.size
    if data.qid is None:
        raise InputError("folds are made of queries, and the data has no qid; give each row the query it belongs to")
    if n_folds < 3:
        raise InputError(f"{n_folds} folds are too few; at least 3 are needed, to train, to validate and to test")
    if n_queries < n_folds:
        raise InputError(f"{n_queries} queries cannot make {n_folds} folds; ask for fewer, or for more queries")
    shuffled = np.argsort(queries.ids)[np.random.default_rng(random_state).permutation(n_queries)]
    parts = [np.flatnonzero(queries.rows_of(part)) for part in np.array_split(shuffled, n_folds)]
    folds = []
    for i in range(n_folds):
        *train, validation, test = parts[i:] + parts[:i]
        folds.append(FoldRows(np.sort(np.concatenate(train)), validation, test))
    return folds


def letor_folds(directory: PathLike, **options: Any) -> Iterator[Split]:
    """Iterate over the folds of a LETOR data set: folders ``Fold1``, ``Fold2``, ... with train, vali and test files.

    Parameters
    ----------
    directory : path
        Folder that contains the folds.
    **options
        Passed to `read_split`.
    """
    folds = [f for f in Path(directory).iterdir() if re.fullmatch(r"Fold\d+", f.name)]
    if not folds:
        raise InputError(f"{directory}: no Fold1 in this directory; give the one that contains Fold1, Fold2, ...")
    for fold in sorted(folds, key=lambda f: int(f.name[4:])):
        yield read_split(*(_part(fold, part) for part in PARTS), **options)


def read_split(train: PathLike, validation: PathLike, test: PathLike, **options: Any) -> Split:
    """Read the three files of a split, LETOR text or, by the extension of the first, Parquet.

    Parameters
    ----------
    train, validation, test : paths
    **options
        Passed to `read_letor` or `read_parquet`. All three LETOR files get as many features as the widest of them.
    """
    paths = (train, validation, test)
    if os.fspath(train).endswith(".parquet"):
        return Split(*(read_parquet(path, **options) for path in paths))
    names = options.pop("feature_names", None)  # as many as the widest file has features
    first = read_letor(train, **options)
    options = {"sparse": issparse(first.X), **options}
    parts = [first, *(read_letor(path, **options) for path in paths[1:])]
    width = max(part.n_features for part in parts)
    widened = (
        part if part.n_features == width else read_letor(path, **{**options, "n_features": width})
        for path, part in zip(paths, parts, strict=True)
    )
    return Split(*(_named(part, names, path) for path, part in zip(paths, widened, strict=True)))


def _named(part: RankingData, names: Sequence[str] | None, path: PathLike) -> RankingData:
    """Data with these feature names, which must equal the file's own names, if it has any."""
    if names is None or part.feature_names == list(names):
        return part
    if part.feature_names is not None:
        raise InputError(f"{path} has feature names of its own, which differ from those given; leave feature_names out")
    return RankingData(part.X, part.y, part.qid, part.docno, names)


_TEST, _TRAIN, _VALIDATION = range(3)
_MAX_DRAWS = 1000


def _draw_roles(n: int, n_train: int, n_validation: int, n_trials: int, random: Any) -> NDArray[np.int8]:
    """Roles of n queries in each trial, redrawn until validation counts can be balanced.

    Training queries are drawn first, so balancing may fail if there are few trials and hardly any test queries; a few draws
    are enough then.
    """
    for _ in range(_MAX_DRAWS):
        roles = _draw_roles_once(n, n_train, n_validation, n_trials, random)
        _balance_validation(roles)
        if np.ptp(np.sum(roles == _VALIDATION, axis=0)) <= 1:
            break
    return roles


def _draw_roles_once(n: int, n_train: int, n_validation: int, n_trials: int, random: Any) -> NDArray[np.int8]:
    """Roles of n queries in each trial, drawn from the queries that have had a role least often."""
    roles = np.full((n_trials, n), _TEST, np.int8)
    trained, validated = np.zeros(n, np.int64), np.zeros(n, np.int64)
    for trial in roles:
        train = np.lexsort((random.permutation(n), trained))[:n_train]
        trial[train] = _TRAIN
        trained[train] += 1
        rest = np.flatnonzero(trial == _TEST)
        validation = rest[np.lexsort((random.permutation(rest.size), validated[rest]))][:n_validation]
        trial[validation] = _VALIDATION
        validated[validation] += 1
    return roles


def _balance_validation(roles: NDArray[np.int8]) -> None:
    """Swap validation and test queries until the validation counts differ by at most one.

    A training query cannot validate in the same trial, so drawing alone cannot always balance the counts. As in a maximum
    flow, an augmenting path of swaps, each within one trial, leads from a query with the highest count to one whose count is
    lower by at least two.
    """
    while path := _augmenting_path(roles, np.sum(roles == _VALIDATION, axis=0)):
        for trial, giver, taker in path:
            roles[trial, giver], roles[trial, taker] = _TEST, _VALIDATION


def _augmenting_path(roles: NDArray[np.int8], counts: Ints) -> list[tuple[int, int, int]]:
    """Shortest augmenting path, by breadth-first search, as (trial, giver, taker); empty if there is none."""
    reached_by: dict[int, list[tuple[int, int, int]]] = {int(q): [] for q in np.flatnonzero(counts == counts.max())}
    is_new = counts < counts.max()
    for giver in (frontier := list(reached_by)):
        trials = np.flatnonzero(roles[:, giver] == _VALIDATION)
        can_take = (roles[trials] == _TEST) & is_new
        for taker in np.flatnonzero(can_take.any(axis=0)).tolist():
            reached_by[taker] = [*reached_by[giver], (int(trials[np.argmax(can_take[:, taker])]), giver, taker)]
            frontier.append(taker)
            if counts[taker] <= counts.max() - 2:
                return reached_by[taker]
        is_new[frontier] = False
        if not is_new.any():
            break
    return []


def _part(fold: Path, part: str) -> Path:
    for ending in (".txt", ".txt.gz", ".parquet"):
        if (fold / f"{part}{ending}").exists():
            return fold / f"{part}{ending}"
    raise InputError(f"{fold}: no {part}.txt in this directory")


def _queries(qid: ArrayLike | None, who: str, X: Any = None) -> Queries:
    if qid is None:
        raise InputError(f"{who} splits by query; pass qid")
    values = np.asarray(qid)
    n_rows = values.size if X is None else X.shape[0] if hasattr(X, "shape") else len(X)
    return group_rows(as_qid(values, n_rows), n_rows)
