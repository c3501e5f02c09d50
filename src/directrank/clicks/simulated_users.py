"""Simulated users: which documents of a result page they click, given how relevant these are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import numpy as np

from ..arrays import Bools, Floats
from ..core import elementary
from ..data import InputError
from .position_bias import PositionBias


@runtime_checkable
class SimulatedUser(Protocol):
    """Behaviour on a result page; a class with these methods is a user too.

    Arrays have a row for each session and a column for each rank, from the top. `relevance` is the probability of a click on
    an examined document; beyond the end of a short page it is 0, and clicks there are dropped.
    """

    def click_probabilities(self, relevance: Floats) -> Floats:
        """Probability of a click at each rank, whatever else is clicked."""

    def click(self, relevance: Floats, random: np.random.Generator) -> Bools:
        """Draw the clicks."""


@dataclass(frozen=True)
class PositionBasedUser:
    r"""The position-based model: rank k is examined with a probability of its own, and then clicked by its relevance.

    .. math:: P(\mathit{click}) = \theta_k\, \gamma, \qquad \theta_k = (1/k)^{\eta}

    Parameters
    ----------
    eta : float
        Strength of the position bias; 0 is none.
    """

    eta: float = 1.0

    def __post_init__(self) -> None:
        _check("eta", self.eta, 0.0, np.inf)

    def bias(self, n_ranks: int) -> PositionBias:
        """The position bias that an estimate should find."""
        return PositionBias.power(self.eta, n_ranks)

    def click_probabilities(self, relevance: Floats) -> Floats:
        return self.bias(relevance.shape[1]).alpha * relevance

    def click(self, relevance: Floats, random: np.random.Generator) -> Bools:
        return _draw(self.click_probabilities(relevance), random)


@dataclass(frozen=True)
class TrustBiasUser:
    r"""The trust bias model: what stands high is taken for relevant more often, even if it is not (Agarwal et al. 2019).

    An examined document at rank k is clicked with the probability :math:`\varepsilon^+_k` if it is relevant, and
    :math:`\varepsilon^-_k` if it is not; it is relevant with the probability :math:`\gamma`:

    .. math::

        P(\mathit{click}) = \alpha_k \gamma + \beta_k, \qquad
        \alpha_k = \theta_k (\varepsilon^+_k - \varepsilon^-_k), \quad \beta_k = \theta_k \varepsilon^-_k

    with :math:`\theta_k = (1/k)^{\eta}`, :math:`\varepsilon^+_k = 1 - (\min(k, 20) + 1)/100` and
    :math:`\varepsilon^-_k = t / \min(k, 10)`.

    Parameters
    ----------
    eta : float
        Strength of the position bias.
    trust : float
        The probability :math:`t` of a click on an irrelevant document at rank 1, at most 0.97; that on a relevant one is
        0.98.
    """

    eta: float = 1.0
    trust: float = 0.65

    def __post_init__(self) -> None:
        _check("eta", self.eta, 0.0, np.inf)
        _check("trust", self.trust, 0.0, 0.97)

    def bias(self, n_ranks: int) -> PositionBias:
        """The position bias that an estimate should find."""
        rank = np.arange(1, n_ranks + 1)
        examined = PositionBias.power(self.eta, n_ranks).alpha
        if_relevant = 1 - (np.minimum(rank, 20) + 1) / 100
        if_irrelevant = self.trust / np.minimum(rank, 10)
        return PositionBias(examined * (if_relevant - if_irrelevant), examined * if_irrelevant)

    def click_probabilities(self, relevance: Floats) -> Floats:
        bias = self.bias(relevance.shape[1])
        return bias.alpha * relevance + bias.beta

    def click(self, relevance: Floats, random: np.random.Generator) -> Bools:
        return _draw(self.click_probabilities(relevance), random)


@dataclass(frozen=True)
class CascadeUser:
    r"""The cascade model: documents are examined from the top down to the first click, which ends the session.

    .. math:: P(\mathit{click}_k) = \gamma_k \prod_{j < k} (1 - \gamma_j)
    """

    def click_probabilities(self, relevance: Floats) -> Floats:
        return relevance * _before(1 - relevance)

    def click(self, relevance: Floats, random: np.random.Generator) -> Bools:
        attracted = _draw(relevance, random)
        return attracted & ~_any_before(attracted)


@dataclass(frozen=True)
class DBNUser:
    r"""The dynamic Bayesian network (Chapelle & Zhang 2009): a click may satisfy, and else the next rank may be examined.

    An examined document is clicked with the probability :math:`\gamma_k`, its relevance. A click satisfies, which ends the
    session, with the probability :math:`s\, \gamma_k`. Without satisfaction the next rank is examined with the
    probability :math:`\pi`:

    .. math:: P(\mathit{click}_k) = \gamma_k \prod_{j < k} \pi\, (1 - s\, \gamma_j^2)

    Parameters
    ----------
    satisfaction : float
        The factor :math:`s`.
    perseverance : float
        The probability :math:`\pi`.
    """

    satisfaction: float = 0.9
    perseverance: float = 0.9

    def __post_init__(self) -> None:
        _check("satisfaction", self.satisfaction, 0.0, 1.0)
        _check("perseverance", self.perseverance, 0.0, 1.0)

    def click_probabilities(self, relevance: Floats) -> Floats:
        return relevance * _before(self.perseverance * (1 - self.satisfaction * relevance**2))

    def click(self, relevance: Floats, random: np.random.Generator) -> Bools:
        attracted = _draw(relevance, random)
        satisfied = attracted & _draw(self.satisfaction * relevance, random)
        gives_up = random.random(relevance.shape) >= self.perseverance
        return attracted & ~_any_before(satisfied | gives_up)


def click_relevance(grades: Floats, noise: float) -> Floats:
    r"""Probability of a click on an examined document of each grade (Richardson et al. 2007).

    .. math:: \gamma = \epsilon + (1 - \epsilon)\, \frac{2^g - 1}{2^{g_{max}} - 1}

    Parameters
    ----------
    grades : array
        :math:`g_{max}` is the highest of them.
    noise : float
        The probability :math:`\epsilon` of a click on a document of grade 0.
    """
    highest = grades.max(initial=0.0)
    if highest == 0:
        return np.full(grades.size, float(noise))
    scale = elementary.exp2(np.array([-highest]))  # times numerator and denominator, which 2^g would overflow
    gain = (elementary.exp2(grades - highest) - scale) / (1 - scale)
    return noise + (1 - noise) * gain


def _draw(probability: Floats, random: np.random.Generator) -> Bools:
    """Events, each with its probability."""
    return random.random(probability.shape) < probability


def _before(factors: Floats) -> Floats:
    """Product of the factors of the ranks above each rank."""
    products = np.ones_like(factors)
    np.cumprod(factors[:, :-1], axis=1, out=products[:, 1:])
    return products


def _any_before(events: Bools) -> Bools:
    """Whether there is an event above each rank."""
    found = np.zeros_like(events)
    np.logical_or.accumulate(events[:, :-1], axis=1, out=found[:, 1:])
    return found


def _check(name: str, value: float, low: float, high: float) -> None:
    if not low <= value <= high or value == np.inf:
        wanted = f"a number from {low:g} to {high:g}" if high < np.inf else f"a finite number of at least {low:g}"
        raise InputError(f"{name} must be {wanted}, not {value}")
