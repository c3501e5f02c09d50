"""Queries from files."""

from __future__ import annotations

import gzip
import time
from pathlib import Path

import pytest

from directrank import InputError
from directrank.data import read_queries

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


@pytest.mark.parametrize(
    ("field", "query"),
    [
        ("description", "Identify organizations that participate in crime & trade."),
        ("narrative", "A relevant document must name them."),
        ("title+desc", "International Organized Crime Identify organizations that participate in crime & trade."),
        ("Title + narr", "International Organized Crime A relevant document must name them."),
    ],
)
def test_parts_of_topics(tmp_path: Path, field: str, query: str) -> None:
    (tmp_path / "topics.gz").write_bytes(gzip.compress(TOPICS.split("<top><num>302")[0].encode()))
    assert read_queries(tmp_path / "topics.gz", field) == {"301": query}
    with pytest.raises(InputError, match="unknown part of a topic 'text'; choose title, description or narrative"):
        read_queries(tmp_path / "topics.gz", "title+text")


def test_topics_of_the_first_trecs_and_of_ohsumed(tmp_path: Path) -> None:
    file = tmp_path / "topics"
    file.write_text(
        "<top>\n<head> Tipster Topic Description\n<num> Number: 051\n<dom> Domain: Finance\n"
        "<title> Topic: Airbus Subsidies\n\n"
        "<desc> Description:\nA document mentions\nassistance.\n<smry> Summary: x\n<narr> Narrative:\nIt cites.\n"
        "<con> Concept(s):\n1. Airbus\n<fac> Factor(s):\n<def> Definition(s):\n</top>\n"
        "<top>\n<num> Number: OHSU1\n<title> 60 year old\n<desc> Description:\nAre there effects\n</top>\n"
    )
    assert read_queries(file, "title+description") == {
        "51": "Airbus Subsidies A document mentions assistance.",
        "OHSU1": "60 year old Are there effects",
    }


def test_queries_of_the_smart_system(tmp_path: Path) -> None:
    file = tmp_path / "cran.qry"
    file.write_text(".I 001\n.W\nwhat similarity\nlaws .\n.I 004\n.B\npatient\n.W\nheat\n")
    assert read_queries(file) == {"001": "what similarity\nlaws .", "004": "heat"}
    assert read_queries(file, in_order=True) == {"1": "what similarity\nlaws .", "2": "heat"}
    file.write_text(".I 1\n.T\nx\n")
    with pytest.raises(InputError, match=r"cran.qry:1: query 1 has no .W; add it"):
        read_queries(file)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "latin-1"])
@pytest.mark.parametrize("text", [".I 1\n.W\ncafé\n", "<top>\n<num> 1\n<title> café\n</top>\n"], ids=["smart", "topic"])
def test_encodings_of_queries(tmp_path: Path, text: str, encoding: str) -> None:
    (tmp_path / "queries").write_bytes(text.encode(encoding))
    assert read_queries(tmp_path / "queries") == {"1": "café"}
    (tmp_path / "tsv").write_bytes("1\tcafé\n".encode(encoding))
    if encoding == "latin-1":
        with pytest.raises(InputError, match="tsv:1: this line is not UTF-8 text"):
            read_queries(tmp_path / "tsv")
    else:
        assert read_queries(tmp_path / "tsv") == {"1": "café"}


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
        start = time.process_time()
        queries = read_queries(file)
        assert len(queries) == n and queries[str(n - 1)] == f"t{n - 1}"
        return time.process_time() - start

    seconds(100)
    assert min(seconds(16_000) for _ in range(3)) < 64 * min(seconds(1_000) for _ in range(3))  # 256 times if quadratic
