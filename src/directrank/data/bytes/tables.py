"""Text files with a fixed number of whitespace-separated columns."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...arrays import Ints
from ...kernel_compiler import njit, prange
from ..errors import InputError
from .ascii import SPACE
from .files import Bytes, PathLike, read_bytes
from .lines import cut, cut_runs, line_end, pieces, refuse, skip_blanks
from .numbers import MALFORMED, READ, UNDECIDED, parse_number


class TextTable(NamedTuple):
    """The text of a file, and the position of each row's columns in it."""

    path: PathLike
    text: Bytes
    starts: Ints
    lengths: Ints

    @property
    def n_columns(self) -> int:
        return int(self.starts.shape[1])

    def first(self, column: int) -> str:
        """The string in a column of the first row."""
        return str(cut(self.path, self.text, self.starts[:1, column], self.lengths[:1, column])[0])

    def strings(self, column: int) -> NDArray[Any]:
        return cut_runs(self.path, self.text, self.starts[:, column], self.lengths[:, column])

    def numbers(self, column: int, what: str) -> NDArray[np.float64]:
        """A column of finite numbers."""
        starts, ends = self.starts[:, column], self.starts[:, column] + self.lengths[:, column]
        values, outcomes = _parse_numbers(self.text, starts, ends)
        for row in np.flatnonzero(outcomes == UNDECIDED):
            values[row], outcomes[row] = float(self.text[starts[row] : ends[row]].tobytes()), READ
        wrong = np.flatnonzero((outcomes != READ) | ~np.isfinite(values))
        if wrong.size:
            at, end = int(starts[wrong[0]]), int(ends[wrong[0]])
            token = self.text[at : min(end, at + 40)].tobytes().decode("utf-8", "replace")
            refuse(self.path, self.text, at, f"the {what} {token!r} is not a finite number")
        return values


def read_table(path: PathLike, form: str, max_size: int | None = None, *, shorter: str | None = None) -> TextTable:
    """Split each line into the columns that `form` names, or all into those of a `shorter` one; blank lines are skipped."""
    text = read_bytes(path, max_size)
    bounds = pieces(text)
    counts = np.zeros(bounds.size - 1, np.int64)
    _count_lines(text, bounds, counts)
    if counts.sum() == 0:
        raise InputError(f"{path}: the file has no data lines")
    n_rows, n_columns = int(counts.sum()), len(form.split())
    starts, lengths = np.zeros((n_rows, n_columns), np.int64), np.zeros((n_rows, n_columns), np.int64)
    found = np.empty(n_rows, np.int64)
    _split_lines(text, bounds, np.cumsum(counts) - counts, starts, lengths, found)
    if shorter is not None and np.all(found == len(shorter.split())):
        return TextTable(path, text, starts[:, : found[0]], lengths[:, : found[0]])
    wrong = np.flatnonzero(found != n_columns)
    if wrong.size:
        what = f"expected {n_columns} column(s), {form}, but found {found[wrong[0]]}"
        refuse(path, text, int(starts[wrong[0], 0]), what)
    return TextTable(path, text, starts, lengths)


@njit(cache=True, parallel=True)
def _count_lines(text, bounds, counts):  # type: ignore[no-untyped-def]
    """Count the lines of each piece that are not blank."""
    for piece in prange(bounds.size - 1):
        at, stop = bounds[piece], bounds[piece + 1]
        lines = 0
        while at < stop:
            end = line_end(text, at, stop)
            lines += skip_blanks(text, at, end) < end
            at = end + 1
        counts[piece] = lines


@njit(cache=True, parallel=True)
def _split_lines(text, bounds, first_row, starts, lengths, found):  # type: ignore[no-untyped-def]
    """Find the columns of each line, and how many there are."""
    for piece in prange(bounds.size - 1):
        at, stop, row = bounds[piece], bounds[piece + 1], first_row[piece]
        while at < stop:
            end = line_end(text, at, stop)
            at = skip_blanks(text, at, end)
            if at < end:
                found[row] = _split_line(text, at, end, starts[row], lengths[row])
                row += 1
            at = end + 1


@njit(cache=True)
def _split_line(text, at, end, starts, lengths):  # type: ignore[no-untyped-def]
    found = 0
    while at < end:
        start = at
        while at < end and text[at] > SPACE:
            at += 1
        if found < starts.size:
            starts[found], lengths[found] = start, at - start
        found += 1
        at = skip_blanks(text, at, end)
    return found


@njit(cache=True, parallel=True)
def _parse_numbers(text, starts, ends):  # type: ignore[no-untyped-def]
    values, outcomes = np.empty(starts.size), np.empty(starts.size, np.int64)
    for i in prange(starts.size):
        values[i], outcomes[i], end = parse_number(text, starts[i], ends[i])
        if end != ends[i]:  # it stopped at a #, which does not start a comment here
            outcomes[i] = MALFORMED
    return values, outcomes
