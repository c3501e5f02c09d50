"""Documents and queries in lines: JSON objects with an id and texts, or an id, a tab and a text."""

from __future__ import annotations

import json

from ...errors import InputError
from ...strings import is_text

#: Names of the id field of documents and queries in common collections.
DOCUMENT = ("docno", "doc_id", "_id", "id")
QUERY = ("qid", "query_id", "_id", "id")


def parse_line(line: str, identifiers: tuple[str, ...], where: str) -> tuple[str, dict[str, str]]:
    """Parse the id and the texts of a line; the id is the first of `identifiers` that the object has."""
    if line.lstrip().startswith("{"):
        return _from_json(line, identifiers, where)
    name, tab, text = line.rstrip("\r\n").partition("\t")
    if not tab or not name.strip():
        raise InputError(f"{where}: expected an id, a tab and a text, or a JSON object")
    return name.strip(), {"text": text}


def _from_json(line: str, identifiers: tuple[str, ...], where: str) -> tuple[str, dict[str, str]]:
    try:
        thing = json.loads(line)
    except (ValueError, RecursionError) as error:
        what = "nested too deeply" if isinstance(error, RecursionError) else error
        raise InputError(f"{where}: not a valid JSON object: {what}; fix or delete this line") from error
    key = next((key for key in identifiers if type(thing.get(key)) in (str, int)), None)
    if key is None:
        raise InputError(f"{where}: the object has no id; add one of the fields {', '.join(identifiers)}")
    name = str(thing[key])
    others = {field: value for field, value in thing.items() if field not in (*DOCUMENT, *QUERY)}
    fields = {field: text for field, value in others.items() if (text := _text(value)) is not None}
    if not fields and None not in others.values():
        raise InputError(f"{where}: {shown(name)} has no text; add a field such as text")
    if "\\u" in line and not is_text(name + "".join(fields) + "".join(fields.values())):
        raise InputError(f"{where}: the object has half of a surrogate pair, such as \\ud800; write whole characters")
    return name, fields


def _text(value: object) -> str | None:
    """Text of a field, joined if it is a list; None if it has no text."""
    texts = [text for text in (value if isinstance(value, list) else [value]) if isinstance(text, str)]
    return "\n".join(texts) if texts else None


def shown(name: str) -> str:
    """A name for messages."""
    return name if name.isprintable() else repr(name)
