"""Unsupervised fusion of runs: CombSUM, CombMNZ and reciprocal rank fusion."""

from __future__ import annotations

import numpy as np
from scipy.stats import rankdata

from ..arrays import Floats
from ..data import InputError, RankingData
from ..features.query_scalers import QueryMinMax


def scaled_scores(data: RankingData) -> Floats:
    """The scores of each run, scaled to 0..1 within each query; 1 if all scores are equal, or there is only one."""
    scaled, queries = QueryMinMax().fit_transform(data.X, qid=data.qid), data.by_query()
    for rows in queries.each():
        all_equal = ~np.any(scaled[rows] > 0, axis=0)
        scaled[rows] += all_equal  # NaN stays NaN
    return scaled


def comb_sum(data: RankingData) -> Floats:
    """CombSUM (Fox & Shaw 1994): the sum of a document's `scaled_scores`.

    Parameters
    ----------
    data : RankingData
        One feature for each run, NaN if the run did not return the document: ``join_runs(runs, qrels, missing=np.nan)``.
        Missing scores count 0.
    """
    return np.nansum(scaled_scores(data), axis=1)


def comb_mnz(data: RankingData) -> Floats:
    """CombMNZ (Fox & Shaw 1994): CombSUM times the number of runs that returned the document."""
    return comb_sum(data) * np.sum(~np.isnan(data.X), axis=1)


def reciprocal_rank_fusion(data: RankingData, k: float = 60.0) -> Floats:
    """Reciprocal rank fusion (Cormack et al. 2009): the sum of 1/(k + rank) over the runs that returned the document.

    Tied documents get the mean of their ranks.
    """
    if not k >= 0:
        raise InputError(f"k must be at least 0, not {k!r}")
    queries, fused = data.by_query(), np.empty(len(data))
    missing = np.isnan(data.X)
    last = np.where(missing, np.inf, -data.X)  # missing scores last, where they change no other rank
    for rows in queries.each():
        fused[rows] = np.sum(np.where(missing[rows], 0.0, 1 / (k + rankdata(last[rows], axis=0))), axis=1)
    return fused


#: The unsupervised fusion methods, by name.
FUSIONS = {"combsum": comb_sum, "combmnz": comb_mnz, "rrf": reciprocal_rank_fusion}
