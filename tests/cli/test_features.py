"""``directrank features`` on collections as they are distributed, and with links."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest
from harness import error_of, stderr_of, stdout_of

from directrank import read_letor, read_parquet

PAGE = """<DOC>
<DOCNO>{0}</DOCNO>
<DOCHDR>
http://x.org/{1} 1.2.3.4 19970101 text/html 300
HTTP/1.0 200 OK
</DOCHDR>
<html><title>{2}</title><body>{3}</body></html>
</DOC>
"""


@pytest.fixture
def web(tmp_path: Path) -> Path:
    pages = [
        ("d0", "", "Pets", "a cat sat"),
        ("d1", "a/", "", "dogs and cats"),
        ("d2", "a/b.html", "Cow", "whilst sideways"),
    ]
    (tmp_path / "pages" / "B01").mkdir(parents=True)
    (tmp_path / "pages" / "B01" / "0.gz").write_bytes(gzip.compress("".join(PAGE.format(*page) for page in pages).encode()))
    (tmp_path / "pages" / "1").write_text(PAGE.format("d3", "c.html", "Dogs", "the dog sat"))
    (tmp_path / "topics").write_text(
        "<top>\n<num> Number: 451\n<title> pets\n<desc> Description:\na cat\n</top>\n"
        "<top><num> Number: 452\n<title> dogs\n<desc>Description: hens, a dog, a cow\n</top>\n"
    )
    (tmp_path / "qrels").write_text("451 0 d0 1\n452 0 d3 2\n")
    (tmp_path / "links").write_text("d0 d1 d2\nd2 d0\n")
    return tmp_path


def test_web_pages_with_links_and_urls(web: Path) -> None:
    files = (web / "pages", web / "topics", web / "qrels", "-o", web / "data.parquet", "--topic-field", "description")
    links = ("--links", web / "links", "--urls", web / "pages")
    stdout_of("features", *files, "--feature-set", "web", *links, "--stop-words", "indri")
    data = read_parquet(web / "data.parquet")
    assert data.feature_names is not None and data.feature_names[0] == "bm25 porter+indri" and len(data.feature_names) == 11
    found = " ".join(sorted(f"{qid}:{docno}" for qid, docno in zip(data.qid.tolist(), data.docno.tolist(), strict=True)))
    assert found == "451:d0 451:d1 452:d1 452:d2 452:d3"
    typed = " ".join([*data.feature_names, stdout_of("features", "--help")]).lower()
    assert "host-level pagerank" in typed and "hostrank" not in typed  # whose paper was not available
    stdout_of("features", *files, "--links", web / "links", "--in-links")
    other = read_parquet(web / "data.parquet")
    assert other.feature_names is not None and len(other.feature_names) == 15 + 7
    assert (other.X[0, 15] != data.X[0, 1]) and other.feature_names[15] == data.feature_names[1] == "pagerank"


def test_smart_files_whose_queries_are_numbered_by_their_order(tmp_path: Path) -> None:
    (tmp_path / "docs").write_text(".I 1\n.T\ncats\n.A\nfox\n.W\na cat\n.I 2\n.T\ndogs\n.W\n.I 3\n.W\ncow\n")
    (tmp_path / "queries").write_text(".I 005\n.W\nfox and dogs\n.I 009\n.W\ncats\n")
    (tmp_path / "qrels").write_text("1 0 2 1\n2 0 1 1\n")
    files = (tmp_path / "docs", tmp_path / "queries", tmp_path / "qrels", "-o", tmp_path / "data.txt")
    stdout_of("features", *files, "--in-order")
    assert read_letor(tmp_path / "data.txt").docno.tolist() == ["2", "1"]
    stdout_of("features", *files, "--in-order", "--fields", "title, author")
    assert sorted(read_letor(tmp_path / "data.txt").docno.tolist()) == ["1", "1", "2"]
    assert "the queries (005, 009) and the qrels (1, 2) have no query in common" in error_of("features", *files)


def test_options_that_do_not_fit(web: Path) -> None:
    files = (web / "pages", web / "topics", web / "qrels", "-o", web / "data.txt")
    for options, message in (
        (("--feature-set", "web"), "--feature-set web needs --links FILE or --urls FILE"),
        (("--in-links",), "--in-links describes the lines of --links"),
        (("--topic-field", "title+text"), "unknown part of a topic 'text'"),
        (("--fields", "title,body"), "no document has the field body; name some of these: title, text, url"),
        (("--fields", "title,"), "--fields 'title,' has an empty name; separate names by commas"),
        (("--fields", ""), "--fields '' has an empty name"),
        (("--stop-words", "Indri"), "there are no stop words 'Indri'; name scikit-learn, indri, or a file of words"),
        (("--links", web / "topics"), "no line links two of the documents"),
    ):
        assert message in error_of("features", *files, *options)
    for option in ("--links", "--urls"):
        assert "nowhere: No such file" in error_of("features", *files, option, web / "nowhere")
    assert not (web / "data.txt").exists()


@pytest.fixture
def texts(tmp_path: Path) -> Path:
    lines = [{"id": f"d{i}", "text": text} for i, text in enumerate(["a cat sat", "dogs and cats", "a cow", "the dog sat"])]
    (tmp_path / "docs.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    (tmp_path / "queries.tsv").write_text("1\tcat\n2\tsitting dog\n3\tabsent\n4\tcow\n")
    (tmp_path / "qrels").write_text("1 0 d0 1\n2 0 d3 2\n3 0 d0 1\n")
    return tmp_path


def test_features_of_texts(texts: Path) -> None:
    files = [texts / name for name in ("docs.jsonl", "queries.tsv", "qrels")]
    said = stderr_of("features", *files, "-o", texts / "data.txt")
    assert "15 features" in said
    assert "1 of the judged queries were dropped: no query text or no matching document" in said
    assert "1 of 3 relevant documents were not retrieved by any function." in said
    data = read_letor(texts / "data.txt")
    assert data.n_queries == 2 and dict(zip(data.docno.tolist(), data.y, strict=True))["d3"] == 2
    stdout_of("features", *files, "-o", texts / "data.parquet", "--feature-set", "adarank", "--depth", "1")
    assert read_parquet(texts / "data.parquet").feature_names[0] == "ln(c+1) porter+stop"
    (texts / "topics").write_text("<top><num>1<title>cow<desc>a cat</top>")
    stdout_of("features", files[0], texts / "topics", files[2], "-o", texts / "desc.txt", "--topic-field", "desc")
    assert set(read_letor(texts / "desc.txt").docno.tolist()) == {"d0", "d1", "d2"}


def test_bad_input(texts: Path) -> None:
    files = [texts / name for name in ("docs.jsonl", "queries.tsv", "qrels")]
    to = ("-o", texts / "data.txt")
    assert "name three files, DOCS QUERIES QRELS" in error_of("features", files[0], *to)
    assert "has its own queries and qrels" in error_of("features", "irds:vaswani", files[1], *to)
    assert "ir_datasets has no collection 'nonsense'" in error_of("features", "irds:nonsense", *to)
    assert "its folder does not exist" in error_of("features", *files, "-o", texts / "nowhere" / "data.txt")
    assert "is a TREC file by its name" in error_of("features", *files, "-o", texts / "data.run")
    for source in files:
        assert "is both an input and the output" in error_of("features", *files, "-o", source)
    (texts / "docs.jsonl").write_text("d0 no tab\n")
    assert "docs.jsonl:1: expected an id, a tab and a text" in error_of("features", *files, *to)
    (texts / "docs.jsonl").write_text("d0\ta cat\nd0\ta cat\n")
    assert "docs.jsonl:2: document d0 is given more than once" in error_of("features", *files, *to)
    assert not (texts / "data.txt").exists()
