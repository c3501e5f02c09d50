r"""The accuracy SVMs of Yue et al. (2007, section 5.2): classifiers of relevance that rank by their decision function.

They minimise the hinge loss over all documents, with one unregularised threshold for all queries:

.. math:: \min_{w, b}\ \tfrac12 |w|^2 + C_0 \sum_i v_i \max(0, 1 - y_i (w^T x_i + b))

For a given w the best b is a weighted quantile of the scores. So this is a structural SVM for a measure of the whole set,
with a regularization path over many values of C at little more than the cost of one.
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
    r"""Train an accuracy SVM for each C, in ascending order, and return the weights.

    If few documents are relevant, w = 0 can be optimal for any C, since it classifies all others correctly. That is a
    result, so no warning is given.

    Parameters
    ----------
    data : RankingData
        Training data; its queries are ignored.
    Cs : sequence of float
        Weights of the mean loss: :math:`C_0` is C over twice the total weight of the smaller class.
    ratio : float
        Cost of an error on a relevant document; an error on another document costs 1.
    """
    svm = SVMRanker(_Separation(ratio=float(ratio)), bound="convex", scaling="none", tol=tol)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "SVMRanker learned nothing", UserWarning)
        return svm.path(data.X, data.y, None, Cs).coefs


class _SeparationBound(RelevanceBound):
    measure: _Separation

    def evaluate(self, scores: Floats) -> Floats:
        return np.array([self._best_accuracy(scores[rows], self.relevant[rows]) for rows in self._queries])

    def most_violated(self, scores: Floats) -> Violation:
        r"""The subgradient of the hinge loss at the best threshold.

        There, :math:`\sum_i a_i v_i y_i = 0` for some :math:`0 \le a_i \le 1`, so the threshold b cancels in the loss
        :math:`\sum_i a_i v_i (1 - y_i (s_i + b))`.
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
    """Accuracy of the best threshold on the scores: 1 minus the weight of its errors over twice that of the smaller class.

    Parameters
    ----------
    ratio : float
        Weight of an error on a relevant document; an error on another document has the weight 1.
    """

    ratio: float = 1.0
    bound = _SeparationBound
    setwise = True

    def __post_init__(self) -> None:
        super().__post_init__()
        self._check_number("ratio", self.ratio)
