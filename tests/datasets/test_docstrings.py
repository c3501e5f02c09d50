"""The docstrings as a collection."""

from __future__ import annotations

import os
import subprocess
import sys
import zlib

import pytest

from directrank import evaluate_run
from directrank.datasets import Collection, docstrings
from directrank.datasets.docstring_collection import _parsed
from directrank.retrieval import BM25, Retriever, TextIndex

DOC = """Return the sine of x.

More about sines.

Parameters
----------
x : array

See Also
--------
cos, tan : Others.
scipy.special.sindg :
    Of degrees; see `arcsin`.

Examples
--------
>>> sin(0)
"""


def test_a_docstring_is_taken_apart() -> None:
    entry = _parsed("m.sin", DOC)
    assert entry.summary == "Return the sine of x."
    assert entry.related == ("cos", "tan", "scipy.special.sindg")
    assert (
        "More about" in entry.rest
        and ">>> sin(0)" in entry.rest
        and "Return the" not in entry.rest
        and "tan" not in entry.rest
    )
    ufunc = _parsed("m.sin", "sin(x, /, out=None)\n\n" + DOC)
    assert ufunc.summary == "Return the sine of x." and ufunc.rest == entry.rest


@pytest.fixture(scope="module")
def collection() -> Collection:
    return docstrings()


@pytest.mark.slow
def test_the_collection_is_real(collection: Collection) -> None:
    assert len(collection.documents) > 2500 and len(collection.queries) > 1200
    grades = dict(
        zip(
            zip(collection.qrels.qid.tolist(), collection.qrels.docno.tolist(), strict=True),
            collection.qrels.grade,
            strict=True,
        )
    )
    arcsin = "numpy.asin" if "numpy.asin" in collection.documents else "numpy.arcsin"  # one object with two names
    assert (
        grades["numpy.sin", "numpy.sin"] == 2 and grades["numpy.sin", "numpy.cos"] == 1 and grades["numpy.sin", arcsin] == 1
    )
    assert {docno for _, docno in grades} <= set(collection.documents)
    run = Retriever(TextIndex.build(collection.documents.items(), "porter"), BM25()).search(collection.queries, 1000)
    assert 0.35 < evaluate_run(run, collection.qrels, "AP")["AP"] < 0.5


CHECKSUM = "zlib.crc32(repr((collection.documents, collection.queries, collection.qrels.docno.tolist())).encode())"


def test_another_process_builds_the_same(collection: Collection) -> None:
    """Though it hashes text in another way."""
    code = f"import zlib; from directrank.datasets import docstrings; collection = docstrings(); print({CHECKSUM})"
    seed = "1" if os.environ.get("PYTHONHASHSEED") != "1" else "2"
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code],
        env={**os.environ, "PYTHONHASHSEED": seed},
        capture_output=True,
        text=True,
        check=True,
        timeout=300,
    )
    assert int(done.stdout) == eval(CHECKSUM, {"zlib": zlib, "collection": collection})
