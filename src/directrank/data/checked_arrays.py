"""Validation of arrays that users pass: features, grades, scores, queries and documents."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NoReturn

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from ..arrays import Floats
from ..core import csr
from .errors import InputError
from .frames import as_matrix, is_frame
from .strings import STRING, is_text

#: Dense float32 or float64, or CSR of either.
Features = Any


def as_features(X: ArrayLike | sparse.sparray | sparse.spmatrix) -> Features:
    """Features as C-contiguous float32 or float64, or canonical CSR, checked: not empty, nothing infinite."""
    if sparse.issparse(X):
        X = sparse.csr_array(X)
        X = X if X.dtype in (np.float32, np.float64) else X.astype(np.float64)
        _check_dimensions(X)
        X = as_csr(X)
        values = X.data
    else:
        X = as_matrix(X) if is_frame(X) else X if isinstance(X, np.memmap) else _array(X, "X")
        if X.dtype not in (np.float32, np.float64):
            X = _converted(X, np.float64, "X")
        X = values = X if X.flags.c_contiguous and X.flags.aligned else np.require(X, requirements=["C", "ALIGNED"])
        _check_dimensions(X)
    if X.shape[0] == 0:
        raise InputError("the data is empty: X has no rows")
    if X.shape[1] == 0:
        raise InputError("X has no features")
    if not _all(np.isfinite, values) and _any(np.isinf, values):
        raise InputError("X has infinite values; replace them, or use NaN for missing values")
    return X


def as_csr(X: sparse.csr_array | sparse.csr_matrix) -> sparse.csr_array:
    """A canonical CSR matrix for kernels, which rely on its indices; the argument is not changed."""
    X = sparse.csr_array(X)
    X.data, X.indices, X.indptr = _csr_arrays(X)
    if not check_csr(X):
        X = X.copy()
        X.sum_duplicates()
    return X


def check_csr(X: sparse.csr_array) -> bool:
    """Whether the indices of each row of X are strictly ascending.

    Raises
    ------
    InputError
        If X is not a valid CSR matrix.
    """
    try:
        return csr.check(X.indices, X.indptr, X.shape[1])  # type: ignore[no-any-return]
    except ValueError as error:
        raise InputError(f"X is not a CSR matrix: it has {error}") from error


def as_grades(y: ArrayLike, n_rows: int | None = None) -> Floats:
    """Grades as float64, checked: one per row, none missing, none negative."""
    grades = _column(_numbers(y, "y"), "y", n_rows)
    if grades.min(initial=0) >= 0 and grades.max(initial=0) < np.inf:  # false if there is a NaN
        return grades
    row = int(np.argmin((grades >= 0) & (grades < np.inf)))
    what = "grades must not be negative" if grades[row] < 0 else "every document needs a finite grade"
    raise InputError(f"y is {grades[row]:g} in row {row}; {what}")


def as_scores(scores: ArrayLike, n_rows: int, name: str = "scores") -> Floats:
    """Scores as float64, checked: one per row, none NaN."""
    values = _column(_numbers(scores, name), name, n_rows)
    if np.isnan(values.min(initial=0)):
        raise InputError(f"{name} is NaN in row {int(np.argmax(np.isnan(values)))}; every document needs a number")
    return values


def as_qid(qid: ArrayLike, n_rows: int) -> NDArray[Any]:
    """Query ids as int64 or variable-width strings, one per row."""
    values = _ids(qid, "qid", n_rows)
    if values.dtype.kind == "O" and all(isinstance(v, (int, np.integer)) for v in values):
        values = _array(values.tolist(), "qid")
    if values.dtype.kind in "iu":
        if values.dtype == np.uint64 and values.max(initial=0) > np.iinfo(np.int64).max:
            raise InputError("qid has integers of 2^63 or more; pass them as strings")
        return values.astype(np.int64, copy=False)
    if values.dtype.kind == "f":
        if np.isnan(values).any():
            _raise_missing("nan", int(np.argmax(np.isnan(values))), "qid")
        if not np.all((values == np.floor(values)) & (np.abs(values) < 2**53)):
            raise InputError("qid must be integers or strings, but has fractions or integers too large for a float")
        return values.astype(np.int64)
    return _as_strings(values, "qid", "integers or strings")


def as_docno(docno: ArrayLike, n_rows: int) -> NDArray[Any]:
    """Document names as variable-width strings, one per row."""
    values = _ids(docno, "docno", n_rows)
    return _as_strings(values.astype(STRING) if values.dtype.kind in "iu" else values, "docno", "strings")


def _as_strings(values: NDArray[Any], name: str, wanted: str) -> NDArray[Any]:
    if values.size == 0:
        return np.empty(0, dtype=STRING)
    if values.dtype == STRING:  # astype would copy, because every such array has its own dtype instance
        return values
    texts = values.dtype.kind in "TUS" or (values.dtype.kind == "O" and all(isinstance(v, str) for v in values))
    if not texts:
        raise InputError(f"{name} must be {wanted}, not {values.dtype}")
    if values.dtype.kind == "S":
        try:
            return np.array([v.decode() for v in values.tolist()], dtype=STRING)
        except UnicodeDecodeError as error:
            raise InputError(f"{name} has bytes that are not UTF-8 text: {error}") from error
    try:
        return values.astype(STRING, copy=False)
    except (UnicodeEncodeError, TypeError) as error:
        row = next(row for row, value in enumerate(values.tolist()) if not is_text(value))
        raise InputError(f"{name} has half of a surrogate pair in row {row}, which cannot be written as text") from error


def _check_dimensions(X: Any) -> None:
    if X.ndim != 2:
        raise InputError(f"X has {X.ndim} dimension(s); it must be a 2-dimensional array, rows x features")


def _csr_arrays(X: sparse.csr_array) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    """Arrays of X with types and layout for kernels, copied only if necessary."""
    kind = np.int32 if X.indices.dtype == X.indptr.dtype == np.int32 else np.int64
    indices, indptr = (np.require(part, kind, ["C", "ALIGNED"]) for part in (X.indices, X.indptr))
    return np.require(X.data, requirements=["C", "ALIGNED"]), indices, indptr


def _ids(ids: ArrayLike, name: str, n_rows: int) -> NDArray[Any]:
    """Ids as an array, one per row, checked for missing values before NumPy converts them to "nan" or "None"."""
    if isinstance(ids, np.ma.MaskedArray) and np.ma.getmaskarray(ids).any():
        _raise_missing("masked", int(np.argmax(np.ma.getmaskarray(ids))), name)
    kinds = set(map(type, ids)) if isinstance(ids, (list, tuple)) else set()
    if kinds - {str, int}:
        _check_no_missing(ids, name)  # type: ignore[arg-type]
    # As an array of objects: in one of fixed width, a text would lose the NUL characters at its end.
    values = _column(np.array(ids, object) if kinds and kinds <= {str, np.str_} else _array(ids, name), name, n_rows)
    if values.dtype.kind == "O" or hasattr(values.dtype, "na_object"):
        _check_no_missing(values.tolist(), name)
    return values


def _check_no_missing(values: Sequence[Any], name: str) -> None:
    for row, value in enumerate(values):
        if _is_missing(value):
            _raise_missing(str(value), row, name)


def _raise_missing(value: str, row: int, name: str) -> NoReturn:
    raise InputError(f"{name} is {value} in row {row}; every row needs one: fill it in or remove the row")


def _is_missing(value: Any) -> bool:
    """Whether a value is None, NaN, or pandas' NA, whose comparisons raise."""
    try:
        return value is None or bool(value != value)
    except (TypeError, ValueError):
        return type(value).__name__ == "NAType"


def _column(values: NDArray[Any], name: str, n_rows: int | None) -> NDArray[Any]:
    """Values of one dimension, one per row, contiguous."""
    if values.ndim != 1:
        raise InputError(f"{name} has {values.ndim} dimension(s); it must have one value per row")
    if n_rows is None and values.size == 0:
        raise InputError(f"the data is empty: {name} has no rows")
    if n_rows is not None and values.size != n_rows:
        raise InputError(f"{name} has {values.size} rows; expected {n_rows}")
    return np.ascontiguousarray(values)


def _array(values: Any, name: str) -> NDArray[Any]:
    try:
        return np.asarray(values)
    except ValueError as error:  # nested lists of different lengths
        raise InputError(f"{name} is not an array: {error}") from error


def _numbers(values: Any, name: str) -> Floats:
    """Numbers as float64, checked for missing values such as pandas' NA."""
    given = _array(values, name)
    if given.dtype.kind == "O" and given.ndim == 1:
        _check_no_missing(given.tolist(), name)
    return _converted(given, np.float64, name)


def _converted(values: NDArray[Any], dtype: type, name: str) -> NDArray[Any]:
    if values.dtype.kind in "cmM":
        raise InputError(f"{name} must hold numbers, not {values.dtype}")
    try:
        return values.astype(dtype, copy=False)
    except (TypeError, ValueError) as error:
        raise InputError(f"{name} must hold numbers: {error}") from error


def _all(test: Any, values: NDArray[Any]) -> bool:
    """Whether a test holds for all values, by blocks of rows, since X may be larger than memory."""
    return all(bool(test(block).all()) for block in row_blocks(values))


def _any(test: Any, values: NDArray[Any]) -> bool:
    return any(bool(test(block).any()) for block in row_blocks(values))


def row_blocks(values: NDArray[Any]) -> list[NDArray[Any]]:
    step = max(1, 2**20 // (values.shape[1] if values.ndim == 2 else 1))
    return [values[i : i + step] for i in range(0, values.shape[0], step)]
