"""Streaming reader of concatenated JSON values, one per line or pretty-printed over several."""

from __future__ import annotations

import json
import re
from collections.abc import Generator, Iterable, Iterator
from typing import Any

from ...errors import InputError
from ...io.files import PathLike

#: Number of gathered characters after which decoding is tried, to detect invalid JSON early.
_TRY_SIZE = 2**20

_BLANKS = re.compile(r"\s*")
_DECODER = json.JSONDecoder()

#: An incomplete value, and the line in which it starts.
Rest = tuple[str, int]


def json_values(lines: Iterable[str], number: int, path: PathLike) -> Iterator[tuple[Any, int]]:
    """Iterate over values, each with the line in which it starts; the first line has the given number.

    No JSON token spans lines. So lines are gathered until they can be decoded, and if decoding fails anywhere but at the
    end, no further line can help. Decoding is tried where a value is likely to end, after its first line and after a line
    that starts with a closing bracket, and otherwise only when the text has doubled, to stay linear.
    """
    gathered: list[str] = []
    size = tried = 0
    for line in lines:
        gathered.append(line)
        size += len(line)
        if len(gathered) > 1 and not line.startswith(("}", "]")) and size < max(2 * tried, _TRY_SIZE):
            continue
        rest, number = yield from _whole_values("".join(gathered), number, path)
        gathered = [rest] if rest else []
        size = tried = len(rest)
    yield from _whole_values("".join(gathered), number, path, more=False)


def _whole_values(text: str, number: int, path: PathLike, more: bool = True) -> Generator[tuple[Any, int], None, Rest]:
    """Yield the complete values of a text, and return an incomplete last one if there is `more` text."""
    at = end = 0
    while True:
        start = _end_of_blanks(text, end)
        number, at = number + text.count("\n", at, start), start
        if at == len(text):
            return "", number
        try:
            value, end = _DECODER.raw_decode(text, at)
        except json.JSONDecodeError as error:
            if more and _end_of_blanks(text, error.pos) == len(text):
                return text[at:], number
            wrong = min(error.pos, len(text.rstrip()))  # premature ends are in the last line
            raise _not_json(path, number, error.msg, number + text.count("\n", at, wrong)) from error
        except RecursionError as error:
            raise _not_json(path, number, "nested too deeply") from error
        except ValueError as error:  # an integer with too many digits
            raise _not_json(path, number, "a number has too many digits") from error
        yield value, number
        del value  # before the next one is decoded


def _end_of_blanks(text: str, at: int) -> int:
    blanks = _BLANKS.match(text, at)
    assert blanks is not None
    return blanks.end()


def _not_json(path: PathLike, line: int, what: str, wrong_line: int | None = None) -> InputError:
    place = "" if wrong_line in (None, line) else f" in line {wrong_line}"
    return InputError(f"{path}:{line}: not valid JSON ({what}{place}); log this query again, or delete its response")
