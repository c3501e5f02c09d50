r"""The accuracy SVMs of Yue et al. (2007, section 5.2): classifiers of relevance that rank by their decision function.

They minimise the hinge loss of all documents, relevant or not, with one threshold for all queries, which costs nothing:

.. math:: \min_{w, b}\ \tfrac12 |w|^2 + C_0 \sum_i v_i \max(0, 1 - y_i (w^T x_i + b))

For a given w the best b is a weighted quantile of the scores. So this is the structural SVM of a measure of the whole set,
and like all of them it has a path of many values of C for little more than the price of one.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..arrays import Floats
from ..caching import cached_property
from ..core import accuracy_svms as kernels
from ..data import RankingData
from ..learners import SVMRanker
from ..measures import Measure
from ..measures.bound import RelevanceBound
from ..measures.capabilities import Violation


def accuracy_path(data: RankingData, Cs: Sequence[float], *, ratio: float = 1.0, tol: float = 1e-3) -> Floats:
    r"""The weights w of each C, ascending.

    Where few documents are relevant, w = 0 may be the best at any C: all others are then told right. That is a result, of
    which nobody is warned.

    Parameters
    ----------
    data : RankingData
        What is learned from. Its queries do not matter.
    Cs : sequence of float
        Of the mean loss: :math:`C_0` is C over twice the weight of the relevant documents, or of the others if that is less.
    ratio : float
        What an error on a relevant document costs, where one on another costs 1.
    """
    svm = SVMRanker(_Separation(ratio=float(ratio)), bound="convex", tol=tol)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "SVMRanker learned nothing", UserWarning)
        return svm.path(data.X, data.y, None, Cs).coefs


class _SeparationBound(RelevanceBound):
    measure: _Separation

    def evaluate(self, scores: Floats) -> Floats:
        return np.array([self._best_accuracy(scores[rows], self.relevant[rows]) for rows in self._queries])

    def most_violated(self, scores: Floats) -> Violation:
        r"""That of the hinge loss at the best threshold.

        With :math:`\sum_i a_i v_i y_i = 0`, as is so there for some :math:`0 \le a_i \le 1`, the threshold has no part in
        :math:`\sum_i a_i v_i (1 - y_i (s_i + b))`, which is the loss.
        """
        coefficients, losses = np.zeros(scores.size), np.zeros(len(self._queries))
        for query in np.flatnonzero(self.has_both):
            rows, n_relevant = self._queries[query], self.n_relevant[query]
            balanced = kernels.balanced(scores[rows], self.relevant[rows], float(self.measure.ratio))
            coefficients[rows] = balanced / (2 * min(self.sizes[query] - n_relevant, self.measure.ratio * n_relevant))
            losses[query] = np.abs(coefficients[rows]).sum()
        return Violation(coefficients, losses)

    def _best_accuracy(self, scores: Floats, relevant: Any) -> float:
        order = np.argsort(-scores, kind="stable")
        gains = np.cumsum(np.where(relevant[order], self.measure.ratio, -1.0))
        ends = np.append(np.diff(scores[order]) != 0, True) if scores.size else np.zeros(0, bool)
        positive, negative = self.measure.ratio * relevant.sum(), scores.size - relevant.sum()
        errors = positive - max(0.0, gains[ends].max(initial=0.0))
        return 1 - float(errors) / (2 * min(positive, negative)) if min(positive, negative) > 0 else 0.0

    @cached_property
    def _queries(self) -> list[slice]:
        return [slice(*ends) for ends in zip(self.offsets[:-1].tolist(), self.offsets[1:].tolist(), strict=True)]


class _Separation(Measure):
    """How well a threshold on the scores, the best there is, tells relevant documents from others.

    One minus the weight of its errors over twice that of the smaller class.

    Parameters
    ----------
    ratio : float
        What an error on a relevant document weighs; on another it is 1.
    """

    ratio: float = 1.0
    bound = _SeparationBound
    setwise = True

    def __post_init__(self) -> None:
        super().__post_init__()
        self._check_number("ratio", self.ratio)
