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

import numpy as np

from ...arrays import Floats
from ..core.monitoring import Monitor
from .bundle import Bundle
from .cutting_plane import Optimum, Units, minimise
from .risk import Ramp, Risk

#: Largest exponent of 2 in the multiples of a start that are tried, and minus the smallest.
MAX_EXPONENT = 100


def minimise_ramp(
    risk: Risk,
    C: float,
    start: Floats,
    *,
    tol: float,
    max_iter: int,
    monitor: Monitor,
    bundle: Bundle,
    units: Units = Units(),  # noqa: B008 -- immutable
) -> Optimum:
    """Minimise |w - start|^2/2 + C T(w) from the start, until a round gains no more than `tol`, in units of the risk.

    Parameters
    ----------
    tol : float
        Also the gap that each round reaches.
    max_iter : int
        Number of iterations of all rounds.
    monitor : Monitor
        Gets each iteration, and may end the search.
    bundle : Bundle
        Planes found before, for any C. New planes are added to it.
    units : Units, optional
        Units of the history.

    Returns
    -------
    Optimum
        Its risk is T. The gap is that of the last round, to the optimum of its convex problem.
    """
    ramp = risk.ramp(start)
    found = Optimum(ramp.point._replace(risk=ramp.slack))
    with monitor.interruptible():
        while not (found.converged or monitor.ended):
            solved = minimise(
                risk,
                C,
                tol=tol,
                max_iter=max_iter - len(found.history),
                monitor=monitor,
                bundle=bundle.moved(start - C * ramp.plane),
                start=ramp.point,
                units=units._replace(constant=_constant(start, C, ramp.plane)),
            )
            found.history += solved.history
            before, ramp = _objective(ramp, start, C), risk.ramp(solved.best.w)
            found.best = ramp.point._replace(risk=ramp.slack)
            if not solved.converged:
                break
            found.converged = before - _objective(ramp, start, C) <= C * tol
    return found


def halfway(risk: Risk, w: Floats) -> Floats:
    """Multiple of w, by a power of 2, at which the ramp is halfway between its value at 0 and the loss itself.

    Along a line from 0 the ramp falls to the loss of the ranking by score. Near that loss it is flat, and nothing can be
    learned from it; near 0 it is the convex risk.
    """
    at_0 = risk.at_0
    ramp = risk.ramp(w)  # last, for the scores here are what shards then remember
    if not at_0 - ramp.loss > 1e-9:
        return w
    wanted, exponent = (at_0 + ramp.loss) / 2, 0

    def is_halfway(exponent: int) -> bool:
        factor = 2.0**exponent
        return risk.along(ramp.point.position, factor) + factor * ramp.fit <= wanted

    while exponent < MAX_EXPONENT and not is_halfway(exponent):
        exponent += 1
    while exponent > -MAX_EXPONENT and is_halfway(exponent - 1):
        exponent -= 1
    return w * 2.0**exponent


def _objective(ramp: Ramp, start: Floats, C: float) -> float:
    return 0.5 * float(np.sum((ramp.point.w - start) ** 2)) + C * ramp.slack


def _constant(start: Floats, C: float, plane: Floats) -> float:
    """Difference between the objective of the ramp and that of a round's convex problem, from the norm of its centre."""
    return C * float(np.sum(plane * start)) - 0.5 * float(np.sum((C * plane) ** 2))
