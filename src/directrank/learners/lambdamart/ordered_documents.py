"""Documents of tasks in query order, as LightGBM's data sets.

Query order is an order by content, so that nothing in LightGBM depends on the order of rows: the rounding of its sums, the
sample of rows for its bins, the rows that it samples.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import lightgbm as lgb
import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from ...matrix.stacking import stacked
from ..core.task import Task
from .param_names import param_value

#: Number of values of a dense X up to which LightGBM gets a copy, and the number that it gets at a time of a larger one.
MAX_COPIED, BATCH = 2**25, 2**22


class OrderedDocuments(lgb.Sequence):
    """Documents of a task with a dense X, a batch at a time: X is not copied as a whole.

    Parameters
    ----------
    task : Task
    """

    def __init__(self, task: Task) -> None:
        self.X, self.order = np.asarray(task.X), task.queries.order
        self.batch_size = max(1, BATCH // max(1, self.X.shape[1]))

    def __len__(self) -> int:
        return int(self.order.size)

    def __getitem__(self, index: Any) -> NDArray[np.float64]:
        return self.X[self.order[index]].astype(np.float64, copy=False)


def make_dataset(
    tasks: Sequence[Task],
    params: dict[str, Any],
    categorical_feature: list[int] | None = None,
    *,
    reference: lgb.Dataset | None = None,
    **given: Any,
) -> lgb.Dataset:
    """LightGBM's data set of the documents of all tasks in a row.

    Parameters
    ----------
    tasks : sequence of Task
    params : dict
    categorical_feature : list of int, optional
    reference : lightgbm.Dataset, optional
        Data set whose bins to take.
    given
        Further arguments of `lightgbm.Dataset`.
    """
    features: dict[str, Any] = {} if categorical_feature is None else {"categorical_feature": categorical_feature}
    size = sum(len(task.queries.order) for task in tasks) * tasks[0].X.shape[1]
    if sparse.issparse(tasks[0].X) or (reference is None and size <= MAX_COPIED):
        data = _copied(tasks)
    else:
        data = [OrderedDocuments(task) for task in tasks]
        if reference is None:
            # LightGBM would draw this sample itself, but with neither the number of threads nor the seed of `params`.
            reference = lgb.Dataset(_sample(tasks, params), params=params, **features).construct()
    return lgb.Dataset(data, reference=reference, params=params, **features, **given)


def _copied(tasks: Sequence[Task], places: NDArray[np.int64] | None = None) -> Any:
    """Copy of all documents, or of those at ascending places."""
    ends = np.cumsum([task.n_documents for task in tasks])
    parts = [None] * len(tasks) if places is None else np.split(places, np.searchsorted(places, ends[:-1]))
    orders = [
        task.queries.order if part is None else task.queries.order[part - (end - task.n_documents)]
        for task, part, end in zip(tasks, parts, ends, strict=True)
    ]
    rows = stacked([task.X[order] for task, order in zip(tasks, orders, strict=True)])
    return sparse.csr_matrix(rows) if sparse.issparse(rows) else rows  # LightGBM knows no sparse arrays


def _sample(tasks: Sequence[Task], params: dict[str, Any]) -> Any:
    """Sample of documents for placing the bins."""
    n_documents, n_wanted = sum(task.n_documents for task in tasks), param_value(params, "bin_construct_sample_cnt", 200_000)
    if n_documents <= n_wanted:
        return _copied(tasks)
    random = np.random.default_rng(param_value(params, "data_random_seed", 1))
    return _copied(tasks, np.sort(random.choice(n_documents, n_wanted, replace=False, shuffle=False)))
