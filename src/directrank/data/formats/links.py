"""Links between documents, and their URLs, from lists; plain or gzip."""

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
    """The links between documents, as a sparse matrix: the weight of the link from i to j is in row i and column j.

    A line is a document and those that it links to, one or more, separated by blanks: ``source target``, or ``source target
    target ...`` as in the lists of out-links of WT10g. A link that is listed several times has a greater weight. Links from
    or to other documents than those named are left out.

    Parameters
    ----------
    path : path
    docnos : sequence of str
        The documents, in the order of rows and columns.
    incoming : bool
        Whether a line is a document and those that link to it, as in the lists of in-links of WT10g.
    max_size : int, optional
        The most bytes to read, decompressed.
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
    """The URL of each document, in order.

    Parameters
    ----------
    path : path
        A list, on each line a docno and a URL, in this order or the other; or documents that have a field ``url``, such as
        the web pages of TREC.
    docnos : sequence of str
    max_size : int, optional
        The most bytes to read of a file, decompressed.
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
