r"""Dual problem of the cutting-plane method: the best weights for the planes so far.

.. math:: \min_w\ \tfrac12 |w|^2 + C \max(0, \max_k b_k - a_k^T w)
          = \max_{\alpha \ge 0,\ \sum \alpha \le C}\ b^T \alpha - \tfrac12 |A^T \alpha|^2

Gram matrices of the planes, on which most solvers work, have the square of the planes' condition number: one feature on
a scale of 1e8, or a C of 1e12, and the optimum is lost in rounding. Here the equations of the active set are solved by an
orthogonal factorisation of the planes themselves, and w comes from the equations a_k^T w = b_k - xi of the active planes
rather than from the multipliers, whose sum cancels. The result is exact for planes that differ from the given ones by
rounding, at any scale and any C.
"""

from __future__ import annotations

from sklearn.exceptions import ConvergenceWarning

from ...arrays import Floats
from ...core import dual as kernels
from ..core.warning import warn

#: Maximum number of steps of the active-set method, per plane; as a rule it takes a few in all.
MAX_STEPS = 100


def solve_dual(planes: Floats, offsets: Floats, total: float, start: Floats) -> tuple[Floats, Floats]:
    r"""Multipliers :math:`\alpha` and weights :math:`w` at the optimum.

    An active-set method: solve the problem on the free multipliers as linear equations, go there or to the first bound on
    the way, then free the multiplier that promises most. From the last optimum it takes a few steps, and it ends at the
    optimum up to rounding.

    Parameters
    ----------
    planes : (k, d) array
        :math:`A`, of a size whose squares neither overflow nor vanish.
    offsets : (k,) array
        :math:`b`.
    total : float
        :math:`C`.
    start : (k,) array
        A feasible point, such as the last optimum with 0 for the new planes.
    """
    max_steps = MAX_STEPS * (len(planes) + 1)
    alpha, w, converged = kernels.solve(planes, offsets, total, start, max_steps)
    if not converged:
        why = f"the dual problem did not converge within {max_steps} steps"
        warn(f"{why}, so the weights may not be the best for the planes so far; scale the features", ConvergenceWarning)
    return alpha, w
