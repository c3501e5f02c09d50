"""Queries: topics of TREC, files of the SMART system, JSON lines and tab-separated lines; plain or gzip.

The format is recognised by its first characters: ``{`` is JSON, ``<`` a TREC topic, ``.I`` a file of the SMART system,
anything else TSV. In a topic, only TREC's own tags and words at the start of a line are tags; everything else in angle
brackets is text. Topics and SMART files are UTF-8, or Latin-1 where a line or field is not valid UTF-8.
"""

from __future__ import annotations

import codecs
import html
import re
from collections.abc import Iterable

from ...errors import InputError
from ...io.files import PathLike, decoded_lines, opened
from .smart import SmartEntry, decoded, smart_entries
from .text_lines import QUERY, parse_line, shown

#: Parts of a topic by their names.
_PARTS = {"title": "title", "desc": "desc", "description": "desc", "narr": "narr", "narrative": "narr"}

#: Tags of TREC topics, with a language prefix in multilingual topics; and any word of at least four letters at the start of
#: a line, such as <query>. Shorter words and other names are more likely text.
_TAG = re.compile(
    r"<(/?(?:top|num|(?:[a-z]{1,2}-)?(?:title|desc|narr)|head|dom|smry|con|fac|def|nat|time))[ \t]*>"
    r"|^[ \t]*<(/?[a-z]{4,})[ \t]*>",
    re.IGNORECASE | re.MULTILINE,
)
_LABEL = re.compile(r"\A\s*(number|topic|description|narrative)\s*:", re.IGNORECASE)


def read_queries(
    path: PathLike, topic_field: str = "title", *, in_order: bool = False, max_size: int | None = None
) -> dict[str, str]:
    """Read queries as a dict from qid to text.

    Parameters
    ----------
    path : path
        TREC topics; a file of the SMART system, whose queries are the fields .W; JSON lines or tab-separated lines.
    topic_field : str
        Part of TREC topics to use: "title", "description" or "narrative" ("desc" and "narr" for short), or several, such as
        "title+description".
    in_order : bool
        Number the queries 1, 2, ... in their order, ignoring their own numbers, as the judgments of Cranfield do.
    max_size : int, optional
        Maximum number of bytes to read, after decompression.
    """
    parts = topic_parts(topic_field)
    with opened(path, max_size) as stream:
        pairs = _pairs(list(stream), path, parts)
    if not pairs:
        raise InputError(f"{path}: the file has no queries")
    if in_order:
        return {str(place): query for place, (_, query) in enumerate(pairs, 1)}
    queries: dict[str, str] = {}
    for qid, query in pairs:
        if qid in queries:
            raise InputError(f"{path}: query {shown(qid)} is listed more than once; keep one")
        queries[qid] = query
    return queries


def topic_parts(topic_field: str) -> list[str]:
    """Tags of the parts of a topic field such as ``title+description``."""
    try:
        return [_PARTS[part.strip().lower()] for part in topic_field.split("+")]
    except KeyError as error:
        raise InputError(
            f"unknown part of a topic {error}; choose title, description or narrative, or several, as title+description"
        ) from error


def _pairs(lines: list[bytes], path: PathLike, parts: list[str]) -> list[tuple[str, str]]:
    """Qids and texts of queries."""
    lines = [line.removeprefix(codecs.BOM_UTF8) for line in lines[:1]] + lines[1:]
    first = next((line.lstrip() for line in lines if line.strip()), b"")
    if first.startswith(b".I"):
        return [_smart_query(entry, path) for entry in smart_entries(lines, path)]
    if first.startswith(b"<"):
        return _topics("".join(map(decoded, lines)), path, parts)
    numbered = [(number, line) for number, line in enumerate(decoded_lines(lines, path), 1) if line.strip()]
    read = (parse_line(line, QUERY, f"{path}:{number}") for number, line in numbered)
    return [(qid, "\n".join(fields.values())) for qid, fields in read]


def _smart_query(entry: SmartEntry, path: PathLike) -> tuple[str, str]:
    if "W" not in entry.fields:
        raise InputError(f"{path}:{entry.line}: query {shown(entry.number)} has no .W; add it")
    return entry.number, entry.fields["W"]


def _topics(text: str, path: PathLike, wanted: Iterable[str]) -> list[tuple[str, str]]:
    """Number and wanted parts of each topic."""
    head, *parts = _TAG.split(text)
    found: list[tuple[str, str]] = []
    fields: dict[str, str] | None = None
    line = start = 1 + head.count("\n")
    for known, other, content in zip(parts[::3], parts[1::3], parts[2::3], strict=True):
        tag = (known or other).lower()
        if tag in ("top", "/top"):
            if fields is not None:
                found.append(_topic(fields, wanted, f"{path}:{start}"))
            fields, start = ({} if tag == "top" else None), line
        elif fields is not None:
            fields[tag] = " ".join(_LABEL.sub("", content).split())
        line += content.count("\n")
    if fields is not None:
        found.append(_topic(fields, wanted, f"{path}:{start}"))
    return found


def _topic(fields: dict[str, str], wanted: Iterable[str], where: str) -> tuple[str, str]:
    if not fields.get("num"):
        raise InputError(f"{where}: this topic has no <num>; add it")
    for part in wanted:
        if not fields.get(part):
            raise InputError(f"{where}: topic {shown(fields['num'])} has no <{part}>; choose another field")
    return _number(fields["num"]), html.unescape(" ".join(fields[part] for part in wanted))


def _number(num: str) -> str:
    """Number of a topic as in the judgments: without leading zeros, which TREC topics 51 to 99 have."""
    return num.lstrip("0") or num if num.isascii() and num.isdigit() else num
