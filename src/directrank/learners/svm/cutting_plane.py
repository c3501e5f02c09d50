r"""The one-slack cutting-plane method for structural SVMs.

.. math:: \min_w\ \tfrac12 |w|^2 + C\,R(w), \qquad R(w) = \max_{\hat y}\ \Delta(\hat y) - w^T (\Psi(y^*) - \Psi(\hat y))

where R sums over the queries. Each output gives a plane that R lies above, R(w) >= b - a^T w, and the best w for the planes
so far comes from a small dual problem (Joachims, Finley & Yu 2009; Teo et al. 2010). With a large C these w jump about, so
each step goes only as far from the best point as a line search finds worth while (as in Franc & Sonnenburg 2009), and the
new plane touches R there. The line search sees scores alone: it costs no pass over X. How many planes it takes at most is
known: see `iteration_bound`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from ...arrays import Floats
from ..core.monitoring import Monitor
from .bundle import Bundle
from .risk import Point, Risk

#: Number of points at which a line search evaluates the objective; there may be one more, beyond the minimum.
MAX_PROBES = 10


class Iteration(NamedTuple):
    """Bounds on the optimum after one iteration, and the time since the training began."""

    primal: float
    dual: float
    gap: float
    seconds: float

    def info(self, C: float, has_lower_bound: bool) -> dict[str, float]:
        """Facts for a `Progress`."""
        bound = {"lower bound": self.dual} if has_lower_bound else {}
        return {"gap": self.gap, "objective": self.primal, **bound, "C": C}


class Units(NamedTuple):
    """Affine map from the iterations of one problem to those of the user's problem.

    Attributes
    ----------
    objective, gap : float
        Factors of the objective and of the gap.
    constant : float
        Added to the objective before it is multiplied.
    C : float, optional
        The user's C; by default that of the problem.
    has_lower_bound : bool
        Whether the dual is a lower bound of the user's problem.
    """

    objective: float = 1.0
    gap: float = 1.0
    constant: float = 0.0
    C: float | None = None
    has_lower_bound: bool = True

    def convert(self, step: Iteration) -> Iteration:
        primal, dual = (self.objective * (value + self.constant) for value in (step.primal, step.dual))
        return Iteration(primal, dual, self.gap * step.gap, step.seconds)


@dataclass
class Optimum:
    """Best point of a problem.

    Attributes
    ----------
    best : Point
    history : list of Iteration
        In the user's units.
    converged : bool
        Whether the gap is at most the tolerance.
    iteration_bound : float
        Upper bound on the number of iterations; see `iteration_bound`.
    """

    best: Point
    history: list[Iteration] = field(default_factory=list)
    converged: bool = False
    iteration_bound: float = np.inf


def minimise(
    risk: Risk,
    C: float,
    *,
    tol: float,
    max_iter: int,
    monitor: Monitor,
    bundle: Bundle | None = None,
    start: Point | None = None,
    units: Units = Units(),  # noqa: B008 -- immutable
) -> Optimum:
    """Minimise |w|^2/2 + C R(w) until the duality gap, in units of the risk, is at most `tol`.

    Parameters
    ----------
    monitor : Monitor
        Gets each iteration, and may end the search.
    bundle : Bundle, optional
        Planes found before, for any C: they do not depend on it. New planes are added to it.
    start : Point, optional
        Starting point; w = 0 by default.
    units : Units, optional
        Units of the history.
    """
    found = Optimum(start or risk.origin)
    bundle = bundle if bundle is not None else Bundle(risk.n_weights)
    highest, first = 0.0, 1.0  # dual without planes; where on the line to look first
    with monitor.interruptible():
        bundle.add(risk.plane(found.best, found.best), found.best.loss)
        centre = bundle.centre
        for _ in range(max_iter):
            w, dual = bundle.optimise(C)
            nearby, beyond = _search_line(risk, found.best, w, dual, centre, C, first)
            first = min(max(4 * nearby.position.trail[-1][1], 1e-6), 1.0)  # the minimum is about as near as before
            if nearby.objective(C, centre) <= found.best.objective(C, centre):
                found.best = nearby
            primal, highest = found.best.objective(C, centre), max(dual, highest)
            step = Iteration(primal, highest, (primal - highest) / C, monitor.seconds)
            found.history.append(units.convert(step))
            found.converged = step.gap <= tol
            if _report(monitor, units, C, found.history[-1]) or found.converged or primal <= C * (bundle.value + tol):
                break  # in the last case the bundle cannot do better
            bundle.add(risk.plane(beyond, found.best), beyond.loss)
    found.iteration_bound = iteration_bound(bundle.largest_loss, bundle.longest_plane, C, tol)
    return found


def _report(monitor: Monitor, units: Units, C: float, step: Iteration) -> bool:
    return monitor.iteration(step.seconds, step.info(C if units.C is None else units.C, units.has_lower_bound))


def iteration_bound(loss: float, plane: float, C: float, tol: float) -> float:
    r"""Upper bound on the number of iterations until the gap is within the tolerance.

    .. math:: 1 + \max\left\{\frac{2 L}{\epsilon}, \frac{8 C L R^2}{\epsilon^2}\right\}

    (Yue et al. 2007, Theorem 1; Joachims 2005, Theorem 2) for the largest loss L, that at w = 0, and planes a no longer than
    R. As long as the gap is above eps, the new plane is above the others at their optimum w by more than eps: see
    `_search_line`. Moving the fraction t of the multipliers to it raises the dual by at least
    C eps t - t^2 |C a - w|^2/2, where |C a - w| <= 2 C R: with the best t in [0, 1], by min(C eps/2, eps^2/(8 R^2)). It is
    0 without planes, and never above C L, the objective at w = 0.

    (Joachims' R is the length of the longest row, and where R stands here he has n R. With his Psi it is up to 2 n R.)

    Parameters
    ----------
    loss, plane : float
        L and R.
    """
    if loss <= 0:
        return 1.0
    return 1 + max(2 * loss / tol, 8 * C * loss * (plane / tol) * (plane / tol))


def _search_line(
    risk: Risk, best: Point, w: Floats, dual: float, centre: Floats, C: float, first: float
) -> tuple[Point, Point]:
    """The lowest of a few points between the best one and the optimum w of the planes, and the point of the next plane.

    Only points from where the objective rises towards w count, and w itself. The plane of such a point, with the norm, is at
    w no lower than the objective is at the point: it tells something new there.

    With a large C the way to w is long, and the minimum may be at a ten thousandth of it. It is found by secants of the
    slope; the search ends where the tangents on both sides leave about a tenth of what there was to gain, or less. Where the
    slope jumps there, the planes on both sides are soon known, and one from further on tells more.

    Parameters
    ----------
    dual : float
        Lower bound of the planes at w, with the norm. A line to it has about the objective's slope at the best point.
    first : float
        Fraction of the way at which to look first.
    """
    direction, kept = w - best.w, None
    start = low = high = _Tangent(0.0, best.objective(C, centre), dual - best.objective(C, centre))
    lowest, t = best, first

    def look() -> tuple[Point, _Tangent]:
        point = risk.probe(best.position, w, t, kept)
        slope = float(np.sum((point.w - centre) * direction)) + C * point.slope
        return point, _Tangent(t, point.objective(C, centre), slope)

    for _ in range(MAX_PROBES):
        point, here = look()
        rises = here.slope > 0
        low, high = (low, here) if rises else (here, high)
        if rises or t == 1.0:
            lowest, kept = point, t
        if low.t == 1.0 or _is_low_enough(start, low, high):
            break
        t = _secant(low, high) if high.t > low.t else min(16 * t, 1.0)
    if 1.0 in (low.t, high.t) or high.slope <= 0.1 * abs(start.slope):
        return lowest, lowest
    t = min(5 * high.t, 1.0)
    return lowest, look()[0]


class _Tangent(NamedTuple):
    """The objective at the fraction t of a line, and its slope there."""

    t: float
    value: float
    slope: float


def _is_low_enough(start: _Tangent, low: _Tangent, high: _Tangent) -> bool:
    """Whether between two points there is at most a tenth to gain of what there was: down to where their tangents cross."""
    fall, rise = low.slope * (high.t - low.t), high.slope * (high.t - low.t)
    if not fall < 0 < rise:
        return False
    bound = low.value + fall * (rise - (high.value - low.value)) / (rise - fall)
    return high.value - bound <= 0.1 * (start.value - bound)


def _secant(low: _Tangent, high: _Tangent) -> float:
    """Where the slope is 0 if it grows in a straight line; not too near to either end, for it may jump.

    The fraction has 6 bits: what rounding does to slopes leaves no trace in it.
    """
    fraction, exponent = math.frexp(low.slope / (low.slope - high.slope)) if low.slope < 0 else (0.5, 0)
    fraction = math.ldexp(round(64 * fraction), exponent - 6)
    return low.t + min(max(fraction, 1 / 64), 63 / 64) * (high.t - low.t)
