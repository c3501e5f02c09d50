"""Reading LETOR and SVMlight text: ``grade qid:query index:value ... # document``."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import DTypeLike, NDArray
from scipy import sparse as scipy_sparse

from ....arrays import Bools, Floats, Ints
from ....core import letor_reader as kernels
from ...errors import InputError
from ...io.files import Bytes, PathLike, half_of_memory, read_bytes, size_limit
from ...parsing.lines import cut, cut_runs, pieces, raise_at, token_at
from ...ranking_data import RankingData
from ...strings import is_text

HIGHEST_INDEX: int = kernels.HIGHEST_INDEX

#: Density below which features are read as a sparse matrix by default.
SPARSE_BELOW = 0.25

HEADER = b"# directrank {"
_LINE = re.compile(rb"[^\n]*")
_HEADER_FIELDS: dict[str, Callable[[Any], bool]] = {
    "n_features": lambda n: type(n) is int and 1 <= n <= HIGHEST_INDEX,
    "feature_names": lambda names: isinstance(names, list) and all(isinstance(n, str) and is_text(n) for n in names),
    "dtype": lambda dtype: dtype in ("float32", "float64"),
    "qid": lambda kind: kind == "string",
    "docno": lambda kind: kind == "comment",
    "sparse": lambda held: held is True,
}


def read_letor(
    path: PathLike,
    *,
    n_features: int | None = None,
    feature_names: Sequence[str] | None = None,
    dtype: DTypeLike | None = None,
    sparse: bool | None = None,
    max_size: int | None = None,
) -> RankingData:
    """Read LETOR or SVMlight text, plain or gzip.

    A line is ``grade [qid:query] index:value ... [# comment]``, with ascending indices that start at 1. Rows to be scored
    may start with ``qid:``, without a grade. Features that a line omits are 0. Blank lines and comment lines are skipped.
    Query ids become integers if all of them are integers.

    The comment names the document, by the first of these rules that fits:

    - ``# docid = NAME ...``, with or without spaces, as in LETOR 3 and 4: the word after the sign.
    - ``# NAME<tab>text``, as the judgment lists of Elasticsearch's and Solr's learning to rank have it: the word before the
      tab. If that is an integer, it may also be followed by a space: ``# 7555 Rambo`` names the document 7555; but not in a
      file where that gives two comments of a query the same name, such as ``# 12 apples`` and ``# 12 pears``.
    - Anything else is the name as a whole, spaces included.

    If these rules would cut a document's name, the header that `write_letor` writes says so.

    Parameters
    ----------
    path : path
    n_features : int, optional
        Number of features, by default the highest index in the file. Pass it for files that may omit the last features, such
        as parts of a data set.
    feature_names : sequence of str, optional
        Names of all features, in the order of their indices. If the file omits the last features, pass `n_features` too, so
        that a superfluous name is noticed. Files written by `write_letor` contain the names.
    dtype : {float64, float32}, optional
        Type of the features; by default the one that `write_letor` recorded, else float64.
    sparse : bool, optional
        Whether X is a CSR matrix; by default if less than a quarter of its entries are listed.
    max_size : int, optional
        Maximum number of bytes to read, after decompression; by default no limit for plain files, and half of the memory for
        gzip files and pipes. The text is held in memory while it is parsed.

    Raises
    ------
    InputError
        For the first malformed line, as ``path:line: reason``; or if the file is too large or changes while it is read.
    """
    _check_options(n_features, dtype)
    text = read_bytes(path, max_size)
    return parse_letor(
        path,
        text,
        n_features=n_features,
        feature_names=feature_names,
        dtype=dtype,
        sparse=sparse,
        max_size=max_size,
    )


def parse_letor(
    path: PathLike,
    text: Bytes,
    *,
    n_features: int | None = None,
    feature_names: Sequence[str] | None = None,
    dtype: DTypeLike | None = None,
    sparse: bool | None = None,
    max_size: int | None = None,
) -> RankingData:
    """Parse LETOR text; `path` is its name in messages; other parameters as in `read_letor`."""
    header = _read_header(path, text)
    names = _names(path, feature_names, header)
    dtype = np.dtype(dtype or header.get("dtype", np.float64))
    n_features = n_features or header.get("n_features")
    sparse = header.get("sparse") if sparse is None else sparse
    bounds = pieces(text)
    counts = _Counts(*kernels.count(text, bounds))
    if counts.rows.sum() == 0:
        raise InputError(f"{path}: the file has no data lines")
    width = max(int(counts.highest.max()), 1) if n_features is None else n_features
    mostly_empty = bool(counts.entries.sum() < SPARSE_BELOW * counts.rows.sum() * width)
    sparse = mostly_empty if sparse is None else sparse
    largest = size_limit(max_size) or half_of_memory()
    if mostly_empty and not sparse and counts.rows.sum() * width * dtype.itemsize > largest:
        raise InputError(f"{path}: X would be too large with its {width:,} features; read it with sparse=True")
    limit, whole = n_features or HIGHEST_INDEX, header.get("docno") == "comment"
    X, rows = (_read_sparse if sparse else _read_dense)(path, text, bounds, counts, width, limit, whole, dtype)
    if names is not None and len(names) > width and n_features is None:
        advice = f"remove the names that are too many, or pass n_features={len(names)} if the file omits features that are 0"
        raise InputError(f"{path} has no feature above {width}, and there are {len(names)} feature_names; {advice}")
    y = _grades(path, text, rows)
    qid = _qids(path, text, rows, header)
    docno = _docnos(path, text, rows, qid)
    try:
        return RankingData(X, y, qid, docno, names)
    except InputError as error:
        raise InputError(f"{path}: {error}") from error


class _Counts(NamedTuple):
    """Number of rows and entries and highest index of each piece of the file, assuming well-formed lines."""

    rows: Ints
    entries: Ints
    highest: Ints


class _Rows(NamedTuple):
    """All columns of the file except the features.

    Attributes
    ----------
    y : float64 array
        NaN in lines without a grade.
    qid : int64 array
        Query ids that are integers in canonical form.
    qid_is_integer : bool array
    qid_start, qid_length : int64 arrays
        Position of the query id; with length 0, at the start of the line, if the line has none.
    docno_start, docno_length : int64 arrays
    """

    y: Floats
    qid: Ints
    qid_is_integer: Bools
    qid_start: Ints
    qid_length: Ints
    docno_start: Ints
    docno_length: Ints


def _check_options(n_features: int | None, dtype: DTypeLike | None) -> None:
    if dtype is not None and dtype not in (np.float32, np.float64, "float32", "float64"):
        raise InputError(f"dtype must be float32 or float64, not {dtype!r}")
    if n_features is not None and not (isinstance(n_features, (int, np.integer)) and 1 <= n_features <= HIGHEST_INDEX):
        raise InputError(f"n_features must be an integer, at least 1, not {n_features!r}")


def _read_header(path: PathLike, text: Bytes) -> dict[str, Any]:
    if text[: len(HEADER)].tobytes() != HEADER:
        return {}
    line = _LINE.match(text.data, len(HEADER) - 1)
    assert line is not None
    try:
        header: dict[str, Any] = json.loads(line[0])
    except (ValueError, RecursionError) as error:
        raise InputError(f"{path}:1: the header is not valid JSON ({error}); fix or delete this line") from error
    for key, is_valid in _HEADER_FIELDS.items():
        if key in header and not is_valid(header[key]):
            raise InputError(f"{path}:1: invalid {key} in header; fix or delete this line")
    return header


def _names(path: PathLike, given: Sequence[str] | None, header: dict[str, Any]) -> list[str] | None:
    """Names of the features, as given or from the header."""
    own: list[str] | None = header.get("feature_names")
    if given is None:
        return own
    if isinstance(given, str) or not all(isinstance(name, str) for name in given):
        raise InputError(f"feature_names must be a list of names, not {given!r}")
    if own is not None and own != list(given):
        raise InputError(f"{path} has feature names of its own, which differ from those given; leave feature_names out")
    return list(given)


def _grades(path: PathLike, text: Bytes, rows: _Rows) -> Floats | None:
    """Grades, which are NaN in lines that have none; None if no line has one."""
    lacks = np.isnan(rows.y)
    odd = int(np.argmin(lacks == lacks[0]))
    if lacks[odd] != lacks[0]:
        what = "has a grade, but the lines before it do not" if lacks[0] else "has no grade, but the lines before it do"
        raise_at(path, text, int(rows.qid_start[odd]), f"this line {what}")
    return None if lacks[0] else rows.y


def _qids(path: PathLike, text: Bytes, rows: _Rows, header: dict[str, Any]) -> NDArray[Any] | None:
    has = rows.qid_length > 0
    if not has.any():
        return None
    if not has.all():
        odd = int(np.argmin(has == has[0]))
        what = "has no qid, but the lines before it do" if has[0] else "has a qid, but the lines before it do not"
        raise_at(path, text, int(rows.qid_start[odd]), f"this line {what}")
    if rows.qid_is_integer.all() and header.get("qid") != "string":
        return rows.qid
    return cut_runs(path, text, rows.qid_start, rows.qid_length)


def _docnos(path: PathLike, text: Bytes, rows: _Rows, qid: NDArray[Any] | None) -> NDArray[Any] | None:
    if not rows.docno_length.any():
        return None
    names = cut(path, text, rows.docno_start, rows.docno_length)
    uncut_length = kernels.uncut_lengths(text, rows.docno_start, rows.docno_length)
    if np.array_equal(uncut_length, rows.docno_length):
        return names
    comments = cut(path, text, rows.docno_start, uncut_length)
    return names if _n_distinct(qid, names) == _n_distinct(qid, comments) else comments


def _n_distinct(qid: NDArray[Any] | None, docno: NDArray[Any]) -> int:
    """Number of distinct pairs of query and document."""
    names = docno.tolist()
    return len(set(names if qid is None else zip(qid.tolist(), names, strict=True)))


def _read_dense(
    path: PathLike, text: Bytes, bounds: Ints, counts: _Counts, width: int, limit: int, whole: bool, dtype: np.dtype[Any]
) -> tuple[NDArray[Any], _Rows]:
    """Features as a dense array of `width` columns, and the other columns; indices may not exceed `limit`."""
    X = np.zeros((int(counts.rows.sum()), width), dtype)
    fault, rows = kernels.read_dense(text, bounds, counts.rows, limit, whole, X)
    _raise_fault(path, text, fault, limit)
    return X, _Rows(*rows)


def _read_sparse(
    path: PathLike, text: Bytes, bounds: Ints, counts: _Counts, width: int, limit: int, whole: bool, dtype: np.dtype[Any]
) -> tuple[Any, _Rows]:
    """Features as a CSR matrix, and the other columns."""
    n_rows, n_entries = int(counts.rows.sum()), int(counts.entries.sum())
    values, indices, starts = np.empty(n_entries, dtype), np.empty(n_entries, np.int32), np.zeros(n_rows + 1, np.int64)
    fault, rows = kernels.read_sparse(text, bounds, counts.rows, counts.entries, limit, whole, values, indices, starts[1:])
    _raise_fault(path, text, fault, limit)
    starts = starts.astype(np.int32) if n_entries < HIGHEST_INDEX else starts
    return scipy_sparse.csr_array((values, indices, starts), shape=(n_rows, width)), _Rows(*rows)


def _raise_fault(path: PathLike, text: Bytes, fault: tuple[int, int], width: int) -> None:
    """Raise the `InputError` for the first malformed line, if there is one."""
    error, at = fault
    if error == 0:
        return
    token = token_at(text, at)
    sentences = {
        kernels.BAD_GRADE: f"the line must start with a grade, and {token} is not a number",
        kernels.GRADE_RANGE: (
            f"the grade {token} is not a finite number that is at least 0; map labels such as -1/+1 to 0/1 first"
        ),
        kernels.EMPTY_QID: "there is nothing after qid:; add the query id",
        kernels.NOT_A_PAIR: f"{token} is not of the form index:value",
        kernels.BAD_INDEX: f"{token} has no index that is an integer from 1 to {HIGHEST_INDEX}",
        kernels.INDEX_ORDER: f"the index of {token} is not above the one before it; sort the features of the line",
        kernels.BAD_VALUE: f"{token} has no value that is a number (finite, or nan)",
        kernels.BEYOND_WIDTH: f"{token} is beyond the expected {width} features",
    }
    raise_at(path, text, at, sentences[error])
