"""The readers of documents, queries and topics against plain ones, and on damaged files."""

from __future__ import annotations

import html
import json
import re
from pathlib import Path

import numpy as np
import pytest
from mutating import joined, mutated, one_sentence, refuses_in_one_sentence

from directrank import InputError
from directrank.data import read_documents, read_queries
from directrank.datasets import read_reuters

WORDS = ["cat", "dog", "é", "東京", "a\tb", "", "<b>", "&amp;", "x" * 50, "\u2028", "\x0b", "{", "\ufeff"]
FIELDS = ("num", "title", "desc", "narr")
PIECES = [b"<top>", b"</top>", b"<num>", b"<title>", b"1", b"\n", b"\t", b"{", b"}", b'"id"', b":", b'"\\ud800"', b"[", b","]
PIECES += [b'{"id":1,"x":', b'"a"', b"\xff"]
MARKUP = [
    b"<DOC>",
    b"</DOC>",
    b"<DOCNO>",
    b"</DOCNO>",
    b"<DOCHDR>",
    b"</DOCHDR>",
    b"<TEXT>",
    b"</TEXT>",
    b"<HL>",
    b"<p",
    b">",
    b"<!--",
]
MARKUP += [
    b"-->",
    b"<![",
    b"<script>",
    b"&lt;",
    b"&#0;",
    b"\n.I 1\n",
    b".W\n",
    b".U\n",
    b"d1",
    b"\n",
    b"\xff",
    b"<!",
    b"'",
    b"\x00",
]
KNOWN = r"top|num|title|desc|narr|head|dom|smry|con|fac|def|nat|time"


def some(rng: np.random.Generator, words: list[str], most: int) -> str:
    return " ".join(words[i] for i in rng.integers(len(words), size=rng.integers(most + 1)))


def documents(rng: np.random.Generator) -> tuple[bytes, list[tuple[str, str]]]:
    """Lines of a file of documents, and what is in them."""
    lines, wanted = [], []
    for i in range(rng.integers(1, 6)):
        name, text = f"{['d', 'é', '7'][rng.integers(3)]}{i}", some(rng, WORDS, 6)
        if rng.random() < 0.5:
            lines.append(json.dumps({"id": name, "text": text}, ensure_ascii=bool(rng.random() < 0.5)))
        else:
            lines.append(f"{name}\t{text}")
        wanted.append((name, text))
        if rng.random() < 0.2:
            lines.append("  ")
    return "\n".join(lines).encode() + (b"\n" if rng.random() < 0.5 else b""), wanted


def check_documents(rng: np.random.Generator, path: Path) -> None:
    content, wanted = documents(rng)
    path.write_bytes(content)
    assert [(found.docno, found.text) for found in read_documents(path)] == wanted
    path.write_bytes(mutated(rng, content, int(rng.integers(1, 4))))
    for read in (lambda: [(d.docno, d.text) for d in read_documents(path)], lambda: list(read_queries(path).items())):
        with refuses_in_one_sentence(path):
            for name, text in read():
                (name + text).encode()  # what was read can be written


def topics_plainly(text: str, wanted: str) -> dict[str, str] | None:
    """The wanted field of each topic; None if a topic lacks it or its number, or has another's number."""
    found: dict[str, str] = {}
    for after in re.split("<top>", text)[1:]:
        topic = re.split("</top>", after)[0]
        fields = {}
        for name in FIELDS:
            parts = re.split(f"<{name}>", topic)
            if len(parts) > 1:
                content = re.split(rf"</?(?:{KNOWN})>|\n[ \t]*</?[a-z]{{4,}}>", parts[-1])[0]
                fields[name] = " ".join(re.sub(r"\A\s*(Number|Topic|Description|Narrative)\s*:", "", content).split())
        if not fields.get("num") or not fields.get(wanted) or fields["num"] in found:
            return None
        found[fields["num"]] = html.unescape(fields[wanted])
    return found or None


def check_topics(rng: np.random.Generator, path: Path) -> None:
    words = [
        "cat",
        "<p53-mutant>",
        "<query>",
        "</query>",
        "<b>",
        "</i>",
        "&lt;x&gt;",
        "Topic:",
        "\n",
        "<",
        ">",
        "é",
        "</",
        "5 < 6",
    ]
    text = "\n" * int(rng.integers(2))
    for i in range(rng.integers(1, 5)):
        text += "<top>\n"
        for name in FIELDS if rng.random() < 0.7 else rng.permutation(FIELDS)[: rng.integers(5)].tolist():
            label = {"num": f" Number: {i}", "desc": " Description:"}.get(name, "") if rng.random() < 0.5 else f" {i} "
            text += f"<{name}>{label} {some(rng, words, 4) if name != 'num' else ''}"
            text += f"</{name}>" if rng.random() < 0.3 else "\n"
        text += "</top>\n" if rng.random() < 0.8 else ""
    path.write_text(text)
    field = FIELDS[rng.integers(1, 4)]
    wanted = topics_plainly(text, field)
    if wanted is None:
        with pytest.raises(InputError, match=one_sentence(path)):
            read_queries(path, field)
    else:
        assert read_queries(path, field) == wanted


def check_any_bytes(rng: np.random.Generator, path: Path) -> None:
    path.write_bytes(rng.bytes(rng.integers(100)) if rng.random() < 0.3 else joined(rng, PIECES, 30))
    with refuses_in_one_sentence(path):
        list(read_documents(path))
    with refuses_in_one_sentence(path):
        read_queries(path)


def check_markup(rng: np.random.Generator, path: Path) -> None:
    start = [b"<DOC><DOCNO>d0</DOCNO>", b".I 0\n", b"<DOC><DOCNO>d0</DOCNO><DOCHDR>http://x</DOCHDR>", b""][rng.integers(4)]
    path.write_bytes(start + joined(rng, MARKUP, 30) + (b"</DOC>" if rng.random() < 0.7 else b""))
    for read in (lambda: list(read_documents(path)), lambda: list(read_reuters(path)), lambda: read_queries(path)):
        with refuses_in_one_sentence(path):
            read()


def test_markup(fuzz, tmp_path: Path) -> None:
    fuzz(lambda rng: check_markup(rng, tmp_path / "x"), cases=1000)


def test_documents(fuzz, tmp_path: Path) -> None:
    fuzz(lambda rng: check_documents(rng, tmp_path / "x"), cases=1000)


def test_topics(fuzz, tmp_path: Path) -> None:
    fuzz(lambda rng: check_topics(rng, tmp_path / "x"), cases=1500)


def test_any_bytes(fuzz, tmp_path: Path) -> None:
    fuzz(lambda rng: check_any_bytes(rng, tmp_path / "x"), cases=1500)
