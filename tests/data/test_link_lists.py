"""Lists of links and of URLs."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from directrank import InputError
from directrank.data import read_links, read_urls

DOCNOS = ["a", "b", "c"]


def test_links(tmp_path: Path) -> None:
    (tmp_path / "pairs").write_text("a b\n\na c\nb\ta\na b\nz a\na z\n")
    assert read_links(tmp_path / "pairs", DOCNOS).toarray().tolist() == [[0, 2, 1], [1, 0, 0], [0, 0, 0]]
    (tmp_path / "out.gz").write_bytes(gzip.compress(b"a b c\nb\nc z a\n"))
    outgoing = read_links(tmp_path / "out.gz", DOCNOS).toarray()
    assert outgoing.tolist() == [[0, 1, 1], [0, 0, 0], [1, 0, 0]]
    assert (read_links(tmp_path / "out.gz", DOCNOS, incoming=True).toarray() == outgoing.T).all()
    (tmp_path / "other").write_text("x y\na z\n")
    with pytest.raises(InputError, match=r"other: no line links two of the documents"):
        read_links(tmp_path / "other", DOCNOS)


def test_urls(tmp_path: Path) -> None:
    file = tmp_path / "urls"
    file.write_text("http://x.org/ a\nb http://x.org/b\n\nz http://z.org\nZ http://z.org\nc y.org\n")
    assert read_urls(file, DOCNOS) == ["http://x.org/", "http://x.org/b", "y.org"]
    with pytest.raises(InputError, match=r"urls: document d has no URL; add it, or leave the document out"):
        read_urls(file, [*DOCNOS, "d"])
    file.write_text("a http://x.org/a file\n")
    with pytest.raises(InputError, match=r"urls:1: expected a docno and a URL, but found 3 words"):
        read_urls(file, DOCNOS)
    file.write_text("a http://x.org/\nb y.org\nhttp://z.org/ a\n")
    with pytest.raises(InputError, match=r"urls:3: document a is listed more than once; keep one URL"):
        read_urls(file, DOCNOS)


def test_urls_of_the_documents_themselves(tmp_path: Path) -> None:
    page = "<DOC><DOCNO>{0}</DOCNO><DOCHDR>\nhttp://x.org/{0} 1.2.3.4\n</DOCHDR><html>text</html></DOC>\n"
    (tmp_path / "pages").write_text("".join(page.format(docno) for docno in DOCNOS))
    assert read_urls(tmp_path / "pages", ["b", "a"]) == ["http://x.org/b", "http://x.org/a"]
    assert read_urls(tmp_path, ["c"]) == ["http://x.org/c"]
    (tmp_path / "docs.jsonl").write_text('{"id": "a", "url": "x.org", "text": "cat"}\n')
    assert read_urls(tmp_path / "docs.jsonl", ["a"]) == ["x.org"]
