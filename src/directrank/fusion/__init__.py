"""Several runs into one, with or without learning."""

from .learned import ScoreLearner, fuse_learned
from .unsupervised import FUSIONS, comb_mnz, comb_sum, reciprocal_rank_fusion, scaled_scores

__all__ = [
    "FUSIONS",
    "ScoreLearner",
    "comb_mnz",
    "comb_sum",
    "fuse_learned",
    "reciprocal_rank_fusion",
    "scaled_scores",
]
