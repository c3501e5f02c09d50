r"""The ramp of a structural SVM: a tighter bound than the convex one, by the concave-convex procedure.

.. math:: \min_w\ \tfrac12 |w - w_0|^2 + C\,T(w), \qquad
          T(w) = \max_{\hat y}\ [\Delta(\hat y) + w^T \Psi(\hat y)] - \max_{\hat y}\ w^T \Psi(\hat y)

where T sums over the queries (Chapelle et al. 2008, "Tighter bounds for structured estimation"). T is never below the loss
of the ranking by score, nor above the convex risk R. The second maximum is convex: with the ranking by score y at some
weights in its place, T becomes R(w) + w^T (Psi(y*) - Psi(y)), which is convex, nowhere below T, and T there. Minimise that,
take the ranking by the new score, and so on: the objective never rises. With a = Psi(y*) - Psi(y), each round is

.. math:: \min_w\ \tfrac12 |w - (w_0 - C a)|^2 + C\,R(w)

up to a constant: the convex problem with another centre. Planes of one round, or of one C, are planes of all.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial

import numpy as np

from ...arrays import Floats
from ..core.interruption import Interruptible
from .bundle import Bundle
from .cutting_plane import Iteration, Optimum, minimise
from .risk import Ramp, Risk

#: The multiples of a start that are tried are between 2 to the power of this and of minus this.
FURTHEST = 100


def minimise_ramp(
    risk: Risk,
    C: float,
    start: Floats,
    *,
    tol: float,
    max_iter: int,
    bundle: Bundle,
    report: Callable[[int, Iteration], None] | None = None,
) -> Optimum:
    """Minimise |w - start|^2/2 + C T(w) from the start, until a round gains no more than `tol`, in units of the risk.

    Parameters
    ----------
    tol : float
        Also the gap that each round reaches.
    max_iter : int
        Iterations of all rounds together.
    bundle : Bundle
        Planes found before, for any C. New ones are added to it.
    report : callable, optional
        Called after each iteration.

    Returns
    -------
    Optimum
        Its risk is T. The gap is that of the last round, to the optimum of its convex problem.
    """
    ramp = risk.ramp(start)
    found, began = Optimum(ramp.point._replace(risk=ramp.slack)), time.perf_counter()
    with Interruptible() as training:
        while not found.converged:
            as_ours = partial(_of_ramp, start, C, ramp.plane, len(found.history), time.perf_counter() - began)
            bundle.move(start - C * ramp.plane)
            of_round = minimise(
                risk,
                C,
                tol=tol,
                max_iter=max_iter - len(found.history),
                bundle=bundle,
                start=ramp.point,
                report=None if report is None else lambda number, step: report(*as_ours(number, step)),  # noqa: B023
            )
            found.history += [as_ours(number, step)[1] for number, step in enumerate(of_round.history, 1)]
            before, ramp = _objective(ramp, start, C), risk.ramp(of_round.best.w)
            found.best = ramp.point._replace(risk=ramp.slack)
            found.interrupted = of_round.interrupted
            if not of_round.converged:
                break
            found.converged = before - _objective(ramp, start, C) <= C * tol
    found.interrupted |= training.interrupted
    return found


def halfway(risk: Risk, w: Floats) -> Floats:
    """The multiple of w, by a power of 2, at which the ramp has come halfway: from what it is at 0 to the loss itself.

    Along a line from 0 the ramp falls to the loss of the ranking by score. Where it has nearly come there it is flat, and
    nothing can be learned from it; near 0 it is the convex risk.
    """
    at_0 = risk.at_0
    ramp = risk.ramp(w)  # last, for the scores here are what shards then remember
    if not at_0 - ramp.loss > 1e-9:
        return w
    wanted, exponent = (at_0 + ramp.loss) / 2, 0

    def is_halfway(exponent: int) -> bool:
        factor = 2.0**exponent
        return risk.along(ramp.point.position, factor) + factor * ramp.fit <= wanted

    while exponent < FURTHEST and not is_halfway(exponent):
        exponent += 1
    while exponent > -FURTHEST and is_halfway(exponent - 1):
        exponent -= 1
    return w * 2.0**exponent


def _objective(ramp: Ramp, start: Floats, C: float) -> float:
    return 0.5 * float(np.sum((ramp.point.w - start) ** 2)) + C * ramp.slack


def _of_ramp(
    start: Floats, C: float, plane: Floats, n_before: int, seconds: float, number: int, step: Iteration
) -> tuple[int, Iteration]:
    """A round's iteration as one of the whole, with what the centre's norm has in its objective taken out."""
    constant = C * float(np.sum(plane * start)) - 0.5 * float(np.sum((C * plane) ** 2))
    ours = step._replace(primal=step.primal + constant, dual=step.dual + constant, seconds=step.seconds + seconds)
    return n_before + number, ours
