"""Reading LETOR and SVMlight text: ``grade qid:query index:value ... # document``."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray
from scipy import sparse as scipy_sparse

from ...arrays import Ints
from ..bytes.files import Bytes, PathLike, half_of_memory, read_bytes, size_limit
from ..bytes.lines import cut, cut_runs, line_end, pieces, refuse, token_at
from ..bytes.numbers import token_end, words_of
from ..errors import InputError
from ..ranking_data import RankingData
from ..strings import is_text
from .letor_kernels import (
    BAD_GRADE,
    BAD_INDEX,
    BAD_VALUE,
    BEYOND_WIDTH,
    EMPTY_QID,
    GRADE,
    GRADE_RANGE,
    HIGHEST_INDEX,
    INDEX_ORDER,
    NOT_A_PAIR,
    Counts,
    Pieces,
    Rows,
    count_pieces,
    fill_pieces,
    uncut_lengths,
)

#: If less than this fraction of the entries is written out, the features are held as a sparse matrix.
SPARSE_BELOW = 0.25

HEADER = b"# directrank {"
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

    A line is ``grade [qid:query] index:value ... [# comment]``, with ascending indices that start at 1. Features that a
    line omits are 0. Blank lines and comment lines are skipped. Query ids become integers if all of them are integers.

    The comment names the document, by the first of these rules that fits:

    - ``# docid = NAME ...``, with or without spaces, as in LETOR 3 and 4: the word after the sign.
    - ``# NAME<tab>text``, as the judgment lists of Elasticsearch's and Solr's learning to rank have it: the word before the
      tab. If that is an integer, it may also be followed by a space: ``# 7555 Rambo`` names the document 7555; but not in a
      file where that gives two comments of a query the same name, such as ``# 12 apples`` and ``# 12 pears``.
    - Anything else is the name as a whole, spaces included.

    `write_letor` says so in its header if documents have names that these rules would cut.

    Parameters
    ----------
    path : path
    n_features : int, optional
        The number of features; by default the highest index in the file. Pass it when several files hold parts of the same
        data and some of them omit the last features.
    feature_names : sequence of str, optional
        The names of the features, in the order of their indices, one for each. If the file omits the last features, pass
        `n_features` too: else a name too many, which shifts those after it, would go unnoticed. A file of `write_letor` has
        the names in it.
    dtype : {float64, float32}, optional
        The dtype of the features; by default the one that `write_letor` recorded, else float64.
    sparse : bool, optional
        Whether to hold X as CSR; by default if less than a quarter of the entries is written out.
    max_size : int, optional
        The most bytes to read, decompressed; without it, a gzip file or a pipe may fill half of the memory. The text is
        held in memory while it is parsed.

    Raises
    ------
    InputError
        ``path:line: what is wrong``, for the first malformed line; or if the file is too large, or changes while it is read.
    """
    _check_options(n_features, dtype)
    text = read_bytes(path, max_size)
    header = _read_header(path, text)
    names = _names(path, feature_names, header)
    dtype = np.dtype(dtype or header.get("dtype", np.float64))
    n_features = n_features or header.get("n_features")
    sparse = header.get("sparse") if sparse is None else sparse
    bounds = pieces(text)
    counts = _count(text, bounds)
    if counts.rows.sum() == 0:
        raise InputError(f"{path}: the file has no data lines")
    width = max(int(counts.highest.max()), 1) if n_features is None else n_features
    mostly_empty = bool(counts.entries.sum() < SPARSE_BELOW * counts.rows.sum() * width)
    sparse = mostly_empty if sparse is None else sparse
    largest = size_limit(max_size) or half_of_memory()
    if mostly_empty and not sparse and counts.rows.sum() * width * dtype.itemsize > largest:
        raise InputError(f"{path}: X would be too large with its {width:,} features; read it with sparse=True")
    rows = _allocate(counts, width, dtype, sparse)
    _fill(path, text, bounds, counts, rows, n_features, header.get("docno") == "comment")
    if names is not None and len(names) > width and n_features is None:
        advice = f"remove the names that are too many, or pass n_features={len(names)} if the file omits features that are 0"
        raise InputError(f"{path} has no feature above {width}, and there are {len(names)} feature_names; {advice}")
    qid = _qids(path, text, rows, header)
    docno = _docnos(path, text, rows, qid)
    try:
        return RankingData(_features(rows, width), rows.y, qid, docno, names)
    except InputError as error:
        raise InputError(f"{path}: {error}") from error


def _check_options(n_features: int | None, dtype: DTypeLike | None) -> None:
    if dtype is not None and dtype not in (np.float32, np.float64, "float32", "float64"):
        raise InputError(f"dtype must be float32 or float64, not {dtype!r}")
    if n_features is not None and not (isinstance(n_features, (int, np.integer)) and 1 <= n_features <= HIGHEST_INDEX):
        raise InputError(f"n_features must be an integer, at least 1, not {n_features!r}")


def _read_header(path: PathLike, text: Bytes) -> dict[str, Any]:
    start = text[: len(HEADER)].tobytes()
    if start != HEADER:
        return {}
    line = text[len(HEADER) - 1 : line_end(text, 0, text.size)].tobytes()
    try:
        header: dict[str, Any] = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise InputError(f"{path}:1: the header is not valid JSON ({error}); fix or delete this line") from error
    for key, is_valid in _HEADER_FIELDS.items():
        if key in header and not is_valid(header[key]):
            raise InputError(f"{path}:1: invalid {key} in header; fix or delete this line")
    return header


def _names(path: PathLike, given: Sequence[str] | None, header: dict[str, Any]) -> list[str] | None:
    """The names of the features: as given, or those of the header."""
    own: list[str] | None = header.get("feature_names")
    if given is None:
        return own
    if isinstance(given, str) or not all(isinstance(name, str) for name in given):
        raise InputError(f"feature_names must be a list of names, not {given!r}")
    if own is not None and own != list(given):
        raise InputError(f"{path} has feature names of its own, which differ from those given; leave feature_names out")
    return list(given)


def _qids(path: PathLike, text: Bytes, rows: Rows, header: dict[str, Any]) -> NDArray[Any] | None:
    has = rows.qid_length > 0
    if not has.any():
        return None
    if not has.all():
        odd = int(np.argmin(has == has[0]))
        what = "has no qid, but the lines before it do" if has[0] else "has a qid, but the lines before it do not"
        refuse(path, text, int(rows.qid_start[odd]), f"this line {what}")
    if rows.qid_is_integer.all() and header.get("qid") != "string":
        return rows.qid
    return cut_runs(path, text, rows.qid_start, rows.qid_length)


def _docnos(path: PathLike, text: Bytes, rows: Rows, qid: NDArray[Any] | None) -> NDArray[Any] | None:
    if not rows.docno_length.any():
        return None
    names = cut(path, text, rows.docno_start, rows.docno_length)
    uncut_length = uncut_lengths(text, rows.docno_start, rows.docno_length)
    if np.array_equal(uncut_length, rows.docno_length):
        return names
    comments = cut(path, text, rows.docno_start, uncut_length)
    return names if _n_distinct(qid, names) == _n_distinct(qid, comments) else comments


def _n_distinct(qid: NDArray[Any] | None, docno: NDArray[Any]) -> int:
    """How many documents there are by these names, which are those of a query."""
    names = docno.tolist()
    return len(set(names if qid is None else zip(qid.tolist(), names, strict=True)))


def _features(rows: Rows, width: int) -> Any:
    if rows.dense.size:
        return rows.dense
    starts = np.concatenate(([0], rows.ends))
    starts = starts.astype(np.int32) if rows.values.size < HIGHEST_INDEX else starts
    return scipy_sparse.csr_array((rows.values, rows.indices, starts), shape=(rows.y.size, width))


def _count(text: Bytes, bounds: Ints) -> Counts:
    counts = Counts(*(np.zeros(bounds.size - 1, np.int64) for _ in range(3)))
    count_pieces(text, bounds, counts)
    return counts


def _allocate(counts: Counts, width: int, dtype: np.dtype[Any], as_sparse: bool) -> Rows:
    n, entries = int(counts.rows.sum()), int(counts.entries.sum()) if as_sparse else 0
    return Rows(
        y=np.empty(n),
        qid=np.zeros(n, np.int64),
        qid_is_integer=np.zeros(n, np.bool_),
        qid_start=np.zeros(n, np.int64),
        qid_length=np.zeros(n, np.int64),
        docno_start=np.zeros(n, np.int64),
        docno_length=np.zeros(n, np.int64),
        dense=np.zeros((0, 0) if as_sparse else (n, width), dtype),
        values=np.empty(entries, dtype),
        indices=np.empty(entries, np.int32),
        ends=np.empty(n, np.int64) if as_sparse else np.empty(0, np.int64),
    )


def _fill(
    path: PathLike, text: Bytes, bounds: Ints, counts: Counts, rows: Rows, n_features: int | None, whole: bool
) -> None:
    """Read all pieces, then the numbers that the kernels could not decide; or refuse the first malformed line."""
    width = HIGHEST_INDEX if n_features is None else n_features
    n_undecided = np.zeros(bounds.size - 1, np.int64)
    for _ in range(2):  # the second time only if numbers were undecided, to record where they are
        undecided = np.zeros((int(n_undecided.sum()), 3), np.int64)
        places = Pieces(bounds, _starts(counts.rows), _starts(counts.entries), _starts(n_undecided))
        errors = np.zeros((bounds.size - 1, 2), np.int64)
        fill_pieces(text, words_of(text), places, width, whole, rows, undecided, errors, n_undecided)
        malformed = np.flatnonzero(errors[:, 0])
        if malformed.size:
            _refuse_line(path, text, int(errors[malformed[0], 0]), int(errors[malformed[0], 1]), width)
        if not n_undecided.any():
            return
    for target, row, at in undecided.tolist():
        _fill_undecided(text, rows, target, row, at)


def _starts(counts: Ints) -> Ints:
    """Where the items of each piece start, in an array that holds those of all pieces."""
    return np.cumsum(counts) - counts


def _fill_undecided(text: Bytes, rows: Rows, target: int, row: int, at: int) -> None:
    """Read a number that the kernels could not decide."""
    value = float(text[at : token_end(text, at, text.size)].tobytes())
    if target == GRADE:
        rows.y[row] = value
    elif rows.dense.size:
        rows.dense[row, target] = value
    else:
        rows.values[target] = value


def _refuse_line(path: PathLike, text: Bytes, error: int, at: int, width: int) -> None:
    token = token_at(text, at)
    sentences = {
        BAD_GRADE: f"the line must start with a grade, and {token} is not a number",
        GRADE_RANGE: f"the grade {token} is not a finite number that is at least 0; map labels such as -1/+1 to 0/1 first",
        EMPTY_QID: "there is nothing after qid:; add the query id",
        NOT_A_PAIR: f"{token} is not of the form index:value",
        BAD_INDEX: f"{token} has no index that is an integer from 1 to {HIGHEST_INDEX}",
        INDEX_ORDER: f"the index of {token} is not above the one before it; sort the features of the line",
        BAD_VALUE: f"{token} has no value that is a number (finite, or nan)",
        BEYOND_WIDTH: f"{token} is beyond the expected {width} features",
    }
    refuse(path, text, at, sentences[error])
