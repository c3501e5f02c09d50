"""Collections of documents, in every format."""

from __future__ import annotations

import gzip
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from directrank import InputError
from directrank.data import Document, read_documents
from directrank.retrieval import TextIndex

WSJ = """<DOC>
<DOCNO> WSJ870324-0001 </DOCNO>
<HL> John Blair Is Near Accord
To Sell Unit</HL>
<DD> 03/24/87</DD>
<SO> WALL STREET JOURNAL (J)</SO>
<TEXT>
   John Blair &amp; Co. is close to
an agreement &hyph; a <b>good</b> one, 5 < 6.
</TEXT>
</DOC>
<DOC>
<DOCNO>WSJ900402-0007</DOCNO>
<LP>A lead paragraph.</LP>
<!-- PJG 4700 -->
<TEXT><P>First.</P><P>Second.</P>
<TITLE>within</TITLE></TEXT>
</DOC>
"""

WEB = b"""<DOC>
<DOCNO>WTX001-B01-1</DOCNO>
<DOCOLDNO>IA001-000000-B001-1</DOCOLDNO>
<DOCHDR>
http://www.x.org:80/a/index.html 1.2.3.4 19970101 text/html 300
HTTP/1.0 200 OK
Content-type: text/html
</DOCHDR>
<html><head><TITLE>Caf\xe9
menu</TITLE><style>b {color: red}</style><script>if (a < b) "</p>";</script></head>
<!-- a comment with <b>tags</b> -->
<body>One<b>half</b> &eacute;t\xe9<br>and<p>more &lt;x&gt; <![if !IE]>shown<![endif]> <!doctype y> 3 < 4</body></html>
</DOC>
"""

OHSUMED = """.I 54711
.U
88000001
.S
Alcohol Alcohol 8801; 22(2):103-12
.M
Adult; Human.
.T
The binding of acetaldehyde to
the active site.
.P
JOURNAL ARTICLE.
.W
Ribonuclease A was reacted.
.A
Mauch TJ; Tuma DJ.
.I 54712
.U
88000002
.T
A title alone.
"""


def docnos(path: Path) -> list[str]:
    return [document.docno for document in read_documents(path)]


def test_json_and_tsv(tmp_path: Path) -> None:
    file = tmp_path / "docs.jsonl"
    file.write_text(
        '{"_id": "a", "title": "Cats", "text": "sat", "metadata": {}}\n\n{"id": 7, "contents": "naïve"}\nx\ta\tb\n'
    )
    first, *rest = read_documents(file)
    assert first == Document("a", {"title": "Cats", "text": "sat"}) and first.text == "Cats\nsat"
    assert rest == [("7", {"contents": "naïve"}), ("x", {"text": "a\tb"})]
    assert [found.text for found in read_documents(file, ["text"])] == ["sat", "", "a\tb"]
    with gzip.open(tmp_path / "docs.tsv.gz", "wt") as zipped:
        zipped.write("<a>\tone\r\nb\t\n")
    assert list(read_documents(tmp_path / "docs.tsv.gz")) == [("<a>", {"text": "one"}), ("b", {"text": ""})]


def test_sgml(tmp_path: Path) -> None:
    (tmp_path / "wsj").write_text(WSJ)
    first, second = read_documents(tmp_path / "wsj")
    assert first.docno == "WSJ870324-0001" and list(first.fields) == ["title", "text"]
    assert first.fields["title"] == "John Blair Is Near Accord To Sell Unit"
    assert " ".join(first.fields["text"].split()) == "John Blair & Co. is close to an agreement - a good one, 5 < 6."
    assert second.fields["title"] == "" and " ".join(second.text.split()) == "A lead paragraph. First. Second. within"
    assert [found.fields for found in read_documents(tmp_path / "wsj", ["dd", "so"])] == [
        {"dd": "03/24/87", "so": "WALL STREET JOURNAL (J)"},
        {"dd": "", "so": ""},
    ]
    with pytest.raises(InputError, match=r"wsj: no document has the field date; name some of these: text, title, dd, so"):
        list(read_documents(tmp_path / "wsj", ["title", "date"]))


def test_sgml_with_other_layouts(tmp_path: Path) -> None:
    file = tmp_path / "x"
    file.write_text(
        '<?xml version="1.0"?>\n'
        "<doc><docno>1</docno>free text <p>and more</doc> <DOC><DOCNO>2</DOCNO><TEXT>two</TEXT></DOC>\n"
        "<DOC><DOCNO>3</DOCNO><HEADER><AU>au</AU>kind<H3><TI>Ti</TI></H3>rest</HEADER><DATE>open\n<TEXT>three</TEXT></DOC>"
    )
    one, two, three = read_documents(file)
    assert one.text.split() == ["free", "text", "and", "more"] and two.text == "two"
    assert three.fields == {"title": "Ti", "text": "three"}
    assert [found.fields["header"].split() for found in read_documents(file, ["header"])] == [[], [], ["au", "kind", "rest"]]


def test_documents_whose_text_is_in_other_fields_are_rejected(tmp_path: Path) -> None:
    (tmp_path / "x").write_text("<DOC><DOCNO>1</DOCNO><CONTENT>words</CONTENT></DOC>")
    with pytest.raises(InputError, match=r"x: no document has the field title or text; name some of these: content"):
        list(read_documents(tmp_path / "x"))
    assert list(read_documents(tmp_path / "x", "content")) == [("1", {"content": "words"})]


def test_web_pages(tmp_path: Path) -> None:
    (tmp_path / "B01.gz").write_bytes(gzip.compress(WEB))
    (page,) = read_documents(tmp_path / "B01.gz", ("title", "text", "url"))
    assert page.docno == "WTX001-B01-1" and page.fields["title"] == "Café menu"
    assert " ".join(page.fields["text"].split()) == "Onehalf été and more <x> shown 3 < 4"
    assert page.fields["url"] == "http://www.x.org:80/a/index.html"
    assert "url" not in next(read_documents(tmp_path / "B01.gz")).fields


def test_ohsumed_and_smart(tmp_path: Path) -> None:
    (tmp_path / "ohsumed.87").write_text(OHSUMED)
    first, second = read_documents(tmp_path / "ohsumed.87")
    title = "The binding of acetaldehyde to the active site."
    assert first == ("88000001", {"title": title, "text": "Ribonuclease A was reacted."})
    assert second == ("88000002", {"title": "A title alone.", "text": ""})
    assert next(read_documents(tmp_path / "ohsumed.87", ["mesh", "number", "type"])).fields == {
        "mesh": "Adult; Human.",
        "number": "54711",
        "type": "JOURNAL ARTICLE.",
    }
    (tmp_path / "cran").write_bytes(b"\xef\xbb\xbf.I 1\r\n.T\r\na\r\ntitle\r\n.A\r\n.W\r\nw\xe9rk\r\n.I 2\r\n.W\r\n")
    assert list(read_documents(tmp_path / "cran")) == [
        ("1", {"title": "a title", "text": "wérk"}),
        ("2", {"title": "", "text": ""}),
    ]


def test_a_folder(tmp_path: Path) -> None:
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / "1.gz").write_bytes(gzip.compress(b"<DOC><DOCNO>b1</DOCNO></DOC>"))
    (tmp_path / "a").write_text("<DOC><DOCNO>a1</DOCNO>text</DOC>")
    for beside in ("README", "wsj.dtd", ".hidden", "b/readme.txt", "b/READCHG"):
        (tmp_path / beside).write_text("no document")
    assert docnos(tmp_path) == ["a1", "b1"]
    (tmp_path / "c").write_text("<DOC><DOCNO>a1</DOCNO></DOC>")
    with pytest.raises(InputError, match=r"c:1: document a1 is given more than once; keep one"):
        docnos(tmp_path)
    (tmp_path / "c").write_text("")
    with pytest.raises(InputError, match=r"c: the file has no documents"):
        docnos(tmp_path)
    (tmp_path / "empty").mkdir()
    with pytest.raises(InputError, match=r"empty: the folder has no files of documents"):
        docnos(tmp_path / "empty")


def test_an_index_takes_them(tmp_path: Path) -> None:
    (tmp_path / "wsj").write_text(WSJ)
    index = TextIndex.build(read_documents(tmp_path / "wsj"), "plain")
    assert index.frequency("accord") == 1 and index.frequency("street") == 0 and list(index.docnos)[1] == "WSJ900402-0007"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("a\tb\nno tab here\n", r"docs:2: expected an id, a tab and a text, or a JSON object"),
        ('{"id": 1, "text": \n', r"docs:1: not a valid JSON object"),
        ('{"text": "x"}\n', r"docs:1: the object has no id; add one of the fields docno, doc_id"),
        ('{"id": "x"}\n', r"docs:1: x has no text"),
        ("\n", r"docs: the file has no documents"),
        (b"\x1f\x8b\x08damaged", r"docs: the gzip file is damaged"),
        (
            b"\x1f\x9d\x90compressed",
            r"docs: the file was made by compress \(.Z\), which is not supported; decompress it with gunzip",
        ),
        ('{"id": 1, "text": "half \\ud800"}\n', r"docs:1: the object has half of a surrogate pair"),
        ('{"id": "\\uD800", "text": "half"}\n', r"docs:1: the object has half of a surrogate pair"),
        ('{"id": "a\\nb"}\n', r"docs:1: 'a\\nb' has no text"),
        ('{"id": 1, "text": ' + "[" * 100_000 + "\n", r"docs:1: not a valid JSON object"),
        (b"a\t\xff\xfe\n", r"docs:1: this line is not UTF-8 text"),
        ("a\tb\na\tc\n", r"docs:2: document a is given more than once; keep one"),
        ("<DOC>\n<DOCNO>1</DOCNO>\n</DOC>\n<DOC>\n<TEXT>x</TEXT>\n</DOC>", r"docs:4: this document has no <DOCNO>; add one"),
        ("<DOC><DOCNO> </DOCNO></DOC>", r"docs:1: this document has no <DOCNO>"),
        (
            "\n<DOC>\n<DOCNO>1</DOCNO>\n<DOC>\n<DOCNO>2</DOCNO>\n</DOC>",
            r"docs:2: this <DOC> is not closed before the next, on line 4",
        ),
        ("<DOC><DOCNO>1</DOCNO>\ntext", r"docs:1: this <DOC> is not closed; add </DOC>, or fetch the file again"),
        ("<DOC><DOCNO>1</DOCNO></DOC>\nlost text\n", r"docs:2: a text outside of a document"),
        ("<DOC><DOCNO>1</DOCNO><DOCHDR>http://x\n</DOC>", r"docs:1: the <DOCHDR> of this document is not closed"),
        ('<REUTERS TOPICS="YES" NEWID="1">', r"docs: this is Reuters-21578, which has a reader of its own"),
        ("<DOC id='x'>\n<DOCNO>1</DOCNO>\n</DOC>", r"docs: it starts with markup, but no <DOC>, as TREC's documents have"),
        (f"<!-- {'long ' * 60_000} -->\n<DOC><DOCNO>1</DOCNO>x</DOC>", r"docs: it starts with markup, but no <DOC>"),
        (".I 1\nlost\n.W\nx", r"docs:2: a text in no field; a line such as .I 1, then .W, should be above it"),
    ],
)
def test_bad_documents(tmp_path: Path, content: str | bytes, message: str) -> None:
    file = tmp_path / "docs"
    file.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(InputError, match=message):
        list(read_documents(file))


@pytest.mark.parametrize(
    "hostile",
    [
        lambda n: "<!--" * n,
        lambda n: "<![" * n,
        lambda n: "<?" * n,
        lambda n: "<a " * n,
        lambda n: "<a b='" * n,
        lambda n: "&" * n,
        lambda n: "<!a" * n + ">",
        lambda n: "<title>" * n,
        lambda n: "</" * n + ">",
    ],
)
@pytest.mark.parametrize("header", ["", "<DOCHDR>http://x </DOCHDR>"])
def test_hostile_markup_takes_linear_time(tmp_path: Path, hostile: Callable[[int], str], header: str) -> None:
    def seconds(n: int) -> float:
        (tmp_path / "x").write_text(f"<DOC><DOCNO>1</DOCNO>{header}<p>" + hostile(n) + "</DOC>")
        start = time.process_time()
        assert docnos(tmp_path / "x") == ["1"]
        return time.process_time() - start

    seconds(10)
    assert seconds(40_000) < 0.5 or seconds(80_000) < 3 * seconds(40_000)
