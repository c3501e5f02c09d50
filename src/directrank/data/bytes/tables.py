"""Text files with a fixed number of whitespace-separated columns."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...arrays import Bools, Ints
from ...kernel_compiler import njit
from ..errors import InputError
from .ascii import LAST_OF_ASCII, NEWLINE, SPACE
from .files import Bytes, PathLike, read_bytes
from .lines import cut, cut_runs, refuse
from .names import Names
from .numbers import MALFORMED, READ, UNDECIDED, parse_number

_BLOCK = 2**20
_U0, _U1 = np.uint64(0), np.uint64(1)  # positions are unsigned, because Numba checks every signed index for being negative


class TextTable(NamedTuple):
    """The text of a file, and the position of each row's columns in it, column by column."""

    path: PathLike
    text: Bytes
    starts: Ints
    lengths: NDArray[np.int32]

    @property
    def n_columns(self) -> int:
        return int(self.starts.shape[0])

    def first(self, column: int) -> str:
        """The string in a column of the first row."""
        return str(cut(self.path, self.text, self.starts[column, :1], self.lengths[column, :1])[0])

    def names(self, column: int) -> Names:
        """A column of names, each of which is checked to be UTF-8."""
        if self.text.max() > LAST_OF_ASCII:
            cut_runs(self.path, self.text, self.starts[column], self.lengths[column])
        return Names(self.text, self.starts[column], self.lengths[column])

    def numbers(self, column: int, what: str) -> NDArray[np.float64]:
        """A column of finite numbers."""
        starts, lengths = self.starts[column], self.lengths[column]
        values, outcomes = _parse_numbers(self.text, starts, lengths)
        for row in np.flatnonzero(outcomes == UNDECIDED):
            values[row], outcomes[row] = float(self.text[starts[row] : starts[row] + lengths[row]].tobytes()), READ
        wrong = np.flatnonzero((outcomes != READ) | ~np.isfinite(values))
        if wrong.size:
            at, length = int(starts[wrong[0]]), int(lengths[wrong[0]])
            token = self.text[at : at + min(length, 40)].tobytes().decode("utf-8", "replace")
            refuse(self.path, self.text, at, f"the {what} {token!r} is not a finite number")
        return values


def read_table(
    path: PathLike, form: str, max_size: int | None = None, *, shorter: str | None = None, wanted: str | None = None
) -> TextTable:
    """Split each line into the columns that `form` names, or all into those of a `shorter` one; blank lines are skipped.

    Where only some columns are `wanted`, the others are counted, and their places are known in the first row only.
    """
    text = read_bytes(path, max_size)
    columns = form.split()
    keep = np.array([wanted is None or name in wanted.split() for name in columns])
    starts, lengths, found = _split(text, keep)
    if found.size == 0:
        raise InputError(f"{path}: the file has no data lines")
    if shorter is not None and np.all(found == len(shorter.split())):
        return TextTable(path, text, starts[: found[0]], lengths[: found[0]])
    wrong = np.flatnonzero(found != len(columns))
    if wrong.size:
        what = f"expected {len(columns)} column(s), {form}, but found {found[wrong[0]]}"
        refuse(path, text, int(starts[0, wrong[0]]), what)
    return TextTable(path, text, starts, lengths)


def _split(text: Bytes, keep: Bools) -> tuple[Ints, NDArray[np.int32], NDArray[np.int32]]:
    """Where the columns to keep start in each line that is not blank, how long they are, and how many columns it has."""
    n_lines = sum(int(np.count_nonzero(text[at : at + _BLOCK] == NEWLINE)) for at in range(0, text.size, _BLOCK))
    n_lines += bool(text.size and text[-1] != NEWLINE)
    # Memory that is never written to, for columns nobody wants, is never taken.
    starts, lengths = np.empty((keep.size, n_lines), np.int64), np.empty((keep.size, n_lines), np.int32)
    found = np.empty(n_lines, np.int32)
    n_rows = _split_lines(text, keep, starts, lengths, found)
    return starts[:, :n_rows], lengths[:, :n_rows], found[:n_rows]


# One thread does it: most of the time goes into memory that is written to for the first time, and two get in each other's
# way there.


@njit(cache=True)
def _split_lines(text, keep, starts, lengths, found):  # type: ignore[no-untyped-def]
    """Find the columns of each line that is not blank, and how many there are; returns how many lines there are."""
    at, stop, row = _U0, np.uint64(text.size), 0
    keep_all = np.ones_like(keep)
    while at < stop:
        at, n_columns = _split_line(text, at, stop, row, keep_all if row == 0 else keep, starts, lengths)
        if n_columns > 0:
            found[row] = n_columns
            row += 1
    return row


@njit(cache=True)
def _split_line(text, at, stop, row, keep, starts, lengths):  # type: ignore[no-untyped-def]
    """Where the next line starts, and how many columns this one has."""
    found = 0
    while True:
        while at < stop and text[at] <= SPACE and text[at] != NEWLINE:
            at += _U1
        if at == stop or text[at] == NEWLINE:
            return at + _U1, found
        start = at
        while at < stop and text[at] > SPACE:
            at += _U1
        if found < keep.size and keep[found]:
            starts[found, row], lengths[found, row] = start, at - start
        found += 1


@njit(cache=True)
def _parse_numbers(text, starts, lengths):  # type: ignore[no-untyped-def]
    values, outcomes = np.empty(starts.size), np.empty(starts.size, np.int8)
    for i in range(starts.size):
        stop = starts[i] + lengths[i]
        values[i], outcomes[i], end = parse_number(text, starts[i], stop)
        if end != stop:  # it stopped at a #, which does not start a comment here
            outcomes[i] = MALFORMED
    return values, outcomes
