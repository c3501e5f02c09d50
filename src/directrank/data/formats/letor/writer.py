"""Writing LETOR text that can be read back without loss."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
from scipy import sparse

from ....core import letor_writer as kernels
from ...errors import InputError
from ...io.files import Bytes, PathLike, replacing
from ...parsing.byte_strings import ByteStrings
from ...ranking_data import RankingData
from ...strings import STRING, is_integer
from .reader import HEADER, SPARSE_BELOW

#: Number of rows written at a time.
_BLOCK = 2048


def write_letor(path: PathLike, data: RankingData) -> None:
    """Write LETOR text that `read_letor` reads back without loss; gzip if the name ends in .gz.

    Properties that the format cannot express (feature names, float32, trailing features without entries, document names
    that a reader would cut) are written as a comment on the first line, ``# directrank {...}``. RankLib, SVM-rank, XGBoost
    and scikit-learn skip such a line; LightGBM's own reader does not support comments. Missing values are written as
    ``nan``, which RankLib rejects. Rows without labels start with their query.
    """
    if data.categories:
        raise InputError(f"LETOR text has no categories, as {next(iter(data.categories))!r} has; write Parquet or CSV")
    if not data.has_labels and data.qid is None:
        raise InputError("a line of LETOR text needs a grade or a query, and the data has neither; write Parquet or CSV")
    docno = ByteStrings.from_strings(np.zeros(len(data), STRING) if data.docno is None else data.docno)
    header, heads = _header_for(data, docno), _heads(data)
    tails = _tails(docno, whole="docno" in header)
    with replacing(path) as file:
        if header:
            file.write(HEADER[:-1] + json.dumps(header).encode() + b"\n")
        for lo in range(0, len(data), _BLOCK):
            rows = slice(lo, lo + _BLOCK)
            for part in _lines(data.X[rows], heads.select(rows), tails.select(rows)):
                file.write(part.data)


def _header_for(data: RankingData, docno: ByteStrings) -> dict[str, Any]:
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
    if kernels.are_cut(docno.arrays):
        header["docno"] = "comment"
    return header


def _heads(data: RankingData) -> ByteStrings:
    """Grade and query of each row."""
    y = data.y if data.has_labels else np.full(len(data), np.nan)
    if y.min(initial=0) < 0:
        row = int(np.argmax(y < 0))
        raise InputError(f"LETOR text has no grades below 0, and row {row} has {y[row]:g}; write Parquet or CSV instead")
    if data.qid is None:
        return ByteStrings(*kernels.heads(y))
    if data.qid.dtype.kind != "T":
        return ByteStrings(*kernels.heads(y, data.qid))
    for qid in np.unique(data.qid).tolist():
        if not qid or any(c <= " " or c == "#" for c in qid):
            raise InputError(f"the qid {qid!r} cannot be written as LETOR text: it is empty or has a space or a # in it")
    return ByteStrings(*kernels.heads(y, ByteStrings.from_strings(data.qid).arrays))


def _tails(docno: ByteStrings, whole: bool) -> ByteStrings:
    """Comment of each row."""
    comments, wrong = kernels.comments(docno.arrays, whole)
    if wrong >= 0:
        raise InputError(f"the docno {docno[wrong]!r} of row {wrong} cannot be written as LETOR text; rename the document")
    return ByteStrings(*comments)


def _lines(X: Any, heads: ByteStrings, tails: ByteStrings) -> list[Bytes]:
    """Lines of text, in parts."""
    parts: list[Bytes]
    if sparse.issparse(X):
        starts = X.indptr.astype(np.int64)
        parts = kernels.write_sparse(heads.arrays, X.data, X.indices, starts, tails.arrays)
    else:
        parts = kernels.write_dense(heads.arrays, np.ascontiguousarray(X), tails.arrays)
    return parts
