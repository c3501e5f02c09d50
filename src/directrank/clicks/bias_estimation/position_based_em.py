"""Maximum likelihood of the position-based model, by expectation maximisation with Newton steps."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_array

from ...arrays import Bools, Floats, Ints
from ...caching import cached_property
from .bias_fit import BiasFit
from .rank_counts import Cells, summed

#: Largest probability of a click, which keeps logarithms finite.
_MOST = 1 - 1e-9


#: Lengths of a Newton step that are tried.
_LENGTHS = (1, 0.5, 0.2, 0.05)


class Probabilities(NamedTuple):
    """Parameters of the position-based model: examination of each rank, attractiveness of each pair."""

    examination: Floats
    attractiveness: Floats


@dataclass(frozen=True, eq=False)
class PositionBasedEM:
    r"""The position-based model: a document is clicked if its rank is examined and it is attractive.

    .. math:: P(\mathit{click} \mid p, k) = \theta_k \gamma_p

    With :math:`N_{pk}` impressions and :math:`C_{pk}` clicks of pair p at rank k, the logarithm of the likelihood is

    .. math:: \sum_{p,k} C_{pk} \log(\theta_k \gamma_p) + (N_{pk} - C_{pk}) \log(1 - \theta_k \gamma_p)

    Expectation maximisation sets each parameter to the mean probability, given what was seen, that the rank was examined or
    the document attractive. Without a click these are :math:`\theta(1-\gamma)/(1-\theta\gamma)` and
    :math:`\gamma(1-\theta)/(1-\theta\gamma)`, with a click 1. It is slow where clicks are rare. As the likelihood is concave
    in the logarithms of the parameters, each iteration goes on with a Newton step, if that raises the likelihood more.

    Parameters
    ----------
    pair, rank : int64 arrays
        Pair and rank of each cell, by pair.
    n_pairs, n_ranks : int
    tolerance : float
        Largest change of the logarithm of an examination at which iterations end.
    max_iter : int
        Maximum number of iterations.
    """

    pair: Ints
    rank: Ints
    n_pairs: int
    n_ranks: int
    tolerance: float = 1e-7
    max_iter: int = 500

    @classmethod
    def of_cells(cls, cells: Cells) -> PositionBasedEM:
        return cls(cells.pair, cells.rank, cells.pairs.size, cells.ranks.size)

    def fit(self, shown: Floats, clicks: Floats, start: Probabilities | None = None) -> BiasFit:
        """Fit to the impressions and clicks of each cell; alpha is relative to the first rank."""
        now = self._start(shown, clicks) if start is None else self._repaired(start, shown, clicks)
        for _ in range(self.max_iter):
            before = now
            now = self.step(shown, clicks, now)
            with np.errstate(divide="ignore", invalid="ignore"):
                change = np.abs(np.log(now.examination / before.examination))
            if not np.any(change > self.tolerance):
                break
        first = now.examination[0]
        alpha = now.examination / first if first > 0 else np.full(self.n_ranks, np.nan)
        return BiasFit(alpha, np.zeros(self.n_ranks), now)

    def step(self, shown: Floats, clicks: Floats, now: Probabilities) -> Probabilities:
        """One iteration, which never lowers the likelihood."""
        expected = self.em_step(shown, clicks, now)
        least = self.log_likelihood(shown, clicks, expected)
        ranks, pairs = self._newton_direction(shown, clicks, expected)
        for length in _LENGTHS:
            theta = np.minimum(expected.examination * np.exp(length * ranks), 1)
            gamma = np.minimum(expected.attractiveness * np.exp(length * pairs), 1)
            proposed = Probabilities(theta, gamma)
            if self.log_likelihood(shown, clicks, proposed) >= least:
                return proposed
        return expected

    def log_likelihood(self, shown: Floats, clicks: Floats, now: Probabilities) -> float:
        click = self._clicked(now)
        with np.errstate(divide="ignore"):
            logs = np.where(clicks > 0, np.log(click), 0.0)
        return float(np.sum(clicks * logs + (shown - clicks) * np.log1p(-click)))

    def em_step(self, shown: Floats, clicks: Floats, now: Probabilities) -> Probabilities:
        """One iteration of expectation maximisation alone, which never lowers the likelihood."""
        theta, gamma = now.examination[self.rank], now.attractiveness[self.pair]
        unclicked = (shown - clicks) / (1 - self._clicked(now))
        examined = self._by_rank(clicks + unclicked * theta * (1 - gamma))
        attractive = self._by_pair(clicks + unclicked * gamma * (1 - theta))
        return Probabilities(
            np.minimum(examined / np.maximum(self._by_rank(shown), 1e-300), 1),
            np.minimum(attractive / np.maximum(self._by_pair(shown), 1e-300), 1),
        )

    def _newton_direction(self, shown: Floats, clicks: Floats, now: Probabilities) -> tuple[Floats, Floats]:
        """Newton direction in the logarithms; attractiveness is eliminated, which leaves a system of the ranks.

        As only products are seen, an examination that is 1 stays: the unit. Other parameters that are 1 stay if they would
        rise.
        """
        click = self._clicked(now)
        slope = clicks - (shown - clicks) * click / (1 - click)
        curvature = (shown - clicks) * click / (1 - click) ** 2
        of_pairs, slope_of_pairs = self._by_pair(curvature), self._by_pair(slope)
        free = (of_pairs > 0) & ((now.attractiveness < _MOST) | (slope_of_pairs < 0))
        inverse = np.where(free, 1 / np.where(free, of_pairs, 1), 0)
        scaled = self._table(curvature * np.sqrt(inverse)[self.pair])
        of_ranks = self._by_rank(curvature)
        system = np.diag(of_ranks) - (scaled.T @ scaled).toarray()
        slope_of_ranks = self._by_rank(slope)
        right = slope_of_ranks - self._by_rank(curvature * (inverse * slope_of_pairs)[self.pair])
        moving = (of_ranks > 0) & ((now.examination < _MOST) | (slope_of_ranks < 0))
        moving[np.argmax(np.where(now.examination < _MOST, -np.inf, slope_of_ranks))] = False
        ranks = _solved(system, right, moving)
        pairs = inverse * (slope_of_pairs - self._by_pair(curvature * ranks[self.rank]))
        return np.clip(ranks, -3, 3), np.clip(pairs, -3, 3)

    def _clicked(self, now: Probabilities) -> Floats:
        return np.minimum(now.examination[self.rank] * now.attractiveness[self.pair], _MOST)

    def _start(self, shown: Floats, clicks: Floats) -> Probabilities:
        rates = self._by_rank(clicks) / np.maximum(self._by_rank(shown), 1e-300)
        theta = rates / max(float(rates.max(initial=0)), 1e-300)
        return Probabilities(theta, self._attractiveness(theta, shown, clicks))

    def _repaired(self, start: Probabilities, shown: Floats, clicks: Floats) -> Probabilities:
        """A start for other counts: a rank is examined, and a document attractive, just if there are clicks."""
        theta = np.where(self._by_rank(clicks) > 0, np.maximum(start.examination, 1e-3), 0)
        most = max(float(theta.max(initial=0)), 1e-300)
        fallback = self._attractiveness(theta / most, shown, clicks)
        gamma = np.minimum(start.attractiveness * most, 0.99)
        return Probabilities(theta / most, np.where((gamma > 0) & (fallback > 0), gamma, fallback))

    def _attractiveness(self, theta: Floats, shown: Floats, clicks: Floats) -> Floats:
        examined = np.maximum(self._by_pair(shown * theta[self.rank]), 1e-12)
        return np.minimum(self._by_pair(clicks) / examined, 0.99)

    @cached_property
    def _starts(self) -> Ints:
        return np.concatenate(([0], np.cumsum(np.bincount(self.pair, minlength=self.n_pairs))))

    def _table(self, values: Floats) -> csr_array:
        return csr_array((values, self.rank, self._starts), shape=(self.n_pairs, self.n_ranks))

    def _by_rank(self, values: Floats) -> Floats:
        return summed(self.rank, values, self.n_ranks)

    def _by_pair(self, values: Floats) -> Floats:
        return summed(self.pair, values, self.n_pairs)


def _solved(system: Floats, right: Floats, moving: Bools) -> Floats:
    """Solution of a part of a system, with 0 for the rest."""
    solution = np.zeros(right.size)
    if moving.any():
        part = system[np.ix_(moving, moving)]
        part += np.diag(np.full(len(part), 1e-12 * np.trace(part)))
        solution[moving] = np.linalg.solve(part, right[moving])
    return solution
