"""Models of kernels."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, ClassVar, NoReturn

import numpy as np
from scipy import sparse

from ..arrays import Floats
from ..matrix.kernel_matrix import KernelMatrix
from ..matrix.kernels import KINDS, Kernel, doubles
from .base import Model
from .checks import ModelError, check_sizes, field_of, integer, number, numbers
from .importances import Importances
from .linear import checked_classes


@dataclass(frozen=True, eq=False)
class KernelExpansion(Model):
    r"""Scores :math:`\sum_i c_i k(x_i, x) + b`.

    Attributes
    ----------
    rows : array or CSR matrix
        x_i, the training rows that have a part in it.
    coefficients : array
        c.
    kernel : Kernel
    intercept : float
        b; it changes no ranking, but a classifier's labels.
    classes : list, or None
        Of a classifier: those of scores up to 0 and above 0.
    """

    kind: ClassVar[str] = "kernel expansion"

    rows: Any
    coefficients: Floats
    kernel: Kernel
    intercept: float = 0.0
    classes: list[Any] | None = None

    @property
    def n_features(self) -> int:
        return int(self.rows.shape[1])

    def scores(self, X: Any) -> Floats:
        if self.coefficients.size == 0:  # kernels of one's own, such as scikit-learn's, need not take a set of no rows
            return np.full(X.shape[0], self.intercept)
        return KernelMatrix(self.kernel, X, self.rows, limit=0).times(self.coefficients) + self.intercept

    @property
    def parameters(self) -> Floats:
        return self.coefficients

    def _derivatives(self, X: Any) -> Floats:
        return self.kernel(X, self.rows) if self.coefficients.size else np.empty((X.shape[0], 0))

    def importances(self) -> Importances:
        """None: a kernel's score has no share of a single feature."""
        return Importances("none", (), ())

    def portable(self) -> NoReturn:
        raise ModelError(
            f"the model is an expansion of the kernel {self.kernel.name} over {self.coefficients.size:,} training rows, "
            "neither a weighted sum of features nor a sum of trees; train with kernel='linear', or score in Python"
        )

    def to_dict(self) -> dict[str, Any]:
        if callable(self.kernel.kind):
            raise ModelError(
                f"a model with a kernel of one's own, {self.kernel.name}, cannot be saved, for a file holds no functions; "
                f"use one of {', '.join(KINDS)}, or pickle the model"
            )
        return super().to_dict()

    def check(self) -> None:
        check_sizes("row", self.rows.shape[0], coefficients=self.coefficients)
        number("intercept", self.intercept)

    @classmethod
    def _to_json(cls, value: Any) -> Any:
        if isinstance(value, Kernel):
            return asdict(value)
        if sparse.issparse(value):
            parts = {"data": value.data, "indices": value.indices, "indptr": value.indptr}
            return {"width": value.shape[1], **{name: part.tolist() for name, part in parts.items()}}
        if isinstance(value, np.ndarray) and value.ndim == 2:
            return {"width": value.shape[1], "data": value.ravel().tolist()}
        return super()._to_json(value)

    @classmethod
    def _from_json(cls, name: str, value: Any) -> Any:
        readers = {"rows": _rows, "kernel": _kernel, "classes": checked_classes}
        if name in readers:
            return readers[name](value)
        return number(name, value) if name == "intercept" else super()._from_json(name, value)


def _kernel(content: Any) -> Kernel:
    kind = field_of(content, "kind")
    if kind not in KINDS:
        raise ModelError(f"its kernel must be one of {', '.join(KINDS)}")
    gamma, coef0, constant = (number(name, field_of(content, name)) for name in ("gamma", "coef0", "constant"))
    if not gamma > 0:
        raise ModelError("its kernel's gamma must be above 0")
    return Kernel(kind, gamma, integer("degree", field_of(content, "degree"), 1), coef0, constant)


def _rows(content: Any) -> Any:
    width, data = integer("width", field_of(content, "width"), 1), numbers("data", field_of(content, "data"))
    if "indptr" not in content:
        if data.size % width:
            raise ModelError(f"its rows must have {width} numbers each")
        return data.reshape(-1, width)
    indices, indptr = (numbers(name, field_of(content, name), np.int64) for name in ("indices", "indptr"))
    fits = indptr.size and indptr[0] == 0 and indptr[-1] == data.size == indices.size and np.all(np.diff(indptr) >= 0)
    if not (fits and np.all((indices >= 0) & (indices < width))):
        raise ModelError("its rows must be those of a CSR matrix: data, indices and indptr do not fit together")
    rows = sparse.csr_array((data, indices, indptr), shape=(indptr.size - 1, width))
    if not rows.has_canonical_format:
        raise ModelError("its rows must have each index once, in ascending order")
    return doubles(rows)
