"""Folders with documents, topics and qrels, as TREC distributes them, or with Cranfield's files."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np

from ..data import Document, InputError, Qrels, read_documents, read_qrels, read_queries
from .experiment import Source
from .folders import check_folder, find_by_prefix

CONTENTS = (
    "documents* (files, or folders of files: TREC's SGML or web pages, OHSUMED's .I format, JSON lines and others), "
    "topics*, whose descriptions are the queries, and qrels*, one or more of each; or Cranfield's cran.all.1400, cran.qry "
    "and cranqrel.trec.txt"
)


class TextFolder(NamedTuple):
    """Contents of a text folder.

    Attributes
    ----------
    documents : iterator of Document
        Read lazily.
    queries : dict
    qrels : Qrels
    """

    documents: Iterator[Document]
    queries: dict[str, str]
    qrels: Qrels


def read_text_files(folder: Path, source: Source, topic_field: str = "description") -> TextFolder:
    """Read documents, topics and qrels, one or more files of each.

    Descriptions are the only field that all of TREC's topics 101 to 300 have.
    """
    check_folder(folder, source)
    is_cranfield = any(folder.glob("cran.qry*"))  # its qrels number queries by their order
    names = ("cran.all.1400", "cran.qry", "cranqrel.trec") if is_cranfield else ("documents", "topics", "qrels")
    documents, topics, qrels = (find_by_prefix(folder, name, source) for name in names)
    queries: dict[str, str] = {}
    for path in topics:
        queries |= read_queries(path, topic_field, in_order=is_cranfield)
    texts = (document for path in documents for document in read_documents(path))
    return TextFolder(texts, queries, _merge(qrels))


def _merge(files: list[Path]) -> Qrels:
    """Merge qrels; a document that is judged in two files is an error."""
    parts = [read_qrels(file) for file in files]
    if len(parts) == 1:
        return parts[0]
    judged = [set(zip(part.qid.tolist(), part.docno.tolist(), strict=True)) for part in parts]
    often = Counter(pair for mine in judged for pair in mine).most_common(1)
    if often and often[0][1] > 1:
        (qid, docno), _ = often[0]
        names = ", ".join(file.name for file in files)
        folder = files[0].parent
        raise InputError(f"{folder}: document {docno} of query {qid} is judged in more than one of {names}; keep one")
    return Qrels(*(np.concatenate([getattr(part, name) for part in parts]) for name in ("qid", "docno", "grade")))
