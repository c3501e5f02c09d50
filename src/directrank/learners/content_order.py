"""Keys of queries and documents that depend on what they hold, not on where they stand or how they are called.

Samples that are drawn by key are the same however the data was shuffled and its queries were named. LightGBM draws its
own by position: handed rows in the order of their keys, it too draws the same ones.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from ..data import Queries
from ..kernel_compiler import njit, prange
from ..measures import bind
from .task import Task

Keys = NDArray[np.uint64]


def by_content(task: Task) -> Task:
    """The same task with its queries, and the documents of each, by a hash of their features, grades and weights.

    Documents that are equal in all of these, and queries of equal documents, are interchangeable: their order is open.
    """
    queries, sizes = task.queries, np.diff(task.queries.offsets)
    documents = document_keys(task)
    by_key = np.argsort(query_keys(task, documents), kind="stable")
    place = np.empty_like(by_key)
    place[by_key] = np.arange(by_key.size)
    order = np.lexsort((documents, np.repeat(place, sizes)))
    offsets = np.concatenate(([0], np.cumsum(sizes[by_key])))
    return replace(
        task,
        queries=Queries(queries.ids[by_key], offsets, queries.order[order]),
        bound=bind(task.bound.measure, task.bound.grades[order], offsets),
        given=task.given[by_key],
        weights=task.weights[by_key],
        memory={},
    )


def document_keys(task: Task) -> Keys:
    """A hash of each document's features and grade, in query order."""
    return mixed(task.queries.to_query_order(_row_keys(task.X)) + mixed(task.bound.grades.view(np.uint64)))


def query_keys(task: Task, documents: Keys) -> Keys:
    """A hash of each query's documents, given by their keys, and its weight."""
    return np.add.reduceat(mixed(documents), task.queries.offsets[:-1]) + mixed(task.given.view(np.uint64))


def mixed(keys: Keys) -> Keys:
    """Each key as another one, all of whose bits depend on all bits of the key."""
    return _mix_all(keys)  # type: ignore[no-any-return]


def _row_keys(X: Any) -> Keys:
    """A hash of each row, the same for dense and sparse."""
    if sparse.issparse(X):
        return _keys_of_sparse(X.data, X.indices, X.indptr)  # type: ignore[no-any-return]
    return _keys_of_dense(np.asarray(X))  # type: ignore[no-any-return]


@njit(cache=True, parallel=True)
def _keys_of_dense(X):  # type: ignore[no-untyped-def]
    keys = np.zeros(X.shape[0], np.uint64)
    for i in prange(X.shape[0]):
        for j in range(X.shape[1]):
            keys[i] += _key_of(j, X[i, j])
    return keys


@njit(cache=True, parallel=True)
def _keys_of_sparse(values, columns, starts):  # type: ignore[no-untyped-def]
    keys = np.zeros(starts.size - 1, np.uint64)
    for i in prange(keys.size):
        for entry in range(starts[i], starts[i + 1]):
            keys[i] += _key_of(columns[entry], values[entry])
    return keys


@njit(cache=True)
def _key_of(column, value):  # type: ignore[no-untyped-def]
    """0 for a value of 0, which a sparse row does not hold; the same for every NaN."""
    if value == 0:
        return np.uint64(0)
    bits = np.float64(np.nan if np.isnan(value) else value).view(np.uint64)
    return _mix(bits + _mix(np.uint64(column) + np.uint64(1)))


@njit(cache=True)
def _mix_all(keys):  # type: ignore[no-untyped-def]
    mixed = np.empty_like(keys)
    for i in range(keys.size):
        mixed[i] = _mix(keys[i])
    return mixed


@njit(cache=True)
def _mix(key):  # type: ignore[no-untyped-def]
    """The finaliser of splitmix64: every bit of the result depends on every bit of the key."""
    key = (key ^ (key >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    key = (key ^ (key >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return key ^ (key >> np.uint64(31))
