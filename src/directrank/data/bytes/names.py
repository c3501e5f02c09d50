"""Many names held as bytes of one text, and numbering those that are equal.

A file of a million lines names a million documents. As strings they would take far longer to make than all that is done
with them; as places in the text they are compared, numbered and sorted without being made.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from ...arrays import Ints
from ...core import byte_names as kernels
from .files import Bytes
from .lines import cut_runs

#: The number of a name.
Numbers = NDArray[np.int32]

#: The key of the hashes: random, so that nobody can make up names that collide. No result depends on it.
HASH_KEY = int.from_bytes(os.urandom(8), "little")


@dataclass(frozen=True, eq=False)
class Names:
    """Names as UTF-8; indexed, they are strings.

    Attributes
    ----------
    text : uint8 array
        May hold more than the names.
    starts : int64 array
    lengths : int64 array
        In bytes.
    """

    text: Bytes
    starts: Ints
    lengths: Ints

    @classmethod
    def of(cls, strings: NDArray[Any]) -> Names:
        """The names that an array of strings holds."""
        parts = [string.encode() for string in strings.tolist()]
        lengths = np.fromiter(map(len, parts), np.int64, len(parts))
        return cls(np.frombuffer(b"".join(parts), np.uint8), np.cumsum(lengths) - lengths, lengths)

    @property
    def places(self) -> tuple[Bytes, Ints, Ints]:
        """The names as kernels take them."""
        return self.text, np.ascontiguousarray(self.starts), np.ascontiguousarray(self.lengths)

    def __len__(self) -> int:
        return int(self.starts.size)

    def __iter__(self) -> Iterator[str]:
        return iter(self.tolist())

    def tolist(self) -> list[str]:
        strings: list[str] = self[:].tolist()
        return strings

    def select(self, rows: Any) -> Names:
        """The names of these rows (indices or a mask)."""
        return Names(self.text, self.starts[rows], self.lengths[rows])

    @overload
    def __getitem__(self, rows: int | np.integer[Any]) -> str: ...
    @overload
    def __getitem__(self, rows: Any) -> NDArray[Any]: ...
    def __getitem__(self, rows: Any) -> Any:
        chosen = self.select([rows] if isinstance(rows, (int, np.integer)) else rows)
        strings = cut_runs("", *chosen.places)
        return str(strings[0]) if isinstance(rows, (int, np.integer)) else strings


def number_names(columns: Sequence[Names]) -> tuple[list[Numbers], Names]:
    """Number the distinct names of some columns by first appearance.

    Returns
    -------
    list of int32 arrays
        For each column, the number of each name.
    Names
        The distinct names, in the order of their numbers.
    """
    numbers, distinct = kernels.number([names.places for names in columns], HASH_KEY)
    ends = np.cumsum([len(names) for names in columns], dtype=np.int64)
    return np.split(numbers, ends)[:-1], Names(*distinct)
