r"""Estimates of relevance from clicks, as gains: a real number for each pair of a query and a document.

In the model that all share, a user who sees document d of query q at rank k clicks with probability

.. math:: P(c = 1 \mid q, d, k) = \alpha_k \gamma_{qd} + \beta_k,

:math:`\gamma` being the relevance to estimate, and :math:`\alpha, \beta` the `PositionBias` (:math:`\beta = 0` without trust
bias). Unbiased gains give unbiased estimates of measures that are sums over documents of gain times a weight of the rank; of
others, such as nDCG and AP, they do not.

With the impressions i of a pair, at ranks :math:`k_i`, the estimators are

- "naive", the click rate :math:`\frac1n \sum_i c_i`, biased by the ranks at which the document was shown;
- "ips", inverse propensity scoring (Joachims et al. 2017), :math:`\frac1n \sum_i (c_i - \beta_{k_i}) / \alpha_{k_i}`, which
  with trust bias is the affine correction (Vardasbi et al. 2020);
- "snips", self-normalised, :math:`\sum_i (c_i - \beta_{k_i}) / \sum_i \alpha_{k_i}`: clicks by the expected number of
  examinations, of far less variance where a document was shown at several ranks;
- "dr", doubly robust (Oosterhuis 2023), which corrects a predicted relevance :math:`\hat r` by the clicks that it does not
  explain,

  .. math:: \hat r + \frac{\sum_i (c_i - \alpha_{k_i} \hat r - \beta_{k_i})}{\max(\sum_i \alpha_{k_i}, \tau n) + s}.

  Where a document was hardly examined, that is the prediction, and where it was examined often, "snips". With the right
  bias it is unbiased if the prediction is right too, whatever the clip :math:`\tau` and the shrinkage s, or if both are 0.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ..arrays import Floats
from ..data import InputError
from .click_log import ClickLog
from .position_bias import PositionBias

#: Estimators, by name.
ESTIMATORS = ("naive", "ips", "snips", "dr")

#: Numerator of the smallest propensity that counts, over the root of the number of sessions (Oosterhuis 2023).
CLIP_OF_ONE_SESSION = 10.0

#: Largest propensity that clipping by the number of sessions asks for.
LARGEST_CLIP = 0.1

#: Numbers of examinations to choose the shrinkage from.
SHRINKAGES = (0.0, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0)


class Evidence(NamedTuple):
    """Sums over the impressions of each pair of a log.

    Attributes
    ----------
    impressions : array
    clicks : array
        Sum of rewards.
    excess : array
        Sum of rewards without the part of trust bias, :math:`c - \\beta`.
    weighted : array
        Sum of :math:`(c - \\beta) / \\alpha`.
    examinations : array
        Sum of :math:`\\alpha`.
    """

    impressions: Floats
    clicks: Floats
    excess: Floats
    weighted: Floats
    examinations: Floats


def gains(
    log: ClickLog,
    bias: PositionBias | None = None,
    estimator: str = "snips",
    *,
    clip: float | str = "auto",
    predicted: ArrayLike | None = None,
    shrinkage: float | str = "auto",
) -> Floats:
    """Estimate the relevance of each pair of a log.

    Parameters
    ----------
    log : ClickLog
    bias : PositionBias, optional
        Needed by every estimator but "naive".
    estimator : {"naive", "ips", "snips", "dr"}
        See the formulas above.
    clip : float or "auto"
        Smallest propensity that counts, of an impression or, for "snips" and "dr", the mean of a pair; smaller ones count as
        this, which trades bias for variance. "auto" is 10 over the root of the number of sessions, and at most 0.1.
    predicted : array, optional
        Predicted relevance of each pair for "dr"; see `calibrate`. By default that of its mean rank in the log.
    shrinkage : float or "auto"
        Number of examinations that the prediction counts for, in "dr". "auto" is the best of several by half of the
        sessions, for the estimate from the other half.

    Returns
    -------
    float64 array
        Gain of each pair of `log.pairs`. A pair without impressions in the log has 0, or with "dr" its prediction.

    Examples
    --------
    >>> from directrank.clicks import ClickLog, PositionBias
    >>> log = ClickLog.from_arrays([1, 1, 2, 2], ["a"] * 4, ["x", "y", "x", "y"], [1, 2, 1, 2], [1, 0, 0, 1])
    >>> gains(log, PositionBias.power(1.0, 2), "ips").tolist()
    [0.5, 1.0]
    """
    if estimator not in ESTIMATORS:
        raise InputError(f"estimator must be one of {', '.join(ESTIMATORS)}, not {estimator!r}")
    bias = _bias(bias, log, estimator)
    smallest = clip_for(log, clip)
    found = evidence(log, bias, smallest)
    if estimator == "dr":
        prior = predict_by_rank(log, bias) if predicted is None else _checked_prediction(log, predicted)
        s = choose_shrinkage(log, bias, prior, smallest) if shrinkage == "auto" else _checked_shrinkage(shrinkage)
        return _doubly_robust(found, prior, smallest, s)
    if estimator == "snips":
        return _divided(found.excess, np.maximum(found.examinations, smallest * found.impressions))
    return _divided(found.clicks if estimator == "naive" else found.weighted, found.impressions)


def choose_shrinkage(log: ClickLog, bias: PositionBias, predicted: Floats, clip: float) -> float:
    """The shrinkage whose estimates from half of the sessions fit the clicks of the other half best, by squared error."""
    errors = np.zeros(len(SHRINKAGES))
    for learned, held_out in _halves(log):
        one, other = evidence(learned, bias, clip), evidence(held_out, bias, clip)
        rate = _divided(other.excess, other.examinations)
        for number, s in enumerate(SHRINKAGES):
            estimate = _doubly_robust(one, predicted, clip, s)
            errors[number] += float(np.sum(other.examinations * (estimate - rate) ** 2))
    return SHRINKAGES[int(np.argmin(errors))]


def evidence(log: ClickLog, bias: PositionBias, clip: float | str = "auto") -> Evidence:
    """Sums over the impressions of each pair; `weighted` has alphas of at least `clip`."""
    alpha, beta = bias.at(log.rank)
    clipped = np.maximum(alpha, max(clip_for(log, clip), np.finfo(np.float64).tiny))
    excess = log.click - beta

    def total(values: Floats | None) -> Floats:
        return np.bincount(log.pair, values, log.pairs.query.size).astype(np.float64)

    return Evidence(total(None), total(log.click), total(excess), total(excess / clipped), total(alpha))


def clip_for(log: ClickLog, clip: float | str) -> float:
    """Smallest alpha that counts; see `gains`."""
    if clip == "auto":
        return min(LARGEST_CLIP, CLIP_OF_ONE_SESSION / np.sqrt(max(1, log.n_sessions)))
    if not isinstance(clip, (int, float, np.number)) or not 0 <= clip <= 1:
        raise InputError(f"clip must be a number from 0 to 1, or 'auto', not {clip!r}")
    return float(clip)


def effective_clicks(log: ClickLog, bias: PositionBias, clip: float | str = "auto") -> float:
    r"""Effective number of clicks of estimates weighted by :math:`w = 1/\alpha`: :math:`(\sum w)^2 / \sum w^2`."""
    alpha, _ = bias.at(log.rank[log.clicked])
    weights = 1 / np.maximum(alpha, max(clip_for(log, clip), np.finfo(np.float64).tiny))
    return float(weights.sum() ** 2 / np.sum(weights**2)) if weights.size else 0.0


def calibrate(scores: ArrayLike, log: ClickLog, bias: PositionBias) -> Floats:
    """Relevance predicted from a model's scores: the monotone function of them that fits the self-normalised gains best.

    Parameters
    ----------
    scores : array
        Score of each pair of the log; see `scores_of_pairs`.
    log : ClickLog
        The sessions whose gains are then corrected, or others: a monotone function can hardly overfit.
    bias : PositionBias

    Returns
    -------
    float64 array
        Relevance of each pair, at least 0.
    """
    from sklearn.isotonic import IsotonicRegression

    values, found = _checked_prediction(log, scores), evidence(log, bias, 0.0)
    seen = found.examinations > 0
    if not seen.any():
        raise InputError("the log has no impressions, from which nothing can be calibrated")
    regression = IsotonicRegression(y_min=0.0, out_of_bounds="clip")
    regression.fit(values[seen], found.excess[seen] / found.examinations[seen], sample_weight=found.examinations[seen])
    return np.asarray(regression.predict(values), np.float64)


def predict_by_rank(log: ClickLog, bias: PositionBias) -> Floats:
    """Relevance of each pair predicted from its mean rank, which is what the logged ranking knows of it."""
    sums, counts = (np.bincount(log.pair, values, log.pairs.query.size) for values in (log.rank, None))
    mean = np.divide(sums, counts, out=np.full(sums.shape, float(log.max_rank)), where=counts > 0)
    return calibrate(-mean, log, bias)


def _doubly_robust(found: Evidence, predicted: Floats, clip: float, shrinkage: float) -> Floats:
    residual = found.excess - found.examinations * predicted
    counts = np.maximum(found.examinations, clip * found.impressions) + shrinkage
    return predicted + _divided(residual, counts)


def _divided(sums: Floats, counts: Floats) -> Floats:
    """Quotient; 0 where there are no impressions."""
    return np.divide(sums, counts, out=np.zeros_like(sums), where=counts > 0)


def _halves(log: ClickLog) -> Iterator[tuple[ClickLog, ClickLog]]:
    """Alternate sessions of each query, and the others; then the other way round."""
    order = np.argsort(log.query, kind="stable")
    turn = np.empty(log.n_sessions, np.int64)
    turn[order] = np.arange(log.n_sessions) % 2
    parts = [log.select_sessions(np.flatnonzero(turn == number)) for number in (0, 1)]
    yield parts[0], parts[1]
    yield parts[1], parts[0]


def _checked_shrinkage(shrinkage: float | str) -> float:
    if not isinstance(shrinkage, (int, float, np.number)) or not 0 <= shrinkage < np.inf:
        raise InputError(f"shrinkage must be a number of at least 0, or 'auto', not {shrinkage!r}")
    return float(shrinkage)


def _bias(bias: PositionBias | None, log: ClickLog, estimator: str) -> PositionBias:
    if bias is not None:
        return bias
    if estimator != "naive":
        raise InputError(f"estimator={estimator!r} needs a position bias; see estimate_bias, or take 'naive'")
    return PositionBias.power(0.0, max(1, log.max_rank))


def _checked_prediction(log: ClickLog, predicted: ArrayLike) -> Floats:
    values = np.asarray(predicted, np.float64)
    n_pairs = log.pairs.query.size
    if values.shape != (n_pairs,):
        raise InputError(f"there are {n_pairs:,} pairs in the log, and the predictions are of the shape {values.shape}")
    if not np.all(np.isfinite(values)):
        raise InputError(f"the prediction of pair {int(np.argmin(np.isfinite(values)))} is not a finite number")
    return values
