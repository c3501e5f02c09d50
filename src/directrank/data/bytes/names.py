"""Many names held as bytes of one text, and numbering those that are equal.

A file of a million lines names a million documents. As strings they would take far longer to make than all that is done
with them; as places in the text they are compared, numbered and sorted without being made.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from ...arrays import Ints
from ...kernel_compiler import njit
from .files import Bytes
from .lines import cut_runs

#: The number of a name.
Numbers = NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class Names:
    """Names as UTF-8; indexed, they are strings.

    Attributes
    ----------
    text : uint8 array
        May hold more than the names.
    starts : int64 array
    lengths : int32 array
        In bytes.
    """

    text: Bytes
    starts: Ints
    lengths: NDArray[np.int32]

    @classmethod
    def of(cls, strings: NDArray[Any]) -> Names:
        """The names that an array of strings holds."""
        parts = [string.encode() for string in strings.tolist()]
        lengths = np.fromiter(map(len, parts), np.int32, len(parts))
        ends = np.cumsum(lengths, dtype=np.int64)
        return cls(np.frombuffer(b"".join(parts), np.uint8), ends - lengths, lengths)

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
        strings = cut_runs("", chosen.text, chosen.starts, chosen.lengths)
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
    n_names = sum(len(names) for names in columns)
    # Room for all, should no two be equal. Memory that is never written to is never taken.
    slots = np.zeros(1 << (3 * n_names // 2 + 1).bit_length(), np.uint64)
    pool = np.empty(sum(int(names.lengths.sum(dtype=np.int64)) for names in columns), np.uint8)
    ends = np.zeros(n_names + 1, np.int64)
    numbered, n_known = [], 0
    for names in columns:
        numbers = np.empty(len(names), np.int32)
        n_known = _number(names.text, names.starts, names.lengths, slots, pool, ends, n_known, numbers)
        numbered.append(numbers)
    ends = ends[: n_known + 1].copy()
    pool = pool[: ends[-1]]
    pool.flags.writeable = False
    return numbered, Names(pool, ends[:-1], np.diff(ends).astype(np.int32))


_U0, _U1, _U32 = np.uint64(0), np.uint64(1), np.uint64(32)
_AHEAD = 64
_LOW_HALF = np.uint64(2**32 - 1)
_HASH_START, _HASH_FACTOR, _HASH_MIX = np.uint64(0xCBF29CE484222325), np.uint64(0x100000001B3), np.uint64(0x9E3779B97F4A7C15)


@njit(cache=True)
def _number(text, starts, lengths, slots, pool, ends, n_known, numbers):  # type: ignore[no-untyped-def]
    """Number a column's names; returns how many distinct ones are known then.

    `slots` is a hash table with open addressing. An entry has half of a hash above the name's number plus 1, so that names
    are compared byte by byte only with those that have the same half. Name i is ``pool[ends[i]:ends[i + 1]]``.
    """
    mask, before, number = np.uint64(slots.size - 1), _U0, -1
    hashes, entries = np.empty(_AHEAD, np.uint64), np.empty(_AHEAD, np.uint64)
    for row in range(starts.size):
        ahead = row % _AHEAD
        if ahead == 0:
            _look_ahead(text, starts[row : row + _AHEAD], lengths[row : row + _AHEAD], slots, ends, hashes, entries)
        code, start, length = hashes[ahead], np.uint64(starts[row]), np.uint64(lengths[row])
        if number < 0 or code != before or not _is_name(text, start, length, pool, ends, number):
            number = _find(text, start, length, code, mask, slots, pool, ends, n_known)
            n_known += number == n_known
            before = code
        numbers[row] = number
    return n_known


@njit(cache=True)
def _look_ahead(text, starts, lengths, slots, ends, hashes, entries):  # type: ignore[no-untyped-def]
    """The hashes of the next names. What the table has for them is read too, in loops that wait for memory only once."""
    mask = np.uint64(slots.size - 1)
    for i in range(starts.size):
        hashes[i] = _hash(text, np.uint64(starts[i]), np.uint64(lengths[i]))
    for i in range(starts.size):
        entries[i] = slots[hashes[i] & mask]
    for i in range(starts.size):
        entries[i] = np.uint64(ends[entries[i] & _LOW_HALF])


@njit(cache=True)
def _find(text, start, length, code, mask, slots, pool, ends, n_known):  # type: ignore[no-untyped-def]
    """The number of a name, which becomes `n_known` if it is new."""
    slot, tag = code & mask, code >> _U32
    while slots[slot] != _U0:
        number = np.int64(slots[slot] & _LOW_HALF) - 1
        if slots[slot] >> _U32 == tag and _is_name(text, start, length, pool, ends, number):
            return number
        slot = (slot + _U1) & mask
    slots[slot] = (tag << _U32) | np.uint64(n_known + 1)
    _add_name(text, start, length, pool, ends, n_known)
    return n_known


@njit(cache=True)
def _hash(text, start, length):  # type: ignore[no-untyped-def]
    """The hash of Fowler, Noll and Vo, with its bits mixed."""
    code = _HASH_START
    for i in range(start, start + length):
        code = (code ^ np.uint64(text[i])) * _HASH_FACTOR
    code = (code ^ (code >> _U32)) * _HASH_MIX
    return code ^ (code >> _U32)


@njit(cache=True)
def _is_name(text, start, length, pool, ends, number):  # type: ignore[no-untyped-def]
    known = np.uint64(ends[number])
    if np.uint64(ends[number + 1]) - known != length:
        return False
    i = _U0
    while i < length and text[start + i] == pool[known + i]:
        i += _U1
    return i == length


@njit(cache=True)
def _add_name(text, start, length, pool, ends, number):  # type: ignore[no-untyped-def]
    known = np.uint64(ends[number])
    for i in range(length):
        pool[known + i] = text[start + i]
    ends[number + 1] = np.int64(known + length)
