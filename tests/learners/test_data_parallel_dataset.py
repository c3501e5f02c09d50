"""Rows of a worker in the bins that all workers share."""

from __future__ import annotations

import warnings

import numpy as np

from directrank.datasets import make_ranking
from directrank.learners.core.shards import LocalShards
from directrank.learners.lambdamart.data_parallel.shared_bins import SharedBins
from directrank.learners.lambdamart.data_parallel.worker import BoostingPlan, _dataset
from directrank.learners.lambdamart.gradients import LambdaScale
from directrank.learners.lambdamart.init import Start
from directrank.measures import parse

DATA = make_ranking(10, (5, 12), random_state=0)


def test_lightgbm_has_nothing_to_warn_of() -> None:
    """So that no filter of warnings, which all threads of a process share, has to be changed on a worker's thread."""
    shards = LocalShards.from_data([DATA.select_queries(part) for part in (range(4), range(4, 10))], parse("AP"))
    params = {"objective": "none", "verbosity": -1, "max_bin": 15, "feature_pre_filter": False, "num_threads": 1}
    bins = SharedBins.from_sample(shards, params, [])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        rows = _dataset(
            shards, BoostingPlan("name", [params], bins, LambdaScale(1.0, True), parse("AP"), Start(None, (False,)))
        )
    np.testing.assert_array_equal(rows.get_label(), np.concatenate([task.bound.grades for task in shards.tasks]))
