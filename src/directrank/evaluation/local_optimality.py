"""Monte Carlo test of whether a model is at a local optimum of a measure, in the space of its parameters."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..arrays import Floats
from ..data import InputError, RankingData
from ..measures import SupportsEvaluate, as_measure, bind, name_of, parse
from ..models import Model, as_model
from .named_measures import MeasureLike

#: Step sizes, relative to the norm of the parameters.
SIZES = tuple(float(size) for size in 10.0 ** np.arange(-4, -0.5, 0.5))

#: Changes below this are rounding.
ROUNDING = 1e-12


@dataclass(frozen=True, eq=False)
class LocalOptimality:
    """Changes of a measure in random directions away from a model.

    Attributes
    ----------
    measure : str
    value : float
        Mean over the queries at the model.
    n_parameters : int
    sizes : array
        Lengths of the steps relative to the norm of the parameters, ascending.
    changes : array of shape (n_directions, n_sizes)
        Change of the measure at each step in each direction.
    confidence : float
    """

    measure: str
    value: float
    n_parameters: int
    sizes: Floats
    changes: Floats
    confidence: float

    @property
    def n_directions(self) -> int:
        return len(self.changes)

    @property
    def n_improving(self) -> int:
        """Number of directions in which the measure rises at any step."""
        return int(np.sum(np.any(self.changes > ROUNDING, axis=1)))

    @property
    def share_improving(self) -> float:
        return self.n_improving / self.n_directions

    @property
    def shares(self) -> Floats:
        """Share of directions in which the measure rises, by step size."""
        return np.mean(self.changes > ROUNDING, axis=0)

    @property
    def bound(self) -> float:
        """Upper confidence bound on the probability of an improving direction (Clopper & Pearson 1934).

        If none of n directions improves, it is 1 - (1 - confidence)^(1/n).
        """
        from scipy.special import betaincinv

        rest = self.n_directions - self.n_improving
        return 1.0 if rest == 0 else float(betaincinv(self.n_improving + 1, rest, self.confidence))

    def __repr__(self) -> str:
        steps = ", ".join(f"{size:.2g}: {share:.1%}" for size, share in zip(self.sizes, self.shares, strict=True))
        return (
            f"LocalOptimality({self.measure} {self.value:.4f}, {self.n_parameters:,} parameters: it rises in "
            f"{self.n_improving:,} of {self.n_directions:,} directions, with {self.confidence:.0%} confidence in fewer "
            f"than {self.bound:.2%} of all; by size of the step {steps})"
        )


def local_optimality(
    model: Any,
    data: RankingData,
    measure: MeasureLike | None = None,
    n_directions: int = 459,
    *,
    sizes: Sequence[float] = SIZES,
    confidence: float = 0.99,
    random_state: int = 0,
) -> LocalOptimality:
    r"""Test whether a measure has a local maximum at a model.

    The Monte Carlo test of Donmez, Svore & Burges (2009, "On the local optimality of LambdaRank"). Directions are drawn at
    random from the unit sphere in the space of the parameters, and the model takes steps of several sizes in each. If the
    measure rises in none of n directions, the share of all directions in which it rises is below
    :math:`1 - (1 - confidence)^{1/n}` with the given confidence: for 459 directions, at 99%, below 1%.

    Measures are piecewise constant: with steps that are too short nothing changes, and with long ones the test is no longer
    local. `LocalOptimality.shares` shows the results by step size.

    Parameters
    ----------
    model : Model or fitted learner
        Linear, or of trees: the parameters are weights, or the values of leaves.
    data : RankingData
        The training data, to test for a local optimum of the training.
    measure : name or measure, optional
        By default the measure that the model was trained for.
    n_directions : int
        Number of random directions.
    sizes : sequence of float
        Lengths of the steps, relative to the norm of the parameters (absolute, if all parameters are 0).
    confidence : float
        Confidence level, between 0 and 1.
    random_state : int
        Random seed for the directions.
    """
    _check(data, n_directions, sizes, confidence)
    found = as_model(model)
    chosen = as_measure(_trained_for(found) if measure is None else measure)
    queries = data.by_query()
    bound = bind(chosen, queries.to_query_order(data.y), queries.offsets)

    def mean(scores: Floats) -> float:
        return float(bound.evaluate(queries.to_query_order(scores)).mean())

    parameters, scores, derivatives = found.parameters, found.predict(data.X), found.derivatives(data.X)
    length, value = float(np.linalg.norm(parameters)) or 1.0, mean(scores)
    steps, random = np.sort(np.asarray(sizes, np.float64)), np.random.default_rng(random_state)
    changes = np.empty((n_directions, steps.size))
    for row in changes:
        direction = random.standard_normal(parameters.size)
        moved = derivatives @ (direction * (length / np.linalg.norm(direction)))
        row[:] = [mean(scores + step * moved) - value for step in steps]
    return LocalOptimality(name_of(chosen), value, parameters.size, steps, changes, confidence)


def _check(data: Any, n_directions: Any, sizes: Any, confidence: Any) -> None:
    if not isinstance(data, RankingData):
        raise InputError(f"data must be RankingData, as RankingData(X, y, qid), not {type(data).__name__}")
    if not (isinstance(n_directions, (int, np.integer)) and n_directions >= 1):
        raise InputError(f"n_directions must be an integer of at least 1, not {n_directions!r}")
    listed = isinstance(sizes, Collection) and getattr(sizes, "ndim", 1) == 1 and len(sizes) > 0
    if not (listed and all(_is_between(size, np.inf) for size in sizes)):
        raise InputError(f"sizes must be a list of numbers above 0, not {sizes!r}")
    if not _is_between(confidence, 1):
        raise InputError(f"confidence must be between 0 and 1, not {confidence!r}")


def _is_between(value: Any, end: float) -> bool:
    return isinstance(value, (int, float, np.number)) and bool(0 < value < end)


def _trained_for(model: Model) -> SupportsEvaluate:
    measure = model.provenance.measure
    if not measure:
        raise InputError("the model does not say which measure it was trained for; name one")
    return parse(measure)
