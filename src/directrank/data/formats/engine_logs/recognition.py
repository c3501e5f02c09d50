"""Recognition of the logs of search engines among JSON and CSV files."""

from __future__ import annotations

import csv
import json
import os

from ...io.files import PathLike, opened
from .solr_log import is_log_header

#: Keys of a response, whose value is an object or a list.
_KEYS = ("hits", "responses", "response", "responseHeader", "error")


def is_engine_log(path: PathLike) -> bool:
    """Whether a regular file starts as a log of a search engine, rather than as a table.

    JSON that cannot be parsed by lines is taken for a log, whose responses may be pretty-printed.
    """
    if not os.path.isfile(path):
        return False
    with opened(path) as lines:
        first = next((line for line in lines if line.strip()), b"").decode("utf-8", "replace").strip()
    if not first.startswith(("{", "[")):
        try:
            return is_log_header(next(csv.reader([first]), []))
        except csv.Error:
            return False
    try:
        content = json.loads(first)
    except (ValueError, RecursionError):
        return not first.startswith("[")
    return isinstance(content, dict) and any(isinstance(content.get(key), (dict, list)) for key in _KEYS)
