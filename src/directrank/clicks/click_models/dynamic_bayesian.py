"""The dynamic Bayesian network model: users may also stop without being satisfied."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, NamedTuple, Self

import numpy as np

from ...arrays import Floats, Ints
from ...core import click_models as kernels
from ..click_log import ClickLog
from .beta_prior import BetaPrior, check_prior, log_binomial
from .chain_model import ChainModel, count_pairs, last_clicks, rows_down_to
from .click_model import check_impressions
from .expectation_maximisation import maximise
from .pair_numbers import PairNumbers
from .pair_parameter import PairParameter


@dataclass(frozen=True, eq=False)
class DynamicBayesianModel(ChainModel):
    r"""DBN: users go down the documents and click the attractive ones, until they are satisfied or give up.

    After a click that does not satisfy, and after a skip, a user goes on to the next document with probability
    :math:`\gamma`, the perseverance. Attractiveness :math:`a`, satisfaction :math:`s` and perseverance are estimated by EM:
    the documents down to the last click were examined, and :math:`P(\text{examined} \mid \text{clicks})` of those below it
    comes from a pass up and a pass down the session. The relevance of a pair is :math:`a s`.

    Attributes
    ----------
    satisfaction : PairParameter
        Probability that a clicked document satisfies. A last click on the document shown last says nothing about it.
    perseverance : float
        Probability to go on if not satisfied.

    References
    ----------
    Chapelle & Zhang (2009), A dynamic Bayesian network click model for web search ranking, WWW.
    """

    name: ClassVar[str] = "DBN"
    satisfaction: PairParameter
    perseverance: float

    @classmethod
    def fit(cls, log: ClickLog, *, prior: tuple[float, float] = (1.0, 1.0), max_iter: int = 100, tol: float = 1e-6) -> Self:
        """Estimate the model from a log.

        Parameters
        ----------
        log : ClickLog
        prior : pair of float
            Pseudo-counts of successes and failures, added to those of every parameter.
        max_iter : int
            Maximum number of EM iterations.
        tol : float
            EM ends once an iteration raises the objective by less than this for each impression.
        """
        check_impressions(log)
        beta, sessions = check_prior(prior), _Sessions(log)
        n_pairs = log.pairs.query.size
        start = _Parameters(np.full(n_pairs, 0.5), np.full(n_pairs, 0.5), 0.5)

        def step(parameters: _Parameters) -> tuple[float, _Parameters]:
            expected = sessions.expectations(parameters)
            return sessions.objective(parameters, expected, beta), sessions.maximum(expected, beta)

        parameters, history = maximise(step, start, max_iter, tol * log.n_impressions)
        examined = sessions.expectations(parameters).examined + sessions.clicks + sessions.skips
        return cls(
            PairNumbers(log.queries, log.pairs),
            PairParameter.from_values(parameters.attractiveness, examined, beta),
            history,
            PairParameter.from_values(parameters.satisfaction, sessions.could_satisfy, beta),
            parameters.perseverance,
        )

    @property
    def relevance(self) -> Floats:
        """Relevance of each pair of the log: attractiveness times satisfaction."""
        return self.attractiveness.values * self.satisfaction.values

    def predict_relevance(self, log: ClickLog) -> Floats:
        pairs = self.pairs_of(log)
        return self.attractiveness.at(pairs) * self.satisfaction.at(pairs)

    def _going_on(self, log: ClickLog, pairs: Ints) -> tuple[Floats, Floats]:
        after_click = self.perseverance * (1 - self.satisfaction.at(pairs))
        return after_click, np.full(pairs.size, self.perseverance)


class _Parameters(NamedTuple):
    attractiveness: Floats
    satisfaction: Floats
    perseverance: float


class _Expectations(NamedTuple):
    """What is not known of the sessions: see ``dynamic_bayesian.hpp``."""

    examined: Floats
    satisfied: Floats
    could_go_on: float
    went_on: float
    log_likelihood: float


class _Sessions:
    """The sessions of a log by query, with what their clicks leave no doubt about.

    Attributes
    ----------
    log : ClickLog
    query_offsets : int64 array
        Sessions ``query_offsets[q]:query_offsets[q + 1]`` are of query q.
    clicks, skips, unsatisfied : float64 arrays
        Number of clicks of each pair, of its skips above the last click, and of its clicks above the last.
    could_satisfy : float64 array
        Number of clicks of each pair that tell whether it satisfied: all but those on the document shown last.
    went_on : float
        Number of documents above last clicks.
    """

    def __init__(self, log: ClickLog) -> None:
        log = log.select_sessions(np.argsort(log.query, kind="stable"))
        n_sessions = np.bincount(log.query, minlength=log.queries.size)
        self.log, self.query_offsets = log, np.concatenate(([0], np.cumsum(n_sessions)))
        last = last_clicks(log)
        has_click = last >= 0
        above = rows_down_to(log, last) & has_click[log.session]
        above[last[has_click]] = False
        self.clicks = count_pairs(log, log.clicked)
        self.skips = count_pairs(log, above & ~log.clicked)
        self.unsatisfied = count_pairs(log, above & log.clicked)
        self.could_satisfy = self.unsatisfied + count_pairs(log, last[has_click & (last < log.offsets[1:] - 1)])
        self.went_on = float(above.sum())

    def expectations(self, parameters: _Parameters) -> _Expectations:
        log = self.log
        return _Expectations(
            *kernels.dynamic_bayesian_expectations(
                log.offsets, log.pair, log.clicked, self.query_offsets, log.pairs.query, *parameters
            )
        )

    def objective(self, parameters: _Parameters, expected: _Expectations, prior: BetaPrior) -> float:
        """Log-likelihood, plus the logarithm of the prior."""
        a, s, gamma = parameters.attractiveness, parameters.satisfaction, np.array([parameters.perseverance])
        certain = (
            log_binomial(self.clicks, self.skips, a)
            + log_binomial(np.zeros(s.size), self.unsatisfied, s)
            + log_binomial(np.array([self.went_on]), np.zeros(1), gamma)
        )
        return certain + expected.log_likelihood + sum(map(prior.log_density, (a, s, gamma)))

    def maximum(self, expected: _Expectations, prior: BetaPrior) -> _Parameters:
        """Parameters after an iteration: expected shares, with the pseudo-counts of the prior."""
        went_on, could_go_on = expected.went_on + self.went_on, expected.could_go_on + self.went_on
        return _Parameters(
            prior.mode(self.clicks, self.clicks + self.skips + expected.examined),
            prior.mode(expected.satisfied, self.could_satisfy),
            float(prior.mode(np.array([went_on]), np.array([could_go_on]))[0]),
        )
