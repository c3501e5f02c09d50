"""Text in one buffer of bytes: splitting it among the cores, extracting strings, and naming the line in errors."""

from __future__ import annotations

import re
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from ...arrays import Bools, Ints
from ...kernel_compiler import get_num_threads, njit
from ..errors import InputError
from ..strings import STRING, is_integer
from .ascii import LAST_OF_ASCII, NEWLINE, SPACE
from .files import Bytes, PathLike
from .numbers import token_end

_JSON = re.compile(rb'\s*(?P<object>\{(?:["}\s]|\Z))')
_IS_JSON = (
    "the file looks like JSON; if it is the log of a search engine, join it with judgments by "
    "directrank convert --from log --qrels QRELS"
)


def pieces(text: Bytes) -> Ints:
    """Bounds of pieces of about equal size, each of whole lines, several for each core."""
    count = int(np.clip(text.size >> 16, 1, 16 * get_num_threads()))
    return _line_starts(text, np.linspace(0, text.size, count + 1).astype(np.int64))


def cut(path: PathLike, text: Bytes, starts: Ints, lengths: NDArray[Any]) -> NDArray[Any]:
    """The strings at these positions."""
    out = np.empty(starts.size, dtype=STRING)
    step, widest = 2**14, 2**10
    for lo in range(0, starts.size, step):
        block = slice(lo, lo + step)
        table = _cut_bytes(text, starts[block], np.minimum(lengths[block], widest))
        if table.max() <= LAST_OF_ASCII and lengths[block].max() <= widest and not _end_in_nul(table, lengths[block]).any():
            out[block] = table.view(f"S{table.shape[1]}")[:, 0].astype(STRING)
        else:  # the fast way does not check UTF-8, loses NUL at the end, and its table is as wide as the longest string
            places = zip(starts[block].tolist(), lengths[block].tolist(), strict=True)
            out[block] = [_decode(path, text, at, length) for at, length in places]
    return out


def _end_in_nul(table: NDArray[np.uint8], lengths: NDArray[Any]) -> Bools:
    last = table[np.arange(lengths.size), np.maximum(lengths, 1) - 1]
    return (last == 0) & (lengths > 0)


def cut_runs(path: PathLike, text: Bytes, starts: Ints, lengths: NDArray[Any]) -> NDArray[Any]:
    """The same, decoding each run of equal strings only once: a query's name is repeated in many rows."""
    first = np.flatnonzero(_starts_new(text, starts, lengths))
    return np.repeat(cut(path, text, starts[first], lengths[first]), np.diff(first, append=starts.size))


def as_integers_if_all_are(strings: NDArray[Any]) -> NDArray[Any] | Ints:
    """Query ids as int64 if every one is an integer in canonical form, else unchanged."""
    return strings.astype(np.int64) if all(map(is_integer, strings.tolist())) else strings


def token_at(text: Bytes, at: int) -> str:
    """The token at a position, quoted for an error message."""
    token = text[at : token_end(text, at, text.size)].tobytes().decode("utf-8", "replace")
    return repr(token if len(token) <= 40 else token[:37] + "...")


def refuse(path: PathLike, text: Bytes, at: int, what: str) -> NoReturn:
    """Raise an InputError that names the file and the line; of a file of JSON, it says that it is one."""
    json = _JSON.match(text[:4096].tobytes())
    if json is not None:
        at, what = json.start("object"), _IS_JSON
    raise InputError(f"{path}:{line_number(text, at)}: {what}")


def line_number(text: Bytes, at: int) -> int:
    return int(np.count_nonzero(text[:at] == NEWLINE)) + 1


def _decode(path: PathLike, text: Bytes, at: int, length: int) -> str:
    try:
        return text[at : at + length].tobytes().decode("utf-8")
    except UnicodeDecodeError:
        refuse(path, text, at, "this line is not UTF-8 text; convert the file first")


@njit(cache=True)
def _line_starts(text, bounds):  # type: ignore[no-untyped-def]
    """Move each inner bound forward to the start of a line."""
    for i in range(1, bounds.size - 1):
        at = max(bounds[i], bounds[i - 1])
        while at < text.size and at > 0 and text[at - 1] != NEWLINE:
            at += 1
        bounds[i] = at
    return bounds


@njit(cache=True)
def _cut_bytes(text, starts, lengths):  # type: ignore[no-untyped-def]
    table = np.zeros((starts.size, max(lengths.max(), 1)), np.uint8)
    for i in range(starts.size):
        for j in range(lengths[i]):
            table[i, j] = text[starts[i] + j]
    return table


@njit(cache=True)
def skip_blanks(text, at, end):  # type: ignore[no-untyped-def]
    """Where the next token of the line starts; the end of the line if there is none."""
    while at < end and text[at] <= SPACE and text[at] != NEWLINE:
        at += 1
    return at


@njit(cache=True)
def line_end(text, at, end):  # type: ignore[no-untyped-def]
    while at < end and text[at] != NEWLINE:
        at += 1
    return at


@njit(cache=True)
def _starts_new(text, starts, lengths):  # type: ignore[no-untyped-def]
    """Whether each string differs from the one before it."""
    new = np.ones(starts.size, np.bool_)
    for i in range(1, starts.size):
        if lengths[i] == lengths[i - 1]:
            new[i] = False
            for j in range(lengths[i]):
                if text[starts[i] + j] != text[starts[i - 1] + j]:
                    new[i] = True
                    break
    return new
