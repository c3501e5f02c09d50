"""A scheduler that is restarted during a training: it goes on, and no bit changes."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from clusters import DATA, HELD_OUT, Cluster
from sklearn.base import clone

from directrank import LambdaMART
from directrank.distributed import predict, read_parquet, train
from directrank.learners import Progress


def test_a_training_goes_on_with_a_new_scheduler_and_new_workers(own_cluster: type[Cluster], folder: Path) -> None:
    """The first part of the trees is grown, all processes of the cluster end, and others come."""
    old = own_cluster(1, nanny=False)
    data, held_out, other = (read_parquet(folder / name, client=old.client) for name in ("train", "vali", "vali"))
    learner = LambdaMART("nDCG@5", n_seeds=1, n_estimators=25, min_child_samples=5)
    wanted = train(clone(learner), data, held_out)
    restarts: list[int] = []

    def restart(progress: Progress) -> None:
        if progress.step == 10 and not restarts:
            restarts.append(progress.step)
            old.restart_scheduler(1)

    there = train(clone(learner), data, held_out, callbacks=[restart])
    assert restarts == [10]
    np.testing.assert_array_equal(there.model_.predict(DATA.X), wanted.model_.predict(DATA.X))
    assert there.evals_result_ == wanted.evals_result_
    scores = predict(there, other).compute(scheduler=old.client)  # of data that nobody has used since
    np.testing.assert_array_equal(scores, there.model_.predict(HELD_OUT.X))
