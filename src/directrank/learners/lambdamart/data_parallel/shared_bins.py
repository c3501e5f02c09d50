"""Bins of the features that all workers share: from one sample of rows, as bytes to be sent."""

from __future__ import annotations

import os
import tempfile
from typing import Any, NamedTuple

import lightgbm as lgb
import numpy as np
from scipy import sparse

from ....matrix.stacking import stacked
from ...core.shards import PerShard, Shards
from ...core.task import Task, count_documents
from ..boosters import has_splits
from ..param_names import param_value


class SharedBins(NamedTuple):
    """Bins of all features.

    Attributes
    ----------
    content : bytes
        A LightGBM dataset of one row, in LightGBM's binary format.
    can_split : bool
        Whether any feature has more than one bin.
    """

    content: bytes
    can_split: bool

    @classmethod
    def from_sample(cls, training: Shards, params: dict[str, Any], categorical_feature: list[int]) -> SharedBins:
        """Bins of a sample as large as LightGBM's own, in proportion to the shards."""
        sizes = np.array(training.each(count_documents))
        n_rows = int(param_value(params, "bin_construct_sample_cnt", 200_000))
        counts = np.maximum((sizes * min(1.0, n_rows / sizes.sum())).astype(np.int64), 1)
        sample = stacked(training.each(_sample_rows, PerShard(counts.tolist())))
        data = lgb.Dataset(sample, params=params, categorical_feature=categorical_feature, free_raw_data=False).construct()
        one_row = data.subset([0]).construct()
        with tempfile.TemporaryDirectory() as folder:
            file = os.path.join(folder, "bins")
            one_row.save_binary(file)
            with open(file, "rb") as written:
                return cls(written.read(), has_splits(data))

    def dataset(self, params: dict[str, Any]) -> lgb.Dataset:
        """Dataset to be the `reference` of others."""
        with tempfile.TemporaryDirectory() as folder:
            file = os.path.join(folder, "bins")
            with open(file, "wb") as written:
                written.write(self.content)
            # Without pre_partition LightGBM, connected to others, reads a part of the file only.
            return lgb.Dataset(file, params={**params, "pre_partition": True}).construct()


def _sample_rows(task: Task, count: int) -> Any:
    """Random rows: rows at even distances could all be the first of their queries."""
    drawn = np.random.default_rng(task.number).choice(task.n_documents, count, replace=False, shuffle=False)
    rows = task.X if count == task.n_documents else task.X[np.sort(drawn)]
    return sparse.csr_matrix(rows) if sparse.issparse(rows) else np.asarray(rows)
