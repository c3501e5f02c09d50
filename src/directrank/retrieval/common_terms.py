"""Common terms: where the posting of a document is in a long list, without searching the list.

Of a term that is in many documents, one bit for each document says whether the term is in it; and for every 64 bits there is
the number of bits that are set before them. The position of a document's posting is that number plus the bits set before the
document's own among its 64. A table takes 3/16 byte per document, so at most 3 bytes for each posting of a term that is in
one document of `RARITY`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..arrays import Ints
from ..kernel_compiler import njit

#: A term is common if it is in at least one of so many documents.
RARITY = 16


class CommonTerms(NamedTuple):
    """The tables of all common terms.

    Attributes
    ----------
    row : int32 array
        Which table is that of each term, -1 for terms that are not common.
    bits : uint64 array, tables x words
        Bit d % 64 of word d // 64 is set if the term is in document d.
    before : int32 array, tables x words
        How many documents of earlier words the term is in.
    """

    row: NDArray[np.int32]
    bits: NDArray[np.uint64]
    before: NDArray[np.int32]

    @classmethod
    def of(cls, starts: Ints, documents: NDArray[np.int32], n_documents: int) -> CommonTerms:
        """The tables for postings ``starts[t]:starts[t + 1]`` of each term t, by ascending document."""
        (common,) = np.nonzero(np.diff(starts) * RARITY >= max(n_documents, 1))
        row = np.full(starts.size - 1, -1, np.int32)
        row[common] = np.arange(common.size)
        return cls(row, *_tables(common, starts, documents, -(-n_documents // 64)))


@njit(cache=True)
def _tables(common, starts, documents, n_words):  # type: ignore[no-untyped-def]
    bits, before = np.zeros((common.size, n_words), np.uint64), np.zeros((common.size, n_words), np.int32)
    for row in range(common.size):
        for p in range(starts[common[row]], starts[common[row] + 1]):
            bits[row, documents[p] >> 6] |= np.uint64(1) << np.uint64(documents[p] & 63)
        for word in range(1, n_words):
            before[row, word] = before[row, word - 1] + bits_set(bits[row, word - 1])
    return bits, before


@njit(cache=True)
def bits_set(word):  # type: ignore[no-untyped-def]
    """How many bits of a word are set; LLVM makes one instruction of this formula."""
    pairs = word - ((word >> np.uint64(1)) & np.uint64(0x5555555555555555))
    fours = (pairs & np.uint64(0x3333333333333333)) + ((pairs >> np.uint64(2)) & np.uint64(0x3333333333333333))
    eights = (fours + (fours >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return np.int64((eights * np.uint64(0x0101010101010101)) >> np.uint64(56))


@njit(cache=True)
def place_of(document, bits, before):  # type: ignore[no-untyped-def]
    """The position of a document's posting among those of a term, whose table this is; -1 if the term is not in it."""
    word, own = bits[document >> 6], np.uint64(1) << np.uint64(document & 63)
    if word & own == np.uint64(0):
        return np.int64(-1)
    return before[document >> 6] + bits_set(word & (own - np.uint64(1)))
