"""What all click models share: parameters of pairs, likelihood, perplexity, predictions."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar

from ...arrays import Floats, Ints
from ...data import InputError
from ..click_log import ClickLog
from .pair_numbers import PairNumbers
from .pair_parameter import PairParameter
from .perplexity import Perplexity, log2_of_outcomes, perplexity_by_rank


@dataclass(frozen=True, eq=False)
class ClickModel(ABC):
    """A fitted click model.

    Pairs are numbered as in the log of the fit. Methods take any log: its pairs are found by the identifiers of query and
    document, and a pair without evidence has the mean of all pairs. A click is a reward above 0.

    Attributes
    ----------
    pairs : PairNumbers
        The pairs of the log.
    attractiveness : PairParameter
        Probability of a click on an examined document.
    history : float64 array
        Objective of EM before each iteration: log-likelihood of the log plus the logarithm of the prior. It never falls.
        Empty for a model that is estimated in closed form.
    """

    name: ClassVar[str]
    pairs: PairNumbers
    attractiveness: PairParameter
    history: Floats

    @property
    def relevance(self) -> Floats:
        """Relevance of each pair of the log: its attractiveness."""
        return self.attractiveness.values

    @property
    def counts(self) -> Floats:
        """Number of examined impressions of each pair, expected if it is not observed: what its relevance rests on."""
        return self.attractiveness.counts

    def pairs_of(self, log: ClickLog) -> Ints:
        """Number of each pair of a log among those of the model; -1 if the model has not seen it."""
        return self.pairs.find(log)

    def predict_relevance(self, log: ClickLog) -> Floats:
        """Relevance of each pair of a log."""
        return self.attractiveness.at(self.pairs_of(log))

    @abstractmethod
    def click_probabilities(self, log: ClickLog) -> Floats:
        """Probability of a click on each impression, given the clicks above it in its session."""

    @abstractmethod
    def predict_clicks(self, log: ClickLog) -> Floats:
        """Probability of a click on each impression, whatever is clicked above it; clicks of the log are not used."""

    def log_likelihood(self, log: ClickLog) -> float:
        """Logarithm of the probability of all clicks of a log, and of none where there is none, given its rankings.

        Probabilities of impressions are kept within 0.000001 of 0 and 1.
        """
        return math.log(2) * float(log2_of_outcomes(self.click_probabilities(log), log.clicked).sum())

    def perplexity(self, log: ClickLog, *, given_clicks: bool = True) -> Perplexity:
        """Perplexity of a log by rank, and its mean over ranks.

        Parameters
        ----------
        log : ClickLog
        given_clicks : bool
            Predict each click from those above it (`click_probabilities`), or without them (`predict_clicks`). PyClick
            calls them ``PerplexityCond`` and ``Perplexity``.

        References
        ----------
        Dupret & Piwowarski (2008), A user browsing model to predict search engine click data from past observations, SIGIR.
        """
        check_impressions(log)
        probabilities = self.click_probabilities(log) if given_clicks else self.predict_clicks(log)
        return perplexity_by_rank(probabilities, log.clicked, log.rank)


def check_impressions(log: ClickLog) -> None:
    """Raise an `InputError` if a log is empty."""
    if log.n_impressions == 0:
        raise InputError("the click log has no impressions; it needs a row for each document that was shown")
