"""Hashes of queries and documents that depend on their content alone, not on their order or names.

Samples that are drawn by key are the same for shuffled data and renamed queries. LightGBM samples by position: given rows in
the order of their keys, it draws the same ones too.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...core import content_keys as kernels
from ...data import Queries
from ...matrix.linear_operator import arrays_of
from ...measures import bind
from .task import Task

Keys = NDArray[np.uint64]


def by_content(task: Task) -> Task:
    """The task with its queries, and the documents of each, sorted by a hash of their features, grades and weights.

    Documents that are equal in all of these, and queries of equal documents, are interchangeable: their order is undefined.
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
    """Hash of each document's features and grade, in query order."""
    return mixed(task.queries.to_query_order(_row_keys(task.X)) + mixed(task.bound.grades.view(np.uint64)))


def query_keys(task: Task, documents: Keys) -> Keys:
    """Hash of each query's documents, given by their keys, and of its weight."""
    return np.add.reduceat(mixed(documents), task.queries.offsets[:-1]) + mixed(task.given.view(np.uint64))


def mixed(keys: Keys) -> Keys:
    """Mixed keys: all bits of a result depend on all bits of the key."""
    return kernels.mixed(keys)  # type: ignore[no-any-return]


def _row_keys(X: Any) -> Keys:
    """Hash of each row, the same for dense and sparse."""
    return kernels.row_keys(*arrays_of(X))  # type: ignore[no-any-return]
