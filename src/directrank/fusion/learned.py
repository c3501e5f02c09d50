"""Fusing runs by learning from judgments."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import numpy as np

from ..arrays import Floats
from ..data import InputError, Qrels, QueryKFold, RankingData, Run, as_run, join_runs
from ..data.strings import is_in
from ..features import Curve, ScoreBinner
from .c_selection import with_selected_C
from .unsupervised import scaled_scores


class ScoreLearner:
    """Learns to score documents from the scores of runs.

    If a learner has a regularization path and ``C="auto"``, as SVMs have, C is selected by `with_selected_C`, which for runs
    of a thousand documents takes a fraction of the learner's own time.

    Parameters
    ----------
    make_learner : callable
        Returns an unfitted ranker.
    thresholds : int
        Number of binary features of each run's scores; with 0, features are the scores, scaled to [0, 1] within queries.
    """

    def __init__(self, make_learner: Callable[[], Any], thresholds: int = 50) -> None:
        self.make_learner, self.thresholds = make_learner, thresholds

    def fit(self, train: RankingData) -> LearnedFusion:
        """Fit on judged documents with one feature for each run, NaN if the run lacks the document."""
        X, binner = _scaled(train, lacking=np.nan if self.thresholds else 0.0), None
        if self.thresholds:
            binner = ScoreBinner(self.thresholds).fit(X)
            X = binner.transform(X)
        if X.shape[1] == 0:
            raise InputError("the scores of every run are all equal; there is nothing to learn from")
        learner = with_selected_C(self.make_learner(), X, train).fit(X, train.y, train.qid)
        return LearnedFusion(learner, binner, list(train.feature_names or []))

    def scores(self, train: RankingData, other: RankingData) -> Floats:
        """Fit on `train` and score `other`."""
        return self.fit(train).scores(other)


class LearnedFusion(NamedTuple):
    """A fitted `ScoreLearner`.

    Attributes
    ----------
    learner : fitted ranker
    binner : ScoreBinner, or None
        Transforms the scores; without it features are the scores, scaled to [0, 1] within queries.
    runs : list of str
    """

    learner: Any
    binner: ScoreBinner | None
    runs: list[str]

    def scores(self, data: RankingData) -> Floats:
        """Score documents."""
        if self.binner is None:
            return self.learner.predict(_scaled(data, lacking=0.0), data.qid)  # type: ignore[no-any-return]
        return self.learner.predict(self.binner.transform(_scaled(data, lacking=np.nan)), data.qid)  # type: ignore[no-any-return]

    def feature_names(self) -> list[str]:
        """Names of the learner's features: runs or their thresholds."""
        return self.runs if self.binner is None else self.binner.get_feature_names_out(self.runs).tolist()

    def curves(self) -> dict[str, Curve]:
        """Contribution of each run's score, by the run's name; empty if the model is not linear in thresholds."""
        weights = getattr(self.learner.model_, "coef", None)
        if self.binner is None or weights is None:
            return {}
        return dict(zip(self.runs, self.binner.weight_curve(weights), strict=True))


def fuse_learned(
    runs: list[Run],
    qrels: Qrels,
    learner: ScoreLearner,
    name: str,
    *,
    folds: int = 5,
    random_state: int = 0,
    progress: Callable[[list[Any]], Iterable[Any]] = iter,
) -> Run:
    """Fuse runs by learning from judgments.

    Judged queries are scored by cross-validation, so that the fused run can be evaluated with the same judgments; queries
    without judgments are scored by a model of all judged queries.

    Parameters
    ----------
    runs : list of Run
    qrels : Qrels
    learner : ScoreLearner
    name : str
        Name of the fused run.
    folds : int
        Number of cross-validation folds.
    random_state : int
        Random seed for assigning queries to folds.
    progress : callable
        Iterates over the folds and may report progress.
    """
    data = join_runs(runs, qrels, missing=np.nan)
    if data.n_queries < folds:
        raise InputError(f"{data.n_queries} judged queries cannot make {folds} folds; judge more, or take rrf")
    scores = np.empty(len(data))
    splitter = QueryKFold(folds, shuffle=True, random_state=random_state)
    for train, test in progress(list(splitter.split(data.X, qid=data.qid))):
        scores[test] = learner.scores(data.select(train), data.select(test))
    fused, rest = [as_run(data, scores)], [_without(run, qrels) for run in runs]
    if any(len(run) for run in rest):
        others = join_runs(rest, missing=np.nan)
        fused.append(as_run(others, learner.scores(data, others)))
    qid, docno, score = (np.concatenate([getattr(run, part) for run in fused]) for part in ("qid", "docno", "score"))
    return Run(qid, docno, score, name)


def _without(run: Run, qrels: Qrels) -> Run:
    """The rows of a run whose queries were not judged."""
    other = ~is_in(run.qid, qrels.qid.tolist())
    return Run(run.qid[other], run.docno[other], run.score[other], run.name)


def _scaled(data: RankingData, lacking: float) -> Floats:
    """Scores of each run, scaled to [0, 1] within queries; `lacking` where the run lacks the document."""
    scores = scaled_scores(data)
    return np.where(np.isnan(scores), lacking, scores)
