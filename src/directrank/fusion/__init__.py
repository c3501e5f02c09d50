"""Several runs into one, with or without learning."""

from .unsupervised import FUSIONS, comb_mnz, comb_sum, reciprocal_rank_fusion, scaled_scores

__all__ = ["FUSIONS", "comb_mnz", "comb_sum", "reciprocal_rank_fusion", "scaled_scores"]
