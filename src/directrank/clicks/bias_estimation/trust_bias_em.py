"""Trust bias: clicks at high positions on documents that are not relevant."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_array
from scipy.special import logsumexp

from ...arrays import Floats, Ints
from .bias_fit import BiasFit
from .position_based_em import PositionBasedEM
from .rank_counts import Cells, summed

#: Number of levels of relevance, the usual one of graded judgments.
N_LEVELS = 5

#: Smallest share of the pairs in the level of relevance 0, and in that of 1.
_MIN_SHARE = 0.01

#: Number of steps on the small table of levels and ranks for each one on all pairs.
_INNER_STEPS = 10

#: Smallest and largest probability, which keep logarithms finite.
_LEAST = 1e-9


class TrustParameters(NamedTuple):
    r"""Parameters of the trust-bias model.

    Attributes
    ----------
    relevant, irrelevant : arrays
        Probability of a click at each rank on a relevant document, and on one that is not:
        :math:`\theta_k \epsilon_k^+` and :math:`\theta_k \epsilon_k^-`.
    levels : array
        Relevance of each level, from 0 to 1.
    shares : array of shape (n_ranks, n_levels)
        Share of each level among the pairs of a mean rank.
    """

    relevant: Floats
    irrelevant: Floats
    levels: Floats
    shares: Floats


class TrustCounts(NamedTuple):
    """Clicked and other impressions as tables of pairs and ranks, and the mean rank of each pair."""

    clicks: csr_array
    unclicked: csr_array
    home: Ints

    @classmethod
    def of(cls, cells: Cells, shown: Floats, clicks: Floats) -> TrustCounts:
        totals = np.maximum(summed(cells.pair, shown, cells.pairs.size), 1)
        home = np.rint(summed(cells.pair, shown * cells.rank, cells.pairs.size) / totals).astype(np.int64)
        shape = (cells.pairs.size, cells.ranks.size)
        tables = [csr_array((counts, cells.rank, cells.starts), shape=shape) for counts in (clicks, shown - clicks)]
        return cls(tables[0], tables[1], home)


@dataclass(frozen=True, eq=False)
class TrustBiasEM:
    r"""The affine click model (Agarwal et al. 2019; Vardasbi et al. 2020), by expectation maximisation.

    Rank k is examined with the probability :math:`\theta_k`. A document of relevance :math:`\gamma` is then found relevant
    with that probability, and clicked with the probability :math:`\epsilon_k^+`, or else clicked with :math:`\epsilon_k^-`:

    .. math::
        P(\mathit{click} \mid k, \gamma) = \theta_k (\epsilon_k^+ \gamma + \epsilon_k^- (1 - \gamma))
        = \alpha_k \gamma + \beta_k, \quad
        \alpha_k = \theta_k (\epsilon_k^+ - \epsilon_k^-), \quad \beta_k = \theta_k \epsilon_k^-

    *What identifies it.* Clicks show the products with :math:`\theta_k` only, so alpha and beta, from pairs shown at several
    ranks whose relevance differs. Even so, relevance :math:`(\gamma - c) / s` explains the clicks as well with
    :math:`s \alpha_k` and :math:`\beta_k + c \alpha_k`: zero and unit of relevance are conventions. Here pairs belong to
    levels of relevance, the lowest 0 and the highest 1. If the least relevant documents of the log attract some clicks even
    so, beta has these too. Corrected clicks :math:`(c - \beta_k) / \alpha_k` rank documents alike under any convention.

    The E step computes the probability of each level for each pair, with shares of levels that depend on the mean
    rank of the pair: good documents stand high. The M step is expectation maximisation itself, over whether a document
    was found relevant.

    References
    ----------
    A. Agarwal, X. Wang, C. Li, M. Bendersky, M. Najork: Addressing trust bias for unbiased learning-to-rank. WWW 2019.

    A. Vardasbi, H. Oosterhuis, M. de Rijke: When inverse propensity scoring does not work: affine corrections for unbiased
    learning to rank. CIKM 2020.
    """

    cells: Cells
    tolerance: float = 1e-5
    max_iter: int = 2000

    def fit(self, shown: Floats, clicks: Floats, start: TrustParameters | None = None) -> BiasFit:
        """Fit to the impressions and clicks of each cell."""
        counts = TrustCounts.of(self.cells, shown, clicks)
        now = self._start(shown, clicks) if start is None else start
        for _ in range(self.max_iter):
            before, now = now, accelerated_step(counts, now)
            if np.abs(_curves(now) - _curves(before)).max() < self.tolerance:
                break
        return BiasFit(*_affine(counts, now), now)

    def _start(self, shown: Floats, clicks: Floats) -> TrustParameters:
        """Parameters from the position-based model, with levels of about as many pairs each."""
        theta, gamma = PositionBasedEM.of_cells(self.cells).fit(shown, clicks).parameters
        even = np.linspace(0, 1, N_LEVELS)
        means = np.quantile(gamma, (np.arange(N_LEVELS) + 0.5) / N_LEVELS)
        least, most = min(means[0], 0.9 * means[-1]), means[-1]
        levels = (np.clip((means - least) / (most - least), 0, 1) + even) / 2  # equal ones would stay equal
        relevant = np.clip(theta * most, 1e-3, 0.99)
        irrelevant = np.clip(theta * least, relevant / 20, 0.99)
        return TrustParameters(relevant, irrelevant, levels, np.full((theta.size, N_LEVELS), 1 / N_LEVELS))


def _affine(counts: TrustCounts, now: TrustParameters) -> tuple[Floats, Floats]:
    """alpha and beta, where the lowest level that has pairs is 0, and the highest is 1."""
    pairs = np.bincount(counts.home, minlength=now.shares.shape[0]) @ now.shares
    found = now.levels[pairs >= _MIN_SHARE * pairs.sum()]
    slope = now.relevant - now.irrelevant
    return np.maximum(slope * np.ptp(found), 0), now.irrelevant + slope * found.min()


def trust_step(counts: TrustCounts, now: TrustParameters) -> TrustParameters:
    """One iteration, which never lowers the likelihood."""
    joint = _joint(counts, now)
    of_levels = np.exp(joint - joint.max(axis=1, keepdims=True))
    of_levels /= of_levels.sum(axis=1, keepdims=True)
    sums = np.stack([summed(counts.home, level, now.shares.shape[0]) for level in of_levels.T], axis=1)
    totals = sums.sum(axis=1, keepdims=True)
    shares = np.where(totals > 0, sums / np.where(totals > 0, totals, 1), now.shares)
    clicks, unclicked = (np.asarray(table.T @ of_levels).T for table in (counts.clicks, counts.unclicked))
    return _maximised(clicks, unclicked, now._replace(shares=shares))


def accelerated_step(counts: TrustCounts, now: TrustParameters) -> TrustParameters:
    """Three iterations, the last one from where the first two lead (SQUAREM; Varadhan & Roland 2008), if that is better."""
    once = trust_step(counts, now)
    twice = trust_step(counts, once)
    steps = [(b - a, c - 2 * b + a) for a, b, c in zip(now, once, twice, strict=True)]
    turn = sum(float(np.sum(second**2)) for _, second in steps)
    length = max(1.0, np.sqrt(sum(float(np.sum(first**2)) for first, _ in steps) / turn)) if turn > 0 else 1.0
    jumped = [a + 2 * length * first + length**2 * second for a, (first, second) in zip(now, steps, strict=True)]
    shares = np.clip(jumped[3], _LEAST, None)
    relevant, irrelevant = (np.clip(values, _LEAST, 1 - _LEAST) for values in jumped[:2])
    ahead = TrustParameters(relevant, irrelevant, np.clip(jumped[2], 0, 1), shares / shares.sum(axis=1, keepdims=True))
    better = trust_log_likelihood(counts, ahead) >= trust_log_likelihood(counts, twice)
    return trust_step(counts, ahead if better else twice)


def trust_log_likelihood(counts: TrustCounts, now: TrustParameters) -> float:
    """Logarithm of the likelihood, with levels summed out."""
    return float(logsumexp(_joint(counts, now), axis=1).sum())


def _joint(counts: TrustCounts, now: TrustParameters) -> Floats:
    """Logarithm of the probability of each pair's clicks and each level together."""
    click = _click_probability(now)
    with np.errstate(divide="ignore"):
        shares = np.log(now.shares)[counts.home]
    return shares + counts.clicks @ np.log(click).T + counts.unclicked @ np.log1p(-click).T


def _maximised(clicks: Floats, unclicked: Floats, now: TrustParameters) -> TrustParameters:
    """Probabilities of a click, and levels, for expected counts of each level at each rank."""
    shown = clicks + unclicked
    for _ in range(_INNER_STEPS):
        click, levels = _click_probability(now), now.levels[:, None]
        found_clicked = clicks * levels * now.relevant / click
        found = found_clicked + unclicked * levels * (1 - now.relevant) / (1 - click)
        relevant = found_clicked.sum(axis=0) / np.maximum(found.sum(axis=0), 1e-300)
        irrelevant = (clicks - found_clicked).sum(axis=0) / np.maximum((shown - found).sum(axis=0), 1e-300)
        means = found.sum(axis=1) / np.maximum(shown.sum(axis=1), 1e-300)
        means[[0, -1]] = 0, 1
        now = TrustParameters(
            np.clip(relevant, _LEAST, 1 - _LEAST), np.clip(irrelevant, _LEAST, 1 - _LEAST), means, now.shares
        )
    return now


def _click_probability(now: TrustParameters) -> Floats:
    """Probability of a click on each level at each rank."""
    return now.levels[:, None] * now.relevant + (1 - now.levels[:, None]) * now.irrelevant


def _curves(now: TrustParameters) -> Floats:
    return np.stack([now.relevant, now.irrelevant])
