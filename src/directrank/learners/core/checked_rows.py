"""Checks of the rows and grades that users hand to an estimator: errors name the column and the row."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.exceptions import DataConversionWarning

from ...data import InputError
from ...data.checked_arrays import as_array, first_place
from ...data.frames import column_at, is_frame
from .warning import warn


def check_form(X: Any) -> None:
    """Raise an error unless X is a matrix of numbers, in any container; columns of a frame have names of their own."""
    if is_frame(X):
        _check_names(X)
        kinds = enumerate(zip(X.columns, X.dtypes, strict=True))
        columns = [(f"column {str(name)!r}", column_at(X, j)) for j, (name, kind) in kinds if str(kind).lower() == "object"]
    elif sparse.issparse(X):
        return
    else:
        X = as_array(X, "X")
        if X.ndim != 2:
            raise InputError(
                f"X has {X.ndim} dimension{'s' * (X.ndim != 1)}, not 2. Reshape your data to rows x features: "
                "X.reshape(1, -1) for one row, X.reshape(-1, 1) for one feature"
            )
        columns = [(f"column {j}", X[:, j]) for j in range(X.shape[1])] if X.dtype.kind in "OUST" else []
    for name, column in columns:
        _check_numbers(np.asarray(column), name)


def check_finite_values(X: Any, names: Any) -> None:
    """Raise an error that names the first infinite value of a checked X; NaN is a missing value.

    Parameters
    ----------
    X : dense array or CSR matrix
    names : sequence of str, optional
    """
    place = first_place(X, np.isinf)
    if place is not None:
        row, column = place
        where = f"column {column if names is None else repr(str(names[column]))}, row {row} (counted from 0)"
        raise InputError(f"X contains an infinite value in {where}; replace it, or use NaN where a value is missing")


def flatten_grades(y: Any, learner: str) -> Any:
    """Grades of one dimension: a single column is flattened, with scikit-learn's warning."""
    if y is None:
        raise InputError(f"{learner} requires y to be passed, but the target y is None; give the grade of each row")
    shape = y.shape if hasattr(y, "shape") else as_array(y, "y").shape
    if len(shape) != 2 or shape[1] != 1:
        return y
    warn(
        "A column-vector y was passed when a 1d array was expected; it was flattened: give y.ravel()", DataConversionWarning
    )
    return np.asarray(y).ravel()


def check_labels(labels: NDArray[Any], n_rows: int) -> None:
    """Raise an error unless each row has a label."""
    if labels.size != n_rows:
        raise InputError(f"y has {labels.size} rows; expected {n_rows}")
    missing = np.array([label is None or label != label for label in labels.tolist()], bool)
    if missing.any():
        raise InputError(f"y is missing (NaN) in row {int(np.argmax(missing))}; every row needs a class")


def _check_names(frame: Any) -> None:
    repeated = [name for name, count in Counter(frame.columns).items() if count > 1]
    if repeated:
        raise InputError(f"X has several columns named {repeated[0]!r}; rename them, or leave all but one out")


def _check_numbers(values: NDArray[Any], column: str) -> None:
    """Raise an error that names the first of several objects that is not a number."""
    for row, value in enumerate(values.tolist()):
        try:
            float(value)
        except (TypeError, ValueError) as error:
            if value is None or type(value).__name__ == "NAType":  # a missing value
                continue
            kind = TypeError if isinstance(error, TypeError) else InputError
            problem = f"X must hold numbers, and {column} has {value!r} in row {row}"
            raise kind(f"{problem}; turn it into numbers or leave it out ({error})") from error
