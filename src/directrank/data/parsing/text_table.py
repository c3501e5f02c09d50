"""Text files with a fixed number of whitespace-separated columns."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...arrays import Floats, Ints
from ...core import text_table as kernels
from ..errors import InputError
from ..io.files import Bytes, PathLike, read_bytes
from .byte_strings import ByteStrings
from .lines import PIECE_SIZE, cut, cut_runs, raise_at


class TextTable(NamedTuple):
    """Text of a file, and the positions of its columns: arrays of shape (n_columns, n_rows)."""

    path: PathLike
    text: Bytes
    starts: Ints
    lengths: Ints
    is_ascii: bool

    @property
    def n_columns(self) -> int:
        return int(self.starts.shape[0])

    def first(self, column: int) -> str:
        """String in a column of the first row."""
        return str(cut(self.path, self.text, self.starts[column, :1], self.lengths[column, :1])[0])

    def names(self, column: int) -> ByteStrings:
        """A column as byte strings, checked to be UTF-8."""
        if not self.is_ascii:
            cut_runs(self.path, self.text, self.starts[column], self.lengths[column])
        return ByteStrings(self.text, self.starts[column], self.lengths[column])

    def numbers(self, column: int, what: str) -> Floats:
        """A column of finite numbers."""
        starts, lengths = self.starts[column], self.lengths[column]
        values: Floats
        values, wrong = kernels.numbers(self.text, starts, lengths)
        if wrong >= 0:
            at, length = int(starts[wrong]), int(lengths[wrong])
            token = self.text[at : at + min(length, 40)].tobytes().decode("utf-8", "replace")
            raise_at(self.path, self.text, at, f"the {what} {token!r} is not a finite number")
        return values


def read_table(
    path: PathLike, form: str, max_size: int | None = None, *, shorter: str | None = None, wanted: str | None = None
) -> TextTable:
    """Split lines into the columns of `form`, or all lines into the columns of `shorter`; blank lines are skipped.

    If only some columns are `wanted`, the others are counted, and their positions are known in the first row only.
    """
    text = read_bytes(path, max_size)
    columns = form.split()
    keep = np.array([wanted is None or name in wanted.split() for name in columns])
    starts, lengths, found, n_rows, is_ascii = kernels.split(text, keep, PIECE_SIZE)
    starts, lengths, found = starts[:, :n_rows], lengths[:, :n_rows], found[:n_rows]
    if n_rows == 0:
        raise InputError(f"{path}: the file has no data lines")
    if shorter is not None and np.all(found == len(shorter.split())):
        return TextTable(path, text, starts[: found[0]], lengths[: found[0]], is_ascii)
    wrong = np.flatnonzero(found != len(columns))
    if wrong.size:
        what = f"expected {len(columns)} column(s), {form}, but found {found[wrong[0]]}"
        raise_at(path, text, int(starts[0, wrong[0]]), what)
    return TextTable(path, text, starts, lengths, is_ascii)
