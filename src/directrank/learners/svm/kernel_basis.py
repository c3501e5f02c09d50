r"""The part of a kernel's feature space that the planes of a cutting-plane method span.

A plane is :math:`\sum_i c_i \phi(x_i)`: a combination of rows, whatever the space they are in. Of the space only products
are known, :math:`K_{ij} = \phi(x_i)^T \phi(x_j)`; they are enough to make an orthonormal basis of the planes found so far,
and every weight vector that the method sees is in their span. With coordinates in that basis in place of weights, the
method goes on as in the space of the features.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...arrays import Floats
from ...data import InputError
from ...matrix.kernel_matrix import KernelMatrix
from ...matrix.linear_operator import LinearOperator, MatrixOperator
from ...matrix.mercer_kernels import Kernel

#: A square below this share of the largest that it could be is what rounding left of 0; one so far below 0 is not.
ROUNDING, NEGATIVE = 1e-12, -1e-9

#: What a plane has outside of the span is left out if its square is below this share of what that of the plane could be. To
#: the optimum of the planes this makes a difference of the same order.
NEGLIGIBLE = 1e-20


class KernelBasis:
    r"""An orthonormal basis that grows with the planes.

    Basis vector j is :math:`\sum_i B_{ji} \phi(x_i)`, and :math:`S = B K` has its products with the rows. A vector of
    coordinates w then scores the rows by :math:`S^T w` and is the expansion :math:`B^T w` over them.

    Parameters
    ----------
    kernel : Kernel
    rows : array or CSR matrix
        The training rows, as `as_float64` gives them.
    """

    def __init__(self, kernel: Kernel, rows: Any) -> None:
        self.kernel, self.rows, self.n_rows = kernel, rows, int(rows.shape[0])
        self._sizes = np.sqrt(kernel.diagonal(rows))
        self._matrix = KernelMatrix(kernel, rows, rows)
        self._expansions, self._images, self._n = np.empty((8, self.n_rows)), np.empty((8, self.n_rows)), 0

    def matvec(self, w: Floats) -> Floats:
        """Those of the training rows."""
        return MatrixOperator(self._images[: self._n]).rmatvec(w[: self._n])

    def expansion(self, w: Floats) -> Floats:
        """The coefficient of each training row in a vector of these coordinates."""
        return MatrixOperator(self._expansions[: self._n]).rmatvec(w[: self._n])

    def coordinates(self, coefficients: Floats) -> Floats:
        """Those of a combination of rows. What it has outside of the span, if anything, becomes the next basis vector."""
        along, rest, of_all = np.zeros(self.n_rows), coefficients, self._largest(coefficients)
        if not of_all < np.inf:
            raise InputError(
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
        if square > max(ROUNDING * largest, NEGLIGIBLE * of_all) and self._n < self.n_rows:
            along[self._n] = np.sqrt(square)
            self._add(rest / along[self._n], image / along[self._n])
        return along

    def _largest(self, coefficients: Floats) -> float:
        """What the square of a combination of rows is at most."""
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
    """Some of the rows that a basis is made of, in its coordinates.

    Parameters
    ----------
    basis : KernelBasis
    start, stop : int
        Which of them.
    """

    def __init__(self, basis: KernelBasis, start: int, stop: int) -> None:
        self.basis, self.start, self.stop = basis, start, stop
        self.n_weights = basis.n_rows  # no basis is larger
        self.shape = (stop - start, self.n_weights)

    def matvec(self, w: Floats) -> Floats:
        return self.basis.matvec(w)[self.start : self.stop]

    def rmatvec(self, coefficients: Floats) -> Floats:
        of_all = np.zeros(self.basis.n_rows)
        of_all[self.start : self.stop] = coefficients
        return self.basis.coordinates(of_all)


class OtherRows(LinearOperator):
    """MatrixOperator that have no part in a basis, but are scored in its coordinates.

    Parameters
    ----------
    basis : KernelBasis
    X : array or CSR matrix
        As `as_float64` gives it.
    """

    def __init__(self, basis: KernelBasis, X: Any) -> None:
        self.basis = basis
        self.n_weights = basis.n_rows
        self.shape = (X.shape[0], self.n_weights)
        self._matrix = KernelMatrix(basis.kernel, X, basis.rows)

    def matvec(self, w: Floats) -> Floats:
        return self._matrix.times(self.basis.expansion(w))

    def rmatvec(self, coefficients: Floats) -> Floats:
        raise TypeError("rows that are only scored make no planes")
