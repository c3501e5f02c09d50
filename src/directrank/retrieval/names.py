"""Many strings in two arrays, so that a million of them can be opened at once by memory mapping."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from ..core import sorted_names as kernels
from ..data import InputError


class Names(Sequence[str]):
    """A sequence of strings, held as UTF-8 bytes and the end of each.

    Parameters
    ----------
    blob : uint8 array
    ends : int64 array
    """

    def __init__(self, blob: NDArray[np.uint8], ends: NDArray[np.int64]) -> None:
        self.blob, self.ends = blob, ends

    @classmethod
    def of(cls, strings: Iterable[str]) -> Names:
        encoded = [string.encode() for string in strings]
        ends = np.cumsum([len(part) for part in encoded], dtype=np.int64)
        return cls(np.frombuffer(b"".join(encoded), np.uint8), ends)

    def __len__(self) -> int:
        return int(self.ends.size)

    def __getitem__(self, i: int) -> str:  # type: ignore[override]
        try:
            return bytes(self._bytes(i)).decode()
        except UnicodeDecodeError as error:
            raise InputError(f"name {i} of a text index is not UTF-8 text; the index is damaged, build it again") from error

    def __iter__(self) -> Iterator[str]:
        return (self[i] for i in range(len(self)))

    def find(self, string: str) -> int:
        """The position of a string, by binary search, or -1. The strings must be sorted by their bytes."""
        return int(self.find_all([string])[0])

    def find_all(self, strings: Iterable[str]) -> NDArray[np.int64]:
        """The position of each of several strings, or -1. The strings that are held must be sorted by their bytes."""
        wanted = Names.of(strings)
        return kernels.find_all(np.asarray(self.blob), np.asarray(self.ends), wanted.blob, wanted.ends)  # type: ignore[no-any-return]

    def _bytes(self, i: int) -> NDArray[np.uint8]:
        i = range(len(self))[i]
        return self.blob[int(self.ends[i - 1]) if i else 0 : int(self.ends[i])]
