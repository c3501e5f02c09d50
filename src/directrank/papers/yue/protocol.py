"""Sections 4.2 and 5 of the paper: features, learners and trials.

A score becomes 50 binary features. In each of 50 trials, a model is trained on 10 queries for each of several values of C, C
is chosen by MAP on 5 queries, and the model is tested on the others; all queries have each role equally often. The value of
a query is its mean over the trials that test it.

All SVMs have the same values of C, for a loss between 0 and 1, and are solved to the same duality gap.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...arrays import Floats, Ints
from ...caching import cached_property
from ...data import QueryTrials, RankingData
from ...features import QueryMinMax, QueryPercentile, ScoreBinner
from ...features.score_binner import Curve
from ...learners import SVMRanker
from ..accuracy_svms import accuracy_path
from ..rows import Rows
from .base_functions import BaseFunctions, Values

N_TRAIN, N_VALIDATION, N_TRIALS, N_THRESHOLDS = 10, 5, 50, 50
QUICK_TRIALS, QUICK_QUERIES = 2, 25

CS = tuple((10.0 ** np.arange(-3, 2.5, 0.5)).tolist())
QUICK_CS = CS[::5]
TOL = 1e-3

#: Takes training data, values of C, and the ratio of non-relevant to relevant documents; returns the weights for each C.
Fit = Callable[[RankingData, Sequence[float], float], Floats]


def ranking_svm(measure: str) -> Fit:
    """SVM-map and SVM-roc."""
    svm = SVMRanker(measure, bound="convex", scaling="none", tol=TOL)
    return lambda train, Cs, ratio: svm.path(train.X, train.y, train.qid, Cs).coefs


def accuracy_svm(weighted: bool = False) -> Fit:
    """SVM-acc; with `weighted`, errors on relevant documents are weighted by the ratio."""
    return lambda train, Cs, ratio: accuracy_path(train, Cs, ratio=ratio if weighted else 1.0, tol=TOL)


#: Scale of the scores, and the learner.
METHODS: dict[str, tuple[str, Fit]] = {
    "SVM-map": ("scores", ranking_svm("AP")),
    "SVM-roc": ("scores", ranking_svm("AUC")),
    "SVM-acc": ("scores", accuracy_svm()),
    "SVM-acc2": ("scores", accuracy_svm(weighted=True)),
    "SVM-acc3": ("percentiles", accuracy_svm()),
    "SVM-acc4": ("min-max", accuracy_svm()),
}

#: Scalers within queries; thresholds of scaled scores are evenly spaced between 0 and 1.
SCALERS: dict[str, Any] = {"scores": None, "percentiles": QueryPercentile, "min-max": QueryMinMax}
EVEN_THRESHOLDS = (np.arange(1, N_THRESHOLDS + 1) / (N_THRESHOLDS + 1)).tolist()


class Roles(NamedTuple):
    """Query numbers of a trial."""

    train: Ints
    validation: Ints
    test: Ints


@dataclass(frozen=True)
class Trials:
    """Trials on a collection.

    Attributes
    ----------
    functions : BaseFunctions
    label : str
        Description of the functions, for the names of rows.
    quick : bool
        Few trials with few values of C, on the first queries.
    """

    functions: BaseFunctions
    label: str = "all functions"
    quick: bool = False

    @classmethod
    def prepare(cls, functions: BaseFunctions, quick: bool, label: str = "all functions") -> Trials:
        return cls(functions.first(QUICK_QUERIES) if quick else functions, label, quick)

    @property
    def n_trials(self) -> int:
        return QUICK_TRIALS if self.quick else N_TRIALS

    @property
    def Cs(self) -> tuple[float, ...]:
        return QUICK_CS if self.quick else CS

    @cached_property
    def roles(self) -> list[Roles]:
        splitter = QueryTrials(N_TRAIN, N_VALIDATION, self.n_trials, random_state=0)
        return [Roles(*three) for three in splitter.roles(np.arange(len(self.functions.ids)))]

    def features(self, scale: str) -> BinnedScores:
        """Binned scores, computed once for each scale."""
        if scale not in self._features:
            self._features[scale] = BinnedScores.fit(self.functions.data, scale)
        return self._features[scale]

    @cached_property
    def _features(self) -> dict[str, BinnedScores]:
        return {}

    def run(self, method: str, rows: Rows) -> list[dict[str, Any]]:
        """Rows of the trials: average precision of the test queries, and the chosen C."""
        names = [str(i) for i in range(1, self.n_trials + 1)]
        study = f"{method}, {self.label}, trial of {self.n_trials}"
        return list(rows.get_or_compute(study, names, partial(self._run, method)).values())

    def n_untrained(self, found: list[dict[str, Any]]) -> int:
        """Number of trials in which w = 0, so that all documents have equal scores."""
        equal = self.functions.unranked
        return sum(all(value == equal[qid] for qid, value in trial["AP"].items()) for trial in found)

    def _run(self, method: str, trial: str) -> dict[str, Any]:
        roles = self.roles[int(trial) - 1]
        C, w = self.train(method, roles)
        return {"C": C, "AP": self.test(method, roles, w)}

    def train(self, method: str, roles: Roles) -> tuple[float, Floats]:
        """C with the highest MAP on the validation queries, the smallest of ties, and its weights."""
        scale, fit = METHODS[method]
        functions, features = self.functions, self.features(scale)
        train, validation = functions.rows(roles.train), functions.rows(roles.validation)
        grades = functions.relevant.astype(np.float64)[train]
        data = RankingData(features.matrix(train), grades, np.asarray(functions.data.qid)[train])
        coefs = fit(data, self.Cs, functions.ratio)
        means = [functions.average_precision(features.scores(w, validation), roles.validation).mean() for w in coefs]
        best = int(np.argmax(means))
        return self.Cs[best], coefs[best]

    def test(self, method: str, roles: Roles, w: Floats) -> Values:
        """Average precision of the test queries."""
        scores = self.features(METHODS[method][0]).scores(w, self.functions.rows(roles.test))
        values = self.functions.average_precision(scores, roles.test)
        return {self.functions.ids[query]: value for query, value in zip(roles.test, values.tolist(), strict=True)}


@dataclass(frozen=True)
class BinnedScores:
    """Binary features of all documents, stored as the bin of each score."""

    binner: ScoreBinner
    bins: NDArray[np.int32]

    @classmethod
    def fit(cls, data: RankingData, scale: str) -> BinnedScores:
        """Fit thresholds to the scores of all queries, without grades; thresholds of scaled scores are evenly spaced."""
        scaler = SCALERS[scale]
        X = data.X if scaler is None else scaler().fit_transform(data.X, qid=data.qid)
        binner = ScoreBinner(N_THRESHOLDS, thresholds=None if scaler is None else EVEN_THRESHOLDS).fit(X)
        return cls(binner, binner.bins(X))

    @property
    def n_features(self) -> int:
        return sum(thresholds.size for thresholds in self.binner.thresholds_)

    def matrix(self, rows: Ints) -> Any:
        return self.binner.from_bins(self.bins[rows])

    def curves(self, w: Floats) -> list[Curve]:
        return self.binner.weight_curve(w)

    def scores(self, w: Floats, rows: Ints) -> Floats:
        """X w as a sum of step functions of the scores."""
        bins = self.bins[rows]
        return np.sum([curve.values[bins[:, j]] for j, curve in enumerate(self.curves(w))], axis=0)


def mean_over_trials(trials: list[dict[str, Any]]) -> Values:
    """Mean value of each query over the trials that test it."""
    values: dict[str, list[float]] = {}
    for trial in trials:
        for qid, value in trial["AP"].items():
            values.setdefault(qid, []).append(value)
    return {qid: float(np.mean(each)) for qid, each in values.items()}
