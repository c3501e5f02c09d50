"""Kernels of matrices, content keys, RankBoost and the papers reject wrong arrays, and accept X in any layout."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import sparse

from directrank import InputError, RankingData
from directrank.core import (
    accuracy_svms,
    bins,
    column_moments,
    columns,
    content_keys,
    coordinate_descent,
    csr,
    feature_scaling,
    linear_operator,
    mercer_kernels,
    rankboost,
    spread,
)
from directrank.matrix.linear_operator import MatrixOperator, arrays_of

random = np.random.default_rng(0)
X = random.standard_normal((8, 5)) * (random.random((8, 5)) < 0.6)
CSR = sparse.csr_array(X)
ARRAYS = CSR.data, CSR.indices, CSR.indptr, 5
W, C = random.standard_normal(5), random.standard_normal(8)
OFFSETS, ORDER = np.array([0, 3, 3, 8]), np.arange(8)
WEIGHTS = np.ones(3)
COLUMNS = np.array([1, 4])
THRESHOLDS, STARTS = np.tile([-0.5, 0.5], 5), np.arange(0, 16, 3)  # two thresholds, so three bins, for each of five features
TABLE = np.zeros((8, 5), np.uint8)
OF_ENTRIES = np.zeros(CSR.nnz, np.uint8)
LEVEL = np.zeros(8, np.int32)

DRAWS, SEEN = (1, 0), (-1.0, 1.0)  # seed and counter; lowest and highest gradient

Call = tuple[Callable[..., Any], tuple[Any, ...]]

KERNELS: dict[str, Call] = {
    "matvec": (linear_operator.matvec, (X, W)),
    "matvec of CSR": (linear_operator.matvec, (*ARRAYS, W)),
    "rmatvec": (linear_operator.rmatvec, (X, ORDER, C, 3)),
    "rmatvec of CSR": (linear_operator.rmatvec, (*ARRAYS, ORDER, C, 3)),
    "check": (csr.check, (CSR.indices, CSR.indptr, 5)),
    "transposed": (columns.transposed, (X, 1, 4, ORDER)),
    "bin": (bins.bin, (X, ORDER, THRESHOLDS, STARTS, TABLE)),
    "bin CSR": (bins.bin, (CSR.data, CSR.indices, THRESHOLDS, STARTS, OF_ENTRIES)),
    "sums": (bins.sums, (TABLE, STARTS, C, 3)),
    "sums of CSR": (bins.sums, (OF_ENTRIES, CSR.indices, CSR.indptr, 5, ORDER, STARTS, C, 3)),
    "suffix_sums": (bins.suffix_sums, (np.zeros(15), STARTS)),
    "deviations": (spread.deviations, (X, ORDER, OFFSETS, WEIGHTS, W, 3)),
    "deviations of CSR": (spread.deviations, (*ARRAYS, ORDER, OFFSETS, WEIGHTS, W, 3)),
    "signed_log": (feature_scaling.signed_log, (W,)),
    "apply": (feature_scaling.apply, (X, COLUMNS, np.ones(5), np.zeros(5), COLUMNS, np.empty((8, 7)))),
    "power_sums": (column_moments.power_sums, (X, ORDER, COLUMNS, True, np.zeros(2), np.ones(2), 42, 3)),
    "products": (mercer_kernels.products, (X, X)),
    "products of CSR": (mercer_kernels.products, (*ARRAYS, *ARRAYS)),
    "distances": (mercer_kernels.distances, (X, X)),
    "distances of CSR": (mercer_kernels.distances, (*ARRAYS, *ARRAYS)),
    "to_rbf": (mercer_kernels.to_rbf, (X.copy(), 1.0)),
    "to_poly": (mercer_kernels.to_poly, (X.copy(), 1.0, 0.0, 3)),
    "row_keys": (content_keys.row_keys, (X,)),
    "row_keys of CSR": (content_keys.row_keys, ARRAYS),
    "order_within": (content_keys.order_within, (np.arange(8, dtype=np.uint64), OFFSETS)),
    "mixed": (content_keys.mixed, (np.zeros(3, np.uint64),)),
    "potentials": (rankboost.potentials, (C, LEVEL, OFFSETS, WEIGHTS)),
    "balanced": (accuracy_svms.balanced, (C, C > 0, 1.0)),
    "descend": (
        coordinate_descent.descend,
        (
            *ARRAYS,
            np.sign(C),
            C**2,
            1.0,
            np.ones(8),
            np.zeros(8),
            np.zeros(5),
            np.zeros(1),
            0.0,
            np.arange(8),
            8,
            1,
            0,
            -1.0,
            1.0,
        ),
    ),
}

#: Arrays that may have another length.
ANY_LENGTH = {
    ("matvec", 0),
    ("row_keys", 0),
    ("mixed", 0),
    ("to_rbf", 0),
    ("to_poly", 0),
    ("signed_log", 0),
    ("apply", 1),
} | {(name, place) for name in ("products", "distances") for place in (0, 1)}


def wrong_arrays(array: np.ndarray, any_length: bool) -> Iterator[np.ndarray]:
    if not any_length:
        yield array[:-1]
    yield array.astype(np.complex128)
    yield array[..., None]
    if array.ndim == 1 and array.size > 1:
        yield np.repeat(array, 2)[::2]


def cases() -> Iterator[tuple[str, int]]:
    for name, (_, arguments) in KERNELS.items():
        yield from ((name, i) for i, argument in enumerate(arguments) if isinstance(argument, np.ndarray))


@pytest.mark.parametrize(("name", "place"), list(cases()))
def test_wrong_arrays_are_rejected(name: str, place: int) -> None:
    kernel, arguments = KERNELS[name]
    kernel(*arguments)
    for wrong in wrong_arrays(arguments[place], (name, place) in ANY_LENGTH):
        with pytest.raises((TypeError, ValueError)):
            kernel(*arguments[:place], wrong, *arguments[place + 1 :])


@pytest.mark.parametrize(
    ("name", "place", "wrong"),
    [
        ("matvec", 0, X[:, :4]),
        ("products", 1, X[:, :4].copy()),
        ("rmatvec", 1, ORDER + 1),
        ("rmatvec", 3, 0),
        ("signed_log", 0, np.array([1.0, np.nan])),
        ("apply", 1, COLUMNS + 1),
        ("apply", 4, COLUMNS - 2),
        ("apply", 5, np.empty((8, 6))),
        ("power_sums", 2, COLUMNS + 1),
        ("power_sums", 6, 43),
        ("power_sums", 6, -1),
        ("power_sums", 7, 0),
        ("rmatvec", 3, 2**60),
        ("matvec of CSR", 2, CSR.indptr[::-1].copy()),
        ("matvec of CSR", 2, CSR.indptr + 1),
        ("rmatvec of CSR", 3, -1),
        ("rmatvec of CSR", 4, ORDER - 1),
        ("matvec of CSR", 3, 4),
        ("products of CSR", 7, 4),
        ("check", 0, np.where(CSR.indices == 4, 5, CSR.indices)),
        ("check", 0, np.where(CSR.indices == 4, -1, CSR.indices)),
        ("check", 1, CSR.indptr[:0]),
        ("check", 2, 4),
        ("transposed", 1, -1),
        ("transposed", 1, 5),
        ("transposed", 2, 6),
        ("transposed", 3, ORDER + 1),
        ("bin", 1, ORDER + 1),
        ("bin", 3, np.array([0, 3, 6, 9, 9, 15])),
        ("bin", 3, STARTS[:0]),
        ("bin CSR", 1, np.where(CSR.indices == 4, 5, CSR.indices)),
        ("bin CSR", 3, STARTS[:0]),
        ("sums", 3, -1),
        ("sums of CSR", 4, ORDER - 1),
        ("order_within", 1, np.array([0, 5, 3, 8])),
        ("deviations", 1, ORDER - 1),
        ("deviations", 2, np.array([0, 5, 3, 8])),
        ("to_poly", 3, -1),
        ("potentials", 1, LEVEL - 1),
        ("potentials", 1, LEVEL + 8),
        ("descend", 12, np.arange(1, 9)),
        ("descend", 13, 9),
    ],
)
def test_wrong_values_are_rejected(name: str, place: int, wrong: Any) -> None:
    kernel, arguments = KERNELS[name]
    with pytest.raises(
        ValueError, match=r"length|offsets|index|at least|columns|bin|parts|negative|multipliers|outside|below"
    ):
        kernel(*arguments[:place], wrong, *arguments[place + 1 :])


def test_nan_and_infinite_scores_end() -> None:
    values = np.array([np.nan, 1.0, -np.inf, np.inf, np.nan])
    for relevant in ([True, False, True, False, False], [False] * 5, [True] * 5):
        assert accuracy_svms.balanced(values, np.array(relevant), 2.0).size == 5
    assert accuracy_svms.balanced(np.empty(0), np.empty(0, bool), 1.0).size == 0
    potentials, losses = rankboost.potentials(values, np.arange(5, dtype=np.int32), np.array([0, 0, 5]), np.ones(2))
    assert potentials.size == 5 and losses[0] == 0


def layouts(X: np.ndarray) -> Iterator[tuple[str, Any]]:
    """The same matrix in other layouts."""
    yield "Fortran", np.asfortranarray(X)
    yield "every other row", np.repeat(X, 2, axis=0)[::2]
    yield "every third column", np.repeat(X, 3, axis=1)[:, ::3]
    yield "backwards", X[::-1].copy()[::-1]
    yield "part of a wider one", np.hstack((X, np.full_like(X, np.nan)))[:, : X.shape[1]]
    yield "read-only", as_read_only(X)


def as_read_only(X: np.ndarray) -> np.ndarray:
    X = X.copy()
    X.flags.writeable = False
    return X


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("shape", [(1, 1), (3, 1), (5, 3), (40, 16), (70, 46), (700, 5), (3, 700), (1000, 130), (0, 4)])
def test_the_layout_of_X_changes_no_bit(shape: tuple[int, int], dtype: type) -> None:
    random = np.random.default_rng(shape)
    X = random.standard_normal(shape).astype(dtype)
    w, c = random.standard_normal(shape[1]), random.standard_normal(shape[0]) * (random.random(shape[0]) < 0.7)
    scores, combined = MatrixOperator(X).matvec(w), MatrixOperator(X).rmatvec(c)
    np.testing.assert_allclose(scores, X.astype(np.float64) @ w, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(combined, X.T.astype(np.float64) @ c, rtol=1e-12, atol=1e-12)
    for name, other in layouts(X):
        assert MatrixOperator(other).matvec(w).tobytes() == scores.tobytes(), name
        assert MatrixOperator(other).rmatvec(c).tobytes() == combined.tobytes(), name
        assert content_keys.row_keys(other).tobytes() == content_keys.row_keys(X).tobytes(), name


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("shape", [(1, 1), (5, 3), (40, 16), (700, 5), (3, 700), (30, 550), (1000, 130), (0, 4)])
def test_the_place_of_rows_changes_no_bit_where_their_order_is_given(shape: tuple[int, int], dtype: type) -> None:
    random = np.random.default_rng(shape)
    X = random.standard_normal(shape).astype(dtype)
    w, c = random.standard_normal(shape[1]), random.standard_normal(shape[0]) * (random.random(shape[0]) < 0.7)
    rows = random.permutation(shape[0])
    order = np.argsort(rows)  # of shuffled rows, to get the first ones back
    for name, other in (("itself", X[rows]), *layouts(X[rows]), ("sparse", sparse.csr_array(X[rows]))):
        shuffled = MatrixOperator(other, order=order)
        np.testing.assert_allclose(shuffled.matvec(w), MatrixOperator(X).matvec(w), atol=1e-12, err_msg=name)
        assert shuffled.rmatvec(c).tobytes() == MatrixOperator(X).rmatvec(c).tobytes(), name


@pytest.mark.parametrize("index", [np.int32, np.int64])
def test_sparse_rows_have_the_sums_of_dense_ones(index: type) -> None:
    other = sparse.csr_array(X)
    other.indices, other.indptr = other.indices.astype(index), other.indptr.astype(index)
    np.testing.assert_allclose(MatrixOperator(other).matvec(W), MatrixOperator(X).matvec(W), rtol=1e-12)
    assert MatrixOperator(other).rmatvec(C).tobytes() == MatrixOperator(X).rmatvec(C).tobytes()
    assert content_keys.row_keys(*arrays_of(other)).tobytes() == content_keys.row_keys(X).tobytes()


def test_mapped_matrices_are_taken_as_they_are() -> None:
    with tempfile.TemporaryDirectory() as folder:
        np.save(Path(folder) / "X.npy", X)
        for mode in ("r", "c"):
            mapped = np.load(Path(folder) / "X.npy", mmap_mode=mode)
            data = RankingData(mapped, np.zeros(8))
            assert np.shares_memory(data.X, mapped)
            assert MatrixOperator(data.X).matvec(W).tobytes() == MatrixOperator(X).matvec(W).tobytes()
            del data, mapped  # Windows deletes no folder with a file that is mapped


@pytest.mark.parametrize("wrong", ["index", "negative index", "offsets"])
def test_as_csr_checks_the_arrays(wrong: str) -> None:
    matrix = sparse.csr_array(X)
    if wrong == "offsets":
        matrix.indptr[1] = matrix.indptr[2] + 1
    else:
        matrix.indices[3] = 5 if wrong == "index" else -1
    with pytest.raises(InputError, match="X is not a CSR matrix: it has"):
        RankingData(matrix, np.zeros(8))


def test_csr_matrices_become_canonical() -> None:
    unsorted = sparse.csr_array((np.array([1.0, 2.0, 3.0, 4.0]), np.array([2, 0, 2, 1]), np.array([0, 3, 4])), shape=(2, 3))
    unsorted.has_canonical_format = True  # which it says, but is not
    data = RankingData(unsorted, [0, 1])
    assert data.X.indices.tolist() == [0, 2, 1] and data.X.data.tolist() == [2.0, 4.0, 4.0]
    assert unsorted.indices.tolist() == [2, 0, 2, 1]


def test_unaligned_arrays_are_copied() -> None:
    unaligned = np.frombuffer(b"x" + X.tobytes(), np.float64, offset=1).reshape(X.shape)
    assert not unaligned.flags.aligned
    data = RankingData(unaligned, np.zeros(8))
    assert data.X.flags.aligned and np.array_equal(data.X, X)
    strided = sparse.csr_array((np.repeat(CSR.data, 2)[::2], CSR.indices.astype(np.int64), CSR.indptr), shape=CSR.shape)
    assert MatrixOperator(RankingData(strided, np.zeros(8)).X).matvec(W).tobytes() == MatrixOperator(CSR).matvec(W).tobytes()
