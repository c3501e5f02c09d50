"""Multivariate SVMs for several C that share their cutting planes; `MultivariateSVC` is for a single C."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, cast

import numpy as np

from ...arrays import Bools
from ...learners.core.monitoring import Monitor
from ...learners.core.shards import LocalShards
from ...learners.core.task import make_task
from ...learners.svm.bundle import Bundle
from ...learners.svm.cutting_plane import minimise
from ...learners.svm.risk import Risk, Scale
from ...measures import SupportsViolationUnits, require
from .hyperplane import Hyperplane

MAX_ITER = 1000


def train_multivariate_svms(X: Any, positive: Bools, measure: str, Cs: Sequence[float], tol: float) -> Iterator[Hyperplane]:
    """Train an SVM for each C, in ascending order. The bias is the weight of a constant feature, as in the paper.

    Parameters
    ----------
    tol : float
        Duality gap, in units of the measure.
    """
    optimised = require(measure, "violation_units", "SVM-multi")
    loss, psi = cast(SupportsViolationUnits, optimised).violation_units(positive.size, int(positive.sum()))
    scale = Scale(loss, psi, True)
    risk = Risk(LocalShards([make_task(X, positive.astype(np.float64), None, optimised)]), scale)
    bundle, start, monitor = Bundle(risk.n_weights), risk.origin, Monitor()
    for C in Cs:
        found = minimise(risk, C, tol=tol * scale.loss, max_iter=MAX_ITER, monitor=monitor, bundle=bundle, start=start)
        if monitor.interrupted:
            raise KeyboardInterrupt
        start = found.best
        yield Hyperplane(found.best.w[:-1], float(found.best.w[-1]), found.converged)
