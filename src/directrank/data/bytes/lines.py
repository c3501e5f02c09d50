"""Text files as one buffer of bytes: pieces for each core, strings cut out of it, and places named in errors."""

from __future__ import annotations

from typing import Any, NoReturn

import numpy as np
from numba import get_num_threads, njit
from numpy.typing import NDArray

from ...arrays import Ints
from ..errors import InputError
from ..strings import STRING, looks_whole
from .files import Bytes, PathLike
from .numbers import token_end

_NEWLINE = 10


def pieces(text: Bytes) -> Ints:
    """Bounds of pieces of about equal size that end at line ends, several for each core."""
    count = int(np.clip(text.size >> 16, 1, 16 * get_num_threads()))
    return _line_starts(text, np.linspace(0, text.size, count + 1).astype(np.int64))


def cut(path: PathLike, text: Bytes, starts: Ints, lengths: Ints) -> NDArray[Any]:
    """The strings at these places."""
    out = np.empty(starts.size, dtype=STRING)
    step, widest = 2**14, 2**10
    for lo in range(0, starts.size, step):
        block = slice(lo, lo + step)
        table = _cut_bytes(text, starts[block], np.minimum(lengths[block], widest))
        if table.max() < 128 and lengths[block].max() <= widest:
            out[block] = table.view(f"S{table.shape[1]}")[:, 0].astype(STRING)
        else:  # the quick way would take bytes that are not UTF-8, and is as wide as the longest string
            places = zip(starts[block].tolist(), lengths[block].tolist(), strict=True)
            out[block] = [_decode(path, text, at, length) for at, length in places]
    return out


def cut_runs(path: PathLike, text: Bytes, starts: Ints, lengths: Ints) -> NDArray[Any]:
    """The same, cutting each run of equal strings out only once: a query's name stands in many rows."""
    first = np.flatnonzero(_starts_new(text, starts, lengths))
    return np.repeat(cut(path, text, starts[first], lengths[first]), np.diff(first, append=starts.size))


def as_numbers_if_whole(strings: NDArray[Any]) -> NDArray[Any] | Ints:
    """Query ids as int64 if every one is printed as a whole number, else as they are."""
    return strings.astype(np.int64) if all(map(looks_whole, strings.tolist())) else strings


def token_at(text: Bytes, at: int) -> str:
    """The token at a place, for an error message."""
    token = text[at : token_end(text, at, text.size)].tobytes().decode("utf-8", "replace")
    return repr(token if len(token) <= 40 else token[:37] + "...")


def refuse(path: PathLike, text: Bytes, at: int, what: str) -> NoReturn:
    """Raise the error that names file and line."""
    raise InputError(f"{path}:{line_number(text, at)}: {what}")


def line_number(text: Bytes, at: int) -> int:
    return int(np.count_nonzero(text[:at] == _NEWLINE)) + 1


def _decode(path: PathLike, text: Bytes, at: int, length: int) -> str:
    try:
        return text[at : at + length].tobytes().decode("utf-8")
    except UnicodeDecodeError:
        refuse(path, text, at, "this line is not UTF-8 text; convert the file first")


@njit(cache=True)
def _line_starts(text, bounds):  # type: ignore[no-untyped-def]
    """Move each inner bound on to the next line's start."""
    for i in range(1, bounds.size - 1):
        at = max(bounds[i], bounds[i - 1])
        while at < text.size and at > 0 and text[at - 1] != _NEWLINE:
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
    """Where the next token of the line starts; at its end if there is none."""
    while at < end and text[at] <= 32 and text[at] != _NEWLINE:
        at += 1
    return at


@njit(cache=True)
def line_end(text, at, end):  # type: ignore[no-untyped-def]
    while at < end and text[at] != _NEWLINE:
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
