"""Writing LETOR text that can be read back without loss."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from ..bytes.files import PathLike, replacing
from ..errors import InputError
from ..ranking_data import RankingData
from ..strings import is_integer
from .letor import HEADER, SPARSE_BELOW
from .letor_kernels import document_name


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
        for lo in range(0, len(data), 1024):
            lines = (
                f"{head} {features}{tail}\n"
                for head, features, tail in zip(
                    heads[lo : lo + 1024], _feature_texts(data.X[lo : lo + 1024]), tails[lo : lo + 1024], strict=True
                )
            )
            file.write("".join(lines).encode())


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


def _feature_texts(X: Any) -> list[str]:
    """``index:value ...`` of each row, each value with the fewest digits that read back exactly."""
    if not sparse.issparse(X):
        names = [f"{j}:" for j in range(1, X.shape[1] + 1)]
        return [" ".join(map(str.__add__, names, values)) for values in _shortest(X)]
    texts = _shortest(X.data)
    return [
        " ".join(f"{X.indices[i] + 1}:{texts[i]}" for i in range(X.indptr[r], X.indptr[r + 1])) for r in range(X.shape[0])
    ]


def _shortest(values: NDArray[Any]) -> Any:
    """Each value with the fewest digits that read back exactly in its own precision."""
    if values.dtype == np.float64:
        flat = [repr(v) for v in values.ravel().tolist()]
        return [flat[i : i + values.shape[1]] for i in range(0, len(flat), values.shape[1])] if values.ndim == 2 else flat
    return values.astype("U32").tolist()
