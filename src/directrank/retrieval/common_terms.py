"""Bit vectors with rank counts for common terms: the posting of a document in a long list, in constant time.

The bit vector of a term has one bit per document, and a count of the bits set before each word of 64. The position of a
document's posting is that count plus the number of bits set before its own within the word. This takes 3/16 byte per
document, so at most 3 bytes for each posting of a term that is in one document of `RARITY`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..arrays import Ints
from ..core import common_terms as kernels

#: A term is common if at least one document in `RARITY` has it.
RARITY = 16


class CommonTerms(NamedTuple):
    """Bit vectors of all common terms.

    Attributes
    ----------
    row : int32 array
        Index of each term's bit vector, -1 for terms that are not common.
    bits : uint64 array, common terms x words
        Bit d % 64 of word d // 64 is set if the term is in document d.
    before : int32 array, common terms x words
        Number of bits set in earlier words.
    """

    row: NDArray[np.int32]
    bits: NDArray[np.uint64]
    before: NDArray[np.int32]

    @classmethod
    def from_postings(cls, starts: Ints, documents: NDArray[np.int32], n_documents: int) -> CommonTerms:
        """Bit vectors for the postings ``starts[t]:starts[t + 1]`` of each term t, in ascending order of documents."""
        (common,) = np.nonzero(np.diff(starts) * RARITY >= max(n_documents, 1))
        row = np.full(starts.size - 1, -1, np.int32)
        row[common] = np.arange(common.size)
        return cls(row, *kernels.tables(common, np.asarray(starts), np.asarray(documents), n_documents))
