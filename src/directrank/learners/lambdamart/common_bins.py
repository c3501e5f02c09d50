"""The bins of features that all places share: from one sample of rows, as bytes that can be sent."""

from __future__ import annotations

import os
import tempfile
from typing import Any, NamedTuple

import lightgbm as lgb
import numpy as np
from scipy import sparse

from ...matrix.stacking import stacked
from ..core.shards import PerShard, Shards
from ..core.task import Task, count_documents
from .lightgbm import has_splits, value_of


class CommonBins(NamedTuple):
    """The bins of all features.

    Attributes
    ----------
    content : bytes
        A data set of LightGBM's, of few rows, in its own format.
    can_split : bool
        Whether any feature has more than one bin.
    """

    content: bytes
    can_split: bool

    @classmethod
    def of(cls, training: Shards, settings: dict[str, Any], categorical: list[int]) -> CommonBins:
        """From as many rows as LightGBM takes on its own, of each shard its share."""
        sizes = np.array(training.each(count_documents))
        at_most = int(value_of(settings, "bin_construct_sample_cnt", 200_000))
        counts = np.maximum((sizes * min(1.0, at_most / sizes.sum())).astype(np.int64), 1)
        sample = stacked(training.each(_some_rows, PerShard(counts.tolist())))
        data = lgb.Dataset(sample, params=settings, categorical_feature=categorical, free_raw_data=False).construct()
        few = data.subset([0]).construct()
        with tempfile.TemporaryDirectory() as folder:
            file = os.path.join(folder, "bins")
            few.save_binary(file)
            with open(file, "rb") as written:
                return cls(written.read(), has_splits(data))

    def data_set(self, settings: dict[str, Any]) -> lgb.Dataset:
        """The data set that others take their bins from."""
        with tempfile.TemporaryDirectory() as folder:
            file = os.path.join(folder, "bins")
            with open(file, "wb") as written:
                written.write(self.content)
            # Else LightGBM, connected to others, would take it for a part of the file only.
            return lgb.Dataset(file, params={**settings, "pre_partition": True}).construct()


def _some_rows(task: Task, count: int) -> Any:
    """Rows drawn at random: those at even distances could all be the first of their queries."""
    drawn = np.random.default_rng(task.number).choice(task.n_documents, count, replace=False, shuffle=False)
    rows = task.X if count == task.n_documents else task.X[np.sort(drawn)]
    return sparse.csr_matrix(rows) if sparse.issparse(rows) else np.asarray(rows)
