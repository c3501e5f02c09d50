"""A folder with documents, topics and judgments, as TREC distributes them; or with Cranfield's files."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np

from ..data import Document, InputError, Qrels, read_documents, read_qrels, read_queries
from .experiment import Source
from .folders import checked, starting_with

HOLDS = (
    "documents* (files, or folders of files: TREC's SGML or web pages, OHSUMED's .I format, JSON lines and others), "
    "topics*, whose descriptions are the queries, and qrels*, one or more of each; or Cranfield's cran.all.1400, cran.qry "
    "and cranqrel.trec.txt"
)


class TextFolder(NamedTuple):
    """What is in it.

    Attributes
    ----------
    documents : iterator of Document
        They are read as they are asked for.
    queries : dict
    qrels : Qrels
    """

    documents: Iterator[Document]
    queries: dict[str, str]
    qrels: Qrels


def read_text_files(folder: Path, source: Source, topic_field: str = "description") -> TextFolder:
    """Documents, topics and judgments, one or more files of each.

    The descriptions are the only part that all of TREC's topics 101 to 300 have.
    """
    is_cranfield = any(checked(folder, source).glob("cran.qry*"))  # whose judgments number queries by their order
    names = ("cran.all.1400", "cran.qry", "cranqrel.trec") if is_cranfield else ("documents", "topics", "qrels")
    documents, topics, qrels = (starting_with(folder, name, source) for name in names)
    queries: dict[str, str] = {}
    for path in topics:
        queries |= read_queries(path, topic_field, in_order=is_cranfield)
    texts = (document for path in documents for document in read_documents(path))
    return TextFolder(texts, queries, _joined(qrels))


def _joined(files: list[Path]) -> Qrels:
    """The judgments of all files, no two of which judge the same."""
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
