"""Documents and queries as text: JSON lines, tab-separated lines, TREC topics; plain or gzip.

A JSON line is an object with an id and texts, or lists of texts; a TSV line is an id, a tab and a text. The format is
recognised by its first character: ``{`` is JSON, ``<`` a TREC topic, anything else TSV.
"""

from __future__ import annotations

import gzip
import html
import json
import re
import zlib
from collections.abc import Iterator
from typing import Literal

from ..bytes.files import PathLike
from ..errors import InputError

#: The fields in which collections keep the id of a document, and of a query.
DOCUMENT = ("docno", "doc_id", "_id", "id")
QUERY = ("qid", "query_id", "_id", "id")

TopicField = Literal["title", "desc", "narr"]

_TOPIC = re.compile(r"<top>(.*?)(?=</top>|<top>|\Z)", re.DOTALL | re.IGNORECASE)
_FIELD = re.compile(r"<(num|title|desc|narr)>(.*?)(?=<[a-z/]|\Z)", re.DOTALL | re.IGNORECASE)
_LABEL = re.compile(r"\A\s*(number|topic|description|narrative)\s*:", re.IGNORECASE)


def read_documents(path: PathLike) -> Iterator[tuple[str, str]]:
    """Iterate over the docno and the text of each document; for a JSON object, all its texts joined.

    Examples
    --------
    >>> import pathlib
    >>> _ = pathlib.Path("documents.jsonl").write_text('{"id": "a", "title": "Cats", "text": "A cat sat."}\\n')
    >>> list(read_documents("documents.jsonl"))
    [('a', 'Cats\\nA cat sat.')]
    """
    found = False
    for number, line in enumerate(_lines(path), 1):
        if line.strip():
            found = True
            yield _from_line(line, DOCUMENT, f"{path}:{number}")
    if not found:
        raise InputError(f"{path}: the file has no documents")


def read_queries(path: PathLike, topic_field: TopicField = "title") -> dict[str, str]:
    """The text of each query, by its qid.

    Parameters
    ----------
    path : path
    topic_field : {"title", "desc", "narr"}
        Which field of TREC topics to use as the query.
    """
    lines = list(_lines(path))
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
            raise InputError(f"{path}: query {qid} is listed more than once; keep one")
        queries[qid] = query
    return queries


def _lines(path: PathLike) -> Iterator[str]:
    """The lines of a text file, plain or gzip."""
    with open(path, "rb") as file:
        zipped = file.read(2) == b"\x1f\x8b"
    with gzip.open(path) if zipped else open(path, "rb") as lines:
        number = 0
        try:
            for number, line in enumerate(lines, 1):
                yield line.decode("utf-8-sig" if number == 1 else "utf-8")
        except UnicodeDecodeError as error:
            raise InputError(f"{path}:{number}: this line is not UTF-8 text ({error}); convert the file first") from error
        except (EOFError, gzip.BadGzipFile, zlib.error) as error:
            raise InputError(f"{path}: the gzip file is damaged ({error}); download or create it again") from error


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
    except ValueError as error:
        raise InputError(f"{where}: not a valid JSON object: {error}") from error
    key = next((key for key in identifiers if type(thing.get(key)) in (str, int)), None)
    if key is None:
        raise InputError(f"{where}: the object has no id; add one of the fields {', '.join(identifiers)}")
    fields = [value for name, value in thing.items() if name not in (*DOCUMENT, *QUERY)]
    texts = [text for field in fields for text in (field if isinstance(field, list) else [field]) if isinstance(text, str)]
    if not texts and None not in fields:
        raise InputError(f"{where}: {thing[key]} has no text; add a field such as text")
    return str(thing[key]), "\n".join(texts)


def _topics(text: str, path: PathLike, wanted: TopicField) -> list[tuple[str, str]]:
    found = []
    for topic in _TOPIC.finditer(text):
        where = f"{path}:{text.count(chr(10), 0, topic.start()) + 1}"
        fields = {name.lower(): " ".join(_LABEL.sub("", value).split()) for name, value in _FIELD.findall(topic[1])}
        if not fields.get("num"):
            raise InputError(f"{where}: this topic has no <num>; add it")
        if not fields.get(wanted):
            raise InputError(f"{where}: topic {fields['num']} has no <{wanted}>; choose another field")
        found.append((fields["num"], html.unescape(fields[wanted])))
    return found
