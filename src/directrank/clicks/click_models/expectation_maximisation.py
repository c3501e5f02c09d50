"""The loop of expectation-maximisation."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import numpy as np

from ...arrays import Floats
from ...data import InputError

Parameters = TypeVar("Parameters")


def maximise(
    step: Callable[[Parameters], tuple[float, Parameters]], start: Parameters, max_iter: int, tol: float
) -> tuple[Parameters, Floats]:
    """Parameters after iterations that each raise the objective, and the objective before each.

    Parameters
    ----------
    step : callable
        From parameters to their objective, and the parameters after an iteration.
    start : parameters
    max_iter : int
        Maximum number of iterations.
    tol : float
        The last iteration is the one that raised the objective by less.
    """
    if max_iter < 1 or not tol >= 0:
        raise InputError(f"max_iter must be at least 1 and tol at least 0, not {max_iter} and {tol}")
    parameters, history = start, []
    for _ in range(max_iter):
        objective, following = step(parameters)
        history.append(objective)
        parameters = following
        if len(history) > 1 and history[-1] - history[-2] < tol:
            break
    return parameters, np.array(history)
