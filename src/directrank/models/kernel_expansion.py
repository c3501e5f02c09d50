"""Kernel expansions: the models of SVMs with a Mercer kernel."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, ClassVar, NoReturn

import numpy as np
from scipy import sparse

from ..arrays import Floats
from ..matrix.feature_scaling import FeatureScaling
from ..matrix.kernel_matrix import KernelMatrix
from ..matrix.mercer_kernels import KINDS, Kernel, as_float64
from .base import Model
from .errors import ModelError
from .importances import Importances
from .json_fields import FieldReader, check_sizes, field_of, integer, integers, number, numbers
from .linear import read_classes


def _read_kernel(name: str, content: Any) -> Kernel:
    kind = field_of(content, "kind")
    if kind not in KINDS:
        raise ModelError(f"its kernel must be one of {', '.join(KINDS)}")
    gamma, coef0, constant = (number(part, field_of(content, part)) for part in ("gamma", "coef0", "constant"))
    if not gamma > 0:
        raise ModelError("its kernel's gamma must be above 0")
    return Kernel(kind, gamma, integer("degree", field_of(content, "degree"), 1), coef0, constant)


def _read_rows(name: str, content: Any) -> Any:
    width, data = integer("width", field_of(content, "width"), 1), numbers("data", field_of(content, "data"))
    if "indptr" not in content:
        if data.size % width:
            raise ModelError(f"its rows must have {width} numbers each")
        return data.reshape(-1, width)
    indices, indptr = (integers(part, field_of(content, part)) for part in ("indices", "indptr"))
    fits = indptr.size and indptr[0] == 0 and indptr[-1] == data.size == indices.size and np.all(np.diff(indptr) >= 0)
    if not (fits and np.all((indices >= 0) & (indices < width))):
        raise ModelError("its rows are not a valid CSR matrix: data, indices and indptr do not fit together")
    rows = sparse.csr_array((data, indices, indptr), shape=(indptr.size - 1, width))
    if not rows.has_canonical_format:
        raise ModelError("its rows must have each index once, in ascending order")
    return as_float64(rows)


@dataclass(frozen=True, eq=False)
class KernelExpansion(Model):
    r"""Scores :math:`\sum_i c_i k(x_i, x) + b`; a missing value (NaN) counts 0.

    Attributes
    ----------
    rows : array or CSR matrix
        x_i, the support vectors.
    coefficients : array
        c.
    kernel : Kernel
    intercept : float
        b; irrelevant to a ranking, but not to a classifier's labels.
    classes : list, or None
        Labels of a classifier: for scores up to 0 and above 0.
    """

    kind: ClassVar[str] = "kernel expansion"
    readers: ClassVar[dict[str, FieldReader]] = {
        "rows": _read_rows,
        "kernel": _read_kernel,
        "intercept": number,
        "classes": read_classes,
    }
    allows_missing: ClassVar[bool] = True

    rows: Any
    coefficients: Floats
    kernel: Kernel
    intercept: float = 0.0
    classes: list[Any] | None = None

    @property
    def n_features(self) -> int:
        return int(self.rows.shape[1])

    def scores(self, X: Any) -> Floats:
        if self.coefficients.size == 0:  # callables, such as scikit-learn's kernels, need not accept empty input
            return np.full(X.shape[0], self.intercept)
        X = FeatureScaling.identity(self.n_features).apply(X)
        return KernelMatrix(self.kernel, X, self.rows, limit=0).times(self.coefficients) + self.intercept

    @property
    def parameters(self) -> Floats:
        return self.coefficients

    def _derivatives(self, X: Any) -> Floats:
        X = FeatureScaling.identity(self.n_features).apply(X)
        return self.kernel(X, self.rows) if self.coefficients.size else np.empty((X.shape[0], 0))

    def importances(self) -> Importances:
        """Empty: a kernel's score is not a sum of features' contributions."""
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

    def _field_to_json(self, value: Any) -> Any:
        if isinstance(value, Kernel):
            return asdict(value)
        if sparse.issparse(value):
            parts = {"data": value.data, "indices": value.indices, "indptr": value.indptr}
            return {"width": value.shape[1], **{name: part.tolist() for name, part in parts.items()}}
        if isinstance(value, np.ndarray) and value.ndim == 2:
            return {"width": value.shape[1], "data": value.ravel().tolist()}
        return super()._field_to_json(value)
