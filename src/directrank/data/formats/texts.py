"""Documents and queries as text: JSON lines, tab-separated lines, TREC topics; plain or gzip.

A JSON line is an object with an id and texts, or lists of texts; a TSV line is an id, a tab and a text. The format is
recognised by its first character: ``{`` is JSON, ``<`` a TREC topic, anything else TSV. In a topic, only TREC's own tags
are tags, and words at the start of a line; everything else in angle brackets is text.
"""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterator
from typing import Literal

from ..bytes.files import PathLike, text_lines
from ..errors import InputError
from ..strings import is_text

#: The fields in which collections keep the id of a document, and of a query.
DOCUMENT = ("docno", "doc_id", "_id", "id")
QUERY = ("qid", "query_id", "_id", "id")

TopicField = Literal["title", "desc", "narr"]

#: The tags of TREC's topics through the years, with a prefix where a topic has its texts in several languages; and any word
#: of four letters or more at the start of a line, such as <query>: shorter ones, and other names, are more likely text.
_TAG = re.compile(
    r"<(/?(?:top|num|(?:[a-z]{1,2}-)?(?:title|desc|narr)|head|dom|smry|con|fac|def|nat|time))[ \t]*>"
    r"|^[ \t]*<(/?[a-z]{4,})[ \t]*>",
    re.IGNORECASE | re.MULTILINE,
)
_LABEL = re.compile(r"\A\s*(number|topic|description|narrative)\s*:", re.IGNORECASE)


def read_documents(path: PathLike, *, max_size: int | None = None) -> Iterator[tuple[str, str]]:
    """Iterate over the docno and the text of each document; for a JSON object, all its texts joined.

    Parameters
    ----------
    path : path
        Read once, from its start to its end, so it may be a pipe.
    max_size : int, optional
        The most bytes to read, decompressed.

    Examples
    --------
    >>> import pathlib
    >>> _ = pathlib.Path("documents.jsonl").write_text('{"id": "a", "title": "Cats", "text": "A cat sat."}\\n')
    >>> list(read_documents("documents.jsonl"))
    [('a', 'Cats\\nA cat sat.')]
    """
    found = False
    for number, line in enumerate(text_lines(path, max_size), 1):
        if line.strip():
            found = True
            yield _from_line(line, DOCUMENT, f"{path}:{number}")
    if not found:
        raise InputError(f"{path}: the file has no documents")


def read_queries(path: PathLike, topic_field: TopicField = "title", *, max_size: int | None = None) -> dict[str, str]:
    """The text of each query, by its qid.

    Parameters
    ----------
    path : path
    topic_field : {"title", "desc", "narr"}
        Which field of TREC topics to use as the query.
    max_size : int, optional
        The most bytes to read, decompressed.
    """
    lines = list(text_lines(path, max_size))
    first = next((line for line in lines if line.strip()), "")
    if first.lstrip().startswith("<"):
        pairs = _topics("".join(lines), path, topic_field)
    else:
        pairs = [_from_line(line, QUERY, f"{path}:{number}") for number, line in enumerate(lines, 1) if line.strip()]
    if not pairs:
        raise InputError(f"{path}: the file has no queries")
    queries: dict[str, str] = {}
    for qid, query in pairs:
        if qid in queries:
            raise InputError(f"{path}: query {_shown(qid)} is listed more than once; keep one")
        queries[qid] = query
    return queries


def _from_line(line: str, identifiers: tuple[str, ...], where: str) -> tuple[str, str]:
    if line.lstrip().startswith("{"):
        return _from_json(line, identifiers, where)
    name, tab, text = line.rstrip("\r\n").partition("\t")
    if not tab or not name.strip():
        raise InputError(f"{where}: expected an id, a tab and a text, or a JSON object")
    return name.strip(), text


def _from_json(line: str, identifiers: tuple[str, ...], where: str) -> tuple[str, str]:
    try:
        thing = json.loads(line)
    except (ValueError, RecursionError) as error:
        what = "nested too deeply" if isinstance(error, RecursionError) else error
        raise InputError(f"{where}: not a valid JSON object: {what}; fix or delete this line") from error
    key = next((key for key in identifiers if type(thing.get(key)) in (str, int)), None)
    if key is None:
        raise InputError(f"{where}: the object has no id; add one of the fields {', '.join(identifiers)}")
    name = str(thing[key])
    fields = [value for field, value in thing.items() if field not in (*DOCUMENT, *QUERY)]
    texts = [text for field in fields for text in (field if isinstance(field, list) else [field]) if isinstance(text, str)]
    if not texts and None not in fields:
        raise InputError(f"{where}: {_shown(name)} has no text; add a field such as text")
    text = "\n".join(texts)
    if "\\u" in line and not is_text(name + text):
        raise InputError(f"{where}: the object has half of a surrogate pair, such as \\ud800; write whole characters")
    return name, text


def _topics(text: str, path: PathLike, wanted: TopicField) -> list[tuple[str, str]]:
    """The number and the wanted field of each topic, in one pass from tag to tag."""
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


def _topic(fields: dict[str, str], wanted: TopicField, where: str) -> tuple[str, str]:
    if not fields.get("num"):
        raise InputError(f"{where}: this topic has no <num>; add it")
    if not fields.get(wanted):
        raise InputError(f"{where}: topic {_shown(fields['num'])} has no <{wanted}>; choose another field")
    return fields["num"], html.unescape(fields[wanted])


def _shown(name: str) -> str:
    return name if name.isprintable() else repr(name)
