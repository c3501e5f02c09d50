"""Writing LETOR text that can be read back without loss."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from ...arrays import Ints
from ...kernel_compiler import njit, prange
from ..bytes.ascii import COLON, NEWLINE, SPACE
from ..bytes.files import Bytes, PathLike, replacing
from ..bytes.shortest import LONGEST, floats_of, write_float, write_integer
from ..errors import InputError
from ..ranking_data import RankingData
from ..strings import is_integer
from .letor import HEADER, SPARSE_BELOW
from .letor_kernels import document_name

#: How many rows are written at a time, and how many of them by a core.
_BLOCK, _PART = 2048, 64


def write_letor(path: PathLike, data: RankingData) -> None:
    """Write LETOR text that `read_letor` reads back without loss; gzip if the name ends in .gz.

    Where the format cannot express something (feature names, float32, trailing features without entries, names of documents
    that a reader would cut), it is written as a comment on the first line, ``# directrank {...}``. RankLib, SVM-rank,
    XGBoost and scikit-learn skip such a line; LightGBM's own reader knows no comments.
    """
    header, heads = _header_for(data), _heads(data)
    tails = _tails(data, whole="docno" in header)
    with replacing(path) as file:
        if header:
            file.write(HEADER[:-1] + json.dumps(header).encode() + b"\n")
        for lo in range(0, len(data), _BLOCK):
            rows = slice(lo, lo + _BLOCK)
            for part in _lines(data.X[rows], heads[rows], tails[rows]):
                file.write(part)


def _header_for(data: RankingData) -> dict[str, Any]:
    header: dict[str, Any] = {}
    if sparse.issparse(data.X):
        if int(data.X.indices.max(initial=-1)) + 1 < data.n_features:
            header["n_features"] = data.n_features
        if data.X.nnz >= SPARSE_BELOW * len(data) * data.n_features:
            header["sparse"] = True
    if data.X.dtype != np.float64:
        header["dtype"] = str(data.X.dtype)
    if data.feature_names is not None:
        header["feature_names"] = data.feature_names
    if data.qid is not None and data.qid.dtype.kind == "T" and all(map(is_integer, np.unique(data.qid).tolist())):
        header["qid"] = "string"
    if data.docno is not None and any(docno != _name_in(f"# {docno}", whole=False) for docno in _with_blanks(data.docno)):
        header["docno"] = "comment"
    return header


def _heads(data: RankingData) -> list[str]:
    """Grade and query of each row."""
    grades = [str(int(grade)) if grade.is_integer() else repr(grade) for grade in data.y.tolist()]
    if data.qid is None:
        return grades
    if data.qid.dtype.kind == "T":
        for qid in np.unique(data.qid).tolist():
            if not qid or any(c <= " " or c == "#" for c in qid):
                raise InputError(f"the qid {qid!r} cannot be written as LETOR text: it is empty or has a space or a # in it")
    return [f"{grade} qid:{qid}" for grade, qid in zip(grades, data.qid.tolist(), strict=True)]


def _tails(data: RankingData, whole: bool) -> list[str]:
    """The comment of each row."""
    if data.docno is None:
        return [""] * len(data)
    return [_comment(docno, row, whole) for row, docno in enumerate(data.docno.tolist())]


def _comment(docno: str, row: int, whole: bool) -> str:
    if not docno:
        return ""
    if not whole and _is_word(docno):
        return f" #docid = {docno}"
    free = f"# {docno}"
    if "\n" in docno or _name_in(free, whole) != docno:
        raise InputError(f"the docno {docno!r} of row {row} cannot be written as LETOR text; rename the document")
    return f" {free}"


def _with_blanks(docnos: NDArray[Any]) -> Iterator[str]:
    return (docno for docno in docnos.tolist() if docno and not _is_word(docno))


def _is_word(docno: str) -> bool:
    return all(c > " " for c in docno)


def _name_in(comment: str, whole: bool) -> str:
    """The document's name that a reader finds in a comment."""
    text = comment.encode()
    start, length = document_name(np.frombuffer(text, np.uint8), 1, len(text), whole)
    return text[start : start + length].decode()


def _lines(X: Any, heads: list[str], tails: list[str]) -> Iterator[memoryview]:
    """The text of some rows, part by part."""
    X = X if sparse.issparse(X) else np.array(X)
    values = X.data if sparse.issparse(X) else X.ravel()
    indices = X.indices if sparse.issparse(X) else np.empty(0, np.int32)
    ends = (X.indptr if sparse.issparse(X) else np.arange(X.shape[0] + 1) * X.shape[1]).astype(np.int64)
    before, after = _joined(heads), _joined(tails)
    parts = np.append(np.arange(0, len(heads), _PART), len(heads))
    # index:value and a blank for each entry, and a blank and a newline for each row, at the most
    widths = (len(str(X.shape[1])) + LONGEST + 2) * np.diff(ends) + np.diff(before[1]) + np.diff(after[1]) + 2
    buffer = np.empty((parts.size - 1, int(np.add.reduceat(widths, parts[:-1]).max())), np.uint8)
    sizes = np.zeros(parts.size - 1, np.int64)
    bits = values.view(f"u{values.dtype.itemsize}")
    _write_parts(parts, *before, *after, bits, floats_of(values.dtype), indices, ends, buffer, sizes)
    return (buffer[part, :size].data for part, size in enumerate(sizes.tolist()))


def _joined(texts: list[str]) -> tuple[Bytes, Ints]:
    """Texts as UTF-8, one after the other, and where each starts."""
    parts = [text.encode() for text in texts]
    starts = np.cumsum([0, *map(len, parts)])
    return np.frombuffer(b"".join(parts), np.uint8), starts


@njit(cache=True, parallel=True)
def _write_parts(  # type: ignore[no-untyped-def]
    parts, heads, head_starts, tails, tail_starts, bits, floats, indices, ends, buffer, sizes
):
    """Write the lines of each part into its own row of the buffer."""
    for part in prange(parts.size - 1):
        into, at = buffer[part], 0
        for row in range(parts[part], parts[part + 1]):
            at = _copy(heads[head_starts[row] : head_starts[row + 1]], into, at)
            at = _write_entries(bits[ends[row] : ends[row + 1]], floats, indices[ends[row] : ends[row + 1]], into, at)
            at = _copy(tails[tail_starts[row] : tail_starts[row + 1]], into, at)
            into[at] = NEWLINE
            at += 1
        sizes[part] = at


@njit(cache=True)
def _write_entries(bits, floats, indices, into, at):  # type: ignore[no-untyped-def]
    """Write ``index:value`` of each entry, a blank before each; dense rows have no indices, and count."""
    for i in range(bits.size):
        into[at] = SPACE
        at = write_integer((indices[i] if indices.size else i) + 1, into, at + 1)
        into[at] = COLON
        at = write_float(bits[i], floats, into, at + 1)
    if bits.size == 0:
        into[at] = SPACE
        at += 1
    return at


@njit(cache=True)
def _copy(text, into, at):  # type: ignore[no-untyped-def]
    for i in range(text.size):
        into[at + i] = text[i]
    return at + text.size
