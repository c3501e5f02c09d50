"""Columns of strings as slices of one byte buffer, compared, factorized and searched without decoding them.

A file of a million lines names a million documents. Decoding all of them would take far longer than everything else done
with them.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from ...arrays import Ints
from ...core import byte_strings as kernels
from ..errors import InputError
from ..io.files import Bytes
from .lines import cut_runs

#: Integer codes of distinct strings.
Codes = NDArray[np.int32]

#: Hash key of this process: random, so that colliding names cannot be crafted. No result depends on it.
HASH_KEY = int.from_bytes(os.urandom(8), "little")


@dataclass(frozen=True, eq=False)
class ByteStrings:
    """A sequence of UTF-8 strings in one byte buffer; indexing decodes them.

    Attributes
    ----------
    text : uint8 array
        The buffer, which may contain other bytes too.
    starts, lengths : int64 arrays
        Position and length of each string, in bytes.
    source : str, optional
        Where the strings come from, for error messages.
    """

    text: Bytes
    starts: Ints
    lengths: Ints
    source: str | None = None

    @classmethod
    def from_strings(cls, strings: Iterable[str] | NDArray[Any]) -> ByteStrings:
        """Encode strings into a buffer of their own."""
        parts = [string.encode() for string in (strings.tolist() if isinstance(strings, np.ndarray) else strings)]
        lengths = np.fromiter(map(len, parts), np.int64, len(parts))
        return cls(np.frombuffer(b"".join(parts), np.uint8), np.cumsum(lengths) - lengths, lengths)

    @classmethod
    def from_ends(cls, text: Bytes, ends: Ints, source: str | None = None) -> ByteStrings:
        """Adjacent strings, given by the end of each."""
        lengths = np.diff(ends, prepend=0)
        return cls(text, ends - lengths, lengths, source)

    @property
    def ends(self) -> Ints:
        """End of each string in the buffer."""
        return self.starts + self.lengths

    @property
    def arrays(self) -> tuple[Bytes, Ints, Ints]:
        """Text, starts and lengths as contiguous arrays for the kernels."""
        return np.asarray(self.text), np.ascontiguousarray(self.starts), np.ascontiguousarray(self.lengths)

    def __len__(self) -> int:
        return int(self.starts.size)

    def __iter__(self) -> Iterator[str]:
        return iter(self.tolist())

    def tolist(self) -> list[str]:
        strings: list[str] = self[:].tolist()
        return strings

    def select(self, rows: Any) -> ByteStrings:
        """The strings of these rows (indices or a mask)."""
        return ByteStrings(self.text, self.starts[rows], self.lengths[rows], self.source)

    @overload
    def __getitem__(self, rows: int | np.integer[Any]) -> str: ...
    @overload
    def __getitem__(self, rows: Any) -> NDArray[Any]: ...
    def __getitem__(self, rows: Any) -> Any:
        chosen = self.select([rows] if isinstance(rows, (int, np.integer)) else rows)
        try:
            strings = cut_runs(None, *chosen.arrays)
        except InputError as error:
            raise InputError(f"{self.source}: {error}" if self.source else str(error)) from error
        return str(strings[0]) if isinstance(rows, (int, np.integer)) else strings

    def find_sorted(self, strings: Iterable[str]) -> Ints:
        """Index of each of several strings by binary search, -1 if absent; these byte strings must be in ascending order."""
        found: Ints = kernels.find_sorted(self.arrays, ByteStrings.from_strings(strings).arrays)
        return found


def factorize(columns: Sequence[ByteStrings]) -> tuple[list[Codes], ByteStrings]:
    """Code the distinct strings of several columns by first appearance.

    Returns
    -------
    list of int32 arrays
        For each column, the code of each row.
    ByteStrings
        The distinct strings, in the order of their codes.
    """
    codes, distinct = kernels.factorize([column.arrays for column in columns], HASH_KEY)
    ends = np.cumsum([len(column) for column in columns], dtype=np.int64)
    return np.split(codes, ends)[:-1], ByteStrings(*distinct)
