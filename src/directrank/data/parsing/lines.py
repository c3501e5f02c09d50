"""Text in a byte buffer: dividing it into pieces, decoding strings, and errors that name the line."""

from __future__ import annotations

import re
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from ...arrays import Bools, Ints
from ...core import lines as kernels
from ..errors import InputError
from ..io.files import Bytes, PathLike
from ..strings import STRING, is_integer

_NEWLINE, _LAST_OF_ASCII = 10, 127

#: Size in bytes of the pieces of text that threads work on.
PIECE_SIZE = 2**17

_TOKEN = re.compile(rb"[^\s#]*")
_JSON = re.compile(rb'\s*(?P<object>\{(?:["}\s]|\Z))')
#: Error for JSON where rows are expected.
IS_LOG = (
    "the file looks like JSON; if it is the log of a search engine, join it with judgments by "
    "directrank convert --from log --qrels QRELS"
)


def pieces(text: Bytes, size: int = PIECE_SIZE) -> Ints:
    """Bounds of pieces of whole lines and about equal size; they depend on the text alone."""
    bounds: Ints = kernels.pieces(text, size)
    return bounds


def cut(path: PathLike | None, text: Bytes, starts: Ints, lengths: Ints) -> NDArray[Any]:
    """Decode the strings at these positions."""
    out = np.empty(starts.size, dtype=STRING)
    step, widest = 2**14, 2**10
    for lo in range(0, starts.size, step):
        block = slice(lo, lo + step)
        table = kernels.cut(text, starts[block], np.minimum(lengths[block], widest))
        if table.max() <= _LAST_OF_ASCII and lengths[block].max() <= widest and not _end_in_nul(table, lengths[block]).any():
            out[block] = table.view(f"S{table.shape[1]}")[:, 0].astype(STRING)
        else:  # the fast path neither checks UTF-8 nor keeps trailing NULs, and its table is as wide as the longest string
            places = zip(starts[block].tolist(), lengths[block].tolist(), strict=True)
            out[block] = [_decode(path, text, at, length) for at, length in places]
    return out


def _end_in_nul(table: NDArray[np.uint8], lengths: Ints) -> Bools:
    last = table[np.arange(lengths.size), np.maximum(lengths, 1) - 1]
    return (last == 0) & (lengths > 0)


def cut_runs(path: PathLike | None, text: Bytes, starts: Ints, lengths: Ints) -> NDArray[Any]:
    """`cut` with each run of equal strings decoded once: a query's name is repeated in many rows."""
    first = np.flatnonzero(kernels.differ_from_previous(text, starts, lengths))
    return np.repeat(cut(path, text, starts[first], lengths[first]), np.diff(first, append=starts.size))


def as_integers_if_possible(strings: NDArray[Any]) -> NDArray[Any] | Ints:
    """Query ids as int64 if all are integers in canonical form, else unchanged."""
    return strings.astype(np.int64) if all(map(is_integer, strings.tolist())) else strings


def token_at(text: Bytes, at: int) -> str:
    """Token at a position, quoted for messages."""
    match = _TOKEN.match(text[at : at + 200].tobytes())
    assert match is not None
    token = match[0].decode("utf-8", "replace")
    return repr(token if len(token) <= 40 else token[:37] + "...")


def raise_at(path: PathLike, text: Bytes, at: int, what: str) -> NoReturn:
    """Raise an `InputError` that names the file and the line, or says that the file is JSON."""
    json = _JSON.match(text[:4096].tobytes())
    if json is not None:
        at, what = json.start("object"), IS_LOG
    raise InputError(f"{path}:{line_number(text, at)}: {what}")


def check_utf8(path: PathLike, text: Bytes) -> None:
    """Raise an `InputError` for the first line that is not UTF-8 text."""
    try:
        str(text.data, "utf-8")
    except UnicodeDecodeError as error:
        place = f"{path}:{line_number(text, error.start)}"
        raise InputError(f"{place}: this line is not UTF-8 text; convert the file first") from error


def line_number(text: Bytes, at: int) -> int:
    return int(np.count_nonzero(text[:at] == _NEWLINE)) + 1


def _decode(path: PathLike | None, text: Bytes, at: int, length: int) -> str:
    try:
        return text[at : at + length].tobytes().decode("utf-8")
    except UnicodeDecodeError:
        if path is None:
            name = text[at : at + min(length, 40)].tobytes()
            raise InputError(f"the name {name!r} is not UTF-8 text; the file it comes from is damaged") from None
        raise_at(path, text, at, "this line is not UTF-8 text; convert the file first")
