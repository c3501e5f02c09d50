"""Several runs into one, with or without learning."""

from .learned import LearnedFusion, ScoreLearner, fuse_learned
from .unsupervised import FUSIONS, comb_mnz, comb_sum, reciprocal_rank_fusion, scaled_scores

__all__ = [
    "FUSIONS",
    "LearnedFusion",
    "ScoreLearner",
    "comb_mnz",
    "comb_sum",
    "fuse_learned",
    "reciprocal_rank_fusion",
    "scaled_scores",
]
