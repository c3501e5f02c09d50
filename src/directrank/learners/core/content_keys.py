"""Keys of queries and documents that depend on what they hold, not on where they stand or how they are called.

Samples that are drawn by key are the same however the data was shuffled and its queries were named. LightGBM draws its
own by position: handed rows in the order of their keys, it too draws the same ones.
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
    return kernels.mixed(keys)  # type: ignore[no-any-return]


def _row_keys(X: Any) -> Keys:
    """A hash of each row, the same for dense and sparse."""
    return kernels.row_keys(*arrays_of(X))  # type: ignore[no-any-return]
