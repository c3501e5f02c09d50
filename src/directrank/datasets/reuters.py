"""Reuters-21578 (Lewis 1997): news stories with their topics, in the 22 SGML files as they were distributed."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Literal, NamedTuple

from ..data.errors import InputError
from ..data.io.files import PathLike, opened

_START = re.compile(r"<REUTERS\s([^>]*)>")
_ATTRIBUTE = re.compile(r'(\w+)="([^"]*)"')
_TOPIC = re.compile(r"<D>([^<]*)</D>")
_END = "</REUTERS>"

SplitName = Literal["train", "test", "unused"]


class Story(NamedTuple):
    """A story: its number (NEWID), title and body, topics, and part in the split "ModApte".

    Attributes
    ----------
    docno : str
    title, body : str
        The body of a story without further markup (TYPE="UNPROC") is all its text.
    topics : tuple of str
    split : {"train", "test", "unused"}
    """

    docno: str
    title: str
    body: str
    topics: tuple[str, ...]
    split: SplitName

    @property
    def text(self) -> str:
        """Title and body."""
        return "\n".join(part for part in (self.title, self.body) if part)


class ModApte(NamedTuple):
    """The split "ModApte" (Apté et al. 1994): 9,603 stories to train on, 3,299 to test on.

    Attributes
    ----------
    train, test : list of Story
    topics : list of str
        The 90 topics with at least one story in both, sorted.
    """

    train: list[Story]
    test: list[Story]
    topics: list[str]


def read_modapte(path: PathLike) -> ModApte:
    """Read the split "ModApte" of Reuters-21578 from its folder."""
    parts: dict[str, list[Story]] = {"train": [], "test": [], "unused": []}
    for story in read_reuters(path):
        parts[story.split].append(story)
    train, test = ({topic for story in parts[part] for topic in story.topics} for part in ("train", "test"))
    return ModApte(parts["train"], parts["test"], sorted(train & test))


def read_reuters(path: PathLike, *, max_size: int | None = None) -> Iterator[Story]:
    """Iterate over the stories of Reuters-21578.

    A story is in the split "ModApte" if its attribute TOPICS is YES, by its attribute LEWISSPLIT, TRAIN or TEST.

    Parameters
    ----------
    path : path
        A file, or a folder of files ``*.sgm``, plain or gzip.
    max_size : int, optional
        Maximum number of bytes to read from a file, after decompression.
    """
    seen: set[str] = set()
    for file in _files(Path(path)):
        with opened(file, max_size) as stream:
            for line, story in _stories(stream, file):
                if story.docno in seen:
                    raise InputError(f"{file}:{line}: story {story.docno} is given more than once; keep one")
                seen.add(story.docno)
                yield story
    if not seen:
        raise InputError(f"{path}: there is no story here; name the folder of reut2-000.sgm to reut2-021.sgm")


def _files(path: Path) -> list[Path]:
    if not path.is_dir():
        return [path]
    files = sorted(file for file in path.iterdir() if file.name.removesuffix(".gz").endswith(".sgm"))
    if not files:
        raise InputError(f"{path}: there is no file *.sgm here; name the folder of reut2-000.sgm to reut2-021.sgm")
    return files


def _stories(stream: IO[bytes], path: Path) -> Iterator[tuple[int, Story]]:
    """The stories of a file, each with the line on which it starts."""
    start, lines = 0, list[str]()
    for number, line in enumerate(stream, 1):
        text = line.decode("latin-1")
        if text.startswith("<REUTERS"):
            if start:
                break
            start, lines = number, []
        lines.append(text)
        if start and _END in text:
            yield start, _story("".join(lines), f"{path}:{start}")
            start = 0
    if start:
        raise InputError(f"{path}:{start}: this story is not closed by {_END}; fetch the file again")


def _story(source: str, where: str) -> Story:
    start = _START.match(source)
    about = dict(_ATTRIBUTE.findall(start[1])) if start else {}
    lacking = [name for name in ("NEWID", "LEWISSPLIT", "TOPICS") if name not in about]
    if lacking:
        raise InputError(f"{where}: this story has no attribute {lacking[0]}; fetch the file again")
    parts: dict[str, SplitName] = {"TRAIN": "train", "TEST": "test"}
    split = parts.get(about["LEWISSPLIT"], "unused") if about["TOPICS"] == "YES" else "unused"
    topics = tuple(_clean(topic) for topic in _TOPIC.findall(_element(source, "TOPICS")))
    text = _element(source, "TEXT")
    title, body = _element(text, "TITLE"), _element(text, "BODY")
    if not title and not body:
        body = text
    return Story(about["NEWID"], _clean(title), _clean(body), topics, split)


def _element(source: str, tag: str) -> str:
    """Content of the first element with a tag; empty if there is none."""
    start = re.search(rf"<{tag}(?:\s[^>]*)?>", source)
    end = source.find(f"</{tag}>", start.end()) if start else -1
    return source[start.end() : end] if start and end >= 0 else ""


def _clean(text: str) -> str:
    """Text with character references resolved and the news wire's control characters removed."""
    return html.unescape(text).replace("\x03", " ").strip()
