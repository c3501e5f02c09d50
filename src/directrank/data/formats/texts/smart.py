"""Files of the SMART system: Cranfield, CACM, MED and their queries; OHSUMED as it was distributed (Hersh et al. 1994).

An entry starts with a line ``.I number``; each of its fields starts with a line of a period and a capital letter.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from ...errors import InputError
from ...io.files import PathLike

_START = re.compile(rb"\.I[ \t]+(\S+)\s*\Z")
_FIELD = re.compile(rb"\.([A-Z])\s*\Z")

#: Field names of the letters; other letters are field names themselves.
FIELDS = {"T": "title", "W": "text", "A": "author", "B": "source", "S": "source", "M": "mesh", "P": "type", "K": "keywords"}


class SmartEntry(NamedTuple):
    """An entry: its first line, its number, and the text of each field by letter."""

    line: int
    number: str
    fields: dict[str, str]


def smart_entries(lines: Iterable[bytes], path: PathLike) -> Iterator[SmartEntry]:
    """Iterate over the entries of a file."""
    start, name = 0, b""
    fields: dict[bytes, list[bytes]] = {}
    field: list[bytes] | None = None
    for number, line in enumerate(lines, 1):
        if number == 1:
            line = line.removeprefix(codecs.BOM_UTF8)
        if begins := _START.match(line):
            if start:
                yield _entry(start, name, fields)
            start, name, fields, field = number, begins[1], {}, None
        elif start and (named := _FIELD.match(line)):
            field = fields.setdefault(named[1], [])
        elif field is not None:
            field.append(line)
        elif line.strip():
            raise InputError(f"{path}:{number}: a text in no field; a line such as .I 1, then .W, should be above it")
    if start:
        yield _entry(start, name, fields)


def _entry(start: int, name: bytes, fields: dict[bytes, list[bytes]]) -> SmartEntry:
    texts = {letter.decode(): decoded(b"".join(lines)).replace("\r\n", "\n").strip() for letter, lines in fields.items()}
    return SmartEntry(start, decoded(name), texts)


def decoded(text: bytes) -> str:
    """Decode UTF-8, or Latin-1 if it is not valid UTF-8, as in most collections of the nineties."""
    try:
        return text.decode()
    except UnicodeDecodeError:
        return text.decode("latin-1")
