"""Validation of arrays that users pass: features, grades, scores, queries and documents."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NoReturn

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from ..arrays import Floats
from ..core import csr
from .errors import InputError, ValueInRowError
from .frames import as_matrix, is_frame
from .strings import STRING, is_text

#: The float64 that the first integer without one is rounded to.
_FIRST_INEXACT = 2**53

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
        X = as_matrix(X) if is_frame(X) else X if isinstance(X, np.memmap) else as_array(X, "X")
        if X.dtype not in (np.float32, np.float64):
            X = _converted(X, np.float64, "X")
        X = values = X if X.flags.c_contiguous and X.flags.aligned else np.require(X, requirements=["C", "ALIGNED"])
        _check_dimensions(X)
    if X.shape[0] == 0:
        raise InputError("the data is empty: X has no rows")
    if X.shape[1] == 0:
        raise InputError("X has no features")
    if not _all(np.isfinite, values) and (place := first_place(X, np.isinf)) is not None:
        where = "column {1}, row {0} (counted from 0)".format(*place)
        advice = "replace it, or use NaN for missing values"
        raise ValueInRowError(f"X has an infinite value in {where}; {advice}", *place, f"an infinite value; {advice}")
    return X


def first_place(X: Features, is_wrong: Callable[[NDArray[Any]], NDArray[np.bool_]]) -> tuple[int, int] | None:
    """Row and column of the first value of X for which a function is true; by blocks of rows, since X may be on disk."""
    start = 0
    for block in row_blocks(X.data if sparse.issparse(X) else np.asarray(X)):
        wrong = is_wrong(block)
        if wrong.any():
            place = int(np.argmax(wrong))
            break
        start += len(block)
    else:
        return None
    if not sparse.issparse(X):
        return start + place // X.shape[1], place % X.shape[1]
    entry = start + place
    return int(np.searchsorted(X.indptr, entry, side="right")) - 1, int(X.indices[entry])


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
    grades = as_gains(y, n_rows)
    if not grades.min(initial=0) < 0:
        return grades
    row = int(np.argmax(grades < 0))
    raise _wrong_grade(grades, row, "grades must not be negative")


def as_gains(y: ArrayLike, n_rows: int | None = None) -> Floats:
    """Grades, or gains estimated from clicks, as float64, checked: one per row, none missing or infinite."""
    gains = _column(_numbers(y, "y"), "y", n_rows)
    if -np.inf < gains.min(initial=0) and gains.max(initial=0) < np.inf:  # false if there is a NaN
        return gains
    raise _wrong_grade(gains, int(np.argmin(np.isfinite(gains))), "every document needs a finite grade")


def _wrong_grade(grades: Floats, row: int, what: str) -> ValueInRowError:
    return ValueInRowError(f"y is {grades[row]:g} in row {row}; {what}", row, -1, f"{grades[row]:g}; {what}")


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
        values = as_array(values.tolist(), "qid")
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
    values = _column(np.array(ids, object) if kinds and kinds <= {str, np.str_} else as_array(ids, name), name, n_rows)
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


def as_array(values: Any, name: str) -> NDArray[Any]:
    """An array from nested lists or another container; lists of different lengths are an error."""
    try:
        return np.asarray(values)
    except ValueError as error:
        raise InputError(f"{name} is not an array: {error}") from error


def _numbers(values: Any, name: str) -> Floats:
    """Numbers as float64, checked for missing values such as pandas' NA."""
    given = as_array(values, name)
    if given.dtype.kind == "O" and given.ndim == 1:
        _check_no_missing(given.tolist(), name)
    numbers = _converted(given, np.float64, name)
    if numbers.ndim == 1 and numbers.dtype != given.dtype:
        _check_distinct(given, numbers, name)
    elif isinstance(values, (list, tuple)) and numbers.ndim == 1 and np.abs(numbers).max(initial=0) >= _FIRST_INEXACT:
        _check_distinct(np.array(values, object), numbers, name)  # integers among floats, which NumPy has converted
    return numbers


def _check_distinct(given: NDArray[Any], numbers: Floats, name: str) -> None:
    """Raise an error if numbers that differ are equal as float64, where equal scores are ties and equal grades no pair."""
    if given.dtype.kind in "biu" and np.abs(numbers).max(initial=0) < _FIRST_INEXACT:
        return
    if given.dtype.kind in "UST" or (given.dtype.kind == "f" and given.dtype.itemsize <= numbers.itemsize):
        return  # text is the number that it is read as, whether 1 or 1.0
    if given.dtype.kind == "O":
        exact, first = given.tolist(), dict[float, int]()
        pairs = ((first.setdefault(number, row), row) for row, number in enumerate(numbers.tolist()))
        wrong = next((pair for pair in pairs if _differ(*(exact[row] for row in pair))), None)
    else:
        order = np.argsort(given, kind="stable")
        sorted_, rounded = given[order], numbers[order]
        found = np.flatnonzero((sorted_[1:] != sorted_[:-1]) & (rounded[1:] == rounded[:-1]))
        wrong = (int(order[found[0]]), int(order[found[0] + 1])) if found.size else None
    if wrong is not None:
        where = " and ".join(f"{given[row]!s} in row {row}" for row in sorted(wrong))  # of long double, too
        raise InputError(f"{name} has numbers that differ but are equal in double precision, {where}; pass their ranks")


def _differ(first: Any, second: Any) -> bool:
    """Whether two numbers differ; text is the number that it is read as."""
    return not isinstance(first, str) and not isinstance(second, str) and bool(first != second)


def _converted(values: NDArray[Any], dtype: type, name: str) -> NDArray[Any]:
    if values.dtype.kind in "cmM":
        raise InputError(f"{name} must hold numbers, not {values.dtype}")
    try:
        return values.astype(dtype, copy=False)
    except (TypeError, ValueError, OverflowError) as error:
        raise InputError(f"{name} must hold numbers: {error}") from error


def _all(test: Any, values: NDArray[Any]) -> bool:
    """Whether a test holds for all values, by blocks of rows, since X may be larger than memory."""
    return all(bool(test(block).all()) for block in row_blocks(values))


def row_blocks(values: NDArray[Any]) -> list[NDArray[Any]]:
    step = max(1, 2**20 // (values.shape[1] if values.ndim == 2 else 1))
    return [values[i : i + step] for i in range(0, values.shape[0], step)]
