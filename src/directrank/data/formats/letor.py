"""LETOR and SVMlight text: ``grade qid:query index:value ... # document``."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numba import njit, prange
from numpy.typing import DTypeLike, NDArray
from scipy import sparse

from ...arrays import Ints
from ..bytes.files import Bytes, PathLike, read_bytes
from ..bytes.lines import cut, cut_runs, line_end, pieces, refuse, skip_blanks, token_at
from ..bytes.numbers import MALFORMED, UNDECIDED, parse_number, parse_whole, token_end
from ..errors import InputError
from ..ranking_data import RankingData

#: Below this share of entries that are written out, the features are held as a sparse matrix.
SPARSE_BELOW = 0.25

_HIGHEST_INDEX = 2**31 - 1
HEADER = b"# directrank {"
_HEADER_FIELDS: dict[str, Callable[[Any], bool]] = {
    "n_features": lambda n: isinstance(n, int) and 1 <= n <= _HIGHEST_INDEX,
    "feature_names": lambda names: isinstance(names, list) and all(isinstance(name, str) for name in names),
    "dtype": lambda dtype: dtype in ("float32", "float64"),
    "qid": lambda kind: kind == "string",
    "sparse": lambda held: held is True,
}


def read_letor(
    path: PathLike, *, n_features: int | None = None, dtype: DTypeLike | None = None, sparse: bool | None = None
) -> RankingData:
    """Read LETOR or SVMlight text, plain or gzip.

    A line is ``grade [qid:query] index:value ... [# comment]``, with indices from 1 up and rising. Features that a line
    leaves out are 0. ``# docid = NAME ...`` and ``#docid=NAME`` give the document's name; of any other comment the whole
    text is the name. Blank lines and lines that are only a comment are passed over. Query ids become integers if all of
    them are.

    Parameters
    ----------
    path : path
    n_features : int, optional
        How many features there are; by default as many as the highest index in the file. Files of the same data that were
        split need it where the last features are left out.
    dtype : {float64, float32}, optional
        Of the features; by default what `write_letor` noted, else float64.
    sparse : bool, optional
        Whether to hold X as CSR; by default where less than a quarter of the entries is written out.

    Raises
    ------
    InputError
        ``path:line: what is wrong``, for the first line that is malformed.
    """
    if dtype is not None and dtype not in (np.float32, np.float64, "float32", "float64"):
        raise InputError(f"dtype must be float32 or float64, not {dtype!r}")
    if n_features is not None and not (isinstance(n_features, (int, np.integer)) and 1 <= n_features <= _HIGHEST_INDEX):
        raise InputError(f"n_features must be a whole number from 1 up, not {n_features!r}")
    text = read_bytes(path)
    header = _read_header(path, text)
    dtype = np.dtype(dtype or header.get("dtype", np.float64))
    n_features = n_features or header.get("n_features")
    sparse = header.get("sparse") if sparse is None else sparse
    bounds = pieces(text)
    counts = _count(text, bounds)
    if counts.rows.sum() == 0:
        raise InputError(f"{path}: there is no line of data in it")
    width = max(int(counts.highest.max()), 1) if n_features is None else n_features
    if sparse is None:
        sparse = counts.entries.sum() < SPARSE_BELOW * counts.rows.sum() * width
    rows = _allocate(counts, width, dtype, sparse)
    _fill(path, text, bounds, counts, rows, n_features)
    qid, docno = _qids(path, text, rows, header), _docnos(path, text, rows)
    try:
        return RankingData(rows.features(width), rows.y, qid, docno, header.get("feature_names"))
    except InputError as error:
        raise InputError(f"{path}: {error}") from error


def _read_header(path: PathLike, text: Bytes) -> dict[str, Any]:
    start = text[: len(HEADER)].tobytes()
    if start != HEADER:
        return {}
    line = text[len(HEADER) - 1 : line_end(text, 0, text.size)].tobytes()
    try:
        header: dict[str, Any] = json.loads(line)
    except ValueError as error:
        raise InputError(f"{path}:1: the header is damaged ({error}); mend or delete this line") from error
    for key, is_right in _HEADER_FIELDS.items():
        if key in header and not is_right(header[key]):
            raise InputError(f"{path}:1: the header's {key} is not what it should be; mend or delete this line")
    return header


def _qids(path: PathLike, text: Bytes, rows: _Rows, header: dict[str, Any]) -> NDArray[Any] | None:
    has = rows.qid_length > 0
    if not has.any():
        return None
    if not has.all():
        odd = int(np.argmin(has == has[0]))
        what = "has no qid, though the lines before it do" if has[0] else "has a qid, though the lines before it have none"
        refuse(path, text, int(rows.qid_start[odd]), f"this line {what}")
    if rows.qid_is_whole.all() and header.get("qid") != "string":
        return rows.qid
    return cut_runs(path, text, rows.qid_start, rows.qid_length)


def _docnos(path: PathLike, text: Bytes, rows: _Rows) -> NDArray[Any] | None:
    if not rows.docno_length.any():
        return None
    return cut(path, text, rows.docno_start, rows.docno_length)


class _Counts(NamedTuple):
    """What each piece of the file holds."""

    rows: Ints
    entries: Ints
    highest: Ints


class _Rows(NamedTuple):
    """What is read, row by row. Of `dense` and the CSR arrays, one is empty."""

    y: NDArray[np.float64]
    qid: Ints
    qid_is_whole: NDArray[np.bool_]
    qid_start: Ints
    qid_length: Ints
    docno_start: Ints
    docno_length: Ints
    dense: NDArray[Any]
    values: NDArray[Any]
    indices: NDArray[np.int32]
    ends: Ints

    def features(self, width: int) -> Any:
        if self.dense.size:
            return self.dense
        starts = np.concatenate(([0], self.ends))
        starts = starts.astype(np.int32) if self.values.size < _HIGHEST_INDEX else starts
        return sparse.csr_array((self.values, self.indices, starts), shape=(self.y.size, width))


def _count(text: Bytes, bounds: Ints) -> _Counts:
    counts = _Counts(*(np.zeros(bounds.size - 1, np.int64) for _ in range(3)))
    _count_pieces(text, bounds, counts)
    return counts


def _allocate(counts: _Counts, width: int, dtype: np.dtype[Any], as_sparse: bool) -> _Rows:
    n, entries = int(counts.rows.sum()), int(counts.entries.sum()) if as_sparse else 0
    return _Rows(
        y=np.empty(n),
        qid=np.zeros(n, np.int64),
        qid_is_whole=np.zeros(n, np.bool_),
        qid_start=np.zeros(n, np.int64),
        qid_length=np.zeros(n, np.int64),
        docno_start=np.zeros(n, np.int64),
        docno_length=np.zeros(n, np.int64),
        dense=np.zeros((0, 0) if as_sparse else (n, width), dtype),
        values=np.empty(entries, dtype),
        indices=np.empty(entries, np.int32),
        ends=np.empty(n, np.int64) if as_sparse else np.empty(0, np.int64),
    )


def _fill(path: PathLike, text: Bytes, bounds: Ints, counts: _Counts, rows: _Rows, n_features: int | None) -> None:
    """Read all pieces, then what they left open, or refuse the first malformed line."""
    width = _HIGHEST_INDEX if n_features is None else n_features
    first_row = np.cumsum(counts.rows) - counts.rows
    first_entry = np.cumsum(counts.entries) - counts.entries
    n_open = np.zeros(bounds.size - 1, np.int64)
    for _ in range(2):  # the second time only if numbers were left open, to note where they are
        open_start = np.cumsum(n_open) - n_open
        open_numbers = np.zeros((int(n_open.sum()), 3), np.int64)
        wrong = np.zeros((bounds.size - 1, 2), np.int64)
        _fill_pieces(text, bounds, first_row, first_entry, width, rows, wrong, open_numbers, open_start, n_open)
        malformed = np.flatnonzero(wrong[:, 0])
        if malformed.size:
            _refuse_line(path, text, int(wrong[malformed[0], 0]), int(wrong[malformed[0], 1]), width)
        if not n_open.any():
            return
    for target, row, at in open_numbers.tolist():
        _fill_open(text, rows, target, row, at)


def _fill_open(text: Bytes, rows: _Rows, target: int, row: int, at: int) -> None:
    """Read a number exactly that the kernel could not: `target` is a column, a CSR entry, or the label (-1)."""
    value = float(text[at : token_end(text, at, text.size)].tobytes())
    if target < 0:
        rows.y[row] = value
    elif rows.dense.size:
        rows.dense[row, target] = value
    else:
        rows.values[target] = value


# What may be wrong with a line.
_LABEL, _LABEL_RANGE, _QID, _FEATURE, _INDEX, _ORDER, _VALUE, _WIDTH = range(1, 9)


def _refuse_line(path: PathLike, text: Bytes, wrong: int, at: int, width: int) -> None:
    token = token_at(text, at)
    sentences = {
        _LABEL: f"the line must start with a grade, and {token} is not a number",
        _LABEL_RANGE: f"the grade {token} is not a finite number from 0 up; map labels such as -1/+1 to 0/1 first",
        _QID: "there is nothing after qid:; name the query",
        _FEATURE: f"{token} is not of the form index:value",
        _INDEX: f"{token} has no index that is a whole number from 1 to {_HIGHEST_INDEX}",
        _ORDER: f"the index of {token} does not rise above the one before it; sort the features of the line",
        _VALUE: f"{token} has no value that is a number (finite, or nan)",
        _WIDTH: f"{token} is beyond the {width} features there should be",
    }
    refuse(path, text, at, sentences[wrong])


@njit(cache=True)
def _is_qid(text, at, end):  # type: ignore[no-untyped-def]
    return end - at >= 4 and text[at] == 113 and text[at + 1] == 105 and text[at + 2] == 100 and text[at + 3] == 58


@njit(cache=True, parallel=True)
def _count_pieces(text, bounds, counts):  # type: ignore[no-untyped-def]
    for piece in prange(bounds.size - 1):
        _count_piece(text, bounds[piece], bounds[piece + 1], piece, counts)


@njit(cache=True)
def _count_piece(text, at, stop, piece, counts):  # type: ignore[no-untyped-def]
    """Rows, entries and highest index of a piece: a quick look that trusts the lines to be well formed."""
    n_rows, n_entries, highest = 0, 0, 0
    while at < stop:
        at = skip_blanks(text, at, stop)
        if at < stop and text[at] != 10 and text[at] != 35:
            at = skip_blanks(text, token_end(text, at, stop), stop)
            if _is_qid(text, at, stop):
                at = token_end(text, at, stop)
            end = _features_end(text, at, stop)
            n_rows += 1
            n_entries += np.sum(text[at:end] == 58)
            highest = max(highest, _last_index(text, at, end))
            at = end
        at = line_end(text, at, stop) + 1
    counts.rows[piece], counts.entries[piece], counts.highest[piece] = n_rows, n_entries, highest


@njit(cache=True)
def _features_end(text, at, stop):  # type: ignore[no-untyped-def]
    """Where a line's features end: at its comment or its end. Looks at 64 bytes at a time, which vectorises."""
    while at + 64 <= stop:
        found = 0
        for byte in text[at : at + 64]:
            found += (byte == 10) | (byte == 35)
        if found > 0:
            break
        at += 64
    while at < stop and text[at] != 10 and text[at] != 35:
        at += 1
    return at


@njit(cache=True)
def _last_index(text, start, end):  # type: ignore[no-untyped-def]
    """The index before the last colon; 0 if there is none, or one that the full reading will refuse."""
    while end > start and text[end - 1] != 58:
        end -= 1
    if end == start:
        return 0
    first = end - 1
    while first > start and 48 <= text[first - 1] <= 57:
        first -= 1
    index, _ = parse_whole(text, first, end, _HIGHEST_INDEX + 1)
    return index if index <= _HIGHEST_INDEX else 0


@njit(cache=True, parallel=True)
def _fill_pieces(text, bounds, first_row, first_entry, width, rows, wrong, open_numbers, open_start, n_open):  # type: ignore[no-untyped-def]
    for piece in prange(bounds.size - 1):
        start, stop = bounds[piece], bounds[piece + 1]
        code, place, opened = _fill_piece(
            text, start, stop, first_row[piece], first_entry[piece], width, rows, open_numbers, open_start[piece]
        )
        wrong[piece, 0], wrong[piece, 1], n_open[piece] = code, place, opened


@njit(cache=True)
def _fill_piece(text, at, stop, row, entry, width, rows, open_numbers, open_at):  # type: ignore[no-untyped-def]
    """Read a piece up to its first malformed line: what is wrong and where, and how many numbers were left open."""
    n_open = 0
    while at < stop:
        at = skip_blanks(text, at, stop)
        if at < stop and text[at] != 10 and text[at] != 35:
            wrong, at, first_feature, opened = _fill_head(text, at, stop, row, rows, open_numbers, open_at + n_open)
            n_open += opened
            if wrong == 0:
                wrong, at, entry, opened = _fill_features(
                    text, first_feature, stop, row, entry, width, rows, open_numbers, open_at + n_open
                )
                n_open += opened
            if wrong != 0:
                return wrong, at, n_open
            if at < stop and text[at] == 35:
                rows.docno_start[row], rows.docno_length[row] = document_name(text, at + 1, line_end(text, at, stop))
            row += 1
        at = line_end(text, at, stop) + 1
    return 0, 0, n_open


@njit(cache=True)
def _fill_head(text, at, stop, row, rows, open_numbers, open_at):  # type: ignore[no-untyped-def]
    """Read grade and query: what is wrong, where, where the features start, how many numbers were left open."""
    opened = 0
    rows.y[row], outcome, after = parse_number(text, at, stop)
    if outcome == MALFORMED:
        return _LABEL, at, at, opened
    if not 0 <= rows.y[row] < np.inf or (outcome == UNDECIDED and text[at] == 45):
        return _LABEL_RANGE, at, at, opened
    if outcome == UNDECIDED:
        opened += _leave_open(open_numbers, open_at, -1, row, at)
    rows.qid_start[row] = at
    at = skip_blanks(text, after, stop)
    if _is_qid(text, at, stop):
        after = token_end(text, at, stop)
        if after == at + 4:
            return _QID, at, at, opened
        _set_qid(text, at + 4, after, row, rows)
        at = skip_blanks(text, after, stop)
    return 0, at, at, opened


@njit(cache=True)
def _fill_features(text, at, stop, row, entry, width, rows, open_numbers, open_at):  # type: ignore[no-untyped-def]
    """Read ``index:value ...``: what is wrong, where this or the line ends, the next entry, the numbers left open."""
    opened, before, is_dense = 0, 0, rows.ends.size == 0
    while at < stop and text[at] != 10 and text[at] != 35:
        index, colon = parse_whole(text, at, stop, _HIGHEST_INDEX + 1)
        if colon == stop or text[colon] != 58:
            return (_FEATURE if colon == token_end(text, at, stop) else _INDEX), at, entry, opened
        if index < 1 or index > _HIGHEST_INDEX:
            return _INDEX, at, entry, opened
        if index <= before:
            return _ORDER, at, entry, opened
        if index > width:
            return _WIDTH, at, entry, opened
        value, outcome, after = parse_number(text, colon + 1, stop)
        if outcome == MALFORMED or np.isinf(value):
            return _VALUE, at, entry, opened
        target = index - 1 if is_dense else entry
        if outcome == UNDECIDED:
            opened += _leave_open(open_numbers, open_at + opened, target, row, colon + 1)
        if is_dense:
            # An index beyond the width belongs to a line whose indices fall: the count looked only at its last one.
            if target < rows.dense.shape[1]:
                rows.dense[row, target] = value
        else:
            rows.values[entry], rows.indices[entry] = value, index - 1
        entry += 1
        before = index
        at = skip_blanks(text, after, stop)
    if not is_dense:
        rows.ends[row] = entry
    return 0, at, entry, opened


@njit(cache=True)
def _leave_open(open_numbers, slot, target, row, at):  # type: ignore[no-untyped-def]
    if slot < open_numbers.shape[0]:
        open_numbers[slot, 0], open_numbers[slot, 1], open_numbers[slot, 2] = target, row, at
    return 1


@njit(cache=True)
def _set_qid(text, at, end, row, rows):  # type: ignore[no-untyped-def]
    """Note the query, and its number if it is printed as a whole number is."""
    rows.qid_start[row], rows.qid_length[row] = at, end - at
    first = at + (text[at] == 45)
    number = 0
    for i in range(first, end):
        if not 48 <= text[i] <= 57:
            return
        number = number * 10 + np.int64(text[i]) - 48
        if i - first >= 18:
            return
    zero = end == first + 1 and text[first] == 48 and first == at
    if end > first and (text[first] != 48 or zero):
        rows.qid[row] = number if first == at else -number
        rows.qid_is_whole[row] = True


@njit(cache=True)
def document_name(text, at, end):  # type: ignore[no-untyped-def]
    """Start and length of the document's name in a comment: the word after ``docid =``, else all of it."""
    while end > at and text[end - 1] <= 32:
        end -= 1
    at = skip_blanks(text, at, end)
    if (
        end - at > 5
        and text[at] == 100
        and text[at + 1] == 111
        and text[at + 2] == 99
        and text[at + 3] == 105
        and text[at + 4] == 100
    ):
        equals = skip_blanks(text, at + 5, end)
        if equals < end and text[equals] == 61:
            at = skip_blanks(text, equals + 1, end)
            name_end = at
            while name_end < end and text[name_end] > 32:
                name_end += 1
            return at, name_end - at
    return at, end - at
