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
from ..core import common_terms as kernels

#: A term is common if at least one document in `RARITY` has it.
RARITY = 16


class CommonTerms(NamedTuple):
    """The tables of all common terms.

    Attributes
    ----------
    row : int32 array
        The number of each term's table, -1 for terms that are not common.
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
        return cls(row, *kernels.tables(common, np.asarray(starts), np.asarray(documents), n_documents))
