"""Extraction of title and text from HTML pages."""

from __future__ import annotations

from html.parser import HTMLParser
from typing import NamedTuple

#: Tags within words or sentences; all others end a word.
_INLINE = frozenset(("a", "b", "big", "code", "em", "font", "i", "small", "span", "strong", "sub", "sup", "tt", "u"))


class Page(NamedTuple):
    title: str
    text: str


def parse_page(source: str) -> Page:
    """The first title and the text of a page, without tags, comments, scripts and styles."""
    parser = _Stripper()
    parser.feed(_simpler(source))
    parser.close()
    return Page("".join(parser.title).strip(), "".join(parser.text).strip())


class _Stripper(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.title: list[str] = []
        self.text: list[str] = []
        self.to, self.hidden = self.text, False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.to = self.title if tag == "title" and not self.title else self.text  # any tag ends a title left open
        self.hidden = tag in ("script", "style")
        if tag not in _INLINE:
            self.to.append("\n")

    def handle_endtag(self, tag: str) -> None:
        self.hidden = False
        if tag == "title":
            self.to = self.text
        if tag not in _INLINE:
            self.to.append("\n")

    def handle_data(self, data: str) -> None:
        if not self.hidden:
            self.to.append(data)


def _simpler(source: str) -> str:
    """A page without marked sections, which the parser rejects, and unclosed comments and tags, on which it is slow."""
    kept, place = [], 0
    while (start := source.find("<!--", place)) >= 0:
        end = source.find("-->", start + 4)
        kept.append(source[place:start])
        place = len(source) if end < 0 else end + 3
    without_comments = "".join([*kept, source[place:]])
    last = without_comments.rfind(">") + 1
    return without_comments[:last].replace("<![", "<!") + without_comments[last:].replace("<", " ")
