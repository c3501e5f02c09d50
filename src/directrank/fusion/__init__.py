"""Several runs into one, with or without learning, and several models into one."""

from .learned import LearnedFusion, ScoreLearner, fuse_learned
from .models import select_models
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
    "select_models",
]
