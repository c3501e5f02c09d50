"""Fusing runs by learning from judgments."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import numpy as np

from ..arrays import Floats
from ..data import InputError, Qrels, QueryKFold, RankingData, Run, as_run, join_runs
from ..features import Curve, ScoreBinner
from .choosing_on_halves import with_chosen_C
from .unsupervised import scaled_scores


class ScoreLearner:
    """A learner on the features of runs' scores.

    Where a learner leaves its C open and has a path of models, as SVMs do, C is chosen by `with_chosen_C`: for runs of a
    thousand documents that takes a small part of the time that ``C="auto"`` does.

    Parameters
    ----------
    make_learner : callable
        Gives a fresh ranker.
    thresholds : int
        How many binary features each run's scores become; 0 takes the scores themselves, from 0 to 1 in each query.
    """

    def __init__(self, make_learner: Callable[[], Any], thresholds: int = 50) -> None:
        self.make_learner, self.thresholds = make_learner, thresholds

    def fit(self, train: RankingData) -> LearnedFusion:
        """Learn from judged documents, with one feature for each run, NaN where it lacks the document."""
        X, binner = _scaled(train, lacking=np.nan if self.thresholds else 0.0), None
        if self.thresholds:
            binner = ScoreBinner(self.thresholds).fit(X)
            X = binner.transform(X)
        if X.shape[1] == 0:
            raise InputError("the scores of every run are all equal; there is nothing to learn from")
        learner = with_chosen_C(self.make_learner(), X, train).fit(X, train.y, train.qid)
        return LearnedFusion(learner, binner, list(train.feature_names or []))

    def scores(self, train: RankingData, other: RankingData) -> Floats:
        """The scores of other data by a model of the training data."""
        return self.fit(train).scores(other)


class LearnedFusion(NamedTuple):
    """What a `ScoreLearner` has learned.

    Attributes
    ----------
    learner : fitted ranker
    binner : ScoreBinner, or None
        Which makes the learner's features; without it they are the scores, from 0 to 1 in each query.
    runs : list of str
    """

    learner: Any
    binner: ScoreBinner | None
    runs: list[str]

    def scores(self, data: RankingData) -> Floats:
        """A score for each document."""
        if self.binner is None:
            return self.learner.predict(_scaled(data, lacking=0.0))  # type: ignore[no-any-return]
        return self.learner.predict(self.binner.transform(_scaled(data, lacking=np.nan)))  # type: ignore[no-any-return]

    def feature_names(self) -> list[str]:
        """Of the learner's features: the runs, or their thresholds."""
        return self.runs if self.binner is None else self.binner.get_feature_names_out(self.runs).tolist()

    def curves(self) -> dict[str, Curve]:
        """What each run's score contributes, by the run's name; none where the model is not linear in thresholds."""
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
    """One run from several, by learning from judgments.

    A judged query is ranked by a model of other folds' queries, so that the run can be measured by the same judgments;
    queries without judgments by a model of all that have them.

    Parameters
    ----------
    folds : int
        Number of cross-validation folds.
    random_state : int
        Random seed for assigning queries to folds.
    progress : callable
        Iterates over the folds and shows the progress.
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
    """What a run has for queries that were not judged."""
    other = ~np.isin(run.qid, np.unique(qrels.qid))
    return Run(run.qid[other], run.docno[other], run.score[other], run.name)


def _scaled(data: RankingData, lacking: float) -> Floats:
    """Each run's scores from 0 to 1 in each query, and `lacking` for what it lacks."""
    scores = scaled_scores(data)
    return np.where(np.isnan(scores), lacking, scores)
