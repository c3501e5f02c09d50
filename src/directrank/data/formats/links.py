"""Readers of link and URL lists."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import repeat
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import InputError
from ..io.files import PathLike, opened, text_lines
from .texts.documents import read_documents


def read_links(path: PathLike, docnos: Sequence[str], *, incoming: bool = False, max_size: int | None = None) -> Any:
    """Read links between documents as a sparse matrix with the weight of the link from i to j in row i and column j.

    A line lists a document and one or more documents that it links to: ``source target``, or ``source target target ...`` as
    in the out-link lists of WT10g. The weight of a link is the number of times it is listed. Links from or to other
    documents are ignored.

    Parameters
    ----------
    path : path
    docnos : sequence of str
        Documents in the order of rows and columns.
    incoming : bool
        Whether a line lists a document and the documents that link to it, as in the in-link lists of WT10g.
    max_size : int, optional
        Maximum number of bytes to read, after decompression.
    """
    from scipy import sparse

    numbers = {docno: number for number, docno in enumerate(docnos)}
    sources: list[int] = []
    targets: list[int] = []
    for line in text_lines(path, max_size):
        words = line.split()
        start = numbers.get(words[0]) if words else None
        if start is not None:
            found = [numbers[word] for word in words[1:] if word in numbers]
            sources.extend(repeat(start, len(found)))
            targets.extend(found)
    if not sources:
        raise InputError(f"{path}: no line links two of the documents; expected the docnos of a source and its targets")
    ends = (targets, sources) if incoming else (sources, targets)
    return sparse.coo_array((np.ones(len(sources)), ends), shape=(len(docnos), len(docnos))).tocsr()


def read_urls(path: PathLike, docnos: Sequence[str], *, max_size: int | None = None) -> list[str]:
    """Read the URLs of documents, in the order of `docnos`.

    Parameters
    ----------
    path : path
        A list with a docno and a URL on each line, in either order; or documents with a field ``url``, such as TREC's web
        pages.
    docnos : sequence of str
    max_size : int, optional
        Maximum number of bytes to read from a file, after decompression.
    """
    wanted = set(docnos)
    urls: dict[str, str] = {}
    if _are_documents(path, max_size):
        urls = {document.docno: document.fields["url"] for document in read_documents(path, ("url",), max_size=max_size)}
    else:
        for number, line in enumerate(text_lines(path, max_size), 1):
            words = line.split()
            if words and len(words) != 2:
                raise InputError(f"{path}:{number}: expected a docno and a URL, but found {len(words)} words")
            if words:
                docno, url = words if words[0] in wanted else reversed(words)
                if docno in wanted and docno in urls:
                    raise InputError(f"{path}:{number}: document {docno} is listed more than once; keep one URL")
                urls[docno] = url
    lacking = next((docno for docno in docnos if not urls.get(docno)), None)
    if lacking is not None:
        raise InputError(f"{path}: document {lacking} has no URL; add it, or leave the document out")
    return [urls[docno] for docno in docnos]


def _are_documents(path: PathLike, max_size: int | None) -> bool:
    if Path(path).is_dir():
        return True
    if not Path(path).is_file():  # a pipe can be read once
        return False
    with opened(path, max_size) as stream:
        return stream.peek().lstrip()[:1] in (b"<", b"{")
