r"""Risk of a structural SVM on shards, as numbers and planes for the cutting-plane method.

.. math:: R(w) = \sum_q v_q \max_{\hat y}\ \Delta(\hat y) - w^T (\Psi(y^*) - \Psi(\hat y))

with the queries' weights v. Scores never leave their shard: a step along a line transfers a few numbers, a plane one vector.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, cast

import numpy as np

from ...arrays import Floats
from ...caching import cached_property
from ...core import risk as kernels
from ...measures import SupportsMostViolated
from ..core.shards import Shards, sum_of_parts
from ..core.task import Task


class Scale(NamedTuple):
    """Factors of the loss and of Psi, and whether X has a constant feature; see `ViolationUnits`."""

    loss: float = 1.0
    psi: float = 1.0
    intercept: bool = False


class Position(NamedTuple):
    """Weights, and the steps that led to their scores.

    Attributes
    ----------
    w : array
    trail : tuple of (target, t)
        Steps from w = 0, each the fraction t of the way to the target. Scores were interpolated accordingly; a shard that
        has lost them follows the trail and computes the same bits. The trail starts at the last step that went all the way,
        and takes no more memory than the planes of its iterations.
    is_whole : bool
        Whether the trail has all its steps, or only the last one; see `brief`.
    """

    w: Floats
    trail: tuple[tuple[Floats, float], ...] = ()
    is_whole: bool = True

    def brief(self) -> Position:
        """The position for shards that remember its scores, of constant size."""
        return Position(self.w, self.trail[-1:], len(self.trail) <= 1)

    def towards(self, target: Floats, t: float) -> Position:
        step = (target, t)
        return Position(self.w + t * (target - self.w), (step,) if t == 1.0 else (*self.trail, step))


class Point(NamedTuple):
    """Most violated output at a position.

    Attributes
    ----------
    position : Position
    loss : float
        Loss of that output.
    risk : float
        R there.
    slope : float
        Derivative of R along the line on which the point was found.
    """

    position: Position
    loss: float
    risk: float
    slope: float

    @property
    def w(self) -> Floats:
        return self.position.w

    def objective(self, C: float, centre: Floats) -> float:
        return 0.5 * float(np.sum((self.w - centre) ** 2)) + C * self.risk


class Ramp(NamedTuple):
    r"""The ramp at some weights: the risk less the part of the ranking by score.

    .. math:: T(w) = \sum_q v_q \bigl(\max_y\ [\Delta(y) + w^T \Psi(y)] - \max_y\ w^T \Psi(y)\bigr)

    Attributes
    ----------
    point : Point
        Point with the risk R.
    plane : array
        Psi(y*) - Psi(y) of the ranking by score y. T = R + w^T plane, and elsewhere T is at most that with this plane.
    fit : float
        w^T plane, never above 0.
    loss : float
        Loss of the ranking by score. T is never below it.
    """

    point: Point
    plane: Floats
    fit: float
    loss: float

    @property
    def slack(self) -> float:
        """T."""
        return max(self.point.risk + self.fit, self.loss)


class Risk:
    """The risk over shards.

    Parameters
    ----------
    shards : Shards
        Weighted tasks, bound to a measure with `most_violated`.
    scale : Scale, optional
    """

    def __init__(self, shards: Shards, scale: Scale | None = None) -> None:
        self.shards, self.scale = shards, scale or Scale()
        self.n_weights = shards.n_features + self.scale.intercept

    @cached_property
    def origin(self) -> Point:
        """The point w = 0."""
        zero = Position(np.zeros(self.n_weights))
        return self.probe(zero, zero.w, 1.0, None)

    @property
    def at_0(self) -> float:
        """R at w = 0."""
        return self.origin.risk

    @cached_property
    def slope_at_0(self) -> float:
        """Norm of the plane at w = 0, without components that are rounding errors."""
        plane, without_signs = self.shards.total(_plane_at_0, self.scale)
        return norm(np.where(np.abs(plane) > 1e-12 * without_signs, plane, 0.0))

    def probe(self, start: Position, target: Floats, t: float, kept: float | None) -> Point:
        """The point at the fraction t of the way from a position to a target.

        Parameters
        ----------
        kept : float or None
            Fraction t of an earlier point on this line whose output may still be needed.
        """
        loss, fit, slope = self._total(_probe, start, target, t, kept)
        return Point(start.towards(target, t), loss, max(loss - fit, 0.0), -slope)

    def ramp(self, w: Floats) -> Ramp:
        """The ramp at some weights."""
        position = Position(w, ((w, 1.0),))
        loss, fit, plane, fit_by_score, loss_by_score = self._total(_ramp, position)
        return Ramp(Point(position, loss, max(loss - fit, 0.0), 0.0), plane, fit_by_score, loss_by_score)

    def along(self, position: Position, factor: float) -> float:
        """Risk at a multiple of a position."""
        loss, fit = self._total(_along, position, factor)
        return max(loss - fit, 0.0)

    def plane(self, point: Point, best: Point) -> Floats:
        """The plane a of a point's output: the risk lies above its loss less a^T w.

        It ends the search along a line, and the next one starts from the best point.
        """
        return self._total(_plane, point.position, best.position.brief())

    def _total(self, step: Callable[..., Any], position: Position, *args: Any) -> Any:
        """Sum of a step at a position; the whole trail is sent only if a shard has lost the scores there."""
        found = self.shards.each(_unless_lost, step, self.scale, position.brief(), args)
        if any(part is None for part in found):
            found = self.shards.each(_unless_lost, step, self.scale, position, args)
        return sum_of_parts(found)


class _Line:
    """Cache of a shard for the line being searched: scores at both ends, and outputs found on it."""

    def __init__(self, task: Task, scale: Scale, start: Position, target: Floats) -> None:
        self.scale, self.start, self.target = scale, start, target
        self.at_start = _scores_at(task, scale, start)
        self.at_target = _scores(task, scale, target)
        self.outputs: dict[float, Floats] = {}

    def matches(self, scale: Scale, start: Position, target: Floats) -> bool:
        return scale == self.scale and _same(self.start.w, start.w) and _same(self.target, target)

    def fraction_at(self, scale: Scale, position: Position) -> float | None:
        """Fraction of the line at which a position is; None if it is not on the line."""
        target, t = position.trail[-1] if position.trail else (position.w, 1.0)
        if self.matches(scale, self.start, target) and _same(self.start.towards(target, t).w, position.w):
            return t
        return 0.0 if self.matches(scale, position, self.target) else None

    def scores(self, t: float) -> Floats:
        return (
            self.at_target if t == 1 else self.at_start if t == 0 else kernels.interpolate(self.at_start, self.at_target, t)
        )

    def sums(self, coefficients: Floats, t: float) -> tuple[float, float]:
        """c^T s and c^T (s' - s), for the scores s at a fraction t of the line, and s and s' at its ends."""
        at_start, at_target = kernels.products(coefficients, self.at_start, self.at_target)
        return at_start + t * (at_target - at_start), at_target - at_start


class _ScoresLostError(Exception):
    """A shard has no scores at a position, and only a part of its trail."""


def _unless_lost(task: Task, step: Callable[..., Any], scale: Scale, position: Position, args: tuple[Any, ...]) -> Any:
    """Result of a step at a position; None if the step needs the whole trail."""
    try:
        return step(task, scale, position, *args)
    except _ScoresLostError:
        return None


def _probe(
    task: Task, scale: Scale, start: Position, target: Floats, t: float, kept: float | None
) -> tuple[float, float, float]:
    """Loss, c^T s and c^T (s' - s): with the coefficients c of the most violated output, at scores s on the way to s'."""
    line = task.memory.get("line")
    if line is None or not line.matches(scale, start, target):
        line = task.memory["line"] = _Line(task, scale, start, target)
        task.memory.pop("scores", None)  # those of the start are on the line, and no others are needed
    coefficients, loss = _most_violated(task, scale, line.scores(t))
    line.outputs = {s: output for s, output in line.outputs.items() if s == kept} | {t: coefficients}
    return loss, *line.sums(coefficients, t)


def _plane(task: Task, scale: Scale, position: Position, best: Position) -> Floats:
    """X^T c, for the most violated output at a position; the scores of the best point on the line are kept."""
    line, coefficients = task.memory.pop("line", None), None
    if line is not None:
        coefficients, at_best = line.outputs.get(line.fraction_at(scale, position)), line.fraction_at(scale, best)
        if at_best is not None:
            task.memory["scores"] = [(best.w, line.scores(at_best))]
    if coefficients is None:
        coefficients, _ = _most_violated(task, scale, _scores_at(task, scale, position))
    return task.operator_with(scale.intercept).rmatvec(coefficients)


def _plane_at_0(task: Task, scale: Scale) -> tuple[Floats, Floats]:
    """X^T c and |X^T |c||, for the most violated output at w = 0."""
    coefficients, _ = _most_violated(task, scale, np.zeros(task.n_documents))
    operator = task.operator_with(scale.intercept)
    return operator.rmatvec(coefficients), np.abs(operator.rmatvec(np.abs(coefficients)))


def _ramp(task: Task, scale: Scale, position: Position) -> tuple[float, float, Floats, float, float]:
    """Loss and c^T s of the most violated output; then X^T c, c^T s and the loss of the ranking by score."""
    scores = _scores_at(task, scale, position)
    task.memory.pop("line", None)
    task.memory["scores"] = [(position.w, scores)]
    violated, loss = _most_violated(task, scale, scores)
    by_score, loss_by_score = _most_violated(task, scale, scores * _dominating_factor(scores))
    plane = task.operator_with(scale.intercept).rmatvec(by_score)
    return loss, float(np.sum(violated * scores)), plane, float(np.sum(by_score * scores)), loss_by_score


def _dominating_factor(scores: Floats) -> float:
    """Factor of the scores beside which losses vanish: the most violated output is then the ranking by score."""
    exponent = int(np.frexp(np.max(np.abs(scores), initial=0.0))[1])
    return float(2.0 ** min(48 - exponent, 1000))


def _along(task: Task, scale: Scale, position: Position, factor: float) -> tuple[float, float]:
    """Loss and c^T s of the most violated output at a multiple of the scores."""
    scores = factor * _scores_at(task, scale, position)
    coefficients, loss = _most_violated(task, scale, scores)
    return loss, float(np.sum(coefficients * scores))


def _most_violated(task: Task, scale: Scale, scores: Floats) -> tuple[Floats, float]:
    """Coefficient of each document and weighted loss of the most violated output."""
    # scale.loss Delta - scale.psi c s is scale.loss times what the measure maximises at scores of another scale.
    factor = scale.psi / scale.loss
    bound = cast(SupportsMostViolated, task.bound)
    found = bound.most_violated(scores if factor == 1 else scores * factor)
    coefficients = kernels.weight(found.coefficients, task.queries.offsets, task.weights * scale.psi)
    return coefficients, float(np.sum(task.weights * found.losses)) * scale.loss


def _scores_at(task: Task, scale: Scale, position: Position) -> Floats:
    """Scores in query order: cached, or computed by following the trail."""
    for w, scores in task.memory.get("scores", ()):
        if _same(w, position.w):
            return scores  # type: ignore[no-any-return]
    if not position.is_whole:
        raise _ScoresLostError
    scores = np.zeros(task.n_documents)
    for target, t in position.trail:
        there = _scores(task, scale, target)
        scores = kernels.interpolate(scores, there, t) if t < 1 else there
    return scores


def _scores(task: Task, scale: Scale, w: Floats) -> Floats:
    return task.operator_with(scale.intercept).matvec(w) if np.any(w) else np.zeros(task.n_documents)


def _same(a: Floats, b: Floats) -> bool:
    return a is b or np.array_equal(a, b)


def norm(vector: Floats) -> float:
    """Euclidean norm, also if squares would overflow or vanish."""
    size = float(np.max(np.abs(vector), initial=0.0))
    return size * float(np.linalg.norm(vector / size)) if 0 < size < np.inf else size
