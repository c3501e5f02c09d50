"""Planes of the cutting-plane method, at any scale of the features."""

from __future__ import annotations

import numpy as np

from ...arrays import Bools, Floats
from ...core import bundle as kernels
from ..core.validation import check_finite
from .dual import solve_dual
from .risk import norm


class Bundle:
    r"""Planes below the risk, and the multipliers of the last optimum.

    Planes are kept in units u of the order of their own size, so that their squares neither overflow nor vanish: with planes
    a/u, the weights are u w and C is u^2 C. A feature whose size, times the root of C, is above `LARGEST` would leave no
    digits to the others: it gets a larger unit, so its weight is taken to cost more than it does. The dual stays a lower
    bound of the problem as given, so that what this costs shows in the gap.

    Attributes
    ----------
    centre : array
        Weights without cost: the problem is |w - centre|^2/2 + C R(w). The planes do not depend on it.
    value : float
        Optimum of the problem that was solved; it differs from the dual only with such features.
    longest_plane, largest_loss : float
        Largest values over all planes that were added.
    """

    MAX_IDLE = 30  #: Number of optima in a row without a part of a plane, after which it is dropped.
    LARGEST = 1e10
    MIN_C = 1e-200  #: A smaller C, in these units, leads to the same objective in doubles.

    def __init__(self, n_weights: int) -> None:
        self.new: list[Floats] = []  # planes not yet in units
        self.sizes = np.zeros(n_weights)
        self.unit, self.units, self.excess = 1.0, np.ones(n_weights), np.ones(n_weights)
        self.value = 0.0
        self.longest_plane, self.largest_loss = 0.0, 0.0
        self.planes = Span(n_weights)
        self.centre = np.zeros(n_weights)
        self.losses = np.zeros(0)
        self.at_centre = np.zeros(0)  # each plane's product with the centre
        self.alpha = np.zeros(0)
        self.idle = np.zeros(0, np.int64)

    def add(self, plane: Floats, loss: float) -> None:
        with np.errstate(over="ignore", invalid="ignore"):
            at_centre = float(np.sum(plane * self.centre))
        check_finite(plane, at_centre)
        self.new.append(plane)
        self.longest_plane, self.largest_loss = max(self.longest_plane, norm(plane)), max(self.largest_loss, loss)
        self.sizes = np.maximum(self.sizes, np.abs(plane))
        self.losses = np.append(self.losses, loss)
        self.at_centre = np.append(self.at_centre, at_centre)
        self.alpha = np.append(self.alpha, 0.0)
        self.idle = np.append(self.idle, 0)

    def moved(self, centre: Floats) -> Bundle:
        """The bundle itself, with another centre."""
        with np.errstate(over="ignore", invalid="ignore"):
            in_units = centre * self.units
            products = [np.sum(plane * in_units) for plane in self.planes.vectors]
            self.centre, self.at_centre = centre, np.array(products + [np.sum(plane * centre) for plane in self.new])
        check_finite(centre, self.at_centre)
        return self

    @property
    def offsets(self) -> Floats:
        """Values of the planes at the centre."""
        return self.losses - self.at_centre

    def optimise(self, C: float) -> tuple[Floats, float]:
        """Best weights for these planes, and the dual value, a lower bound of the objective."""
        self._add_new(C)
        total = max(C * self.unit * self.unit, self.MIN_C)
        # Where C is very small, multipliers are C times those of the planes with the largest offsets.
        solved = max(total, 1e-8)
        start = self.alpha * min(solved / max(self.alpha.sum(), solved), 1.0)
        self.alpha, coordinates = solve_dual(self.planes.coordinates, self.offsets, solved, start)
        w = self.centre + self.planes.vector(coordinates) * (total / solved) / self.units
        dual = C * self._dual(self.alpha / solved, total)
        self.idle = np.where(self.alpha > 0, 0, self.idle + 1)
        if np.any(self.idle > self.MAX_IDLE):
            self._keep(self.idle <= self.MAX_IDLE)
        return w, dual

    def _dual(self, beta: Floats, total: float) -> float:
        """Lower bound of the objective over C, from multipliers that add up to at most 1."""
        gain, combined = max(float(np.sum(beta * self.offsets)), 0.0), self.planes.rmatvec(beta)
        self.value = gain - 0.5 * total * float(np.sum(combined**2))
        with np.errstate(over="ignore"):
            cost = total * float(np.sum((combined * self.excess) ** 2))
        return gain - 0.5 * cost if cost <= gain else 0.5 * gain * (gain / cost)

    def _add_new(self, C: float) -> None:
        """Adapt the units to the sizes of the planes, and add the new planes."""
        excess = np.maximum(self.sizes / self.LARGEST * np.sqrt(C), 1.0)
        unit = np.max(self.sizes / excess, initial=0.0) or 1.0
        unit, excess = 2.0 ** np.floor(np.log2(unit)), 2.0 ** np.floor(np.log2(excess))
        if np.any(np.abs(np.log2(unit * excess / self.units)) > 4):
            planes = [plane * (self.units / (unit * excess)) for plane in self.planes.vectors]
            self.unit, self.units, self.excess = float(unit), unit * excess, excess
            self.planes = Span.from_vectors(planes, self.units.size)
        for plane in self.new:
            self.planes.add(plane / self.units)
        self.new.clear()

    def _keep(self, which: Bools) -> None:
        self.planes.keep(which)
        self.losses, self.at_centre = self.losses[which], self.at_centre[which]
        self.alpha, self.idle = self.alpha[which], self.idle[which]


class Span:
    """Vectors and their coordinates in an orthonormal basis that grows with them; short where vectors are long."""

    def __init__(self, length: int) -> None:
        self.vectors: list[Floats] = []
        self.coordinates = np.zeros((0, 0))
        self._basis, self._size = np.empty((8, length)), 0

    @classmethod
    def from_vectors(cls, vectors: list[Floats], length: int) -> Span:
        span = cls(length)
        for vector in vectors:
            span.add(vector)
        return span

    @property
    def basis(self) -> Floats:
        return self._basis[: self._size]

    def add(self, vector: Floats) -> None:
        self.vectors.append(vector)
        rest = vector.copy()
        along = kernels.orthogonalise(rest, self.basis)
        size = np.sqrt(np.sum(rest**2))
        if size > 1e-15 * np.sqrt(np.sum(vector**2)):
            if self._size == len(self._basis):
                self._basis = np.concatenate((self._basis, np.empty((32, vector.size))))
            self._basis[self._size] = rest / size
            self._size += 1
            self.coordinates = np.pad(self.coordinates, ((0, 0), (0, 1)))
            along = np.append(along, size)
        self.coordinates = np.vstack((self.coordinates, along))

    def vector(self, coordinates: Floats) -> Floats:
        """The vector of these coordinates."""
        total = np.zeros(self._basis.shape[1])
        for weight, vector in zip(coordinates, self.basis, strict=True):
            kernels.add_multiple(total, weight, vector)
        return total

    def rmatvec(self, weights: Floats) -> Floats:
        """Weighted sum of the vectors."""
        total = np.zeros(self._basis.shape[1])
        for i in np.flatnonzero(weights):
            kernels.add_multiple(total, weights[i], self.vectors[i])
        return total

    def keep(self, which: Bools) -> None:
        self.vectors = [self.vectors[i] for i in np.flatnonzero(which)]
        self.coordinates = self.coordinates[which]
        if self._size > 2 * len(self.vectors):
            anew = Span.from_vectors(self.vectors, self._basis.shape[1])
            self._basis, self._size, self.coordinates = anew._basis, anew._size, anew.coordinates
