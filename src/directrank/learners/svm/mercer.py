r"""Feature spaces of a structural SVM: the scaled features themselves, or those of a Mercer kernel.

A plane is :math:`\sum_i c_i \phi(x_i)`: a combination of rows, whatever the space they are in. Of a kernel's space only
products are known, :math:`K_{ij} = \phi(x_i)^T \phi(x_j)`; they are enough to make an orthonormal basis of the planes found
so far, and every weight vector of the cutting-plane method is in their span. With coordinates in that basis in place of
weights, the method goes on as in the space of the features.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import replace
from typing import Any, Protocol

import numpy as np

from ...arrays import Floats
from ...data import InputError
from ...matrix.kernel_matrix import KernelMatrix
from ...matrix.linear_operator import LinearOperator, MatrixOperator
from ...matrix.mercer_kernels import KINDS, Kernel, as_float64, resolve_gamma
from ...matrix.stacking import stacked
from ...models import KernelExpansion, Model
from ..core.scaling import Scaled
from ..core.shards import LocalShards, Shards
from ..core.task import Task
from ..core.validation import TooLargeError, check_int, check_positive, is_number
from ..core.warning import warn

#: Number of rows above which a kernel takes very long.
MANY_ROWS = 20_000

#: Coefficient of a row, relative to the largest, below which it is a rounding error of 0.
NEGLIGIBLE_COEFFICIENT = 1e-12

#: A square below the first share of its upper bound is a rounding error of 0; one below the second is not.
ROUNDING, NEGATIVE = 1e-12, -1e-9

#: Share of a plane's squared norm outside of the span below which it is neglected. The optimum of the planes changes by as
#: much.
NEGLIGIBLE_PART = 1e-20


class KernelSettings(Protocol):
    """Kernel parameters of an SVM, with scikit-learn's names."""

    kernel: str | Callable[[Any, Any], Any]
    gamma: float | str
    degree: int
    coef0: float


class FeatureSpace(ABC):
    """Space of the weights.

    Attributes
    ----------
    training : Shards
        Training queries, whose X is an operator on the weights of this space.
    has_constant : bool
        Whether the last weight is that of a constant feature.
    """

    training: Shards
    has_constant = False

    @abstractmethod
    def held_out(self, validation: Shards) -> Shards:
        """Other queries, whose X is an operator on the weights of this space."""

    @abstractmethod
    def coefficients(self, w: Floats) -> Floats:
        """Weights of the features, or of the training rows, for weights of this space."""

    @abstractmethod
    def model(self, w: Floats, classes: list[Any] | None = None, shift: float = 0.0) -> Model:
        """Model with these weights, and its intercept raised by `shift`."""


class LinearSpace(FeatureSpace):
    """The scaled features themselves.

    Parameters
    ----------
    scaled : Scaled
    has_constant : bool
    """

    def __init__(self, scaled: Scaled, has_constant: bool) -> None:
        self.scaled, self.training, self.has_constant = scaled, scaled.training, has_constant

    def held_out(self, validation: Shards) -> Shards:
        return self.scaled.held_out(validation)

    def coefficients(self, w: Floats) -> Floats:
        return self.scaled.coef(w)

    def model(self, w: Floats, classes: list[Any] | None = None, shift: float = 0.0) -> Model:
        coef, intercept = (w[:-1], float(w[-1])) if self.has_constant else (w, 0.0)
        return self.scaled.model(coef, intercept + shift, classes)


class KernelSpace(FeatureSpace):
    """Feature space of a kernel, in this process: rows of other processes are copied here.

    The meaning of weights depends on the planes that were made before, so the basis must not be lost with a shard.

    Parameters
    ----------
    settings : KernelSettings
    scaled : Scaled
    width : int
        Number of features, including those that are 0 in all rows.
    intercept : bool
        Whether to add a constant feature to those of the kernel.
    """

    def __init__(self, settings: KernelSettings, scaled: Scaled, width: int, intercept: bool) -> None:
        self.scaled = scaled
        tasks = scaled.training.each(_itself)
        rows = as_float64(stacked([documents_in_order(task) for task in tasks]))
        if rows.shape[0] > MANY_ROWS:
            why = f"a kernel's time grows with the square of the number of rows, and there are {rows.shape[0]:,}"
            warn(f"{why}; put scikit-learn's Nystroem before kernel='linear'", UserWarning)
        gamma = 1.0 if callable(settings.kernel) else resolve_gamma(settings.gamma, rows, width)
        kernel = Kernel(settings.kernel, gamma, int(settings.degree), float(settings.coef0), float(intercept))
        self.basis = KernelBasis(kernel, rows)
        stops = np.cumsum([task.n_documents for task in tasks]).tolist()
        parts = [TrainingRows(self.basis, stop - task.n_documents, stop) for task, stop in zip(tasks, stops, strict=True)]
        self.training = LocalShards([_with_operator(task, part) for task, part in zip(tasks, parts, strict=True)])
        self.queries = [task.queries for task in tasks]

    def held_out(self, validation: Shards) -> Shards:
        tasks = self.scaled.held_out(validation).each(_itself)
        operators = [OtherRows(self.basis, as_float64(documents_in_order(task))) for task in tasks]
        return LocalShards([_with_operator(*pair) for pair in zip(tasks, operators, strict=True)])

    def coefficients(self, w: Floats) -> Floats:
        parts = np.split(self.basis.expansion(w), np.cumsum([queries.offsets[-1] for queries in self.queries])[:-1])
        return np.concatenate([own.to_row_order(part) for own, part in zip(self.queries, parts, strict=True)])

    def model(self, w: Floats, classes: list[Any] | None = None, shift: float = 0.0) -> Model:
        coefficients, kernel = self.basis.expansion(w), self.basis.kernel
        used = np.abs(coefficients) > NEGLIGIBLE_COEFFICIENT * np.max(np.abs(coefficients), initial=0.0)
        intercept = kernel.constant * float(np.sum(coefficients[used])) + shift
        without = replace(kernel, constant=0.0)
        expansion = KernelExpansion(self.basis.rows[used], coefficients[used], without, intercept, classes)
        return self.scaled.model_of_scaled(expansion)


def feature_space(settings: KernelSettings, scaled: Scaled, width: int, *, intercept: bool = False) -> FeatureSpace:
    """Feature space of an SVM."""
    if settings.kernel == "linear":
        return LinearSpace(scaled, intercept)
    return KernelSpace(settings, scaled, width, intercept)


def check_kernel(settings: KernelSettings) -> None:
    """Raise an `InputError` for kernel parameters that make no sense."""
    if not (callable(settings.kernel) or settings.kernel in KINDS):
        named = ", ".join(map(repr, KINDS))
        raise InputError(f"kernel must be {named} or a function of two sets of rows, not {settings.kernel!r}")
    if not (isinstance(settings.gamma, str) and settings.gamma in ("scale", "auto")):
        check_positive(settings.gamma, "gamma", "a number above 0, 'scale' or 'auto'")
    check_int(settings.degree, "degree")
    if not (is_number(settings.coef0) and np.isfinite(settings.coef0)):
        raise InputError(f"coef0 must be a finite number, not {settings.coef0!r}")


def _itself(task: Task) -> Task:
    return task


def documents_in_order(task: Task) -> Any:
    """A copy of X in query order."""
    return task.X[task.queries.order]


def _with_operator(task: Task, operator: LinearOperator) -> Task:
    """Task with an operator on its documents in query order."""
    return replace(task, X=operator, queries=replace(task.queries, permutation=None), memory={})


class KernelBasis:
    r"""Orthonormal basis of the planes, which grows with them.

    Basis vector j is :math:`\sum_i B_{ji} \phi(x_i)`, and :math:`S = B K` has its products with the rows. A vector of
    coordinates w then scores the rows by :math:`S^T w` and is the expansion :math:`B^T w` over them.

    Parameters
    ----------
    kernel : Kernel
    rows : array or CSR matrix
        Training rows, as `as_float64` gives them.
    """

    def __init__(self, kernel: Kernel, rows: Any) -> None:
        self.kernel, self.rows, self.n_rows = kernel, rows, int(rows.shape[0])
        self._sizes = np.sqrt(kernel.diagonal(rows))
        self._matrix = KernelMatrix(kernel, rows, rows)
        self._expansions, self._images, self._n = np.empty((8, self.n_rows)), np.empty((8, self.n_rows)), 0

    def matvec(self, w: Floats) -> Floats:
        """Scores of the training rows for a vector of coordinates."""
        return MatrixOperator(self._images[: self._n]).rmatvec(w[: self._n])

    def expansion(self, w: Floats) -> Floats:
        """Coefficient of each training row for a vector of coordinates."""
        return MatrixOperator(self._expansions[: self._n]).rmatvec(w[: self._n])

    def coordinates(self, coefficients: Floats) -> Floats:
        """Coordinates of a combination of rows; its part outside of the span, if any, becomes the next basis vector."""
        along, rest, total = np.zeros(self.n_rows), coefficients, self._largest(coefficients)
        if not total < np.inf:
            raise TooLargeError(
                f"the kernel {self.kernel.name} is too large to be summed in double precision; scale the features"
            )
        expansions, images = MatrixOperator(self._expansions[: self._n]), MatrixOperator(self._images[: self._n])
        for _ in range(2):  # once more for what rounding left
            part = images.matvec(rest)
            along[: self._n] += part
            rest = rest - expansions.rmatvec(part)
        image = self._matrix.times(rest)
        square, largest = float(np.sum(rest * image)), self._largest(rest)
        if square < NEGATIVE * largest:
            self.kernel.raise_indefinite()
        if square > max(ROUNDING * largest, NEGLIGIBLE_PART * total) and self._n < self.n_rows:
            along[self._n] = np.sqrt(square)
            self._add(rest / along[self._n], image / along[self._n])
        return along

    def _largest(self, coefficients: Floats) -> float:
        """Upper bound of the squared norm of a combination of rows."""
        with np.errstate(over="ignore"):
            return float(np.sum(np.abs(coefficients) * self._sizes) ** 2)

    def _add(self, expansion: Floats, image: Floats) -> None:
        if self._n == len(self._images):
            more = np.empty((min(2 * self._n, self.n_rows) - self._n, self.n_rows))
            self._expansions = np.concatenate((self._expansions, more))
            self._images = np.concatenate((self._images, more))
        self._expansions[self._n], self._images[self._n] = expansion, image
        self._n += 1


class TrainingRows(LinearOperator):
    """Some of the rows of a basis, as an operator on its coordinates.

    Parameters
    ----------
    basis : KernelBasis
    start, stop : int
        Range of the rows.
    """

    def __init__(self, basis: KernelBasis, start: int, stop: int) -> None:
        self.basis, self.start, self.stop = basis, start, stop
        self.n_weights = basis.n_rows  # no basis is larger
        self.shape = (stop - start, self.n_weights)

    def matvec(self, w: Floats) -> Floats:
        return self.basis.matvec(w)[self.start : self.stop]

    def rmatvec(self, coefficients: Floats) -> Floats:
        total = np.zeros(self.basis.n_rows)
        total[self.start : self.stop] = coefficients
        return self.basis.coordinates(total)


class OtherRows(LinearOperator):
    """Rows outside of a basis, as an operator on its coordinates.

    Parameters
    ----------
    basis : KernelBasis
    X : array or CSR matrix
        Rows, as `as_float64` gives them.
    """

    def __init__(self, basis: KernelBasis, X: Any) -> None:
        self.basis = basis
        self.n_weights = basis.n_rows
        self.shape = (X.shape[0], self.n_weights)
        self._matrix = KernelMatrix(basis.kernel, X, basis.rows)

    def matvec(self, w: Floats) -> Floats:
        return self._matrix.times(self.basis.expansion(w))

    def rmatvec(self, coefficients: Floats) -> Floats:
        raise TypeError("rows outside of the basis make no planes")
