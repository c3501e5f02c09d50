"""Numbers of query-document pairs in another log than the one they come from."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import repeat
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...arrays import Ints
from ...caching import cached_property
from ..click_log import ClickLog, Pairs


@dataclass(frozen=True, eq=False)
class PairNumbers:
    """The pairs of a log by the identifiers of query and document.

    Attributes
    ----------
    queries : object array
        Identifiers of the queries.
    pairs : Pairs
        Number of the query, and document, of each pair.
    """

    queries: NDArray[Any]
    pairs: Pairs

    @property
    def n_pairs(self) -> int:
        return int(self.pairs.query.size)

    def find(self, log: ClickLog) -> Ints:
        """Number of each pair of a log; -1 if it is none of these."""
        if log.queries is self.queries and log.pairs is self.pairs:
            return np.arange(self.n_pairs)
        query = _look_up(log.queries.tolist(), self._query_numbers)[log.pairs.query]
        docno = _look_up(log.pairs.docno.tolist(), self._document_numbers)
        keys, numbers = self._sorted_keys
        wanted = query * len(self._document_numbers) + docno
        place = np.minimum(np.searchsorted(keys, wanted), keys.size - 1)
        is_known = (query >= 0) & (docno >= 0) & (keys[place] == wanted)
        return np.where(is_known, numbers[place], -1)

    @cached_property
    def _query_numbers(self) -> dict[Any, int]:
        return {query: number for number, query in enumerate(self.queries.tolist())}

    @cached_property
    def _document_numbers(self) -> dict[Any, int]:
        """Numbers of the distinct documents."""
        return {docno: number for number, docno in enumerate(dict.fromkeys(self.pairs.docno.tolist()))}

    @cached_property
    def _sorted_keys(self) -> tuple[Ints, Ints]:
        """A key for each pair, ascending, and the numbers of the pairs in that order."""
        docno = _look_up(self.pairs.docno.tolist(), self._document_numbers)
        keys = self.pairs.query * len(self._document_numbers) + docno
        order = np.argsort(keys)
        return keys[order], order


def _look_up(values: list[Any], numbers: dict[Any, int]) -> Ints:
    found: Iterable[int] = map(numbers.get, values, repeat(-1))  # type: ignore[arg-type]
    return np.fromiter(found, np.int64, len(values))
