"""Impressions and clicks of each pair of a query and a document at each rank, and comparisons of one pair at two ranks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple, Self

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from ...arrays import Bools, Floats, Ints
from ...caching import cached_property
from ..click_log import ClickLog


def summed(number: Ints, values: Floats, size: int) -> Floats:
    """Sum of the values of each number below `size`."""
    sums: Floats = np.bincount(number, values, size).astype(np.float64, copy=False)
    return sums


class Comparisons(NamedTuple):
    """Two cells of the same pair, the first at the higher position.

    Attributes
    ----------
    first, second : int64 arrays
        Numbers of the cells.
    link : int64 array
        Number of the two ranks, in `links`.
    links : int64 array of shape (n_links, 2)
        The distinct combinations of two ranks.
    """

    first: Ints
    second: Ints
    link: Ints
    links: Ints


@dataclass(frozen=True, eq=False)
class Cells:
    """The distinct combinations of a pair and a rank, by pair and rank.

    Attributes
    ----------
    pair, rank : int64 arrays
        Number of the pair and of the rank of each cell.
    pairs : int64 array
        The pairs that have cells, by their numbers in the log.
    ranks : int64 array
        The ranks that have cells, ascending, as they are in the log.
    """

    pair: Ints
    rank: Ints
    pairs: Ints
    ranks: Ints

    @property
    def size(self) -> int:
        return int(self.pair.size)

    @cached_property
    def starts(self) -> Ints:
        """Cells ``starts[i]:starts[i + 1]`` belong to pair i."""
        return np.concatenate(([0], np.cumsum(np.bincount(self.pair, minlength=self.pairs.size))))

    @cached_property
    def comparisons(self) -> Comparisons:
        """All combinations of two ranks of the same pair."""
        most = int(np.diff(self.starts).max(initial=0))
        firsts = [np.flatnonzero(self.pair[lag:] == self.pair[: self.size - lag]) for lag in range(1, most)]
        first = np.concatenate([np.zeros(0, np.int64), *firsts])
        second = np.concatenate([np.zeros(0, np.int64), *(found + lag for lag, found in enumerate(firsts, 1))])
        n_ranks = self.ranks.size
        codes, link = np.unique(self.rank[first] * n_ranks + self.rank[second], return_inverse=True)
        return Comparisons(first, second, link, np.stack(np.divmod(codes, n_ranks), axis=1))

    def compared_counts(self, shown: Floats, clicks: Floats) -> tuple[Floats, Floats]:
        r"""Clicks at both ranks of each link, as if every pair had been shown at both equally often, and those impressions.

        A pair that was shown N times at one rank and N' times at the other counts with the weight :math:`N N' / (N + N')`
        of Mantel and Haenszel, at both ranks alike: pairs are compared with themselves, however often they were shown.

        Returns
        -------
        clicks : array of shape (n_links, 2)
        impressions : array of shape (n_links,)
        """
        first, second, link, links = self.comparisons
        total = np.maximum(shown[first] + shown[second], 1)
        sums = [
            summed(link, weights, links.shape[0])
            for weights in (
                clicks[first] * shown[second] / total,
                clicks[second] * shown[first] / total,
                shown[first] * shown[second] / total,
            )
        ]
        return np.stack(sums[:2], axis=1), sums[2]

    def linked_ranks(self, shown: Floats, clicks: Floats) -> Bools:
        """Ranks that a chain of comparisons, each with clicks at both ranks, links to rank 1."""
        compared, _ = self.compared_counts(shown, clicks)
        ends = self.comparisons.links[(compared > 0).all(axis=1)].T
        graph = coo_array((np.ones(ends.shape[1]), (ends[0], ends[1])), shape=(self.ranks.size, self.ranks.size))
        _, component = connected_components(graph, directed=False)
        top = component[self.ranks == 1]
        return (
            (component == top[0]) & (np.bincount(component)[component] > 1) if top.size else np.zeros(component.size, bool)
        )

    def effective_clicks(self, shown: Floats, clicks: Floats) -> Floats:
        r"""Number of clicks at each rank that tell its bias.

        Each click weighs :math:`1 - N_{pk} / N_p`, the share of the impressions of its pair that were at other ranks.
        """
        other = 1 - shown / np.maximum(summed(self.pair, shown, self.pairs.size)[self.pair], 1)
        return summed(self.rank, clicks * other, self.ranks.size)


@dataclass(frozen=True, eq=False)
class CellRows:
    """Impressions of a log with their cells.

    Attributes
    ----------
    cells : Cells
    cell : int64 array
        Cell of each impression.
    session : int64 array
        Session of each impression.
    clicked : bool array
    """

    cells: Cells
    cell: Ints
    session: Ints
    clicked: Bools

    @classmethod
    def of_log(cls, log: ClickLog, rows: Bools | None = None) -> Self:
        """All impressions of a log, or some."""
        chosen = slice(None) if rows is None else rows
        ranks, rank = np.unique(log.rank[chosen], return_inverse=True)
        keys, cell = np.unique(log.pair[chosen] * ranks.size + rank, return_inverse=True)
        pair, cell_rank = np.divmod(keys, max(ranks.size, 1))
        pairs, pair = np.unique(pair, return_inverse=True)
        return cls(Cells(pair, cell_rank, pairs, ranks), cell, log.session[chosen], log.clicked[chosen])

    @property
    def shown(self) -> Floats:
        """Number of impressions of each cell."""
        return np.bincount(self.cell, minlength=self.cells.size).astype(np.float64)

    @property
    def clicks(self) -> Floats:
        """Number of clicked impressions of each cell."""
        return np.bincount(self.cell[self.clicked], minlength=self.cells.size).astype(np.float64)

    def select(self, kept: Bools) -> CellRows:
        """The impressions of some cells."""
        if kept.all():
            return self
        pairs, pair = np.unique(self.cells.pair[kept], return_inverse=True)
        ranks, rank = np.unique(self.cells.rank[kept], return_inverse=True)
        cells = Cells(pair, rank, self.cells.pairs[pairs], self.cells.ranks[ranks])
        rows = kept[self.cell]
        return CellRows(cells, (np.cumsum(kept) - 1)[self.cell[rows]], self.session[rows], self.clicked[rows])

    def at_several_ranks(self) -> CellRows:
        """The impressions of pairs that were shown at more than one rank."""
        return self.select(np.diff(self.cells.starts)[self.cells.pair] > 1)

    def linked(self) -> CellRows:
        """The impressions at ranks that comparisons link to rank 1, of pairs that were shown at several of them."""
        several = self.at_several_ranks()
        linked = several.cells.linked_ranks(several.shown, several.clicks)
        return several.select(linked[several.cells.rank]).at_several_ranks()
