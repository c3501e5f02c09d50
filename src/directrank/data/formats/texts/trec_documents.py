"""TREC documents: SGML (AP, WSJ, FT and others) and web pages (trecweb: WT2g, WT10g, .GOV), as distributed.

A document is between ``<DOC>`` and ``</DOC>`` and has a ``<DOCNO>``. A document with a ``<DOCHDR>`` is a web page: the first
word of the header is its URL, and HTML follows. In other documents, tags are fields.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from ...errors import InputError
from ...io.files import PathLike
from .html_text import parse_page
from .smart import decoded

_OPEN, _CLOSE = re.compile(rb"<doc>", re.IGNORECASE), re.compile(rb"</doc>", re.IGNORECASE)
_NEXT = re.compile(rb"\s*<doc>\s*(?:<docno>|\Z)", re.IGNORECASE)
_DOCNO = re.compile(rb"<docno>([^<]*)</docno>", re.IGNORECASE)
_TAG = re.compile(r"<(/?)([a-z][\w.-]{0,30})[^<>]*>|<![^<>]*>", re.IGNORECASE)

#: Tags of titles and texts in TREC's collections.
TITLES = frozenset(("title", "headline", "hl", "head", "ttl", "ti"))
TEXTS = frozenset(("text", "lp", "leadpara"))
#: Layout tags, which are not fields; neither are tags of one letter and h1 to h6.
_LAYOUT = frozenset(("body", "br", "div", "em", "font", "hr", "li", "ol", "pre", "span", "table", "td", "th", "tr", "ul"))


class Parsed(NamedTuple):
    """A document of a file: its first line, docno and fields."""

    line: int
    docno: str
    fields: dict[str, str]


def trec_documents(lines: Iterable[bytes], path: PathLike) -> Iterator[Parsed]:
    """Iterate over the documents of a file."""
    for start, source in _sources(lines, path):
        docno = _DOCNO.search(source)
        if docno is None or not docno[1].strip():
            raise InputError(f"{path}:{start}: this document has no <DOCNO>; add one, such as <DOCNO>d1</DOCNO>")
        rest = source[: docno.start()] + source[docno.end() :]
        yield Parsed(start, decoded(docno[1].strip()), _web_page(rest, f"{path}:{start}") or _fields(decoded(rest)))


def _sources(lines: Iterable[bytes], path: PathLike) -> Iterator[tuple[int, bytes]]:
    """First line and content of each document."""
    start = 0
    parts: list[bytes] = []
    for number, line in enumerate(lines, 1):
        if start and number > start and _NEXT.match(line):
            raise InputError(f"{path}:{start}: this <DOC> is not closed before the next, on line {number}; add </DOC>")
        while line:
            tag = (_CLOSE if start else _OPEN).search(line)
            before, after = (line, b"") if tag is None else (line[: tag.start()], line[tag.end() :])
            if start:
                parts.append(before)
                if tag is not None:
                    yield start, b"".join(parts)
                    start, parts = 0, []
            else:
                _check_no_text(before, f"{path}:{number}")
                start = number if tag is not None else 0
            line = after
    if start:
        raise InputError(f"{path}:{start}: this <DOC> is not closed; add </DOC>, or fetch the file again if it was cut off")


def _check_no_text(between: bytes, where: str) -> None:
    """Check that there is no text, which would be lost, between documents; markup such as <?xml ...> is allowed."""
    text = between.strip().removeprefix(b"\xef\xbb\xbf")
    if text and not text.startswith(b"<"):
        raise InputError(f"{where}: a text outside of a document; put it between <DOC> and </DOC>, or delete it")


def _web_page(source: bytes, where: str) -> dict[str, str] | None:
    """Fields of a web page; None if the document has no header and thus is no web page."""
    names = source.lower()
    start, end = names.find(b"<dochdr>"), names.find(b"</dochdr>")
    if start < 0:
        return None
    if end < start:
        raise InputError(f"{where}: the <DOCHDR> of this document is not closed; add </DOCHDR>")
    words = source[start + 8 : end].split(None, 1)
    page = parse_page(decoded(source[end + 9 :]))
    return {"title": page.title, "text": page.text, "url": decoded(words[0]) if words else ""}


def _fields(source: str) -> dict[str, str]:
    """Text of each field. Content outside of fields is text; nested tags are fields only if they are titles or texts."""
    found: dict[str, list[str]] = {}
    tags, field, place = [""], "text", 0
    for match in _TAG.finditer(source):
        found.setdefault(field, []).append(source[place : match.start()])
        place = match.end()
        name = (match[2] or "").lower()
        if match[1] and name == tags[-1]:
            tags.pop()
        elif not match[1] and _opens_a_field(name, tags[-1]):
            tags.append(name)
        field = _field_of(tags[-1])
        found.setdefault(field, []).append("\n")
    found.setdefault(field, []).append(source[place:])
    texts = {name: _unescaped("".join(parts)) for name, parts in found.items()}
    return {name: text for name, text in texts.items() if text}


def _opens_a_field(tag: str, within: str) -> bool:
    if within in TITLES or within in TEXTS:
        return False
    is_layout = len(tag) < 2 or tag in _LAYOUT or (tag[0] == "h" and tag[1:].isdigit())
    return tag in TITLES or tag in TEXTS or not (within or is_layout)


def _field_of(tag: str) -> str:
    return "title" if tag in TITLES else "text" if tag in TEXTS or not tag else tag


def _unescaped(text: str) -> str:
    return html.unescape(text.replace("&hyph;", "-")).strip()
