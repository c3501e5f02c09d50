"""Documents and queries from files."""

from __future__ import annotations

import gzip
import time
from pathlib import Path

import pytest

from directrank import InputError
from directrank.data import read_documents, read_queries

TOPICS = """
<top>
<num> Number: 301
<title> International Organized Crime
<desc> Description:
Identify organizations that
participate in crime &amp; trade.
<narr> Narrative:
A relevant document must name them.
</top>
<top><num>302</num><title>Poliomyelitis</title><desc>Is it under control?</desc></top>
"""


def test_documents_of_json_and_tsv(tmp_path: Path) -> None:
    file = tmp_path / "docs.jsonl"
    file.write_text(
        '{"_id": "a", "title": "Cats", "text": "sat", "metadata": {}}\n\n{"id": 7, "contents": "naïve"}\nx\ta\tb\n'
    )
    assert list(read_documents(file)) == [("a", "Cats\nsat"), ("7", "naïve"), ("x", "a\tb")]
    with gzip.open(tmp_path / "docs.tsv.gz", "wt") as zipped:
        zipped.write("a\tone\r\nb\t\n")
    assert list(read_documents(tmp_path / "docs.tsv.gz")) == [("a", "one"), ("b", "")]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("a\tb\nno tab here\n", r"docs:2: expected an id, a tab and a text, or a JSON object"),
        ('{"id": 1, "text": \n', r"docs:1: not a valid JSON object"),
        ('{"text": "x"}\n', r"docs:1: the object has no id; add one of the fields docno, doc_id"),
        ('{"id": "x"}\n', r"docs:1: x has no text"),
        ("\n", r"docs: the file has no documents"),
        (b"\x1f\x8b\x08damaged", r"docs: the gzip file is damaged"),
        ('{"id": 1, "text": "half \\ud800"}\n', r"docs:1: the object has half of a surrogate pair"),
        ('{"id": "\\uD800", "text": "half"}\n', r"docs:1: the object has half of a surrogate pair"),
        ('{"id": "a\\nb"}\n', r"docs:1: 'a\\nb' has no text"),
        ('{"id": 1, "text": ' + "[" * 100_000 + "\n", r"docs:1: not a valid JSON object"),
        (b"a\t\xff\xfe\n", r"docs:1: this line is not UTF-8 text"),
    ],
)
def test_bad_documents(tmp_path: Path, content: str | bytes, message: str) -> None:
    file = tmp_path / "docs"
    file.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(InputError, match=message):
        list(read_documents(file))


def test_queries(tmp_path: Path) -> None:
    file = tmp_path / "queries.tsv"
    file.write_text("1\twhat is a cat\n2\twho\n")
    assert read_queries(file) == {"1": "what is a cat", "2": "who"}
    file.write_text("1\ta\n1\tb\n")
    with pytest.raises(InputError, match="query 1 is listed more than once; keep one"):
        read_queries(file)
    file.write_text("")
    with pytest.raises(InputError, match="the file has no queries"):
        read_queries(file)


def test_the_name_of_a_query_is_not_that_of_a_document(tmp_path: Path) -> None:
    file = tmp_path / "queries.jsonl"
    file.write_text('{"id": "q1", "doc_id": "d7", "text": ["cat", "dog"]}\n{"qid": 2, "text": null}\n')
    assert read_queries(file) == {"q1": "cat\ndog", "2": ""}


def test_a_topic_without_its_end(tmp_path: Path) -> None:
    file = tmp_path / "topics"
    file.write_text("<top><num>1<title>cat\n<top><num>2<title>dog\n</top>")
    assert read_queries(file) == {"1": "cat", "2": "dog"}


def test_topics(tmp_path: Path) -> None:
    file = tmp_path / "topics"
    file.write_text(TOPICS)
    assert read_queries(file) == {"301": "International Organized Crime", "302": "Poliomyelitis"}
    assert read_queries(file, "desc")["301"] == "Identify organizations that participate in crime & trade."
    with pytest.raises(InputError, match=r"topics:11: topic 302 has no <narr>; choose another field"):
        read_queries(file, "narr")
    file.write_text("<top><title>x</top>")
    with pytest.raises(InputError, match=r"topics:1: this topic has no <num>"):
        read_queries(file)


def test_only_tags_of_topics_are_tags(tmp_path: Path) -> None:
    file = tmp_path / "topics"
    file.write_text(
        "<top>\n<num> Number: 7\n<query> mice </query>\n<dom> Domain: medicine\n"
        "<title> the <p53-mutant> in\n<i>mice</i> <\n5 weeks\n"
        "<smry> Summary: short\n<narrative> no dogs\n<DESC > a <b> c\n<E-narr> english\n</top>\n"
    )
    assert read_queries(file) == {"7": "the <p53-mutant> in <i>mice</i> < 5 weeks"}
    assert read_queries(file, "desc") == {"7": "a <b> c"}
    with pytest.raises(InputError, match=r"topics:1: topic 7 has no <narr>"):
        read_queries(file, "narr")


def test_topics_take_linear_time(tmp_path: Path) -> None:
    def seconds(n: int) -> float:
        file = tmp_path / f"{n}"
        text = "word " * 40
        file.write_text("".join(f"<top>\n<num> {i}\n<title> t{i}\n<desc>\n{text}\n</top>\n" for i in range(n)))
        start = time.perf_counter()
        queries = read_queries(file)
        assert len(queries) == n and queries[str(n - 1)] == f"t{n - 1}"
        return time.perf_counter() - start

    seconds(100)
    assert min(seconds(8_000) for _ in range(3)) < 8 * min(seconds(2_000) for _ in range(3))  # 16 times if it were quadratic
