"""The position-based model with attractiveness by logistic regression on features: regression-EM."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.special import expit

from ...arrays import Floats
from ...caching import cached_property
from .bias_fit import BiasFit
from .rank_counts import Cells, summed

#: Largest probability of a click, which keeps logarithms finite.
_MOST = 1 - 1e-9

#: Precision of the prior of the weights of standardised features; the data has as much as there are impressions.
_PRECISION = 1.0


class Regression(NamedTuple):
    """Examination of each rank, and weights of the standardised features with the constant last."""

    examination: Floats
    weights: Floats


@dataclass(frozen=True, eq=False)
class RegressionEM:
    r"""Regression-EM (Wang et al. 2018): examination :math:`\theta_k`, attractiveness :math:`\gamma_p = \sigma(w^T x_p)`.

    The E step is that of the position-based model. The M step sets :math:`\theta` to means of the expected examinations, and
    w by a Newton step of the logistic regression on the expected attractiveness, which is shortened until it does not lower
    its likelihood. As such iterations are slow where clicks are rare, each goes on with a step of Fisher scoring in
    :math:`(\log \theta, w)`, if that raises the likelihood more. The weights have a normal prior, too weak to matter unless
    features are redundant.

    Parameters
    ----------
    cells : Cells
    features : array of shape (n_pairs, n_features)
        Of the pairs that have cells.
    tolerance : float
        Largest change of a weight or of the logarithm of an examination at which iterations end.
    max_iter : int
        Maximum number of iterations.

    References
    ----------
    X. Wang, N. Golbandi, M. Bendersky, D. Metzler, M. Najork: Position bias estimation for unbiased learning to rank in
    personal search. WSDM 2018.
    """

    cells: Cells
    features: Floats
    tolerance: float = 1e-6
    max_iter: int = 500

    def fit(self, shown: Floats, clicks: Floats, start: Regression | None = None) -> BiasFit:
        """Fit to the impressions and clicks of each cell; alpha is relative to the first rank."""
        now = self._start(shown, clicks) if start is None else start
        for _ in range(self.max_iter):
            before, now = now, self.step(shown, clicks, now)
            with np.errstate(divide="ignore", invalid="ignore"):
                change = np.abs(np.log(now.examination / before.examination))
            if not (np.any(change > self.tolerance) or np.any(np.abs(now.weights - before.weights) > self.tolerance)):
                break
        return BiasFit(now.examination / now.examination[0], np.zeros(self.cells.ranks.size), now)

    def step(self, shown: Floats, clicks: Floats, now: Regression) -> Regression:
        """One iteration, which never lowers the objective."""
        expected = self.em_step(shown, clicks, now)
        slowly = self.objective(shown, clicks, expected)
        direction = self._scoring_direction(shown, clicks, expected)
        for length in (1, 0.5, 0.25):
            theta = np.minimum(expected.examination * np.exp(length * direction.examination), _MOST)
            theta[0] = 1
            proposed = Regression(theta, expected.weights + length * direction.weights)
            if self.objective(shown, clicks, proposed) >= slowly:
                return proposed
        return expected

    def objective(self, shown: Floats, clicks: Floats, now: Regression) -> float:
        """Logarithm of the likelihood and of the prior of the weights."""
        click = self._clicked(now)
        with np.errstate(divide="ignore"):
            logs = np.where(clicks > 0, np.log(click), 0.0)
        likelihood = float(np.sum(clicks * logs + (shown - clicks) * np.log1p(-click)))
        return likelihood - _PRECISION / 2 * float(np.sum(now.weights[:-1] ** 2))

    def em_step(self, shown: Floats, clicks: Floats, now: Regression) -> Regression:
        """One iteration of expectation maximisation alone, which never lowers the objective."""
        cells, gamma = self.cells, self._attractiveness(now.weights)[self.cells.pair]
        theta = now.examination[cells.rank]
        unclicked = (shown - clicks) / (1 - self._clicked(now))
        examined = self._by_rank(clicks + unclicked * theta * (1 - gamma))
        attractive = self._by_pair(clicks + unclicked * gamma * (1 - theta))
        examination = np.minimum(examined / np.maximum(self._by_rank(shown), 1), _MOST)
        examination[0] = 1
        return Regression(examination, self._regressed(now.weights, attractive, self._by_pair(shown)))

    def _regressed(self, weights: Floats, attractive: Floats, shown: Floats) -> Floats:
        """A Newton step of the logistic regression on the expected number of attractive impressions of each pair."""
        gamma = self._attractiveness(weights)
        slope = self._design.T @ (attractive - shown * gamma) - self._prior * weights
        curvature = (self._design.T * (shown * gamma * (1 - gamma))) @ self._design + np.diag(self._prior)
        direction = np.linalg.solve(curvature, slope)
        before = self._expected(weights, attractive, shown)
        for length in 0.5 ** np.arange(20):
            if self._expected(weights + length * direction, attractive, shown) >= before:
                return weights + length * direction
        return weights

    def _expected(self, weights: Floats, attractive: Floats, shown: Floats) -> float:
        """The objective of the logistic regression."""
        score = self._design @ weights
        return float(np.sum(attractive * score - shown * np.logaddexp(0, score)) - np.sum(self._prior * weights**2) / 2)

    def _scoring_direction(self, shown: Floats, clicks: Floats, now: Regression) -> Regression:
        """Direction of Fisher scoring in the logarithms of the examination, but for the first rank's, and in the weights."""
        cells, click, design = self.cells, self._clicked(now), self._design
        steepness = 1 - self._attractiveness(now.weights)  # d log gamma / d score
        slope = (clicks - shown * click) / (1 - click)
        information = shown * click / (1 - click)
        by_pair = self._by_pair(information)
        mixed = np.stack(
            [design.T @ (steepness * self._by_pair(information * (cells.rank == rank))) for rank in range(cells.ranks.size)]
        )
        of_weights = (design.T * (by_pair * steepness**2)) @ design + np.diag(self._prior)
        slope_of_ranks = self._by_rank(slope)
        slopes = np.concatenate([slope_of_ranks, design.T @ (steepness * self._by_pair(slope)) - self._prior * now.weights])
        system = np.block([[np.diag(self._by_rank(information)), mixed], [mixed.T, of_weights]])
        # The first rank is the unit; an examination that is 1 and would rise stays.
        free = np.append((now.examination < _MOST) | (slope_of_ranks < 0), np.ones(now.weights.size, np.bool_))
        free[0] = False
        part = system[np.ix_(free, free)]
        part += np.diag(np.full(len(part), 1e-10 * np.trace(part)))
        step = np.zeros(slopes.size)
        step[free] = np.clip(np.linalg.solve(part, slopes[free]), -3, 3)
        return Regression(step[: cells.ranks.size], step[cells.ranks.size :])

    def _start(self, shown: Floats, clicks: Floats) -> Regression:
        rates = self._by_rank(clicks) / np.maximum(self._by_rank(shown), 1)
        examination = np.minimum(rates / rates[0], 0.9)
        examination[0] = 1
        weights = np.zeros(self._design.shape[1])
        mean = np.clip(rates[0], 1e-6, 1 - 1e-6)
        weights[-1] = np.log(mean / (1 - mean))
        return Regression(examination, weights)

    def _clicked(self, now: Regression) -> Floats:
        gamma = self._attractiveness(now.weights)[self.cells.pair]
        return np.minimum(now.examination[self.cells.rank] * gamma, _MOST)

    def _attractiveness(self, weights: Floats) -> Floats:
        return expit(self._design @ weights)

    def _by_rank(self, values: Floats) -> Floats:
        return summed(self.cells.rank, values, self.cells.ranks.size)

    def _by_pair(self, values: Floats) -> Floats:
        return summed(self.cells.pair, values, self.cells.pairs.size)

    @cached_property
    def _prior(self) -> Floats:
        """Precision of the prior of each weight; that of the constant only keeps systems regular."""
        return np.append(np.full(self.features.shape[1], _PRECISION), 0.0)

    @cached_property
    def _design(self) -> Floats:
        """Standardised features and a constant."""
        deviation = self.features.std(axis=0)
        scaled = (self.features - self.features.mean(axis=0)) / np.where(deviation > 0, deviation, 1)
        return np.column_stack([scaled, np.ones(len(scaled))])
