"""Fusing runs without learning: CombSUM, CombMNZ and reciprocal ranks."""

from __future__ import annotations

import numpy as np
from scipy.stats import rankdata

from ..arrays import Floats
from ..data import InputError, RankingData
from ..features.query_scaling import QueryMinMax


def scaled_scores(data: RankingData) -> Floats:
    """Each run's scores from 0 to 1 in each query; 1 where a run has one document, or all its scores are equal."""
    scaled, queries = QueryMinMax().fit_transform(data.X, qid=data.qid), data.by_query()
    for start, end in zip(queries.offsets[:-1], queries.offsets[1:], strict=True):
        rows = queries.order[start:end]
        all_equal = ~np.any(scaled[rows] > 0, axis=0)
        scaled[rows] += all_equal  # NaN stays NaN
    return scaled


def comb_sum(data: RankingData) -> Floats:
    """CombSUM (Fox & Shaw 1994): the sum of a document's `scaled_scores`.

    Parameters
    ----------
    data : RankingData
        A feature for each run, NaN where a run does not have the document: ``join_runs(runs, qrels, missing=np.nan)``.
        What is missing counts 0.
    """
    return np.nansum(scaled_scores(data), axis=1)


def comb_mnz(data: RankingData) -> Floats:
    """CombMNZ (Fox & Shaw 1994): CombSUM times how many runs have the document."""
    return comb_sum(data) * np.sum(~np.isnan(data.X), axis=1)


def reciprocal_rank_fusion(data: RankingData, k: float = 60.0) -> Floats:
    """Reciprocal rank fusion (Cormack et al. 2009): the sum of 1/(k + rank) over the runs that have the document.

    Equal scores of a run share the mean of their ranks.
    """
    if not k >= 0:
        raise InputError(f"k must be a number from 0 up, not {k!r}")
    queries, fused = data.by_query(), np.empty(len(data))
    missing = np.isnan(data.X)
    last = np.where(missing, np.inf, -data.X)  # what is missing after all others, where it changes no other rank
    for start, end in zip(queries.offsets[:-1], queries.offsets[1:], strict=True):
        rows = queries.order[start:end]
        fused[rows] = np.sum(np.where(missing[rows], 0.0, 1 / (k + rankdata(last[rows], axis=0))), axis=1)
    return fused


#: The unsupervised ways to fuse, by name.
FUSIONS = {"combsum": comb_sum, "combmnz": comb_mnz, "rrf": reciprocal_rank_fusion}
